// Free text.
import { make } from "./dom.js";

const LONGEST = 10000; // characters that a field takes

/** A text field that grows with what it holds. */
export function textField({ label, value = "", lang = null, changed }) {
  return make("textarea", { rows: 1, dir: "auto", lang, maxlength: LONGEST, spellcheck: "true", autocomplete: "off", aria: { label },
    on: { input: (event) => changed(event.target.value) } }, value);
}

/** Free text, as a kind of control. */
export function text(control, { label }, report) {
  const field = textField({ label, changed: (value) => report(value, { typing: true }) });
  return {
    body: field,
    set: (value) => {
      const given = typeof value === "string" ? value : "";
      if (field.value !== given) field.value = given;
    },
    focus: () => field.focus(),
  };
}
