// A given text that is corrected in place: one text or many lines. What was changed is marked, and can be restored.
import { textField } from "./control_text.js";
import { difference } from "./difference.js";
import { fill, make, picture } from "./dom.js";
import { say } from "./words.js";

/** What is to be corrected, as a text or as lines; a story is its lines. */
export function givenText(field) {
  if (typeof field === "string") return field;
  const lines = Array.isArray(field) ? field : field?.lines;
  return Array.isArray(lines) ? lines.map((line) => (typeof line === "string" ? line : String(line?.text ?? ""))) : "";
}

function oneText(given, { label, changed }) {
  const marks = make("p", { class: "marks small", dir: "auto", aria: { label: say("edit.marks") } });
  const restore = make("button", { type: "button", class: "quiet small", on: { click: () => { set(given); changed(given); field.focus(); } } }, picture("restore"), say("edit.restore"));
  const field = textField({ label, value: given, changed: (value) => { show(); changed(value, { typing: true }); } });
  const bar = make("div", { class: "edit-bar" }, marks, restore);
  function show() {
    const same = field.value === given;
    bar.hidden = same;
    if (same) return;
    const tags = { same: "span", removed: "del", added: "ins" };
    fill(marks, ...difference(given, field.value).map(({ kind, text }) => make(tags[kind], { text, title: kind === "same" ? null : say(`edit.${kind}`) })));
  }
  function set(value) {
    if (field.value !== value) field.value = value;
    show();
  }
  show();
  return { element: make("div", { class: "edit-one" }, field, bar), set, field };
}

/** An edit, as a kind of control. */
export function edit(control, { label, fields }, report) {
  const given = givenText(fields[control.prefill]);
  if (typeof given === "string") {
    const one = oneText(given, { label, changed: report });
    return { body: one.element, set: (value) => one.set(typeof value === "string" ? value : given), focus: () => one.field.focus(), standing: given };
  }
  let now = [...given];
  const lines = given.map((line, index) => oneText(line, {
    label: `${label}: ${say("edit.line", { number: index + 1 })}`,
    changed: (value, how) => {
      now = now.with(index, value);
      report(now, how);
    },
  }));
  return {
    body: make("ol", { class: "edit-lines" }, ...lines.map((line) => make("li", {}, line.element))),
    set: (value) => {
      now = Array.isArray(value) && value.length === given.length ? [...value] : [...given];
      now.forEach((line, index) => lines[index].set(String(line)));
    },
    focus: () => lines[0]?.field.focus(),
    standing: given,
  };
}
