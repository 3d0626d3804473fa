// One item before the adjudicator: what raters saw and heard, what each of them answered, and what is to stand.
import { get, path, put } from "./api.js";
import { ratersAnswers } from "./adjudicate_question.js";
import { isAnswer } from "./controls.js";
import { make } from "./dom.js";
import { ago, seconds } from "./figures.js";
import { askQuestions, showItem } from "./item.js";
import { say } from "./messages.js";

/** Fetches an item of a task. */
export const fetchItem = (task, name) => get(path("api", "tasks", task.name, "items", name));

/** An item that is open on the page; `element` shows it, `state` says whether it is saved. */
export class OpenItem {
  #task;
  #item;
  #draft;
  #answers;
  #controls;
  #order;
  #current = 0;
  #byKey = -1; // question that was answered by a digit since it was gone to
  #shown;
  #note = make("textarea", { id: "settle-note", rows: 2, maxlength: 10000, on: { input: () => this.#changed() } });

  /**
   * @param {object} task as `GET /api/tasks/{task}` gives it
   * @param {object} item as `fetchItem` gives it
   * @param {import("./local_records.js").Draft} draft what was entered on this device and is not saved yet
   */
  constructor(task, item, draft) {
    this.#task = {
      ...task,
      must_listen: false,
      controls: task.controls.map((control) => ({ ...control, required: false })),
    };
    this.#item = item;
    this.#draft = draft;
    const kept = draft.read();
    this.#answers = { ...(kept?.answers ?? item.adjudication?.answers) };
    this.#shown = showItem(this.#task, item, {
      clipUrl: (clip) => path("api", "tasks", task.name, "items", item.item, "clips", clip),
      played: [],
    });
    this.#controls = askQuestions(this.#task, { ...item, answers: this.#answers }, this.#shown, {
      changed: (name, value) => {
        this.#answers[name] = value;
        this.#changed();
      },
    });
    this.#note.value = kept?.note ?? item.adjudication?.note ?? "";
    this.state = make("p", {
      class: "small",
      role: "status",
      text: kept ? say("desk.settle.draft") : standing(item.adjudication),
    });
    this.element = this.#draw();
  }

  /** Loads what can be heard; the element has to be in the page by now. */
  start() {
    this.#shown.begin();
  }

  close() {
    this.#shown.destroy();
  }

  /** The clip that plays, or the first. */
  get player() {
    const players = [...this.#shown.players.values()];
    return players.find((player) => player.playing) ?? players[0] ?? null;
  }

  /** Goes to the next question, or back. */
  move(step) {
    this.#point(Math.max(0, Math.min(this.#order.length - 1, this.#current + step)));
    this.#order[this.#current]?.element.closest("details")?.setAttribute("open", "");
    this.#order[this.#current]?.focus();
  }

  /** Answers the question in focus by a digit; `false` where it takes none. */
  digit(key) {
    const answered = this.#order[this.#current]?.digit(key) ?? false;
    if (answered) this.#byKey = this.#current;
    return answered;
  }

  /** Leaves a question that was answered by a digit for the next one; `false` where the key is the browser's. */
  tab() {
    if (this.#byKey !== this.#current || this.#current === this.#order.length - 1) return false;
    this.move(1);
    return true;
  }

  /** Sends what is to stand; throws what the server says against it. */
  async save() {
    const answers = Object.fromEntries(Object.entries(this.#answers).filter(([, value]) => isAnswer(value)));
    const address = path("api", "tasks", this.#task.name, "items", this.#item.item, "adjudication");
    const adjudication = await put(address, { answers, note: this.#note.value });
    this.#draft.clear();
    this.state.textContent = standing(adjudication);
  }

  #draw() {
    const { apart, together } = this.#questions();
    const { item, ratings } = this.#item;
    const people = ratings.map((rating) => `${rating.rater} (${seconds(rating.seconds)})`).join(", ");
    const agreed = make(
      "details",
      { class: "stack" },
      make("summary", { text: say("desk.settle.agreed", { count: together.length }) }),
      ...together.map((control) => control.element),
    );
    agreed.open = !apart.length;
    agreed.hidden = !together.length;
    return make(
      "article",
      { class: "settling stack", tabindex: "-1", aria: { labelledby: "item-heading" } },
      make(
        "div",
        {},
        make("h2", { id: "item-heading" }, make("bdi", { text: item })),
        make("p", {
          class: "small muted",
          text: people ? say("desk.settle.raters", { people }) : say("desk.settle.nobody"),
        }),
      ),
      make(
        "div",
        { class: "item many" },
        this.#shown.element,
        make(
          "section",
          { class: "stack questions", aria: { labelledby: "settle-heading" } },
          make("h2", { id: "settle-heading", text: say("desk.settle.yours") }),
          make("p", { class: "small muted", text: say("desk.settle.yours-note") }),
          ...apart.map((control) => control.element),
          agreed,
          make("label", { class: "field", for: "settle-note" }, say("desk.settle.note"), this.#note),
        ),
      ),
    );
  }

  /** The questions, each under the raters' answers: those on which somebody stands out, and the others. */
  #questions() {
    const apart = [];
    const together = [];
    this.#controls.forEach((control, index) => {
      const given = ratersAnswers({
        control: this.#task.controls[index],
        label: control.label,
        ratings: this.#item.ratings,
        clipName: this.#shown.clipName,
        takeOver: (value) => this.#take(control.name, value),
      });
      control.element.querySelector(".control-head").after(given.element);
      (given.differs ? apart : together).push(control);
    });
    this.#order = [...apart, ...together];
    this.#order.forEach((control, index) => control.element.addEventListener("focusin", () => this.#point(index)));
    return { apart, together };
  }

  #point(index) {
    if (index !== this.#current) this.#byKey = -1;
    this.#current = index;
    this.#order.forEach((control, other) => control.element.classList.toggle("pointed", other === index));
  }

  #changed() {
    this.#draft.write({ answers: this.#answers, note: this.#note.value });
    this.state.textContent = say("desk.settle.changed");
  }

  #take(name, value) {
    this.#answers[name] = value;
    this.#controls.find((control) => control.name === name).set(value);
    this.#changed();
  }
}

/** Adjudicator and time of a decision, as text. */
function standing(adjudication) {
  if (!adjudication) return say("desk.settle.unsaved");
  return say("desk.settle.saved", { rater: adjudication.by, ago: ago(adjudication.written) });
}
