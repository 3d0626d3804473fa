// Finding rows by what stands in them: in any case, with or without accents, every word of what is typed.

/** A text as it is compared: `"É"`, `"e"` and the full-width `"Ｅ"` are one sign. */
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** Whether every word of what was typed stands in one of the texts. */
export function finds(typed, texts) {
  const all = texts.map(folded);
  return folded(typed)
    .split(/\s+/u)
    .every((word) => all.some((text) => text.includes(word)));
}

/**
 * Tells what is typed into a search field, and when it is emptied by Escape. While an input method composes (Mandarin is
 * typed so), its letters are not searched for.
 * @param {HTMLInputElement} field
 * @param {() => void} changed
 */
export function onSearch(field, changed) {
  field.addEventListener("input", (event) => event.isComposing || changed());
  field.addEventListener("compositionend", changed);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || !field.value) return;
    event.preventDefault();
    field.value = "";
    changed();
  });
}
