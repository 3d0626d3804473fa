// What was entered and not saved yet, kept on this device so that a reload loses nothing.

/** A draft under a name of its own; where the browser keeps nothing, it is kept until the page is left. */
export class Draft {
  #key;
  #held = null;

  /** @param {...string} parts that tell it from others: person, task, item */
  constructor(...parts) {
    this.#key = `aptone.draft.${JSON.stringify(parts)}`;
  }

  read() {
    if (this.#held) return this.#held;
    try {
      return JSON.parse(localStorage.getItem(this.#key));
    } catch {
      return null;
    }
  }

  write(value) {
    this.#held = value;
    try {
      localStorage.setItem(this.#key, JSON.stringify(value));
    } catch {
      // Storage is full or switched off: the page itself holds it.
    }
  }

  clear() {
    this.#held = null;
    try {
      localStorage.removeItem(this.#key);
    } catch {
      // There is nothing to be removed where nothing is kept.
    }
  }
}
