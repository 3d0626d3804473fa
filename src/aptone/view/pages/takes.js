// Takes of a form: recorded or chosen, played, named and deleted.

import { make } from "./dom.js";
import { showProblem } from "./packed.js";
import { Recorder } from "./recorder.js";

const MOST = 20;

export class Takes {
  constructor(box, words) {
    this.box = box;
    this.words = words;
    this.several = Boolean(box.dataset.several);
    this.list = box.querySelector(".take-list");
    this.button = box.querySelector(".record");
    this.meter = box.querySelector(".level");
    this.clock = box.querySelector(".clock");
    this.taken = [];
    this.count = 0;
    this.problems = make("div", { class: "take-problems" });
    this.list.before(this.problems);
    this.button.addEventListener("click", () => this.toggle());
    const input = box.querySelector("input[type=file]");
    input.addEventListener("change", () => {
      this.addFiles(input.files);
      input.value = "";
    });
    box.addEventListener("dragover", (event) => {
      event.preventDefault();
      box.classList.add("over");
    });
    box.addEventListener("dragleave", () => box.classList.remove("over"));
    box.addEventListener("drop", (event) => {
      event.preventDefault();
      box.classList.remove("over");
      this.addFiles(event.dataTransfer.files);
    });
  }

  addFiles(files) {
    for (const file of files) this.add(file.name, file);
  }

  async toggle() {
    this.problems.replaceChildren();
    if (this.recorder) return this.finish();
    if (!navigator.mediaDevices) return showProblem(this.problems, this.words.try_no_microphone);
    const recorder = new Recorder((level, seconds) => {
      this.meter.value = level;
      this.clock.textContent = `${seconds.toFixed(1)} s`;
    });
    this.button.disabled = true;
    try {
      await recorder.start();
      this.recorder = recorder;
      this.say(this.words.try_stop, true);
    } catch {
      showProblem(this.problems, this.words.try_microphone_refused);
    } finally {
      this.button.disabled = false;
    }
  }

  finish() {
    const blob = this.recorder.stop();
    this.recorder = null;
    this.meter.value = 0;
    this.clock.textContent = "";
    this.say(this.words.try_record, false);
    if (!blob) return showProblem(this.problems, this.words.try_nothing_recorded);
    this.count += 1;
    this.add(this.words.try_take.replace("{number}", this.count), blob);
  }

  say(name, isOn) {
    this.button.classList.toggle("on", isOn);
    this.button.querySelector(".record-name").textContent = name;
  }

  add(name, blob) {
    if (!this.several) for (const one of [...this.taken]) this.remove(one);
    if (this.taken.length >= MOST) return showProblem(this.problems, this.words.try_too_many);
    const url = URL.createObjectURL(blob);
    const input = make("input", { type: "text", value: name, maxlength: "60", aria: { label: this.words.try_name_take } });
    const taken = { blob, url, input };
    const player = make("audio", { src: url });
    player.controls = true;
    const about = { type: "button", class: "link", text: this.words.try_delete, on: { click: () => this.remove(taken) } };
    taken.row = make("li", {}, input, player, make("button", about));
    this.taken.push(taken);
    this.list.append(taken.row);
  }

  remove(taken) {
    this.taken = this.taken.filter((one) => one !== taken);
    taken.row.remove();
    URL.revokeObjectURL(taken.url);
  }

  /** The takes as a request sends them, each under a name of its own. */
  clips(field) {
    const used = new Set();
    return this.taken.map((taken, index) => {
      let name = taken.input.value.trim() || `${index + 1}.wav`;
      while (used.has(name)) name = `${index + 1} ${name}`;
      used.add(name);
      return { field, name, blob: taken.blob, url: taken.url };
    });
  }
}
