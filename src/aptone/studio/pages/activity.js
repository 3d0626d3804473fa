// Time that a person is at an item: the page in sight, and a clip playing or somebody moving within half a minute.
import { ApiError, path, post } from "./api.js";

const STILL = 30; // seconds without a key, pointer or finger after which somebody is taken to be away
const TICK = 0.5; // seconds between two looks
const REPORT = 15; // seconds of activity after which it is sent

export class Activity {
  #assignment = "";
  #moved = performance.now();
  #looked = performance.now();
  #seconds = 0;
  #isPlaying;

  /** @param {() => boolean} isPlaying whether a clip is heard just now */
  constructor(isPlaying) {
    this.#isPlaying = isPlaying;
    for (const event of ["keydown", "pointerdown", "pointermove", "wheel", "touchstart"])
      document.addEventListener(
        event,
        () => {
          this.#moved = performance.now();
        },
        { passive: true, capture: true },
      );
    setInterval(() => this.#look(), TICK * 1000);
    addEventListener("pagehide", () => this.report({ keepalive: true }));
  }

  /** From now on the time is that of another item; empty for none. */
  at(assignment) {
    if (assignment !== this.#assignment) this.report();
    this.#assignment = assignment;
  }

  /** Sends what has come together. */
  async report({ keepalive = false } = {}) {
    this.#add();
    const seconds = this.#seconds;
    if (!this.#assignment || !seconds) return;
    this.#seconds = 0;
    try {
      await post(path("api", "assignments", this.#assignment, "active"), { seconds }, { keepalive });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.passing) this.#seconds += seconds; // sent with the next
    }
  }

  #look() {
    this.#add();
    if (this.#seconds >= REPORT) this.report();
  }

  /** Adds the time since the last look, if somebody was there; a page that slept has looked at nothing. */
  #add() {
    const now = performance.now();
    const passed = Math.min((now - this.#looked) / 1000, 2 * TICK);
    this.#looked = now;
    if (document.hidden || ((now - this.#moved) / 1000 > STILL && !this.#isPlaying())) return;
    if (this.#assignment) this.#seconds += passed;
  }
}
