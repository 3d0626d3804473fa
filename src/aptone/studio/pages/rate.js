// The rating page: one item after the other, by keyboard, mouse or finger; every change is saved at once.
import { ApiError, get, kindly, path, post } from "./api.js";
import { fill, iconButton, make } from "./dom.js";
import { Activity } from "./activity.js";
import { showFeedback } from "./feedback.js";
import { passGate, rest as showRest } from "./gates.js";
import { begin, frame } from "./frame.js";
import { guide, openHelp } from "./help.js";
import { listen } from "./keys.js";
import { openMine } from "./mine.js";
import { Outbox } from "./outbox.js";
import { pauseOthers } from "./player.js";
import { RatedItem } from "./rated_item.js";
import { completionCard } from "./completion.js";
import { RatingBar } from "./rating_bar.js";
import { pick, say } from "./messages.js";

class RatingPage {
  #main = document.getElementById("main");
  #task;
  #outbox;
  #mine = [];
  #item = null;
  #busy = false;
  #bar;
  #bindings;
  #activity = new Activity(() => this.#item?.isPlaying ?? false);

  constructor(task, mine, person) {
    this.#task = task;
    this.#mine = mine;
    this.#outbox = new Outbox(person.id);
    this.#whenShown("elsewhere", (item, record) => {
      item.elsewhere(record);
      if (record.kind === "submitted") this.#noteSubmitted(item);
    });
    this.#whenShown("played", (item, { played }) => item.markHeard(played));
    this.#whenShown("unheard", (item, { clip }) => item.setHeard(clip, false));
    this.#bindings = ratingKeys({
      play: (run) => this.#item?.playing(run) ?? false,
      otherClip: () => this.#item?.otherClip(),
      reference: () => this.#item?.playReference() ?? false,
      digit: (key) => this.#item?.digit(key) ?? false,
      move: (step) => this.#item?.move(step),
      tab: () => this.#item?.tab() ?? false,
      leaveField: () => this.#item?.leaveField(),
      submit: () => this.submit(),
      previous: () => this.previous(),
      toTarget: () => this.#item?.toTarget(),
      help: () => this.help(),
    });
    this.#bar = new RatingBar(this.#outbox, {
      previous: () => this.previous(),
      submit: () => this.submit(),
      play: () => this.#item?.playing((player) => player.toggle()),
      list: () => this.#openMine(),
    });
    const help = iconButton("help", say("help"), () => this.help());
    frame({ person, title: pick(task.title, task.name), extra: [help] });
    document.body.append(this.#bar.element);
    listen(this.#bindings);
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.#catchUp());
  }

  /** Hears from the outbox about the item that is shown just now. */
  #whenShown(event, run) {
    this.#outbox.addEventListener(event, ({ detail }) => {
      if (detail.assignment === this.#item?.id) run(this.#item, detail);
    });
  }

  /** Opens the item of the address, or what comes next. */
  async start() {
    if (this.#task.gate && !(await this.#pass(this.#task.gate))) return;
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
      const { assignment, reason, rest, completion } = await post(path("api", "tasks", this.#task.name, "next"));
      if (!assignment) return this.#stop(reason, rest, completion);
      const known = this.#mine.find((one) => one.id === assignment.id);
      if (!known)
        this.#mine.push({
          id: assignment.id,
          position: this.#mine.length,
          stage: assignment.stage,
          state: assignment.state,
        });
      if (rest) await this.#rest(rest);
      this.#show(assignment);
    });
  }

  /** Leads through what stands before rating, again and again until nothing does; false where there is no way on. */
  async #pass(gate) {
    this.#leave();
    for (let now = gate; now; ) {
      if (!(await passGate(this.#main, this.#task, now))) return false;
      now = (await get(path("api", "tasks", this.#task.name))).gate;
    }
    return true;
  }

  async #rest(rest) {
    this.#leave();
    await showRest(this.#main, rest);
  }

  async #stop(reason, rest, completion) {
    if (reason === "break") {
      await this.#rest(rest);
      setTimeout(() => this.next());
    } else if (["consent", "headphones", "no-headphones"].includes(reason)) {
      if (await this.#pass(reason)) setTimeout(() => this.next());
    } else this.#end(reason, completion);
  }

  /** Leaves the item that is shown. */
  #leave() {
    this.#item?.destroy();
    this.#item = null;
    this.#activity.at("");
    this.#refresh();
  }

  /** Opens one of the person's own items again. */
  async open(id) {
    await this.#guarded(async () => {
      await this.#outbox.sendNow();
      this.#show(await get(path("api", "assignments", id)));
    });
  }

  async submit() {
    const item = this.#item;
    if (!item || this.#busy) return;
    const missing = item.missing();
    if (missing) return missing.jump();
    if (item.isSubmitted && !item.dirty) return this.#forward();
    await this.#guarded(
      async () => {
        const overruled = this.#outbox.overruled(item.id);
        item.sendStanding();
        await this.#outbox.sendNow();
        if (this.#outbox.overruled(item.id) > overruled)
          throw new ApiError({ status: 409, code: "superseded" }); // what would be submitted is not what was seen
        if (this.#outbox.reason) throw new ApiError({ status: 422, message: this.#outbox.reason });
        if (this.#outbox.waiting) throw new ApiError({ status: 0 });
        await this.#activity.report();
        const { feedback } = await post(path("api", "assignments", item.id, "submit"), { changes: [] });
        this.#outbox.submitted(item.id);
        item.settle();
        this.#noteSubmitted(item);
        if (feedback && Object.keys(feedback).length) await showFeedback(feedback, this.#task, item.clipName);
      },
      { then: () => this.#forward() },
    );
  }

  async previous() {
    const index = this.#index();
    if (index > 0) await this.open(this.#mine[index - 1].id);
    else if (!this.#item && this.#mine.length) await this.open(this.#mine.at(-1).id);
  }

  async #forward() {
    const following = this.#mine[this.#index() + 1];
    if (following) await this.open(following.id);
    else await this.next();
  }

  #index() {
    return this.#mine.findIndex((one) => one.id === this.#item?.id);
  }

  #noteSubmitted(item) {
    const mine = this.#mine.find((one) => one.id === item.id);
    if (mine) mine.state = "submitted";
  }

  /** Runs what talks to the server; errors are shown beside the button, and nothing is lost. */
  async #guarded(run, { then = () => {} } = {}) {
    this.#busy = true;
    this.#bar.showError("");
    this.#refresh();
    let done = false;
    try {
      await run();
      done = true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#bar.showError(kindly(error));
      if (error.status === 409 && this.#item) await this.#listenAgain();
    } finally {
      this.#busy = false;
      this.#refresh();
    }
    if (done) await then();
  }

  /** The server has not heard of a clip being played: what it knows is asked. */
  async #listenAgain() {
    try {
      const { played } = await get(path("api", "assignments", this.#item.id));
      this.#item.setAllHeard(played);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** Back at this page, perhaps from another device: what was answered there meanwhile is shown. */
  async #catchUp() {
    const id = this.#item?.id;
    if (!id || this.#busy || this.#outbox.waiting) return;
    try {
      const now = await get(path("api", "assignments", id));
      if (this.#item?.id !== id || this.#outbox.waiting || !this.#outbox.know(id, now.sequence)) return;
      this.#item.catchUp(now);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // it is asked again the next time
    }
  }

  #show(view) {
    this.#item?.destroy();
    this.#item = new RatedItem(this.#task, view, this.#outbox, () => this.#refresh());
    this.#activity.at(view.id);
    history.replaceState(null, "", `#${encodeURIComponent(view.id)}`);
    fill(this.#main, this.#main.querySelector(".guide") ?? guide(this.#task), ...this.#item.elements);
    this.#item.begin();
    this.#refresh();
  }

  #end(reason, completion) {
    this.#leave();
    history.replaceState(null, "", location.pathname);
    const button = (word, run) => make("button", { type: "button", text: say(word), on: { click: run } });
    const ways = make(
      "div",
      { class: "row" },
      make("a", { class: "button primary", href: "/", text: say("rate.back") }),
      reason === "waiting" ? button("retry", () => this.next()) : null,
      this.#mine.length ? button("rate.items", () => this.#openMine()) : null,
    );
    const heading = make("h2", { text: say(`rate.end.${reason}`) });
    const leaving = completion?.code ? completionCard(completion) : null;
    fill(this.#main, make("section", { class: "card stack end", role: "status" }, heading, leaving, ways));
    this.#refresh();
  }

  #refresh() {
    const item = this.#item;
    this.#bar.refresh({
      view: item?.view ?? null,
      missing: item?.missing()?.text ?? "",
      word: !item?.isSubmitted ? "rate.submit" : item.dirty ? "rate.correct" : "rate.next",
      busy: this.#busy,
      hasPrevious: item ? this.#index() > 0 : this.#mine.length > 0,
    });
    item?.showState();
  }

  #openMine() {
    openMine(this.#mine, this.#item?.id, (id) => this.open(id));
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

/** @param {object} act what each key does; `play` is given what to do with the player in focus */
function ratingKeys(act) {
  const toggle = () => act.play((player) => player.toggle());
  const seek = (step) => () => act.play((player) => player.skip(step));
  return [
    { keys: ["space"], shown: ["Space"], label: "keys.play", run: toggle },
    { keys: ["f2"], shown: ["F2"], label: "keys.play-typing", everywhere: true, run: toggle },
    { keys: ["r"], shown: ["R"], label: "keys.replay", run: () => act.play((player) => player.replay()) },
    { keys: ["e"], shown: ["E"], label: "keys.region", run: () => act.play((player) => player.playRegion()) },
    { keys: ["arrowleft", "shift+arrowleft"], shown: ["←", "→"], label: "keys.seek", run: seek(-1) },
    { keys: ["arrowright", "shift+arrowright"], run: seek(1) },
    { keys: ["c"], shown: ["C"], label: "keys.clip", run: act.otherClip },
    { keys: ["f"], shown: ["F"], label: "keys.reference", run: act.reference },
    {
      keys: [..."0123456789.-"],
      shown: ["0", "…", "9", ".", "-"],
      label: "keys.digits",
      run: (event, key) => act.digit(key),
    },
    { keys: ["j"], shown: ["Tab", "J", "K"], label: "keys.move", run: () => act.move(1) },
    { keys: ["k"], run: () => act.move(-1) },
    { keys: ["tab"], everywhere: true, run: act.tab },
    { keys: ["escape"], shown: ["Esc"], label: "keys.field", everywhere: true, run: act.leaveField },
    { keys: ["enter"], shown: ["Enter"], label: "keys.submit", run: act.submit },
    { keys: ["ctrl+enter"], everywhere: true, run: act.submit },
    { keys: ["p"], shown: ["P"], label: "keys.previous", run: act.previous },
    { keys: ["t"], shown: ["T"], label: "keys.target", run: act.toTarget },
    { keys: ["?", "？"], shown: ["?"], label: "keys.help", run: act.help },
  ];
}
