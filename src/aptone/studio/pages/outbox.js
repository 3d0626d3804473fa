// Nothing is lost: every change has an id and a sequence number, is kept on the device before it is sent, and is sent until
// the server acknowledges it, over reloads, crashes and offline spells.
import { ApiError, kindly, path, post, put } from "./api.js";
import { LocalRecords, isRecord, newId } from "./local_records.js";

const FIRST_WAIT = 400;
const LONGEST_WAIT = 15000;
const LARGEST_BATCH = 100_000; // characters; the server takes 1 MiB
const LARGEST_PARTING = 50_000; // characters; browsers let 64 KiB outlive a page
const NOT_YET = 700; // milliseconds until a clip that was refused as not heard long enough is reported again

/** True if the person signed out, or another one signed in on this device meanwhile. */
const isAnother = (error) => error.status === 401 || error.status === 403;
const onlyChange = ({ id, control, value, sequence }) => ({ id, control, value, sequence });

/**
 * Queue of unsent records of one person.
 *
 * Events:
 * - `state`, with `{state, waiting, reason, memory}`;
 * - `elsewhere`, with the record of what another window changed, or another device: `superseded` then;
 * - `played`, with `{assignment, played}`;
 * - `unheard`, with `{assignment, clip}`: the server does not believe that it was heard.
 */
export class Outbox extends EventTarget {
  #records;
  #waiting = new Map();
  #flying = new Set();
  #refused = new Map();
  #sequence = new Map();
  #latest = new Map();
  #overruled = new Map();
  #timer = 0;
  #due = Infinity;
  #wait = FIRST_WAIT;
  #busy = null;
  #trouble = "";
  #reason = "";
  #channel = null;

