// Free text.
import { make } from "./dom.js";

const LONGEST = 10000; // characters that the server takes
const CONTROL_SIGNS = /[\p{Cc}\p{Cs}]/gu; // what pasting may bring along; the server takes line ends and tabs only

/** Removes control characters from a text. */
export const plain = (text) => text.replace(CONTROL_SIGNS, (sign) => ("\n\t".includes(sign) ? sign : ""));

/** A text field that grows with what it holds (where style sheets cannot do it, as it is typed). */
export function textField({ label, value = "", longest = LONGEST, changed }) {
  const grow = (field) => {
    if (!CSS.supports("field-sizing", "content")) field.style.height = `${field.scrollHeight + 2}px`;
  };
  return make(
    "textarea",
    {
      rows: 1,
      dir: "auto",
      maxlength: longest,
      spellcheck: "true",
      autocomplete: "off",
      aria: { label },
      on: {
        input: ({ target }) => {
          grow(target);
          changed(plain(target.value));
        },
        focus: ({ target }) => grow(target),
      },
    },
    value,
  );
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
