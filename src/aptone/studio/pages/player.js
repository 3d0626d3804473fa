// One waveform: play, pause, replay, seek, and a marked part. While a clip has to be heard first, seeking reaches only what
// was heard.
import { ApiError } from "./api.js";
import { fill, make, picture } from "./dom.js";
import { MarkedPart } from "./marked_part.js";
import { say } from "./messages.js";
import WaveSurfer from "./vendor/wavesurfer/wavesurfer.esm.js";

const STEP = 1; // seconds that an arrow key seeks
const ATTEMPTS = 4;
const players = new Set();

/** A time as people read it: tenths below a minute, minutes above. */
export const clock = (seconds) =>
  seconds < 60 ? seconds.toFixed(1) : `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(1).padStart(4, "0")}`;

const nonce = () => document.querySelector('meta[name="csp-nonce"]')?.content ?? "";

/** A colour token as the canvas understands it. */
function colour(token) {
  const probe = make("span", { class: "unseen" });
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
const colours = () => ({
  waveColor: colour("--wave"),
  progressColor: colour("--accent"),
  cursorColor: colour("--ink"),
});

/** Fetches a sound; trouble that may pass is waited for. */
export async function fetchClip(url, signal) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await fetch(url, { credentials: "same-origin", signal });
      if (!response.ok) throw new ApiError({ status: response.status });
      return await response.blob();
    } catch (error) {
      const passing = !(error instanceof ApiError) || error.passing;
      if (signal.aborted || !passing || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 300 * 2 ** attempt));
    }
  }
}

/** Pauses whatever plays, but for one. */
export function pauseOthers(one = null) {
  for (const player of players) if (player !== one) player.pause();
}

/** Lets something else that plays be paused with the rest; gives the way out. */
export function playsToo(pausable) {
  players.add(pausable);
  return () => players.delete(pausable);
}

/** Events: `heard` (to the end, for the first time), `state` (it plays or stopped), `focus-player` (it was touched), `marked` (detail: `[start, end]`). */
export class Player extends EventTarget {
  #wave;
  #part = new MarkedPart((times) => this.dispatchEvent(new CustomEvent("marked", { detail: times })));
  #times = null;
  #reached = 0;
  #heard;
  #must;
  #url;
  #label;
  #height;
  #ready = false;
  #wanted = false;
  #aborting = new AbortController();
  #parts = {};
  #redraw = () => this.#wave?.setOptions(colours());

