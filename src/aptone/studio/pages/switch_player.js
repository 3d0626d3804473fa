// Several clips that run in step: one position, one loop, and a switch between them without a gap. All of them play at
// once, and all but one are silent; switching fades from one to the other within a few milliseconds.
import { fill, make, picture } from "./dom.js";
import { say } from "./messages.js";
import { clock, fetchClip, pauseOthers, playsToo } from "./player.js";

const FADE = 0.008; // seconds from one clip to the other: no click, and no gap to be heard
const TOUCHED = 0.5; // seconds after which a clip counts as listened to where it need not be heard to its end
const TICK = 60; // milliseconds between two looks at the position
const NO_SOUND = 3000; // milliseconds after which a browser that does not begin to play says so
const STEP = 1; // seconds that an arrow key seeks

/** One clip of a switch; what `Player` offers, for the page to use either. */
class Channel extends EventTarget {
  #transport;
  #must;
  #heard;
  #audible = 0;

  constructor(transport, { clip, url, label, seconds, must, heard }) {
    super();
    this.#transport = transport;
    this.#must = must;
    this.#heard = heard;
    Object.assign(this, { clip, url, label, seconds });
    this.button = make(
      "button",
      {
        type: "button",
        class: "switch-clip",
        aria: { pressed: "false", label: `${say("player.play")}: ${label}` },
        on: { click: () => this.toggle(), focus: () => this.dispatchEvent(new Event("focus-player")) },
      },
      make("span", { class: "switch-state", aria: { hidden: "true" } }, picture("play")),
      make("span", { text: label, dir: "auto" }),
    );
    this.element = make("div", { class: "switch-channel" }, this.button);
  }

  get heard() {
    return this.#heard;
  }

  /** True if it has to be listened to before the item can be submitted. */
  get needed() {
    if (this.#must) return !this.#heard;
    return !this.#heard && this.#audible < Math.min(TOUCHED, this.seconds / 2);
  }

  get playing() {
    return this.#transport.playing && this.#transport.current === this;
  }

  /** True if it counts as listened to after a moment, rather than at its end. */
  get brief() {
    return !this.#must;
  }

  /** Lets a row of a question stand for this clip, with a button of its own. */
  standIn(element) {
    this.element.replaceChildren();
    this.element.hidden = true;
    this.element = element;
  }

  get switches() {
    return this.#transport.playing;
  }

  load() {
    return this.#transport.load();
  }

  play() {
    return this.#transport.play(this);
  }

  pause() {
    this.#transport.pause();
  }

  toggle() {
    return this.playing ? this.pause() : this.play();
  }

  replay() {
    this.#transport.seek(this.#transport.start);
    return this.play();
  }

  playRegion() {
    return this.replay();
  }

  seek(seconds) {
    this.#transport.seek(seconds);
  }

  skip(steps) {
    this.#transport.skip(steps);
  }

  setHeard(heard = true) {
    this.#heard = heard;
    if (!heard) this.#audible = 0;
  }

  /** Counts for how long it could be heard. */
  listened(seconds) {
    const before = this.needed;
    this.#audible += seconds;
    if (!this.#heard && this.#audible >= this.seconds - 0.05) {
      this.#heard = true;
      this.dispatchEvent(new Event("heard"));
    } else if (before && !this.needed) this.dispatchEvent(new Event("touched"));
  }

  show() {
    const on = this.playing;
    if (this.button.getAttribute("aria-pressed") !== String(on)) {
      this.button.setAttribute("aria-pressed", String(on));
      this.button.setAttribute("aria-label", `${say(on ? "player.pause" : "player.play")}: ${this.label}`);
      fill(this.button.querySelector(".switch-state"), picture(on ? "pause" : "play"));
      this.dispatchEvent(new Event("state"));
    }
  }

  destroy() {
    this.#transport.destroy();
  }
}

/** The clips of a page in step. */
export class SwitchPlayer {
  #context = null;
  #buffers = null;
  #sources = new Map();
  #gains = new Map();
  #began = 0; // time of the context at which the position was `#offset`
  #offset = 0;
  #timer = 0;
  #looked = 0;
  #loading = null;
  #wanted = null;
  #aborting = new AbortController();
  #out;
  #parts = {};

  playing = false;
  current = null;
  loop = true;
  start = 0;
  end = 0;

  /** @param {{label: string, clips: object[], reference: string}} options `reference`: clip that stands apart, or empty */
  constructor({ label, clips, reference }) {
    this.channels = new Map(clips.map((one) => [one.clip, new Channel(this, one)]));
    this.seconds = Math.max(...clips.map((one) => one.seconds));
    this.end = this.seconds;
    this.reference = this.channels.get(reference) ?? null;
    this.current = this.reference ?? this.channels.values().next().value;
    this.element = this.#draw(label);
    this.#out = playsToo(this);
  }

