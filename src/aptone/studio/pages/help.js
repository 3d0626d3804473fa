// The guide of a task and the key map, on `?`; on the first visit the guide stands open above the item.
import { fill, make } from "./dom.js";
import { pick, say } from "./messages.js";

const seen = (task) => `aptone.guide.${task}`;

/** The guide, a paragraph a line; an empty line sets apart. */
function guideText(task) {
  const paragraphs = pick(task.guide).split(/\n\s*\n/u);
  const lines = paragraphs.map((paragraph) => paragraph.split("\n").map((text) => make("p", { text, dir: "auto" })));
  return make("div", { class: "prose", tabindex: "0", role: "region", aria: { label: say("rate.guide") } }, make("div", { class: "columns" }, ...lines.map((group) => make("div", { class: "paragraph" }, ...group))));
}

/** The guide above the item: open on the first visit to the task, folded later. */
export function guide(task) {
  let first = true;
  try {
    first = localStorage.getItem(seen(task.name)) === null;
    localStorage.setItem(seen(task.name), "seen");
  } catch {
    // Without storage every visit is the first.
  }
  return make(
    "details",
    { class: "card guide", open: first },
    make("summary", { text: say("rate.guide") }),
    guideText(task),
  );
}

/** The key map as a table: bindings with a `label`, the key of their words; `shown` are the caps, by default the keys. */
function keyTable(bindings) {
  const rows = bindings
    .filter((binding) => binding.label)
    .map((binding) =>
      make(
        "tr",
        {},
        make(
          "td",
          {},
          ...(binding.shown ?? binding.keys).flatMap((key, index) => [index ? " " : null, make("kbd", { text: key })]),
        ),
        make("td", { text: say(binding.label) }),
      ),
    );
  return make(
    "table",
    { class: "keys" },
    make("caption", { class: "unseen", text: say("help.keys") }),
    make("tbody", {}, ...rows),
  );
}

/** Opens the help: the guide and the keys. */
export function openHelp(task, bindings) {
  const close = make("button", {
    type: "button",
    class: "primary",
    text: say("close"),
    on: { click: () => dialog.close() },
  });
  const dialog = make("dialog", { class: "help", aria: { label: say("help") }, on: { close: () => dialog.remove() } });
  fill(
    dialog,
    make(
      "div",
      { class: "stack" },
      make("div", { class: "spread" }, make("h2", { text: say("rate.guide") }), close),
      guideText(task),
      make("h2", { text: say("help.keys") }),
      keyTable(bindings),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
