// Agreement on each question: the headline figure with its interval as a picture, the others below it.
import { sayOr } from "./desk.js";
import { make } from "./dom.js";
import { axis, dots, isNumber } from "./drawing.js";
import { count, interval, number, percents } from "./figures.js";
import { keepRows, write } from "./live.js";
import { nextSteps } from "./agreement_steps.js";
import { say, translated } from "./messages.js";

const SHARE = "share:";
/** Measures on one scale that ends at 1, which can be drawn under each other. */
const UNIT = new Set([
  "icc_2_1",
  "icc_2_1_pairs",
  "alpha",
  "alpha_trimmed",
  "alpha_without_extremes",
  "alpha_symmetric",
  "alpha_meaning",
  "alpha_feeling",
  "alpha_times",
  "alpha_edits",
  "alpha_sets",
  "valence",
  "arousal",
  "dominance",
  "vad",
  "percent",
  "cosine",
  "overlap",
]);
/** The track of the headlines, the same for all so that they can be compared; what is worse than chance is held at its end. */
const HEADLINE = { from: 0, to: 1 };
/** Questions up to which all figures are in sight at first. */
const FEW = 2;
const PERCENT = new Set(["percent"]);

/** Display name of a measure; the share of a system carries the system's name. */
export function measureName(measure) {
  return measure.startsWith(SHARE)
    ? say("desk.measure.share", { system: measure.slice(SHARE.length) })
    : sayOr(`desk.measure.${measure}`, measure);
}

const isShare = (measure) => PERCENT.has(measure) || measure.startsWith(SHARE);
const isDrawn = (measure) => UNIT.has(measure) || measure.startsWith(SHARE);
const written = (measure, value) => (isShare(measure) ? percents(value) : number(value));

const reach = (measure, estimate) => interval(estimate, isShare(measure) ? percents : number);

/** Basis of a figure and method of its interval, as text. */
function basis({ measure, estimate, raters, how }) {
  const items = measure.startsWith(SHARE)
    ? ""
    : say("desk.agreement.items", { items: count(estimate.count), raters: count(raters) });
  return [items, translated(how), translated(estimate.method)].filter(Boolean).join(" · ");
}

/** The section. @param {{id: "rated"|"calibration", labels: Map<string, string>}} options */
export function controlsSection({ id, labels }) {
  const body = make("div", { class: "stack controls" });
  const empty = make("p", { class: "muted", text: say(`desk.agreement.${id}.none`) });
  const scale = make(
    "div",
    { class: "headline-axis" },
    axis(HEADLINE, (value) => number(value, 1)),
  );
  const node = make(
    "section",
    { class: "stack", aria: { labelledby: `${id}-heading` } },
    make("h2", { id: `${id}-heading`, text: say(`desk.agreement.${id}`) }),
    make("p", { class: "small muted", text: say(`desk.agreement.${id}.note`) }),
    empty,
    scale,
    body,
  );
  return {
    node,
    show(controls) {
      const answered = controls.filter((control) => control.main);
      empty.hidden = answered.length > 0;
      scale.hidden = !answered.length;
      keepRows(
        body,
        answered,
        (control) => control.control,
        (control) => controlCard(control, labels, answered.length <= FEW),
      );
    },
  };
}

/** A question: its headline figure is always in sight, the others when it is opened. */
function controlCard(control, labels, isOpen) {
  const label = labels.get(control.control) ?? control.control;
  const name = make("span", { class: "small muted" });
  const word = make("strong", { class: "agreement-word" });
  const range = make("span", { class: "small muted" });
  const headline = make("span", { class: "picture" });
  const corrected = measureTable(label, "corrected");
  const apart = measureTable(label, "apart");
  const steps = nextSteps();
  const node = make(
    "details",
    { class: "card question", open: isOpen },
    make(
      "summary",
      {},
      make("span", { class: "about" }, make("span", { text: label }), name),
      make("span", { class: "number" }, word, range),
      headline,
    ),
    steps.node,
    corrected.node,
    apart.node,
  );
  return {
    node,
    fill(current) {
      const measures = Object.entries(current.figures).map(([measure, one]) => ({ measure, ...one }));
      const main = current.figures[current.main];
      const isKnown = main && isNumber(main.estimate.value);
      write(name, isKnown ? measureName(current.main) : translated(main?.estimate.reason));
      write(word, say(`desk.word.${current.word || "undefined"}`));
      word.dataset.word = current.word;
      write(range, isKnown ? `α ${number(main.estimate.value)} (${reach(current.main, main.estimate)})` : "");
      headline.replaceChildren(...(main ? drawn(current.main, main.estimate, HEADLINE) : []));
      steps.show(current.next_steps);
      corrected.show(
        measures.filter((one) => one.corrected),
        current.main,
      );
      apart.show(
        measures.filter((one) => !one.corrected),
        current.main,
      );
    },
  };
}

/** Figures of one sort: corrected for chance, or shares and distances, which say nothing about it. */
function measureTable(label, sort) {
  const scale = make("td", { class: "picture" });
  const body = make("tbody");
  const node = make(
    "table",
    { class: "measures", dataset: { sort } },
    make("caption", {}, say(`desk.agreement.${sort}`), make("span", { class: "unseen", text: `: ${label}` })),
    make(
      "thead",
      {},
      make(
        "tr",
        {},
        make("th", { scope: "col", text: say("desk.agreement.measure") }),
        make("th", { scope: "col", class: "number", text: say("desk.agreement.figure") }),
        scale,
      ),
    ),
    body,
  );
  return {
    node,
    show(measures, main) {
      node.hidden = !measures.length;
      const first = (one) => Number(one.measure === main);
      const sorted = [...measures].sort((one, other) => first(other) - first(one));
      const track = trackOf(sorted);
      scale.replaceChildren(
        ...(sorted.some((one) => isDrawn(one.measure)) ? [axis(track, (value) => number(value, 1))] : []),
      );
      keepRows(
        body,
        sorted,
        (one) => one.measure,
        (one) => measureRow(one.measure),
      );
      for (const row of body.keptRows.values()) row.draw(track);
    },
  };
}

/** The picture of an estimate, where there is something to draw. */
function drawn(measure, estimate, track) {
  return isDrawn(measure) && isNumber(estimate.value) ? [dots(track, [{ ...estimate, tone: "people" }])] : [];
}

/** All that is drawn lies between 0 and 1, unless somebody agrees worse than chance. */
function trackOf(measures) {
  const lowest = Math.min(
    0,
    ...measures
      .filter((one) => isDrawn(one.measure))
      .flatMap(({ estimate }) => [estimate.value, estimate.low])
      .filter(isNumber),
  );
  return { from: Math.max(-1, lowest), to: 1 };
}

function measureRow(measure) {
  const figure = make("strong");
  const range = make("span", { class: "small muted" });
  const how = make("span", { class: "small muted" });
  const way = make("span", { class: "small direction" });
  const picture = make("td", { class: "picture" });
  const node = make(
    "tr",
    {},
    make("th", { scope: "row" }, make("span", { text: measureName(measure) }), way, how),
    make("td", { class: "number" }, figure, range),
    picture,
  );
  let estimate = {};
  return {
    node,
    fill(current) {
      estimate = current.estimate;
      write(figure, written(measure, estimate.value));
      write(range, reach(measure, estimate));
      write(way, current.corrected ? "" : say(`desk.direction.${current.direction || "none"}`));
      way.hidden = current.corrected;
      write(how, isNumber(estimate.value) ? basis(current) : translated(estimate.reason));
    },
    draw(track) {
      picture.replaceChildren(...drawn(measure, estimate, track));
    },
  };
}
