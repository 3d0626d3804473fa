// The questions of a task, drawn from its data: one card a control, whatever its kind. The rating page and the page for
// adjudication share them.
import { fill, make, picture } from "./dom.js";
import { boundaries } from "./control_boundaries.js";
import { choice, preference } from "./control_choice.js";
import { edit } from "./control_edit.js";
import { scale } from "./control_scale.js";
import { bestWorst, ranking, ratings } from "./control_set.js";
import { text } from "./control_text.js";
import { pick, say } from "./messages.js";

const KINDS = { scale, choice, text, boundaries, edit, preference, ratings, ranking, "best-worst": bestWorst };
const SINGLE = new Set(["scale", "choice", "text", "preference"]); // one field for the keyboard: Tab leaves the question
let count = 0;

/** True if a value counts as an answer. */
export const isAnswer = (value) =>
  value !== undefined && value !== null && !(typeof value === "string" && !value.trim());

/**
 * One question.
 * @param {object} control of the task
 * @param {{fields: object, pairs: object, clipName: (clip: string) => string,
 *   players: Map<string, import("./player.js").Player>, focusClip: (clip: string) => void,
 *   player: import("./player.js").Player|null, changed: (name: string, value: unknown, how: {typing: boolean}) => void
 *   }} context `player` is the waveform that boundaries are marked on; `focusClip` says which clip of a set is asked about
 * @returns {{name: string, label: string, element: HTMLElement, value: unknown, answered: boolean, complete: boolean,
 *   standing: unknown, single: boolean,
 *   set: (value: unknown, how?: {note?: string}) => void, focus: () => void, digit: (key: string) => boolean}}
 *   `standing` is what counts when nothing was touched: a text or boundaries that were given to be corrected;
 *   `undefined` for none
 */
export function buildControl(control, context) {
  count += 1;
  const id = `control-${count}`;
  const label = pick(control.label, control.name);
  const state = make("span", { class: "control-state small" });
  const elsewhere = make("p", { class: "small warn control-elsewhere", role: "status" });
  let value;
  const [title, ...rest] = label.split(/(?<=[:：])\s*/u);
  const kind = KINDS[control.kind](control, { ...context, id, label }, (given, { typing = false } = {}) => {
    value = given;
    fill(elsewhere);
    show();
    context.changed(control.name, given, { typing });
  });
  const standing = kind.standing;
  const element = make(
    "section",
    {
      class: `control card control-${control.kind}`,
      role: "group",
      tabindex: "-1",
      id,
      aria: { labelledby: `${id}-label` },
      dataset: { control: control.name },
    },
    make(
      "div",
      { class: "control-head" },
      make(
        "h3",
        { id: `${id}-label`, dir: "auto" },
        title.replace(/[:：]$/u, ""),
        rest.length ? make("span", { class: "control-more", text: ` ${rest.join(" ")}` }) : null,
      ),
      state,
    ),
    kind.body,
    elsewhere,
  );

  /** True if the answer leaves nothing out: of a set every clip is in it. */
  function isWhole() {
    return isAnswer(value) && (kind.whole?.(value) ?? true);
  }

  function show() {
    const given = isWhole() || standing !== undefined;
    element.classList.toggle("answered", given);
    const optional = control.required === false;
    const word = given ? "rate.answered" : optional ? "rate.optional" : "rate.required";
    fill(
      state,
      given ? picture("good") : optional ? null : picture("todo"),
      make("span", { class: given || !optional ? "unseen" : "", text: say(word) }),
    );
  }
  show();
  return {
    name: control.name,
    label: title.replace(/[:：]$/u, ""),
    element,
    standing,
    single: SINGLE.has(control.kind),
    get value() {
      return value;
    },
    get answered() {
      return isWhole() || standing !== undefined;
    },
    get complete() {
      return control.required === false || this.answered;
    },
    set(given, { note = "" } = {}) {
      value = given;
      kind.set(given);
      show();
      if (note) fill(elsewhere, say(note));
    },
    focus() {
      kind.focus();
      element.scrollIntoView({ block: "center" });
    },
    digit: (key) => kind.digit?.(key) ?? false,
  };
}
