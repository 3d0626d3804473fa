// The bar at the bottom of the rating page: where one is, whether it is saved, and what to do next.
import { fill, iconButton, make, picture } from "./dom.js";
import { saveState } from "./save_state.js";
import { say } from "./words.js";

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
    this.#play = iconButton("play", "player.play", play);
    this.#play.classList.add("bar-play");
    this.#progress = button("quiet small number bar-progress", list);
    this.#progress.title = say("rate.items");
    this.#submit = button("primary bar-submit", submit);
    const middle = make("div", { class: "bar-middle" }, this.#progress, saveState(outbox));
    const inner = make("div", { class: "bar-inner" }, this.#previous, this.#play, middle, this.#submit);
    this.element = make("footer", { class: "bar" }, this.#meter, this.#trouble, inner);
  }

  /** Says what went wrong; nothing for an empty text. */
  tell(text) {
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