  /**
   * @param {{url: string, label: string, seconds: number, must?: boolean, heard?: boolean}} options `must`: seeking only
   *   over what was heard, until `heard`
   */
  constructor({ url, label, seconds, must = false, heard = false, height = 64 }) {
    super();
    this.#height = height;
    this.#url = url;
    this.#label = label;
    this.#must = must;
    this.#heard = heard;
    this.seconds = seconds;
    this.element = this.#draw();
    players.add(this);
    window.addEventListener("aptone-theme", this.#redraw);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", this.#redraw);
  }

  get label() {
    return this.#label;
  }

  get heard() {
    return this.#heard;
  }

  get needed() {
    return this.#must && !this.#heard;
  }

  get playing() {
    return this.#wave?.isPlaying() ?? false;
  }

  /** The marked part, once it is drawn; `null` for none. */
  get region() {
    return this.#part.times;
  }

  /** Loads and draws; the element has to be in the page by now. */
  async load() {
    this.#wave ??= this.#surf();
    fill(this.#parts.trouble);
    try {
      await this.#wave.loadBlob(await fetchClip(this.#url, this.#aborting.signal));
    } catch {
      if (this.#aborting.signal.aborted) return;
      fill(
        this.#parts.trouble,
        say("player.failed"),
        " ",
        make("button", { type: "button", text: say("retry"), on: { click: () => this.load() } }),
      );
    }
  }

  destroy() {
    this.#aborting.abort();
    players.delete(this);
    window.removeEventListener("aptone-theme", this.#redraw);
    matchMedia("(prefers-color-scheme: dark)").removeEventListener("change", this.#redraw);
    this.#wave?.destroy();
  }

  async play() {
    pauseOthers(this);
    this.#wanted = !this.#ready;
    if (!this.#ready) return;
    if (this.#wave.getCurrentTime() >= this.seconds - 0.01) this.#wave.setTime(0);
    await this.#wave.play();
  }

  pause() {
    this.#wanted = false;
    this.#wave?.pause();
  }

  toggle() {
    return this.playing ? this.pause() : this.play();
  }

  replay() {
    if (this.#ready) this.#wave.setTime(0);
    return this.play();
  }

  /** Goes to a time, no further than may be heard by now. */
  seek(seconds) {
    if (this.#ready) this.#wave.setTime(Math.max(0, Math.min(seconds, this.#limit())));
    if (this.needed && seconds > this.#limit() + 0.05) fill(this.#parts.hint, say("player.limit"));
  }

  skip(steps) {
    this.seek(this.#wave.getCurrentTime() + steps * Math.min(STEP, this.seconds / 5));
  }

  /** Plays the marked part, or all where nothing is marked; what was not heard yet is heard on from where it stopped. */
  async playRegion() {
    if (!this.region) return this.replay();
    if (!this.#ready) return;
    const [start, end] = this.region;
    pauseOthers(this);
    if (this.needed && end > this.#limit()) {
      this.seek(Math.min(start, this.#limit()));
      await this.#wave.play();
    } else {
      await this.#wave.play(start, end);
    }
  }

  /** Marks a part whose edges can be moved; again: moves them. */
  mark(times) {
    this.#times = times;
    if (this.#ready) this.#part.set(times, this.seconds);
    this.#parts.region.hidden = false;
  }

  /** Puts the focus on an edge of the marked part. */
  focusEdge(side = "start") {
    this.#part.focus(side);
  }

  /** Takes the server's word, or another window's, that the clip was heard or was not. */
  setHeard(heard = true) {
    this.#heard = heard;
    if (!heard) this.#reached = 0;
    this.#show();
  }

  #limit() {
    return this.needed ? Math.min(this.#reached, this.seconds) : this.seconds;
  }

  #draw() {
    const button = (name, icon, run, extra = {}) =>
      make(
        "button",
        {
          type: "button",
          class: "icon",
          title: say(name),
          aria: { label: `${say(name)}: ${this.#label}` },
          on: { click: run },
          ...extra,
        },
        picture(icon),
      );
    const parts = this.#parts;
    parts.play = button("player.play", "play", () => this.toggle(), { class: "icon primary player-play" });
    parts.replay = button("player.replay", "replay", () => this.replay());
    parts.region = button("player.region", "region", () => this.playRegion());
    parts.region.hidden = true;
    parts.time = make("span", { class: "number small muted player-time" });
    parts.state = make("span", { class: "chip player-state" });
    parts.hint = make("span", { class: "small muted", role: "status" });
    parts.trouble = make("div", { class: "bad", role: "alert" });
    parts.wave = make("div", {
      class: "wave",
      role: "slider",
      tabindex: "0",
      aria: {
        label: say("player.wave", { clip: this.#label }),
        valuemin: "0",
        valuemax: this.seconds.toFixed(2),
        valuenow: "0",
      },
    });
    parts.wave.addEventListener("click", (event) => this.#clicked(event));
    parts.wave.addEventListener("keydown", (event) => this.#waveKey(event));
    const element = make(
      "section",
      { class: "player", aria: { label: this.#label } },
      make(
        "div",
        { class: "player-head" },
        make("h2", { class: "player-name", text: this.#label, dir: "auto" }),
        parts.state,
      ),
      parts.wave,
      make("div", { class: "row player-buttons" }, parts.play, parts.replay, parts.region, parts.time, parts.hint),
      parts.trouble,
    );
    element.addEventListener("focusin", () => this.dispatchEvent(new Event("focus-player")));
    element.addEventListener("pointerdown", () => this.dispatchEvent(new Event("focus-player")));
    this.#show();
    return element;
  }

  #surf() {
    const wave = WaveSurfer.create({
      container: this.#parts.wave,
      height: this.#height,
      normalize: true,
      interact: false,
      cursorWidth: 2,
      barWidth: 2,
      barGap: 1,
      barRadius: 2,
      cspNonce: nonce(),
      plugins: [this.#part.plugin],
      ...colours(),
    });
    wave.on("ready", (duration) => {
      this.#ready = true;
      if (!(this.seconds > 0)) this.seconds = duration;
      if (this.#times) this.mark(this.#times);
      this.element.classList.add("ready");
      this.#show();
      if (this.#wanted) this.play();
    });
    wave.on("timeupdate", (now) => {
      if (wave.isPlaying()) this.#reached = Math.max(this.#reached, now);
      this.#show(now);
    });
    const turned = () => {
      this.#show();
      this.dispatchEvent(new Event("state"));
    };
    wave.on("play", turned);
    wave.on("pause", turned);
    wave.on("finish", () => {
      const first = !this.#heard;
      this.#heard = true;
      this.#show();
      if (first) this.dispatchEvent(new Event("heard"));
    });
    return wave;
  }

  #show(now = this.#wave?.getCurrentTime() ?? 0) {
    const { play, time, state, wave, hint } = this.#parts;
    const shown = this.playing ? "pause" : "play";
    if (play.dataset.shown !== shown) {
      play.dataset.shown = shown;
      fill(play, picture(shown));
      play.setAttribute("aria-label", `${say(`player.${shown}`)}: ${this.#label}`);
      play.title = say(`player.${shown}`);
    }
    time.textContent = `${clock(now)} / ${clock(this.seconds)}`;
    wave.setAttribute("aria-valuenow", now.toFixed(2));
    wave.setAttribute("aria-valuetext", say("player.position", { now: clock(now), total: clock(this.seconds) }));
    const word = this.#must ? (this.#heard ? "heard" : "unheard") : "";
    if (state.dataset.shown !== word) {
      state.dataset.shown = word;
      state.hidden = !word;
      state.className = `chip player-state ${word === "heard" ? "good" : "warn"}`;
      if (word) fill(state, word === "heard" ? picture("good") : "", say(`player.${word}`));
    }
    if (!this.needed) hint.textContent = "";
  }

  #clicked(event) {
    const box = this.#parts.wave.getBoundingClientRect();
    this.seek(((event.clientX - box.left) / box.width) * this.seconds);
  }

  #waveKey(event) {
    const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 };
    if (event.altKey || event.ctrlKey || event.metaKey || event.composedPath()[0] !== this.#parts.wave) return;
    if (event.key in moves) this.skip(moves[event.key]);
    else if (event.key === "Home") this.seek(0);
    else if (event.key === "End") this.seek(this.seconds);
    else return;
    event.preventDefault();
  }
}
