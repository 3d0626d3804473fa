// A marked part of a waveform, whose edges are dragged by mouse or finger, or moved by arrow keys.
import { say } from "./messages.js";
import RegionsPlugin from "./vendor/wavesurfer/regions.esm.js";

const COARSE = 0.05; // seconds that an arrow key moves an edge
const FINE = 0.01; // the same with Shift
const SHORTEST = 0.02; // seconds of the shortest part
const HANDLES = { start: "region-handle-left", end: "region-handle-right" };

const rounded = (seconds) => Math.round(seconds * 1000) / 1000;

export class MarkedPart {
  plugin = RegionsPlugin.create();
  #region = null;
  #seconds = Infinity;
  #moved;

  /** @param {(times: [number, number]) => void} moved called whenever a person moves an edge */
  constructor(moved) {
    this.#moved = moved;
  }

  /** Start and end in seconds; `null` for no part. */
  get times() {
    return this.#region ? [rounded(this.#region.start), rounded(this.#region.end)] : null;
  }

  /** Draws the part, or moves it, in a clip of so many seconds. */
  set([start, end], seconds) {
    this.#seconds = seconds;
    if (this.#region) this.#region.setOptions({ start, end });
    else this.#add(start, end);
    this.#describe();
  }

  focus(side) {
    this.#edge(side)?.focus();
  }

  #add(start, end) {
    this.#region = this.plugin.addRegion({ id: "marked", start, end, drag: false, resize: true, minLength: SHORTEST });
    this.#region.on("update", () => this.#tell());
    this.#region.on("update-end", () => this.#tell());
    for (const side of Object.keys(HANDLES))
      this.#edge(side).addEventListener("keydown", (event) => this.#pressed(event, side));
  }

  #edge(side) {
    return this.#region?.element?.querySelector(`[part~="${HANDLES[side]}"]`);
  }

  #tell() {
    this.#describe();
    this.#moved(this.times);
  }

  #describe() {
    for (const side of Object.keys(HANDLES)) {
      const attributes = {
        role: "slider",
        tabindex: "0",
        "aria-label": say(`boundaries.${side}`),
        "aria-valuemin": "0",
        "aria-valuemax": this.#seconds.toFixed(2),
        "aria-valuenow": this.#region[side].toFixed(2),
      };
      for (const [name, value] of Object.entries(attributes)) this.#edge(side).setAttribute(name, value);
    }
  }

  #pressed(event, side) {
    const direction = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!direction || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const [start, end] = this.times;
    const step = direction * (event.shiftKey ? FINE : COARSE);
    const moved =
      side === "start"
        ? [Math.max(0, Math.min(start + step, end - SHORTEST)), end]
        : [start, Math.min(this.#seconds, Math.max(end + step, start + SHORTEST))];
    this.set(moved.map(rounded), this.#seconds);
    this.#tell();
  }
}
