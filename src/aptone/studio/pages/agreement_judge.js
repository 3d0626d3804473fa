// The automatic judge beside the people: how well it agrees with them, and how well they agree with each other.
import { sayOr } from "./desk.js";
import { make } from "./dom.js";
import { axis, dots, ends, isNumber } from "./drawing.js";
import { count, interval, number } from "./figures.js";
import { keepRows, write } from "./live.js";
import { say, translated } from "./messages.js";

/** The section; without a judge that has answered it is not shown. @param {{labels: Map<string, string>}} options */
export function judgeSection({ labels }) {
  const body = make("div", { class: "stack" });
  const node = make(
    "section",
    { class: "stack", aria: { labelledby: "judge-heading" } },
    make("h2", { id: "judge-heading", text: say("desk.judge") }),
    make("p", { class: "small muted", text: say("desk.judge.note") }),
    body,
  );
  node.hidden = true;
  return {
    node,
    show(judges) {
      const answering = judges.filter((judge) => judge.items > 0);
      node.hidden = !answering.length;
      keepRows(
        body,
        answering,
        (judge) => judge.control,
        (judge) => judgeCard(labels.get(judge.control) ?? judge.control),
      );
    },
  };
}

function judgeCard(label) {
  const body = make("tbody");
  const scale = make("td", { class: "picture" });
  const items = make("p", { class: "small muted" });
  const node = make(
    "article",
    { class: "card", aria: { label } },
    make(
      "table",
      { class: "measures" },
      make("caption", {}, label),
      make(
        "thead",
        {},
        make(
          "tr",
          {},
          make("th", { scope: "col", text: say("desk.agreement.measure") }),
          make("th", { scope: "col", class: "number judge-key", text: say("desk.judge.judge") }),
          make("th", { scope: "col", class: "number people-key", text: say("desk.judge.people") }),
          scale,
        ),
      ),
      body,
    ),
    items,
  );
  return {
    node,
    fill(current) {
      const rows = Object.entries(current.judge).map(([statistic, judge]) => ({
        statistic,
        judge,
        people: current.people[statistic] ?? {},
      }));
      const track = ends(
        rows.flatMap(({ judge, people }) => [judge, people].flatMap((one) => [one.value, one.low, one.high])),
        [0, 1],
      );
      scale.replaceChildren(axis(track, (value) => number(value, 1)));
      keepRows(
        body,
        rows,
        (row) => row.statistic,
        (row) => statisticRow(row.statistic),
      );
      for (const row of body.keptRows.values()) row.draw(track);
      write(items, say("desk.judge.items", { items: count(current.items) }));
    },
  };
}

function statisticRow(statistic) {
  const cells = { judge: figureCell("judge"), people: figureCell("people") };
  const picture = make("td", { class: "picture" });
  const node = make(
    "tr",
    {},
    make("th", { scope: "row", text: sayOr(`desk.statistic.${statistic}`, statistic) }),
    cells.judge.node,
    cells.people.node,
    picture,
  );
  let shown = {};
  return {
    node,
    fill(current) {
      shown = current;
      cells.judge.fill(current.judge);
      cells.people.fill(current.people);
    },
    draw(track) {
      picture.replaceChildren(
        dots(track, [
          { ...shown.people, tone: "people" },
          { ...shown.judge, tone: "judge" },
        ]),
      );
    },
  };
}

function figureCell(whose) {
  const figure = make("strong");
  const range = make("span", { class: "small muted" });
  return {
    node: make("td", { class: "number", dataset: { label: say(`desk.judge.${whose}`) } }, figure, range),
    fill(estimate) {
      write(figure, number(estimate.value));
      write(range, isNumber(estimate.value) ? interval(estimate) : translated(estimate.reason));
    },
  };
}
