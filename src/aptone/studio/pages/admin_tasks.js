// The tasks of a study: how far each is, whether it is open, and its answers to take away.
import { patch, path } from "./api.js";
import { make } from "./dom.js";
import { progress } from "./drawing.js";
import { count } from "./figures.js";
import { keepRows, settle, write } from "./live.js";
import { pick, say } from "./messages.js";

/** Exports: one row a rating, one row an item with the adjudication, or both as a folder. */
const EXPORTS = { ratings: ["jsonl", "csv", "parquet"], items: ["jsonl", "csv", "parquet"], both: ["dataset"] };
const NAMES = { jsonl: "JSONL", csv: "CSV", parquet: "Parquet" };

/**
 * The section.
 * @param {{attempt: (change: () => Promise<unknown>) => Promise<void>}} options `attempt` carries out a change and says how it ended
 */
export function tasksSection({ attempt }) {
  const rows = make("div", { class: "stack" });
  const empty = make("p", { class: "muted", text: say("desk.tasks.none") });
  const node = make(
    "section",
    { class: "stack", aria: { labelledby: "tasks-heading" } },
    make(
      "div",
      { class: "spread" },
      make("h2", { id: "tasks-heading", text: say("desk.tasks") }),
      make("a", { class: "button", href: "/edit", text: say("desk.tasks.new") }),
    ),
    empty,
    rows,
  );
  return {
    node,
    show(tasks) {
      empty.hidden = tasks.length > 0;
      keepRows(
        rows,
        tasks,
        (task) => task.name,
        (task) => taskCard(task, attempt),
      );
    },
  };
}

function taskCard(task, attempt) {
  const title = pick(task.title);
  const open = make("input", { type: "checkbox", role: "switch" });
  open.addEventListener("change", () => attempt(() => patch(path("api", "tasks", task.name), { open: open.checked })));
  const bar = progress(0, 1, say("desk.tasks.progress", { task: title }));
  const statusLine = make("p", { class: "small muted number" });
  const node = make(
    "article",
    { class: "card stack task", aria: { label: title } },
    make(
      "div",
      { class: "spread" },
      make("div", {}, make("h3", { text: title }), make("p", { class: "small muted", text: task.name })),
      make("label", { class: "row" }, open, say("desk.tasks.open")),
    ),
    bar,
    statusLine,
    make(
      "div",
      { class: "row actions" },
      task.results ? make("a", { class: "button", href: path("results", task.name), text: say("link.results") }) : null,
      make("a", { class: "button", href: path("agreement", task.name), text: say("desk.agreement") }),
      make("a", { class: "button", href: path("adjudicate", task.name), text: say("desk.adjudicate") }),
      make("a", { class: "button quiet", href: path("rate", task.name), text: say("desk.tasks.try") }),
      make("a", { class: "button quiet", href: path("edit", task.name), text: say("desk.tasks.edit") }),
      make(
        "details",
        {},
        make("summary", { text: say("desk.export") }),
        ...Object.entries(EXPORTS).map(([rows, formats]) => exportRow(task.name, title, rows, formats)),
        make("p", { class: "small muted", text: say("desk.export.note") }),
      ),
    ),
  );
  return {
    node,
    fill(current) {
      settle(open, "checked", current.open);
      if (!current.overall) return write(statusLine, say("desk.loading"));
      const { answers, needed, complete, items } = current.overall;
      bar.max = Math.max(1, needed);
      bar.value = Math.min(answers, needed);
      write(
        statusLine,
        say("desk.tasks.counts", {
          answers: count(answers),
          needed: count(needed),
          complete: count(complete),
          items: count(items),
        }),
      );
    },
  };
}

function exportRow(task, title, rows, formats) {
  const links = formats.map((format) => {
    const query = new URLSearchParams({ format, ...(rows === "both" ? {} : { rows }) });
    const name = NAMES[format] ?? say(`desk.export.${format}`);
    const label = say("desk.export.of", { task: title, rows: say(`desk.export.${rows}`), format: name });
    return make("a", {
      class: "button",
      href: `${path("api", "tasks", task, "export")}?${query}`,
      download: "",
      text: name,
      aria: { label },
    });
  });
  return make(
    "div",
    { class: "row exports" },
    make("span", { class: "small", text: say(`desk.export.${rows}`) }),
    ...links,
  );
}
