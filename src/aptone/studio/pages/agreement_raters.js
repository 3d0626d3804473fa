// Each person beside the rest: which way they lean, how far they lie apart, how fast they are.
import { keepChips } from "./desk.js";
import { make } from "./dom.js";
import { axis, dots, ends, isNumber } from "./drawing.js";
import { count, interval, number, percents, seconds, signed } from "./figures.js";
import { keepRows, write } from "./live.js";
import { say, translated } from "./messages.js";

/**
 * The columns that are drawn. `of` finds the estimate, `around` is what the track must hold, `reference` what nobody would
 * have to explain.
 */
const DRAWN = [
  { name: "bias", of: (rater, control) => rater.controls[control]?.bias, around: [0], reference: 0, write: signed },
  {
    name: "deviation",
    of: (rater, control) => rater.controls[control]?.deviation,
    around: [0],
    reference: null,
    write: number,
  },
  {
    name: "sides_with_rest",
    of: (rater, control) => rater.controls[control]?.sides_with_rest,
    around: [0, 1],
    reference: null,
    write: percents,
  },
  { name: "seconds", of: (rater) => ({ value: rater.seconds }), around: [0], reference: null, write: seconds },
];

/** The section. @param {{labels: Map<string, string>, controls: object[]}} options */
export function ratersSection({ labels, controls }) {
  const select = make(
    "select",
    { id: "raters-control" },
    ...controls.map((control) =>
      make("option", { value: control.name, text: labels.get(control.name) ?? control.name }),
    ),
  );
  const body = make("tbody");
  const heads = DRAWN.map(({ name }) => ({ name, scale: make("div", { class: "picture" }) }));
  const empty = make("p", { class: "muted", text: say("desk.raters.none") });
  const columns = heads.map(({ name, scale }) =>
    make("th", { scope: "col", dataset: { column: name } }, say(`desk.raters.${name}`), scale),
  );
  const checks = make("th", { scope: "col", text: say("desk.raters.checks") });
  const table = make(
    "table",
    { class: "blocks raters" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col", text: say("desk.raters.rater") }), ...columns, checks)),
    body,
  );
  const node = make(
    "section",
    { class: "stack", aria: { labelledby: "raters-heading" } },
    make(
      "div",
      { class: "spread" },
      make("h2", { id: "raters-heading", text: say("desk.raters") }),
      make("label", { class: "field inline" }, say("desk.raters.control"), select),
    ),
    make("p", { class: "small muted", text: say("desk.raters.note") }),
    empty,
    table,
  );
  let shown = [];
  function draw() {
    const control = select.value;
    const columnsNow = DRAWN.map((column) => {
      const estimates = shown.map((rater) => column.of(rater, control) ?? {});
      const track = ends(
        estimates.flatMap((one) => [one.value, one.low, one.high]),
        column.around,
      );
      return { ...column, track, isEmpty: !estimates.some((one) => isNumber(one.value)) };
    });
    columnsNow.forEach((column, index) => {
      columns[index].hidden = column.isEmpty;
      heads[index].scale.replaceChildren(
        axis(column.track, (value) => number(value, Math.abs(column.track.to - column.track.from) < 5 ? 1 : 0)),
      );
    });
    checks.hidden = !shown.some((rater) => checksOf(rater).length);
    keepRows(
      body,
      shown,
      (rater) => rater.rater,
      (rater) => raterRow(rater.rater),
    );
    for (const row of body.keptRows.values()) row.draw(columnsNow, control, checks.hidden);
  }
  select.addEventListener("change", draw);
  return {
    node,
    show(raters) {
      const known = new Set(raters.flatMap((rater) => Object.keys(rater.controls)));
      for (const option of select.options) option.hidden = option.disabled = known.size > 0 && !known.has(option.value);
      if (select.selectedOptions[0]?.disabled)
        select.value = [...select.options].find((option) => !option.disabled)?.value ?? "";
      empty.hidden = raters.length > 0;
      table.hidden = !raters.length;
      shown = raters;
      draw();
    },
  };
}

function raterRow(name) {
  const cells = DRAWN.map((column) => ({
    column,
    figure: make("strong", { class: "number" }),
    range: make("span", { class: "small muted" }),
    picture: make("div", { class: "picture" }),
  }));
  const items = make("span", { class: "small muted" });
  const checks = make("td", { dataset: { label: say("desk.raters.checks") } });
  const drawn = cells.map(({ column, figure, range, picture }) =>
    make("td", { dataset: { label: say(`desk.raters.${column.name}`) } }, picture, figure, " ", range),
  );
  const node = make("tr", {}, make("th", { scope: "row" }, name, items), ...drawn, checks);
  let rater = {};
  return {
    node,
    fill(current) {
      rater = current;
      write(items, say("desk.raters.items", { items: count(current.items) }));
      keepChips(checks, checksOf(current));
    },
    draw(columns, control, isUnchecked) {
      checks.hidden = isUnchecked;
      const tone = rater.set_aside ? "flagged" : "people";
      cells.forEach(({ figure, range, picture }, index) => {
        const column = columns[index];
        const estimate = column.of(rater, control) ?? {};
        drawn[index].hidden = column.isEmpty;
        write(figure, column.write(estimate.value));
        write(range, isNumber(estimate.value) ? interval(estimate, column.write) : translated(estimate.reason));
        picture.replaceChildren(dots(column.track, [{ ...estimate, tone }], column.reference));
      });
    },
  };
}

/** Results of a person's tests, as text. */
function checksOf({ qualification, attention, outlier_share: outliers, set_aside: aside }) {
  const found = [];
  for (const [name, result] of Object.entries({ qualification, attention })) {
    if (result?.count)
      found.push({
        tone: "",
        text: say(`desk.raters.${name}`, { right: count(result.right), count: count(result.count) }),
      });
  }
  if (isNumber(outliers)) found.push({ tone: "", text: say("desk.raters.outliers", { share: percents(outliers) }) });
  if (aside) found.push({ tone: "warn", text: say("desk.raters.aside", { why: translated(aside) }) });
  return found;
}
