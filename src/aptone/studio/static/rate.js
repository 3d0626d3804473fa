// The rating page: one item after the other, by keyboard, mouse or finger; every change is saved at once.
import { ApiError, get, kindly, path, post } from "./api.js";
import { fill, iconButton, make } from "./dom.js";
import { showFeedback } from "./feedback.js";
import { begin, frame } from "./frame.js";
import { guide, openHelp } from "./help.js";
import { askQuestions, assignmentClip, showItem } from "./item.js";
import { listen } from "./keys.js";
import { openMine } from "./mine.js";
import { Outbox } from "./outbox.js";
import { pauseOthers } from "./player.js";
import { RatingBar } from "./rating_bar.js";
import { ratingKeys } from "./rating_keys.js";
import { pick, say } from "./words.js";

const TYPING = 150; // milliseconds without a key after which typed text is sent

class RatingPage {
  #main = document.getElementById("main");
  #task;
  #outbox;
  #mine = [];
  #view = null;
  #shown = null;
  #controls = [];
  #current = 0;
  #player = null;
  #dirty = false;
  #busy = false;
  #bar;
  #bindings;

  constructor(task, mine, person) {
    this.#task = task;
    this.#mine = mine;
    this.#outbox = new Outbox(person.id);
    this.#outbox.addEventListener("elsewhere", ({ detail }) => this.#elsewhere(detail));
    this.#outbox.addEventListener(
      "played",
      ({ detail }) => detail.assignment === this.#view?.id && this.#markHeard(detail.played),
    );
    this.#outbox.addEventListener(
      "unheard",
      ({ detail }) => detail.assignment === this.#view?.id && this.#shown.players.get(detail.clip)?.setHeard(false),
    );
    this.#bindings = ratingKeys({
      play: (run) => this.#playing(run),
      otherClip: () => this.#otherClip(),
      digit: (key) => !this.#locked && (this.#controls[this.#current]?.digit(key) ?? false),
      move: (step) => this.#move(step),
      leaveField: () => this.#controls[this.#current]?.element.focus(),
      submit: () => this.submit(),
      previous: () => this.previous(),
      toTarget: () => this.#shown?.toTarget(),
      help: () => this.help(),
    });
    this.#bar = new RatingBar(this.#outbox, {
      previous: () => this.previous(),
      submit: () => this.submit(),
      play: () => this.#playing((player) => player.toggle()),
      list: () => this.#openMine(),
    });
    const help = iconButton("help", "help", () => this.help());
    frame({ person, title: pick(task.title, task.name), extra: [help] });
    document.body.append(this.#bar.element);
    listen(this.#bindings);
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.#catchUp());
  }

  /** Opens the item of the address, or what comes next. */
  async start() {
    this.#outbox.announce();
    const wanted = decodeURIComponent(location.hash.slice(1));
    if (wanted && this.#mine.some((one) => one.id === wanted)) await this.open(wanted);
    else await this.next();
  }

  help() {
    pauseOthers();
    openHelp(this.#task, this.#bindings);
  }

  /** Asks for what comes next. */
  async next() {
    await this.#guarded(async () => {
      await this.#outbox.sendNow();
      const { assignment, reason } = await post(path("api", "tasks", this.#task.name, "next"));
      if (!assignment) return this.#end(reason);
      const known = this.#mine.find((one) => one.id === assignment.id);
      if (!known)
        this.#mine.push({
          id: assignment.id,
          position: this.#mine.length,
          stage: assignment.stage,
          state: assignment.state,
        });
      this.#show(assignment);
    });
  }

  /** Opens one of the person's own items again. */
  async open(id) {
    await this.#guarded(async () => {
      await this.#outbox.sendNow();
      this.#show(await get(path("api", "assignments", id)));
    });
  }

  async submit() {
    if (!this.#view || this.#busy) return;
    const missing = this.#missing();
    if (missing) return missing.jump();
    if (this.#view.state === "submitted" && !this.#dirty) return this.#forward();
    const view = this.#view;
    await this.#guarded(
      async () => {
        for (const control of this.#controls) {
          if (control.value === undefined && control.standing !== undefined)
            this.#outbox.change(view.id, control.name, control.standing);
        }
        await this.#outbox.sendNow();
        if (this.#outbox.reason) throw new ApiError({ status: 422, message: this.#outbox.reason });
        if (this.#outbox.waiting) throw new ApiError({ status: 0 });
        const { feedback } = await post(path("api", "assignments", view.id, "submit"), { changes: [] });
        this.#outbox.submitted(view.id);
        this.#settle(view);
        if (feedback && Object.keys(feedback).length) await showFeedback(feedback, this.#task, this.#shown.clipName);
      },
      { then: () => this.#forward() },
    );
  }

  async previous() {
    const index = this.#index();
    if (index > 0) await this.open(this.#mine[index - 1].id);
    else if (!this.#view && this.#mine.length) await this.open(this.#mine.at(-1).id);
  }

  async #forward() {
    const following = this.#mine[this.#index() + 1];
    if (following) await this.open(following.id);
    else await this.next();
  }

  #index() {
    return this.#mine.findIndex((one) => one.id === this.#view?.id);
  }

  #settle(view) {
    view.state = "submitted";
    this.#dirty = false;
    const mine = this.#mine.find((one) => one.id === view.id);
    if (mine) mine.state = "submitted";
  }

  /** Runs what talks to the server; trouble is told beside the button, and nothing is lost. */
  async #guarded(run, { then = () => {} } = {}) {
    this.#busy = true;
    this.#bar.tell("");
    this.#refresh();
    let done = false;
    try {
      await run();
      done = true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#bar.tell(kindly(error));
      if (error.status === 409 && this.#view) await this.#listenAgain();
    } finally {
      this.#busy = false;
      this.#refresh();
    }
    if (done) await then();
  }

  /** The server has not heard of a clip being played: what it knows is asked. */
  async #listenAgain() {
    try {
      const { played } = await get(path("api", "assignments", this.#view.id));
      for (const [clip, player] of this.#shown.players) player.setHeard(played.includes(clip));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** Back at this page, perhaps from another device: what was answered there meanwhile is shown. */
  async #catchUp() {
    const id = this.#view?.id;
    if (!id || this.#busy || this.#outbox.waiting) return;
    try {
      const now = await get(path("api", "assignments", id));
      if (this.#view?.id !== id || this.#outbox.waiting || !this.#outbox.know(id, now.sequence)) return;
      for (const control of this.#controls) {
        const given = now.answers[control.name];
        if (JSON.stringify(given) !== JSON.stringify(control.value)) control.set(given, { elsewhere: true });
      }
      this.#markHeard(now.played);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // it is asked again the next time
    }
  }

  #show(view) {
    this.#shown?.destroy();
    const kept = this.#outbox.kept(view.id);
    this.#outbox.know(view.id, view.sequence);
    this.#outbox.forgive();
    this.#view = { ...view, answers: { ...view.answers, ...kept.answers } };
    this.#dirty = Object.keys(kept.answers).length > 0;
    history.replaceState(null, "", `#${encodeURIComponent(view.id)}`);
    this.#shown = showItem(this.#task, this.#view, {
      clipUrl: assignmentClip(view.id),
      played: [...view.played, ...kept.played],
    });
    this.#controls = askQuestions(this.#task, this.#view, this.#shown, {
      changed: (name, value, { typing }) => this.#changed(name, value, typing),
    });
    for (const [clip, player] of this.#shown.players) {
      player.addEventListener("heard", () => {
        this.#outbox.played(view.id, clip);
        this.#refresh();
      });
      player.addEventListener("focus-player", () => {
        this.#player = player;
      });
    }
    this.#player = this.#shown.players.values().next().value ?? null;
    const questions = make(
      "fieldset",
      { class: "stack questions", disabled: this.#locked, aria: { label: say("rate.questions") } },
      ...this.#controls.map((control) => control.element),
    );
    this.#controls.forEach((control, index) => control.element.addEventListener("focusin", () => this.#point(index)));
    const note = make("p", { class: "note", role: "status", dataset: { part: "submitted" } });
    const previous = this.#main.querySelector(".guide");
    fill(
      this.#main,
      previous ?? guide(this.#task),
      note,
      make("div", { class: this.#controls.length > 4 ? "item many" : "item" }, this.#shown.element, questions),
    );
    this.#shown.begin();
    window.scrollTo(0, 0);
    this.#point(0);
    this.#controls[0]?.element.focus({ preventScroll: true });
    this.#refresh();
  }

  #end(reason) {
    this.#shown?.destroy();
    this.#shown = null;
    this.#view = null;
    this.#controls = [];
    this.#player = null;
    history.replaceState(null, "", location.pathname);
    const button = (word, run) => make("button", { type: "button", text: say(word), on: { click: run } });
    const ways = make(
      "div",
      { class: "row" },
      make("a", { class: "button primary", href: "/", text: say("rate.back") }),
      reason === "waiting" ? button("retry", () => this.next()) : null,
      this.#mine.length ? button("rate.items", () => this.#openMine()) : null,
    );
    const told = make("h2", { text: say(`rate.end.${reason}`) });
    fill(this.#main, make("section", { class: "card stack end", role: "status" }, told, ways));
    this.#refresh();
  }

  /** Whether answers stand for good: the right ones were shown, or the task is closed. */
  get #locked() {
    return this.#task.open === false || (this.#view?.state === "submitted" && this.#view.stage !== "rating");
  }

  #changed(name, value, typing) {
    if (this.#locked) return this.#controls.find((control) => control.name === name).set(this.#view.answers[name]);
    this.#dirty = true;
    this.#outbox.change(this.#view.id, name, value, { delay: typing ? TYPING : 0 });
    this.#refresh();
  }

  #elsewhere(record) {
    if (record.assignment !== this.#view?.id) return;
    if (record.kind === "submitted") this.#settle(this.#view);
    else if (record.kind === "played") this.#shown.players.get(record.clip)?.setHeard();
    else if (record.kind === "change") {
      this.#dirty = true;
      this.#controls.find((control) => control.name === record.control)?.set(record.value, { elsewhere: true });
    }
    this.#refresh();
  }

  #markHeard(clips) {
    for (const clip of clips) this.#shown.players.get(clip)?.setHeard();
    this.#refresh();
  }

  /** What is missing before the item can be submitted, and how to get there. */
  #missing() {
    for (const player of this.#shown?.players.values() ?? []) {
      if (!player.needed) continue;
      const jump = () => {
        this.#player = player;
        player.element.scrollIntoView({ block: "center" });
        player.element.querySelector("button").focus({ preventScroll: true });
      };
      return { text: say("rate.listen-first", { clip: player.label }), jump };
    }
    const index = this.#controls.findIndex((control) => !control.complete);
    if (index < 0) return null;
    const jump = () => {
      this.#controls[index].focus();
      this.#point(index);
    };
    return { text: say("rate.answer-first", { control: this.#controls[index].label }), jump };
  }

  #point(index) {
    this.#current = index;
    this.#controls.forEach((control, other) => control.element.classList.toggle("pointed", other === index));
  }

  #move(step) {
    const index = Math.max(0, Math.min(this.#controls.length - 1, this.#current + step));
    this.#controls[index]?.focus();
    this.#point(index);
  }

  #refresh() {
    const view = this.#view;
    const missing = view ? this.#missing() : null;
    const again = view?.state === "submitted";
    this.#bar.refresh({
      view,
      missing: missing?.text ?? "",
      word: !again ? "rate.submit" : this.#dirty ? "rate.correct" : "rate.next",
      busy: this.#busy,
      hasPrevious: view ? this.#index() > 0 : this.#mine.length > 0,
    });
    const note = this.#main.querySelector('[data-part="submitted"]');
    if (!note) return;
    note.hidden = !again;
    note.className = this.#dirty ? "note warn" : "note good";
    note.textContent = again ? say(this.#locked ? "rate.locked" : this.#dirty ? "rate.changed" : "rate.submitted") : "";
  }

  #openMine() {
    openMine(this.#mine, this.#view?.id, (id) => this.open(id));
  }

  #playing(run) {
    if (!this.#player) return false;
    if (this.#player.needed) this.#player.element.scrollIntoView({ block: "nearest" });
    run(this.#player);
    return true;
  }

  #otherClip() {
    const players = [...(this.#shown?.players.values() ?? [])];
    this.#player = players[(players.indexOf(this.#player) + 1) % players.length] ?? null;
    this.#player?.element.querySelector("button").focus();
    this.#player?.play();
  }
}

async function open() {
  const main = document.getElementById("main");
  try {
    const address = ["api", "tasks", decodeURIComponent(location.pathname.split("/").at(-1))];
    const [person, task, mine] = await Promise.all([begin(), get(path(...address)), get(path(...address, "mine"))]);
    await new RatingPage(task, mine, person).start();
  } catch (error) {
    if (!document.querySelector(".frame")) frame();
    fill(
      main,
      make("p", { class: "note bad", role: "alert", text: kindly(error) }),
      make("button", { class: "primary", type: "button", text: say("retry"), on: { click: () => location.reload() } }),
    );
  }
}

open();
