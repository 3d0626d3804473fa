// What to do about the agreement on a question: which items, which raters, how many more ratings.
import { make } from "./dom.js";
import { isNumber } from "./drawing.js";
import { count, number } from "./figures.js";
import { write } from "./live.js";
import { path } from "./api.js";
import { taskOfPage } from "./desk.js";
import { say, translated } from "./messages.js";

const NAMED = 5; // items and raters that are named
const MATTERS = 0.02; // gain in agreement from which a rater is named

/** The list. @returns {{node: HTMLElement, show: (steps: object|null) => void}} */
export function nextSteps() {
  const items = make("li", { dataset: { step: "items" } });
  const raters = make("li", { dataset: { step: "raters" } });
  const ratings = make("li", { dataset: { step: "ratings" } });
  const node = make(
    "div",
    { class: "steps" },
    make("p", { class: "small muted", text: say("desk.steps") }),
    make("ul", {}, items, raters, ratings),
  );
  let shown = "";
  return {
    node,
    show(steps) {
      node.hidden = !steps;
      if (!steps || JSON.stringify(steps) === shown) return;
      shown = JSON.stringify(steps);
      const apart = steps.items.slice(0, NAMED);
      items.hidden = !apart.length;
      items.replaceChildren(
        `${say("desk.steps.items")} `,
        ...apart.flatMap(({ item, disagreement }, index) => [
          index ? ", " : "",
          make("a", { href: `${path("adjudicate", taskOfPage())}#${encodeURIComponent(item)}`, text: item, dir: "auto" }),
          ` (${number(disagreement, 1)})`,
        ]),
      );
      const gains = steps.raters.filter((one) => isNumber(one.gain) && one.gain > MATTERS).slice(0, NAMED);
      raters.hidden = !gains.length;
      const named = gains.map((one) => `${one.rater} (+${number(one.gain)})`).join(", ");
      write(raters, say("desk.steps.raters", { raters: named }));
      write(ratings, ratingsText(steps.needed));
      ratings.hidden = !ratings.textContent;
      node.hidden = items.hidden && raters.hidden && ratings.hidden;
    },
  };
}

function ratingsText({ wanted, now, more_items: items, more_raters_per_item: raters, reason }) {
  const widths = { wanted: number(wanted), now: number(now) };
  if (!isNumber(items)) return "";
  if (!items) return say("desk.steps.enough", widths);
  if (!isNumber(raters)) return `${say("desk.steps.more-items", { ...widths, items: count(items) })} ${translated(reason)}`;
  return say("desk.steps.more", { ...widths, items: count(items), raters: count(raters) });
}
