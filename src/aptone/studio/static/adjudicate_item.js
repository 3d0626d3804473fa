// One item before the adjudicator: what raters saw and heard, what each of them answered, and what is to stand.
import { get, path, put } from "./api.js";
import { answersTable } from "./adjudicate_answers.js";
import { buildControl, isAnswer } from "./controls.js";
import { make } from "./dom.js";
import { ago } from "./figures.js";
import { Player, pauseOthers } from "./player.js";
import { tellStory } from "./story.js";
import { pick, say } from "./words.js";

const LETTERS = "AB";

/** Fetches an item of a task. */
export const fetchItem = (task, name) => get(path("api", "tasks", task.name, "items", name));

/** An item that is open on the page; `element` shows it. */
export class OpenItem {
  #task;
  #item;
  #draft;
  #answers;
  #controls;
  #players;
  #stories = [];
  #note;
  #saved = make("p", { class: "small", role: "status" });

  /**
   * @param {object} task as `GET /api/tasks/{task}` gives it
   * @param {object} item as `fetchItem` gives it
   * @param {import("./drafts.js").Draft} draft what was entered on this device and is not saved yet
   */
  constructor(task, item, draft) {
    this.#task = task;
    this.#item = item;
    this.#draft = draft;
    const kept = draft.read();
    this.#answers = { ...(kept?.answers ?? item.adjudication?.answers) };
    this.#players = this.#makePlayers();
    const shown = task.shown.flatMap((one) => this.#shown(one));
    this.#controls = task.controls.map((control) => this.#control(control));
    this.#note = make("textarea", { id: "settle-note", rows: 2, maxlength: 10000, on: { input: () => this.#changed() } });
    this.#note.value = kept?.note ?? item.adjudication?.note ?? "";
    this.#tell(kept ? say("desk.settle.draft") : this.#standing(item.adjudication));
    const takeOver = (control, value) => this.#take(control, value);
    this.element = make("article", { class: "stack item", tabindex: "-1", aria: { labelledby: "item-heading" } },
      make("h2", { id: "item-heading" }, make("bdi", { text: item.item })),
      ...shown,
      answersTable({ task, ratings: item.ratings, clipName: (clip) => this.#clipName(clip), takeOver }),
      make("section", { class: "stack", aria: { labelledby: "settle-heading" } },
        make("h2", { id: "settle-heading", text: say("desk.settle.yours") }),
        make("p", { class: "small muted", text: say("desk.settle.yours-note") }),
        ...this.#controls.map((control) => control.element),
        make("label", { class: "field", for: "settle-note" }, say("desk.settle.note"), this.#note)));
  }

  get name() {
    return this.#item.item;
  }

  /** Where it stands: saved, or changed since. */
  get state() {
    return this.#saved;
  }

  /** Loads what can be heard; the element has to be in the page by now. */
  start() {
    for (const { player } of this.#players) player.load();
    for (const story of this.#stories) story.toTarget();
  }

  close() {
    pauseOthers();
    for (const { player } of this.#players) player.destroy();
    for (const story of this.#stories) story.pause();
  }

  /** The clip that plays, or the first. */
  get player() {
    return (this.#players.find(({ player }) => player.playing) ?? this.#players[0])?.player ?? null;
  }

  /** Sends what is to stand; throws what the server says against it. */
  async save() {
    const answers = Object.fromEntries(Object.entries(this.#answers).filter(([, value]) => isAnswer(value)));
    const address = path("api", "tasks", this.#task.name, "items", this.#item.item, "adjudication");
    const adjudication = await put(address, { answers, note: this.#note.value });
    this.#draft.clear();
    this.#tell(this.#standing(adjudication));
  }

  #standing(adjudication) {
    return adjudication ? say("desk.settle.saved", { rater: adjudication.adjudicator, ago: ago(adjudication.written) }) : say("desk.settle.unsaved");
  }

  #tell(text) {
    this.#saved.textContent = text;
  }

  #changed() {
    this.#draft.write({ answers: this.#answers, note: this.#note.value });
    this.#tell(say("desk.settle.changed"));
  }

  #take(name, value) {
    this.#answers[name] = value;
    this.#controls.find((control) => control.name === name).set(value);
    this.#changed();
  }

  #control(control) {
    const context = {
      fields: this.#item.fields, pairs: this.#item.pairs, clipName: (clip) => this.#clipName(clip), player: this.#players[0]?.player ?? null,
      changed: (name, value) => {
        this.#answers[name] = value;
        this.#changed();
      },
    };
    const built = buildControl({ ...control, required: false }, context);
    if (isAnswer(this.#answers[control.name])) built.set(this.#answers[control.name]);
    return built;
  }

  #clipName(clip) {
    const place = Object.values(this.#item.pairs).map((pair) => pair.indexOf(clip)).find((index) => index >= 0);
    return place === undefined ? clip : LETTERS[place];
  }

  #url(clip) {
    return path("api", "tasks", this.#task.name, "items", this.#item.item, "clips", clip);
  }

  #makePlayers() {
    const played = new Map(this.#task.shown.filter((one) => ["audio", "pair"].includes(one.kind)).map((one) => [one.name, one]));
    return this.#item.clips.filter((clip) => played.has(clip.name)).map((clip) => {
      const heading = pick(played.get(clip.name).label, clip.name);
      const label = played.get(clip.name).kind === "pair" ? `${heading} ${this.#clipName(clip.clip)}` : heading;
      return { name: clip.name, player: new Player({ url: this.#url(clip.clip), label, seconds: clip.seconds ?? 0 }) };
    });
  }

  #shown({ name, kind, label }) {
    const heading = pick(label, name);
    const field = this.#item.fields[name];
    if (kind === "story") {
      const story = tellStory(field, { label: heading, url: (clip) => this.#url(clip) });
      this.#stories.push(story);
      return [make("div", { class: "card" }, story.element)];
    }
    if (kind === "text") {
      const text = typeof field === "string" ? field : JSON.stringify(field);
      return [make("section", { class: "card" }, make("h2", { text: heading }), make("p", { class: "shown-text", text, dir: "auto" }))];
    }
    return this.#players.filter((one) => one.name === name).map(({ player }) => make("div", { class: "card" }, player.element));
  }
}
