// One item on the rating page: its clips and questions, which of them has the focus, what was changed and what is missing.
import { make } from "./dom.js";
import { askQuestions, assignmentClip, showItem } from "./item.js";
import { pick, say } from "./messages.js";

const TYPING = 150; // milliseconds without a key after which typed text is sent

export class RatedItem {
  #task;
  #outbox;
  #refresh;
  #shown;
  #controls;
  #current = 0;
  #byKey = -1; // question that was answered by a digit since it was gone to
  #player;
  #note = make("p", { class: "note", role: "status", dataset: { part: "submitted" } });

  /** View from the server, with the answers that wait on this device. */
  view;
  /** True if something was changed since it was submitted, or opened. */
  dirty;

  /**
   * @param {object} task
   * @param {object} view what the server gives of the item
   * @param {import("./outbox.js").Outbox} outbox takes what is changed and heard
   * @param {() => void} refresh something has changed that stands elsewhere on the page
   */
  constructor(task, view, outbox, refresh) {
    this.#task = task;
    this.#outbox = outbox;
    this.#refresh = refresh;
    const kept = outbox.kept(view.id);
    outbox.know(view.id, view.sequence);
    outbox.forgive();
    this.view = { ...view, answers: { ...view.answers, ...kept.answers } };
    this.dirty = Object.keys(kept.answers).length > 0;
    this.#shown = showItem(task, this.view, {
      clipUrl: assignmentClip(view.id),
      played: [...view.played, ...kept.played],
    });
    this.#controls = askQuestions(task, this.view, this.#shown, {
      changed: (name, value, { typing }) => this.#changed(name, value, typing),
      focusClip: (clip) => this.#focusClip(clip),
    });
    this.#player = this.#shown.players.values().next().value ?? null;
    for (const [clip, player] of this.#shown.players) {
      player.addEventListener("heard", () => {
        outbox.played(view.id, clip);
        refresh();
      });
      player.addEventListener("touched", refresh);
      player.addEventListener("focus-player", () => {
        this.#player = player;
      });
    }
    this.#controls.forEach((control, index) => control.element.addEventListener("focusin", () => this.#point(index)));
    const questions = make(
      "fieldset",
      { class: "stack questions", disabled: this.locked, aria: { label: say("rate.questions") } },
      ...this.#controls.map((control) => control.element),
    );
    const many = this.#controls.length > 4;
    const instruction = pick(view.instruction);
    if (instruction)
      questions.prepend(make("p", { class: "note instruction", text: instruction, dir: "auto", role: "note" }));
    this.elements = [this.#note, make("div", { class: many ? "item many" : "item" }, this.#shown.element, questions)];
  }

  get id() {
    return this.view.id;
  }

  get isSubmitted() {
    return this.view.state === "submitted";
  }

  /** True if answers are final: the right ones were shown, or the task is closed. */
  get locked() {
    return this.#task.open === false || (this.isSubmitted && this.view.stage !== "rating");
  }

  /** True while a clip is heard. */
  get isPlaying() {
    return [...this.#shown.players.values()].some((player) => player.playing);
  }

  get clipName() {
    return this.#shown.clipName;
  }

  /** Now that it stands on the page: clips are drawn, and the first question has the focus. */
  begin() {
    this.#shown.begin();
    window.scrollTo(0, 0);
    this.#point(0);
    this.#controls[0]?.element.focus({ preventScroll: true });
  }

  destroy() {
    this.#shown.destroy();
  }

  /** Sends the answers that stand although nobody touched them. */
  sendStanding() {
    for (const control of this.#controls) {
      if (control.value === undefined && control.standing !== undefined)
        this.#outbox.change(this.id, control.name, control.standing);
    }
  }

  settle() {
    this.view.state = "submitted";
    this.dirty = false;
  }

  /** Applies a change of another window. */
  elsewhere(record) {
    if (record.kind === "submitted") this.settle();
    else if (record.kind === "played") this.setHeard(record.clip);
    else if (record.kind === "change") {
      this.dirty = true;
      const note = record.superseded ? "rate.superseded" : "rate.changed-elsewhere";
      this.#control(record.control)?.set(record.value, { note });
    }
    this.#refresh();
  }

  /** Applies answers from another device. */
  catchUp({ answers, played }) {
    for (const control of this.#controls) {
      const given = answers[control.name];
      if (JSON.stringify(given) !== JSON.stringify(control.value)) control.set(given, { note: "rate.changed-elsewhere" });
    }
    this.markHeard(played);
  }

  markHeard(clips) {
    for (const clip of clips) this.setHeard(clip);
    this.#refresh();
  }

  setHeard(clip, isHeard = true) {
    this.#shown.players.get(clip)?.setHeard(isHeard);
  }

  /** These clips were heard and no others, whatever was thought before. */
  setAllHeard(clips) {
    for (const [clip, player] of this.#shown.players) player.setHeard(clips.includes(clip));
  }

  /** First missing part before submission, and the way there; null for none. */
  missing() {
    for (const player of this.#shown.players.values()) {
      if (!player.needed) continue;
      const jump = () => {
        this.#player = player;
        player.element.scrollIntoView({ block: "center" });
        player.element.querySelector("button").focus({ preventScroll: true });
      };
      const word = player.brief ? "rate.listen-once" : "rate.listen-first";
      return { text: say(word, { clip: player.label }), jump };
    }
    const index = this.#controls.findIndex((control) => !control.complete);
    if (index < 0) return null;
    return {
      text: say("rate.answer-first", { control: this.#controls[index].label }),
      jump: () => this.#goTo(index),
    };
  }

  /** Shows the state of the item above it. */
  showState() {
    this.#note.hidden = !this.isSubmitted;
    this.#note.className = this.dirty ? "note warn" : "note good";
    const word = this.locked ? "rate.locked" : this.dirty ? "rate.changed" : "rate.submitted";
    this.#note.textContent = this.isSubmitted ? say(word) : "";
  }

  /** Goes to the next question, or to the one before. */
  move(step) {
    const index = Math.max(0, Math.min(this.#controls.length - 1, this.#current + step));
    if (this.#controls.length) this.#goTo(index);
  }

  digit(key) {
    const answered = !this.locked && (this.#controls[this.#current]?.digit(key) ?? false);
    if (answered) this.#byKey = this.#current;
    return answered;
  }

  /**
   * Leaves a question for the next one, from whichever part of it; `false` where the key is the browser's: outside of
   * the questions, within one of several fields, at the last one, and into one that was not gone into yet.
   */
  tab() {
    const control = this.#controls[this.#current];
    const focus = document.activeElement;
    if (!control?.single || !control.element.contains(focus) || this.#current === this.#controls.length - 1) return false;
    if (focus === control.element && this.#byKey !== this.#current) return false;
    this.move(1);
    return true;
  }

  leaveField() {
    this.#controls[this.#current]?.element.focus();
  }

  toTarget() {
    return this.#shown.toTarget();
  }

  /** Does something with the player in focus; false where there is none. */
  playing(run) {
    if (!this.#player) return false;
    if (this.#player.needed) this.#player.element.scrollIntoView({ block: "nearest" });
    run(this.#player);
    return true;
  }

  /** Plays the open reference; false where there is none. */
  playReference() {
    if (!this.#shown.reference) return false;
    this.#player = this.#shown.reference;
    this.#player.toggle();
    return true;
  }

  otherClip() {
    const players = [...this.#shown.players.values()];
    this.#player = players[(players.indexOf(this.#player) + 1) % players.length] ?? null;
    this.#player?.element.querySelector("button").focus();
    this.#player?.play();
  }

  /** A question is at this clip of a set: keys play it, and clips in step that play just now switch to it. */
  #focusClip(clip) {
    const player = this.#shown.players.get(clip);
    if (!player) return;
    this.#player = player;
    if (player.switches && !player.playing) player.play();
  }

  #control(name) {
    return this.#controls.find((control) => control.name === name);
  }

  #changed(name, value, typing) {
    if (this.locked) return this.#control(name).set(this.view.answers[name]);
    this.dirty = true;
    this.#outbox.change(this.id, name, value, { delay: typing ? TYPING : 0 });
    this.#refresh();
  }

  #goTo(index) {
    this.#controls[index].focus();
    this.#point(index);
  }

  #point(index) {
    if (index !== this.#current) this.#byKey = -1;
    this.#current = index;
    this.#controls.forEach((control, other) => control.element.classList.toggle("pointed", other === index));
  }
}
