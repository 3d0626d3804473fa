// One of a closed set, and one of two recordings: buttons that digits press.
import { make } from "./dom.js";
import { pick, say } from "./messages.js";

const LONG = 16; // characters from which an answer takes a line of its own (a Mandarin character counts double)
const breadth = (text) => [...text].reduce((sum, letter) => sum + (letter > "\u2e7f" ? 2 : 1), 0);

/**
 * Radio buttons.
 * @param {Array<{value: string, label: string}>} options
 * @param {{id: string, label: string, optional: boolean}} about
 * @param {(value: string|null) => void} give an optional answer is taken back (`null`) by its digit once more, or by the
 *   button beside it
 */
function radios(options, { id, label, optional }, give) {
  let current = null;
  const choose = (value) => {
    const next = optional && value === current ? null : value;
    set(next);
    give(next);
  };
  const inputs = options.map((option) =>
    make("input", {
      type: "radio",
      class: "unseen",
      name: id,
      value: option.value,
      on: { change: () => choose(option.value) },
    }),
  );
  const long = options.some((option) => breadth(option.label) > LONG);
  const element = make(
    "div",
    { class: long ? "choices long" : "choices", role: "radiogroup", aria: { label } },
    ...options.map((option, index) => {
      const [title, ...rest] = option.label.split(/(?<=[:：])\s*/u);
      return make(
        "label",
        { class: "choice" },
        inputs[index],
        index < 9 ? make("kbd", { text: String(index + 1), aria: { hidden: "true" } }) : null,
        make(
          "span",
          { dir: "auto" },
          make("span", { class: "choice-title", text: title.replace(/[:：]$/u, "") }),
          rest.length ? make("span", { class: "choice-more", text: ` ${rest.join(" ")}` }) : null,
        ),
      );
    }),
  );
  const back = optional
    ? make("button", {
        type: "button",
        class: "quiet small choice-back",
        text: say("choice.none"),
        on: { click: () => choose(current) },
      })
    : null;
  if (back) element.prepend(back); // Tab leads from the answer to the next question, Shift and Tab to this button
  function set(value) {
    current = value ?? null;
    for (const input of inputs) input.checked = input.value === current;
    if (back) back.hidden = current === null;
  }
  set(null);
  return {
    body: element,
    set,
    focus: () => (inputs.find((input) => input.checked) ?? inputs[0]).focus(),
    digit: (key) => {
      const option = options[Number(key) - 1];
      if (!option) return false;
      choose(option.value);
      inputs[Number(key) - 1].focus();
      return true;
    },
  };
}

/** A closed question, as a kind of control. */
export function choice(control, { id, label }, report) {
  const options = control.choices.map((option) => ({ value: option.value, label: pick(option.label, option.value) }));
  return radios(options, { id, label, optional: control.required === false }, report);
}

/** Control for a preference between two recordings, in the blind order; "the same" where the task offers it. */
export function preference(control, { id, label, pairs, clipName }, report) {
  const pair = pairs[control.prefill] ?? Object.values(pairs)[0] ?? [];
  const options = pair.map((clip) => ({ value: clip, label: clipName(clip) }));
  for (const extra of control.choices ?? [])
    options.push({ value: extra.value, label: pick(extra.label, say("preference.same")) });
  return radios(options, { id, label, optional: control.required === false }, report);
}
