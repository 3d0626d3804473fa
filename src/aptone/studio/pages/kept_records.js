// What is kept on the device until the server has it: one key of localStorage a record, so that two windows never overwrite
// what the other keeps. Where storage is full or switched off, nothing is kept here, and `works` says so.

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

/** Whether something is a record: a change, a clip that was played, or that an item was submitted. */
export function isRecord(record) {
  if (!record || typeof record !== "object" || typeof record.id !== "string" || !("assignment" in record)) return false;
  if (record.kind === "played") return typeof record.clip === "string";
  return Number.isSafeInteger(record.sequence) && typeof record.control === "string";
}

export class KeptRecords {
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
