// The bar at the bottom of the rating page: where one is, whether it is saved, and what to do next.
import { fill, iconButton, make, picture } from "./dom.js";
import { say } from "./messages.js";

export class RatingBar {
  #previous;
  #play;
  #progress;
  #submit;
  #meter = make("progress", { max: 1, value: 0, aria: { hidden: "true" } });
  #trouble = make("p", { class: "bad small bar-trouble", role: "alert" });

  /**
   * @param {import("./outbox.js").Outbox} outbox
   * @param {{previous: () => void, submit: () => void, play: () => void, list: () => void}} actions
   */
  constructor(outbox, { previous, submit, play, list }) {
    const button = (name, run) => make("button", { type: "button", class: name, on: { click: run } });
    this.#previous = fill(
      button("bar-previous", previous),
      picture("left"),
      make("span", { class: "bar-word", text: say("rate.previous") }),
    );
    this.#previous.setAttribute("aria-label", say("rate.previous"));
    this.#play = iconButton("play", say("player.play"), play);
    this.#play.classList.add("bar-play");
    this.#progress = button("quiet small number bar-progress", list);
    this.#progress.title = say("rate.items");
    this.#submit = button("primary bar-submit", submit);
    const middle = make("div", { class: "bar-middle" }, this.#progress, saveState(outbox));
    const inner = make("div", { class: "bar-inner" }, this.#previous, this.#play, middle, this.#submit);
    this.element = make("footer", { class: "bar" }, this.#meter, this.#trouble, inner);
  }

  /** Shows an error; nothing for an empty text. */
  showError(text) {
    fill(this.#trouble, text);
  }

  /**
   * @param {{view: object|null, missing: string, word: string, busy: boolean, hasPrevious: boolean}} state `missing`: what
   *   has to be done first, on the button; `word`: what the button says otherwise
   */
  refresh({ view, missing, word, busy, hasPrevious }) {
    this.#previous.disabled = busy || !hasPrevious;
    for (const part of [this.#submit, this.#play, this.#progress]) part.hidden = !view;
    this.#meter.max = Math.max(1, view?.total ?? 1);
    this.#meter.value = view ? view.position + Number(view.state === "submitted") : 1;
    if (!view) return;
    const place = { stage: say(`stage.${view.stage}`), position: view.position + 1, total: view.total };
    this.#progress.textContent = say("progress.stage", place);
    this.#submit.classList.toggle("missing", Boolean(missing) || busy); // not disabled: a press leads to what is missing
    fill(this.#submit, missing || say(word));
  }
}

const CLASSES = { saved: "muted", saving: "muted", offline: "warn", full: "bad", refused: "bad", "signed-out": "bad" };

/** Line that shows the state of an outbox: saved, on its way, or stored on this device. */
function saveState(outbox) {
  const line = make("span", {
    class: "save small",
    role: "status",
    aria: { live: "polite" },
    dataset: { state: "saved" },
  });
  outbox.addEventListener("state", ({ detail: { state, waiting, reason, memory } }) => {
    const text = state === "refused" ? say("save.refused", { reason }) : say(`save.${state}`, { count: waiting });
    const whole = memory ? `${text} · ${say("save.memory")}` : text;
    if (line.textContent === whole && line.dataset.state === state) return;
    line.dataset.state = state;
    line.className = `save small ${memory ? "bad" : CLASSES[state]}`;
    fill(
      line,
      state === "saved" ? picture("good") : state === "saving" ? "" : picture("warn"),
      make("span", { text: whole }),
    );
  });
  return line;
}