  /** @param {string} person whose changes these are: another's on the same device stay untouched */
  constructor(person) {
    super();
    this.#records = new LocalRecords(person);
    for (const record of this.#records.all()) this.#waiting.set(record.id, record);
    if ("BroadcastChannel" in window) {
      this.#channel = new BroadcastChannel(this.#records.prefix);
      this.#channel.onmessage = ({ data }) => this.#heard(data);
    }
    window.addEventListener("storage", (event) => this.#stored(event));
    window.addEventListener("online", () => this.sendNow());
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.#part());
    window.addEventListener("pagehide", () => this.#part());
    window.addEventListener("beforeunload", (event) => {
      if (!this.#records.works && this.#waiting.size) event.preventDefault();
    });
    if (this.#waiting.size) this.#schedule(0);
  }

  get waiting() {
    return this.#waiting.size;
  }

  /** Reason why the server refused a change; empty when it took all. */
  get reason() {
    return this.#reason;
  }

  /** Number of changes of an item that a newer answer from another device or window has outdone. */
  overruled(assignment) {
    return this.#overruled.get(assignment) ?? 0;
  }

  /** Lets a refusal rest: the person has seen it, and goes on to another item. */
  forgive() {
    this.#reason = "";
    this.announce();
  }

  /** Unsent records of an item: the last change of each control, and the clips heard. */
  kept(assignment) {
    const records = [...this.#waiting.values()].filter((record) => record.assignment === assignment);
    const changes = records
      .filter((record) => record.kind !== "played")
      .sort((one, other) => one.sequence - other.sequence);
    return {
      answers: Object.fromEntries(changes.map((change) => [change.control, change.value])),
      played: records.filter((record) => record.kind === "played").map((record) => record.clip),
    };
  }

  /** Learns the highest sequence number that the server knows of an item; whether that is news. */
  know(assignment, sequence) {
    const kept = [...this.#waiting.values()]
      .filter((record) => record.assignment === assignment)
      .map((record) => record.sequence ?? 0);
    const before = this.#sequence.get(assignment) ?? 0;
    this.#sequence.set(assignment, Math.max(before, sequence, ...kept));
    return sequence > before;
  }

  /** Keeps a change and sends it: at once, or after `delay` milliseconds without another (while someone types). */
  change(assignment, control, value, { delay = 0 } = {}) {
    const sequence = (this.#sequence.get(assignment) ?? 0) + 1;
    this.#sequence.set(assignment, sequence);
    this.#latest.set(`${assignment} ${control}`, sequence);
    const record = { kind: "change", id: newId(), assignment, control, value, sequence };
    for (const other of this.#waiting.values()) {
      const outdone =
        other.assignment === assignment &&
        other.control === control &&
        other.kind === "change" &&
        !this.#flying.has(other.id);
      if (outdone) this.#forget(other.id); // what never left this device and is outdone need not leave it
    }
    for (const other of this.#refused.values())
      if (other.assignment === assignment && other.control === control) this.#forget(other.id);
    this.#keep(record);
    this.#channel?.postMessage(record);
    this.#schedule(delay, { later: true });
  }

  /** Keeps and reports that a clip was played to its end. */
  played(assignment, clip) {
    const already = [...this.#waiting.values()].some(
      (one) => one.kind === "played" && one.assignment === assignment && one.clip === clip,
    );
    if (already) return;
    const record = { kind: "played", id: newId(), assignment, clip };
    this.#keep(record);
    this.#channel?.postMessage(record);
    this.#schedule(0);
  }

  /** Tells the other windows that an item was submitted. */
  submitted(assignment) {
    this.#channel?.postMessage({ kind: "submitted", id: newId(), assignment, sequence: 0, control: "" });
  }

  /** Sends what waits, now; resolves when nothing waits any more or sending failed. */
  async sendNow() {
    clearTimeout(this.#timer);
    this.#due = Infinity;
    this.#wait = FIRST_WAIT;
    if (this.#busy) await this.#busy;
    if (this.#waiting.size) await this.#send();
  }

  /** Says the state again, for whoever began to listen late. */
  announce() {
    const { size: waiting } = this.#waiting;
    const state = this.#trouble || (waiting ? "saving" : this.#reason ? "refused" : "saved");
    this.dispatchEvent(
      new CustomEvent("state", { detail: { state, waiting, reason: this.#reason, memory: !this.#records.works } }),
    );
  }

  #keep(record) {
    this.#waiting.set(record.id, record);
    this.#records.put(record);
    this.announce();
  }

  #forget(id) {
    this.#waiting.delete(id);
    this.#refused.delete(id);
    this.#records.remove(id);
  }

  #heard(record) {
    if (!isRecord(record)) return;
    const name = `${record.assignment} ${record.control}`;
    if (record.kind === "change") {
      this.know(record.assignment, record.sequence);
      if (record.sequence < (this.#latest.get(name) ?? 0)) return;
      this.#latest.set(name, record.sequence);
    }
    this.dispatchEvent(new CustomEvent("elsewhere", { detail: record }));
  }

  /** A newer answer stands on the server: unless it is this window's own, it is shown in the place of the stale one. */
  #overrule(assignment, { control, value, sequence }) {
    const name = `${assignment} ${control}`;
    this.know(assignment, sequence);
    if (sequence < (this.#latest.get(name) ?? 0)) return;
    this.#latest.set(name, sequence);
    this.#overruled.set(assignment, this.overruled(assignment) + 1);
    const record = { kind: "change", id: newId(), assignment, control, value, sequence, superseded: true };
    this.dispatchEvent(new CustomEvent("elsewhere", { detail: record }));
  }

  /** Another window kept or let go of something. */
  #stored(event) {
    const id = this.#records.idOf(event.key);
    if (!id) return;
    if (event.newValue === null) {
      this.#waiting.delete(id);
      this.announce();
    } else if (!this.#channel) {
      this.#heard(this.#records.read(event.newValue));
    }
  }

  #schedule(delay, { later = false } = {}) {
    const due = Date.now() + delay;
    if (!later && due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#due = Infinity;
      this.#send();
    }, delay);
  }

  #send() {
    this.#busy ??= this.#sendAll().finally(() => {
      this.#busy = null;
      this.announce();
    });
    return this.#busy;
  }

  async #sendAll() {
    this.announce();
    while (this.#waiting.size) {
      const batch = this.#batch();
      try {
        if (batch[0].kind === "played") await this.#sendPlayed(batch[0]);
        else await this.#sendChanges(batch);
        this.#wait = FIRST_WAIT;
        this.#trouble = "";
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        this.#trouble = isAnother(error) ? "signed-out" : error.code === "disk-full" ? "full" : "offline";
        this.#schedule(Math.max(this.#wait * (0.75 + Math.random() / 2), error.wait * 1000));
        this.#wait = Math.min(LONGEST_WAIT, this.#wait * 2);
        return;
      }
      this.announce();
    }
    this.#trouble = "";
  }

  /** The oldest record and what can travel with it: changes of the same item, up to a size. */
  #batch() {
    const order = (record) => record.sequence ?? Infinity; // what was heard comes after what was answered
    const [first, ...rest] = [...this.#waiting.values()].sort((one, other) => (order(one) < order(other) ? -1 : 1));
    if (first.kind === "played") return [first];
    const batch = [first];
    let size = JSON.stringify(first).length;
    for (const record of rest) {
      if (record.kind === "played" || record.assignment !== first.assignment) continue;
      size += JSON.stringify(record).length;
      if (size > LARGEST_BATCH) break;
      batch.push(record);
    }
    return batch;
  }

  async #sendChanges(batch) {
    for (const record of batch) this.#flying.add(record.id);
    try {
      const body = { changes: batch.map(onlyChange) };
      const { saved, superseded } = await put(path("api", "assignments", batch[0].assignment, "changes"), body);
      const stored = [...saved, ...superseded.map(({ id }) => id)];
      for (const id of stored) this.#forget(id);
      this.#reason = "";
      for (const newer of superseded) this.#overrule(batch[0].assignment, newer);
      if (!stored.some((id) => batch.some((record) => record.id === id)))
        throw new ApiError({ status: 0, code: "unacknowledged" });
    } catch (error) {
      if (!(error instanceof ApiError) || error.passing || isAnother(error)) throw error;
      if (batch.length === 1) this.#refuse(batch[0], error);
      else {
        for (const record of batch) await this.#sendChanges([record]);
      }
    } finally {
      for (const record of batch) this.#flying.delete(record.id);
    }
  }

  /** Sending it again would not help: say so, and let the next through. A task that is closed may be open again later. */
  #refuse(record, error) {
    this.#reason = kindly(error);
    if (error.code === "closed") {
      this.#waiting.delete(record.id);
      this.#refused.set(record.id, record);
    } else {
      this.#forget(record.id);
    }
  }

  async #sendPlayed(record) {
    try {
      const { played } = await post(path("api", "assignments", record.assignment, "played"), { clip: record.clip });
      this.#forget(record.id);
      this.dispatchEvent(new CustomEvent("played", { detail: { assignment: record.assignment, played } }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.passing || isAnother(error)) throw error;
      record.attempts = (record.attempts ?? 0) + 1;
      if (error.status === 409 && record.attempts < 5) {
        await new Promise((resolve) => setTimeout(resolve, NOT_YET));
        return;
      }
      this.#reason = kindly(error);
      this.#forget(record.id);
      this.dispatchEvent(new CustomEvent("unheard", { detail: record }));
    }
  }

  /** The page is being hidden or left: what waits is sent with a request that outlives it. */
  #part() {
    const changes = [...this.#waiting.values()].filter((record) => record.kind === "change");
    for (const assignment of new Set(changes.map((record) => record.assignment))) {
      const body = { changes: changes.filter((record) => record.assignment === assignment).map(onlyChange) };
      if (JSON.stringify(body).length > LARGEST_PARTING) continue; // the device has it
      put(path("api", "assignments", assignment, "changes"), body, { keepalive: true }).catch(() => {});
    }
  }
}
