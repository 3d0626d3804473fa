// What every rater answered, side by side, by pseudonym; what stands out is marked, and an answer is taken over by a press.
import { standOut, written } from "./answers.js";
import { make } from "./dom.js";
import { seconds } from "./figures.js";
import { pick, say } from "./words.js";

/**
 * The table.
 * @param {{task: object, ratings: object[], clipName: (clip: string) => string, takeOver: (control: string, value: unknown) => void}} options
 */
export function answersTable({ task, ratings, clipName, takeOver }) {
  const heads = ratings.map((rating) => make("th", { scope: "col" }, make("bdi", { text: rating.rater }), make("span", { class: "small muted", text: seconds(rating.seconds) })));
  const rows = task.controls.map((control) => {
    const label = pick(control.label, control.name);
    const values = ratings.map((rating) => rating.answers[control.name]);
    const marked = standOut(control, values);
    const cells = ratings.map((rating, index) => answerCell({ control, label, rating, value: values[index], isFar: marked[index], clipName, takeOver }));
    return make("tr", { class: marked.some(Boolean) ? "apart" : "" }, make("th", { scope: "row", text: label }), ...cells);
  });
  return make("section", { class: "stack", aria: { labelledby: "answers-heading" } },
    make("h2", { id: "answers-heading", text: say("desk.settle.answers") }),
    ratings.length ? null : make("p", { class: "muted", text: say("desk.settle.nobody") }),
    make("div", { class: "card scroll", tabindex: "0", role: "region", aria: { labelledby: "answers-heading" } },
      make("table", { class: "answers" },
        make("thead", {}, make("tr", {}, make("th", { scope: "col", text: say("desk.raters.control") }), ...heads)),
        make("tbody", {}, ...rows))),
    make("p", { class: "small muted", text: say("desk.settle.legend") }));
}

function answerCell({ control, label, rating, value, isFar, clipName, takeOver }) {
  const text = written(control, value, clipName);
  if (value === null || value === undefined) return make("td", { text });
  const spoken = [say("desk.settle.take", { rater: rating.rater, control: label, value: text }), isFar ? say("desk.settle.differs") : ""].join(" ");
  const button = make("button", {
    type: "button", class: isFar ? "answer far" : "answer", dir: "auto", aria: { label: spoken }, on: { click: () => takeOver(control.name, value) },
  }, isFar ? make("span", { class: "far-mark", text: "≠", aria: { hidden: "true" } }) : null, make("span", { text }));
  return make("td", {}, button);
}
