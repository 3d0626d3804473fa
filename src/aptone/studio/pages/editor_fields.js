// Fields of the task editor: each is bound to a place in the draft, and shows the problems of that place beside it.
import { fill, make } from "./dom.js";
import { language, say } from "./messages.js";

let count = 0;

/** The steps of a path: `controls[1].low` is `["controls", 1, "low"]`. */
export const steps = (path) =>
  path.match(/[^.[\]]+/g)?.map((step) => (/^\d+$/.test(step) ? Number(step) : step)) ?? [];

/** The value at a place of the draft; undefined where there is none. */
export const valueAt = (draft, path) => steps(path).reduce((value, step) => value?.[step], draft);

/** Writes a value to a place of the draft, whose surroundings exist. */
export function writeAt(draft, path, value) {
  const all = steps(path);
  const last = all.pop();
  const holder = all.reduce((found, step) => (found[step] ??= {}), draft);
  if (value === undefined) delete holder[last];
  else holder[last] = value;
}

/**
 * Makes fields that are bound to a draft.
 * @param {() => object} draft what is being written now
 * @param {() => void} changed is called after every change
 */
export function fieldsOf(draft, changed) {
  const write = (path, value) => {
    writeAt(draft(), path, value);
    changed();
  };

  function framed(path, label, control, { inline = false } = {}) {
    count += 1;
    const id = `field-${count}`;
    control.id = id;
    control.setAttribute("aria-describedby", `${id}-problem`);
    const problem = make("span", { class: "small bad problem", id: `${id}-problem`, role: "status" });
    const name = make("label", { for: id, text: label });
    return make(
      "div",
      { class: inline ? "field inline bound" : "field bound", dataset: { path } },
      ...(inline ? [control, name] : [name, control]),
      problem,
    );
  }

  const text = (path, label, { long = false, lang = "" } = {}) => {
    const control = make(long ? "textarea" : "input", {
      ...(long ? { rows: 3 } : { type: "text", autocomplete: "off" }),
      spellcheck: "true",
      lang: lang || null,
    });
    control.value = valueAt(draft(), path) ?? "";
    control.addEventListener("input", () => write(path, control.value));
    return framed(path, label, control);
  };

  const words = (path, label, { long = false } = {}) => {
    const one = (code, shown) => {
      const control = make(long ? "textarea" : "input", { ...(long ? { rows: 3 } : { type: "text" }), lang: code });
      control.value = valueAt(draft(), path)?.[code] ?? "";
      control.addEventListener("input", () => {
        const texts = { ...(valueAt(draft(), path) ?? {}) };
        if (control.value) texts[code] = control.value;
        else delete texts[code];
        write(path, texts);
      });
      return framed(`${path}.${code}`, shown, control);
    };
    return make(
      "div",
      { class: "both bound", dataset: { path } },
      one("en", say("edit-task.language", { field: label })),
      one("zh", say("edit-task.language.zh", { field: label })),
      make("span", { class: "small bad problem", role: "status" }),
    );
  };

  const number = (path, label, { step = "any", whole = false } = {}) => {
    const control = make("input", { type: "number", step: whole ? 1 : step, inputmode: whole ? "numeric" : "decimal" });
    control.value = valueAt(draft(), path) ?? "";
    control.addEventListener("input", () => {
      const given = control.value.trim();
      if (given === "") return write(path, whole ? 0 : null);
      write(path, Number(given));
    });
    return framed(path, label, control);
  };

  const truth = (path, label, { otherwise = true } = {}) => {
    const control = make("input", { type: "checkbox", role: "switch" });
    control.checked = valueAt(draft(), path) ?? otherwise;
    control.addEventListener("change", () => write(path, control.checked));
    return framed(path, label, control, { inline: true });
  };

  /** @param {Record<string, string>} options value to what is shown */
  const choice = (path, label, options, { onChange = () => {} } = {}) => {
    const control = make(
      "select",
      {},
      ...Object.entries(options).map(([value, shown]) => make("option", { value, text: shown })),
    );
    control.value = valueAt(draft(), path) ?? "";
    control.addEventListener("change", () => {
      write(path, control.value);
      onChange(control.value);
    });
    return framed(path, label, control);
  };

  /** @param {{store?: (found: string[]) => void}} options `store` keeps the lines elsewhere than at the path */
  const lines = (path, label, { store = (found) => write(path, found) } = {}) => {
    const control = make("textarea", { rows: 2, spellcheck: "false" });
    control.value = (valueAt(draft(), path) ?? []).join("\n");
    control.addEventListener("input", () =>
      store(
        control.value
          .split("\n")
          .map((line) => line.trim())
          .filter(Boolean),
      ),
    );
    return framed(path, label, control);
  };

  return { text, words, number, truth, choice, lines, write };
}

/** Shows problems at the fields that they are about, each at the nearest one, and returns how many have none. */
export function placeProblems(root, problems) {
  const places = new Map([...root.querySelectorAll(".bound[data-path]")].map((one) => [one.dataset.path, one]));
  const said = new Map();
  let lost = 0;
  for (const problem of problems) {
    let path = problem.path;
    while (path && !places.has(path)) path = path.replace(/(\.[^.[\]]*|\[\d+\]|^[^.[\]]+)$/, "");
    if (!path) lost += 1;
    said.set(path, [...(said.get(path) ?? []), language() === "zh" ? problem.mandarin : problem.message]);
  }
  for (const [path, place] of places) {
    const texts = said.get(path) ?? [];
    const note = place.querySelector(":scope > .problem");
    if (note.textContent !== texts.join(" ")) fill(note, texts.join(" "));
    const control = place.querySelector(":scope > input, :scope > textarea, :scope > select");
    if (texts.length) control?.setAttribute("aria-invalid", "true");
    else control?.removeAttribute("aria-invalid");
    place.classList.toggle("wrong", texts.length > 0);
  }
  return { lost, texts: said.get("") ?? [] };
}
