// A given text that is corrected in place: one text or many lines. What was changed is marked, and can be restored.
import { textField } from "./control_text.js";
import { difference } from "./difference.js";
import { fill, make, picture } from "./dom.js";
import { say } from "./messages.js";

const LONGEST = 200000; // characters of an edited text that the server takes

/** Text or lines to be corrected; a story is its lines. A line is a text, or an object with one. */
export function givenText(field) {
  if (typeof field === "string") return field;
  const lines = Array.isArray(field) ? field : field?.lines;
  return Array.isArray(lines) ? lines : "";
}

const wordsOf = (line) => (typeof line === "string" ? line : String(line?.text ?? ""));
const withWords = (line, text) => (typeof line === "string" ? text : { ...line, text });

function oneText(given, { label, changed }) {
  const marks = make("p", { class: "marks small", dir: "auto", aria: { label: say("edit.marks") } });
  const restored = () => {
    set(given);
    changed(given);
    field.focus();
  };
  const restore = make(
    "button",
    { type: "button", class: "quiet small", on: { click: restored } },
    picture("restore"),
    say("edit.restore"),
  );
  const field = textField({
    label,
    value: given,
    longest: LONGEST,
    changed: (value) => {
      show();
      changed(value, { typing: true });
    },
  });
  const bar = make("div", { class: "edit-bar" }, marks, restore);
  function show() {
    const same = field.value === given;
    bar.hidden = same;
    if (same) return;
    const tags = { same: "span", removed: "del", added: "ins" };
    fill(
      marks,
      ...difference(given, field.value).map(({ kind, text }) =>
        make(tags[kind], { text, title: kind === "same" ? null : say(`edit.${kind}`) }),
      ),
    );
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
    return {
      body: one.element,
      set: (value) => one.set(typeof value === "string" ? value : given),
      focus: () => one.field.focus(),
      standing: given,
    };
  }
  let now = [...given];
  const lines = given.map((line, index) =>
    oneText(wordsOf(line), {
      label: `${label}: ${say("edit.line", { number: index + 1 })}`,
      changed: (text, how) => {
        now = now.with(index, withWords(line, text));
        report(now, how);
      },
    }),
  );
  const row = (line, index) =>
    make(
      "li",
      {},
      typeof line === "string" || !line?.role
        ? null
        : make("span", { class: "small muted", text: line.role, dir: "auto" }),
      lines[index].element,
    );
  return {
    body: make("ol", { class: "edit-lines" }, ...given.map(row)),
    set: (value) => {
      now = Array.isArray(value) && value.length === given.length ? [...value] : [...given];
      now.forEach((line, index) => lines[index].set(wordsOf(line)));
    },
    focus: () => lines[0]?.field.focus(),
    standing: given,
  };
}
