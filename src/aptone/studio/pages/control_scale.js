// A number on a scale: buttons where there are few steps, a slider and a field where there are many; the rubric beside.
import { fill, make } from "./dom.js";
import { pick, say } from "./messages.js";

const MOST_BUTTONS = 11;
const TYPING_PAUSE = 1200; // milliseconds within which typed digits belong to one number

/** Number of decimals of a step: 0.1 has one. */
export const decimals = (step) => (String(step).split(".")[1] ?? "").length;

/** The value of the scale nearest to a number, without the dust of binary fractions. */
export function onGrid(number, { low, high, step }) {
  const steps = Math.round((Math.min(high, Math.max(low, number)) - low) / step);
  return Number(Math.min(high, low + steps * step).toFixed(Math.max(decimals(step), decimals(low))));
}

/** True if a number is one of the scale's values. */
export const fits = (number, control) =>
  Number.isFinite(number) &&
  number >= control.low - 1e-9 &&
  number <= control.high + 1e-9 &&
  Math.abs(onGrid(number, control) - number) < 1e-6;

/** The band that a value lies in: of two that meet, the upper one. */
export const bandOf = (value, bands) =>
  bands.filter((band) => value >= band.low && value <= band.high).sort((one, other) => other.low - one.low)[0] ?? null;

/** The rubric of a scale, with the band of a value marked. */
export function rubric(control, name) {
  const bands = [...(control.bands ?? [])].sort((one, other) => one.low - other.low);
  if (!bands.length) return { element: null, show: () => {} };
  const rows = bands.map((band) =>
    make(
      "li",
      { class: "band" },
      make("span", {
        class: "number band-range",
        text: band.low === band.high ? String(band.low) : `${band.low}–${band.high}`,
      }),
      make("span", { text: pick(band.meaning), dir: "auto" }),
    ),
  );
  const element = make("ul", { class: "rubric", aria: { label: `${say("scale.rubric")}: ${name}` } }, ...rows);
  const show = (value) => {
    const current = typeof value === "number" ? bandOf(value, bands) : null;
    rows.forEach((row, index) => {
      row.classList.toggle("current", bands[index] === current);
      if (bands[index] === current) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    });
  };
  return { element, show };
}

function buttons(control, { id, label }, give) {
  const values = Array.from({ length: Math.round((control.high - control.low) / control.step) + 1 }, (_, index) =>
    onGrid(control.low + index * control.step, control),
  );
  const inputs = values.map((value) =>
    make("input", {
      type: "radio",
      class: "unseen",
      name: id,
      value: String(value),
      on: { change: () => give(value) },
    }),
  );
  const element = make(
    "div",
    { class: "scale-buttons", role: "radiogroup", aria: { label } },
    ...values.map((value, index) =>
      make("label", { class: "scale-button number" }, inputs[index], make("span", { text: String(value) })),
    ),
  );
  return {
    element,
    set: (value) =>
      inputs.forEach((input, index) => {
        input.checked = values[index] === value;
      }),
    focus: () => (inputs.find((input) => input.checked) ?? inputs[0]).focus(),
  };
}

function slider(control, { id, label }, give) {
  const { low, high, step } = control;
  const range = make("input", {
    type: "range",
    min: low,
    max: high,
    step,
    value: (low + high) / 2,
    class: "unset",
    aria: { label, valuetext: say("scale.none") },
  });
  const field = make("input", {
    type: "text",
    inputmode: "decimal",
    id: `${id}-number`,
    class: "number scale-number",
    autocomplete: "off",
    placeholder: "–",
    title: say("scale.type", { low, high }),
    aria: { label: `${label}: ${say("scale.type", { low, high })}` },
  });
  const wrong = make("p", { class: "small bad", role: "alert" });
  const set = (value) => {
    const given = typeof value === "number";
    range.classList.toggle("unset", !given);
    range.setAttribute("aria-valuetext", given ? String(value) : say("scale.none"));
    if (given) range.value = String(value);
    range.style.setProperty("--filled", `${((Number(range.value) - low) / (high - low)) * 100}%`);
    field.value = given ? value.toFixed(decimals(step)) : "";
    field.removeAttribute("aria-invalid");
    fill(wrong);
  };
  const slid = () => {
    const value = onGrid(Number(range.value), control);
    set(value);
    give(value);
  };
  const typed = () => {
    const value = Number(field.value.trim().replace(/[,，。]/u, "."));
    if (!field.value.trim()) return;
    if (fits(value, control)) {
      const exact = onGrid(value, control);
      set(exact);
      give(exact);
    } else {
      field.setAttribute("aria-invalid", "true");
      fill(wrong, say("scale.outside", { low, high, step }));
    }
  };
  range.addEventListener("input", slid);
  // A press where the slider already stands is an answer, too, though nothing moves.
  range.addEventListener("pointerup", () => range.classList.contains("unset") && slid());
  field.addEventListener("change", typed);
  const whole = (high - low) % 1 === 0 && high - low <= 10;
  const ticks = whole ? Array.from({ length: high - low + 1 }, (_, index) => low + index) : [low, high];
  const marks = make(
    "div",
    { class: "scale-marks number small muted", aria: { hidden: "true" } },
    ...ticks.map((tick) => make("span", { text: String(tick) })),
  );
  return {
    element: make("div", { class: "scale-slider" }, make("div", { class: "scale-track" }, range, marks), field, wrong),
    set,
    focus: () => range.focus(),
  };
}

/** A scale, as a kind of control. */
export function scale(control, context, report) {
  const steps = Math.round((control.high - control.low) / control.step) + 1;
  const guide = rubric(control, context.label);
  const give = (value) => {
    guide.show(value);
    report(value);
  };
  const input = (steps <= MOST_BUTTONS ? buttons : slider)(control, context, give);
  let typed = "";
  let last = 0;
  const digit = (key) => {
    if (!/^[\d.-]$/.test(key)) return false;
    const now = Date.now();
    const longer = now - last < TYPING_PAUSE ? typed + key : key;
    const tries = [longer, key].find((text) => text !== "." && text !== "-" && fits(Number(text), control));
    last = now;
    typed = tries ?? longer;
    if (tries === undefined) return key === "." || key === "-";
    input.set(onGrid(Number(tries), control));
    give(onGrid(Number(tries), control));
    return true;
  };
  return {
    body: make("div", { class: guide.element ? "scale with-rubric" : "scale" }, input.element, guide.element),
    set: (value) => {
      input.set(value);
      guide.show(value);
    },
    focus: () => {
      typed = ""; // a number is typed anew after one has been elsewhere
      input.focus();
    },
    digit,
  };
}