  /** Fetches and decodes every clip, once. */
  load() {
    this.#loading ??= this.#fetchAll();
    return this.#loading;
  }

  async play(channel = this.current) {
    const changed = channel !== this.current;
    this.current = channel;
    pauseOthers(this);
    if (!this.#buffers) {
      this.#wanted = channel;
      this.#show();
      return;
    }
    const late = setTimeout(() => fill(this.#parts.trouble, say("switch.no-sound")), NO_SOUND);
    await this.#context.resume(); // it never ends where nothing can play sound
    clearTimeout(late);
    fill(this.#parts.trouble);
    if (!this.playing) this.#startAll();
    else if (changed) this.#fade();
    this.#show();
  }

  pause() {
    this.#wanted = null;
    if (!this.playing) return;
    this.#offset = this.position;
    this.#stopAll();
    this.#show();
  }

  get position() {
    if (!this.playing) return this.#offset;
    const gone = this.#offset + this.#context.currentTime - this.#began;
    if (!this.loop || gone < this.end) return Math.min(gone, this.seconds);
    return this.start + ((gone - this.start) % Math.max(0.05, this.end - this.start));
  }

  seek(seconds) {
    const running = this.playing;
    if (running) this.#stopAll();
    this.#offset = Math.max(0, Math.min(seconds, this.seconds - 0.01));
    if (running) this.#startAll();
    this.#show();
  }

  skip(steps) {
    this.seek(this.position + steps * Math.min(STEP, this.seconds / 5));
  }

  destroy() {
    this.#aborting.abort();
    this.#stopAll();
    this.#out();
    if (this.#context && this.#context.state !== "closed") this.#context.close();
  }

  async #fetchAll() {
    fill(this.#parts.trouble);
    try {
      this.#context ??= new AudioContext();
      const decoded = await Promise.all(
        [...this.channels.values()].map(async (channel) => {
          const data = await (await fetchClip(channel.url, this.#aborting.signal)).arrayBuffer();
          return [channel, await this.#context.decodeAudioData(data)];
        }),
      );
      this.seconds = Math.max(...decoded.map(([, buffer]) => buffer.duration));
      this.end = Math.min(this.end || this.seconds, this.seconds) || this.seconds;
      this.#buffers = new Map(decoded.map(([channel, buffer]) => [channel, this.#padded(buffer)]));
      this.element.classList.add("ready");
      this.#show();
      if (this.#wanted) this.play(this.#wanted);
    } catch (error) {
      if (this.#aborting.signal.aborted) return;
      this.#loading = null;
      fill(
        this.#parts.trouble,
        say("player.failed"),
        " ",
        make("button", { type: "button", text: say("retry"), on: { click: () => this.load() } }),
      );
    }
  }

  /** As long as the longest, so that loops stay in step. */
  #padded(buffer) {
    const length = Math.ceil(this.seconds * buffer.sampleRate);
    if (buffer.length >= length) return buffer;
    const whole = this.#context.createBuffer(buffer.numberOfChannels, length, buffer.sampleRate);
    for (let channel = 0; channel < buffer.numberOfChannels; channel += 1)
      whole.copyToChannel(buffer.getChannelData(channel), channel);
    return whole;
  }

  #startAll() {
    const at = this.#context.currentTime + 0.02;
    let from = this.#offset;
    if (from >= (this.loop ? this.end : this.seconds) - 0.02) from = this.loop ? this.start : 0;
    for (const [channel, buffer] of this.#buffers) {
      const gain = this.#context.createGain();
      gain.gain.value = channel === this.current ? 1 : 0;
      gain.connect(this.#context.destination);
      const source = this.#context.createBufferSource();
      source.buffer = buffer;
      source.loop = this.loop;
      source.loopStart = this.start;
      source.loopEnd = this.end;
      source.connect(gain);
      source.start(at, from);
      this.#sources.set(channel, source);
      this.#gains.set(channel, gain);
    }
    if (!this.loop) [...this.#sources.values()][0].addEventListener("ended", () => this.playing && this.#finished());
    this.#began = at;
    this.#offset = from;
    this.playing = true;
    this.#looked = performance.now();
    this.#timer = setInterval(() => this.#tick(), TICK);
  }

  #stopAll() {
    clearInterval(this.#timer);
    this.playing = false;
    for (const source of this.#sources.values()) source.stop();
    for (const gain of this.#gains.values()) gain.disconnect();
    this.#sources.clear();
    this.#gains.clear();
  }

  #finished() {
    this.#tick();
    this.#stopAll();
    this.#offset = 0;
    this.#show();
  }

  #fade() {
    const now = this.#context.currentTime;
    for (const [channel, { gain }] of this.#gains) {
      gain.cancelScheduledValues(now);
      gain.setValueAtTime(gain.value, now);
      gain.linearRampToValueAtTime(channel === this.current ? 1 : 0, now + FADE);
    }
  }

  #tick() {
    const now = performance.now();
    if (this.#context.state === "running") this.current.listened((now - this.#looked) / 1000);
    this.#looked = now;
    this.#show();
  }

  #draw(label) {
    const parts = this.#parts;
    parts.position = make("input", {
      type: "range",
      min: 0,
      max: this.seconds,
      step: 0.01,
      value: 0,
      class: "switch-position",
      aria: { label: say("switch.position") },
      on: { input: () => this.seek(Number(parts.position.value)) },
    });
    parts.time = make("span", { class: "number small muted player-time" });
    parts.trouble = make("div", { class: "bad", role: "alert" });
    const button = (word, icon, run, extra = {}) =>
      make(
        "button",
        { type: "button", class: "icon", title: say(word), aria: { label: say(word) }, on: { click: run }, ...extra },
        picture(icon),
      );
    parts.play = button("player.play", "play", () => (this.playing ? this.pause() : this.play()), {
      class: "icon primary player-play",
    });
    parts.replay = button("player.replay", "replay", () => this.current.replay());
    parts.loop = make("button", {
      type: "button",
      class: "small",
      text: say("switch.loop"),
      aria: { pressed: "true" },
      on: { click: () => this.#setLoop(!this.loop) },
    });
    parts.from = make("button", { type: "button", class: "small", on: { click: () => this.#setPart("start") } });
    parts.to = make("button", { type: "button", class: "small", on: { click: () => this.#setPart("end") } });
    parts.whole = make("button", {
      type: "button",
      class: "small quiet",
      text: say("switch.whole"),
      on: { click: () => this.#setPart("whole") },
    });
    const clips = [...this.channels.values()].map((channel) => {
      channel.element.classList.toggle("switch-reference", channel === this.reference);
      return channel.element;
    });
    const element = make(
      "section",
      { class: "player switch", aria: { label } },
      make("div", { class: "player-head" }, make("h2", { class: "player-name", text: label, dir: "auto" })),
      make("div", { class: "switch-clips", role: "group", aria: { label: say("switch.clips") } }, ...clips),
      parts.position,
      make("div", { class: "row player-buttons" }, parts.play, parts.replay, parts.time),
      make("div", { class: "row switch-loop" }, parts.loop, parts.from, parts.to, parts.whole),
      parts.trouble,
    );
    queueMicrotask(() => this.#show());
    return element;
  }

  #setLoop(on) {
    this.#change(() => {
      this.loop = on;
    });
    this.#parts.loop.setAttribute("aria-pressed", String(on));
  }

  /** Loops from or to where it plays just now, or over everything. */
  #setPart(edge) {
    const now = this.position;
    this.#change(() => {
      if (edge === "start") this.start = Math.min(now, this.end - 0.1);
      else if (edge === "end") this.end = Math.max(now, this.start + 0.1);
      else [this.start, this.end] = [0, this.seconds];
    });
  }

  #change(apply) {
    const running = this.playing;
    const now = this.position;
    if (running) this.#stopAll();
    apply();
    this.#offset = this.loop && now >= this.end ? this.start : now;
    if (running) this.#startAll();
    this.#show();
  }

  #show() {
    const { play, position, time, from, to, whole } = this.#parts;
    const now = this.position;
    const shown = this.playing ? "pause" : "play";
    if (play.dataset.shown !== shown) {
      play.dataset.shown = shown;
      fill(play, picture(shown));
      play.setAttribute("aria-label", say(`player.${shown}`));
      play.title = say(`player.${shown}`);
    }
    position.max = String(this.seconds);
    position.value = String(now);
    position.setAttribute("aria-valuetext", say("player.position", { now: clock(now), total: clock(this.seconds) }));
    position.style.setProperty("--filled", `${(now / this.seconds) * 100}%`);
    time.textContent = `${clock(now)} / ${clock(this.seconds)}`;
    from.textContent = say("switch.from", { seconds: clock(this.start) });
    to.textContent = say("switch.to", { seconds: clock(this.end) });
    whole.hidden = this.start === 0 && this.end >= this.seconds - 0.005;
    for (const channel of this.channels.values()) channel.show();
  }
}
