// Entries that are stored on the device until the server has them, so that a reload loses nothing. Each record has a key of
// localStorage of its own, so that two windows never overwrite each other. Where storage is full or switched off, `works` is
// false.

const PREFIX = "aptone.kept";

/** A UUID; `crypto.randomUUID` is there on https and localhost only, and a team's server may be neither. */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}

/** True for a record: a change, a played clip, or a submission. */
export function isRecord(record) {
  if (!record || typeof record !== "object" || typeof record.id !== "string" || !("assignment" in record)) return false;
  if (record.kind === "played") return typeof record.clip === "string";
  return Number.isSafeInteger(record.sequence) && typeof record.control === "string";
}

export class LocalRecords {
  works = true;

  /** @param {string} person whose records these are */
  constructor(person) {
    this.prefix = `${PREFIX}.${person}.`;
  }

  /** Everything that is kept; what is no record is thrown away. */
  all() {
    const found = [];
    try {
      for (const key of Object.keys(localStorage)) {
        if (!this.idOf(key)) continue;
        const record = this.read(localStorage.getItem(key));
        if (record) found.push(record);
        else localStorage.removeItem(key);
      }
    } catch {
      this.works = false;
    }
    return found;
  }

  put(record) {
    try {
      localStorage.setItem(this.prefix + record.id, JSON.stringify(record));
      this.works = true;
    } catch {
      this.works = false;
    }
  }

  remove(id) {
    try {
      localStorage.removeItem(this.prefix + id);
    } catch {
      // It was never there.
    }
  }

  /** The id of the record under a key; empty for a key that is none of these. */
  idOf(key) {
    return key?.startsWith(this.prefix) ? key.slice(this.prefix.length) : "";
  }

  /** The record that a stored text holds, or `null`. */
  read(text) {
    try {
      const record = JSON.parse(text);
      return isRecord(record) ? record : null;
    } catch {
      return null;
    }
  }
}

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
