// One question before the adjudicator: what every rater answered, side by side, what stands out marked, and the control
// that decides. An answer is taken over by a press.
import { standOut, written } from "./answers.js";
import { make } from "./dom.js";
import { say } from "./messages.js";

/**
 * The raters' answers to a question.
 * @param {{control: object, label: string, ratings: object[], clipName: (clip: string) => string, takeOver: (value: unknown) => void}} options
 * @returns {{element: HTMLElement, differs: boolean}} `differs`: whether any of them stands out
 */
export function ratersAnswers({ control, label, ratings, clipName, takeOver }) {
  const values = ratings.map((rating) => rating.answers[control.name]);
  const marked = standOut(control, values);
  const cells = ratings.map((rating, index) =>
    make(
      "li",
      {},
      make("bdi", { class: "small muted", text: rating.rater }),
      answer({ control, label, rater: rating.rater, value: values[index], isFar: marked[index], clipName, takeOver }),
    ),
  );
  return {
    element: make(
      "ul",
      { class: "given", aria: { label: say("desk.settle.answers-to", { control: label }) } },
      ...cells,
    ),
    differs: marked.some(Boolean),
  };
}

function answer({ control, label, rater, value, isFar, clipName, takeOver }) {
  const text = written(control, value, clipName);
  if (value === null || value === undefined) return make("span", { class: "answer none", text });
  const spoken = [
    say("desk.settle.take", { rater, control: label, value: text }),
    isFar ? say("desk.settle.differs") : "",
  ]
    .join(" ")
    .trim();
  return make(
    "button",
    {
      type: "button",
      class: isFar ? "answer far" : "answer",
      dir: "auto",
      aria: { label: spoken },
      on: { click: () => takeOver(value) },
    },
    isFar ? make("span", { class: "far-mark", text: "≠", aria: { hidden: "true" } }) : null,
    make("span", { text }),
  );
}
