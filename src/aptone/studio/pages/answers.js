// Answers side by side: how each is written, and which of them stand out from the rest.
import { decimals } from "./control_scale.js";
import { number, titleOf } from "./figures.js";
import { pick, say } from "./messages.js";

/** Share of a scale beyond which an answer stands out from the middle one. */
const FAR_ON_SCALE = 0.1;
/** Seconds beyond which an edge stands out from the middle one. */
const FAR_IN_TIME = 0.1;

/**
 * An answer as people read it.
 * @param {object} control of the task
 * @param {unknown} value
 * @param {(clip: string) => string} clipName what a clip is called on this page
 */
export function written(control, value, clipName) {
  if (value === null || value === undefined || value === "") return "–";
  if (control.kind === "scale") return number(value, decimals(control.step));
  if (control.kind === "boundaries")
    return say("desk.settle.seconds", { start: number(value[0], 2), end: number(value[1], 2) });
  const choice = control.choices?.find((one) => one.value === value);
  if (choice) return titleOf(pick(choice.label, String(value)));
  if (control.kind === "preference") return clipName(value);
  if (control.kind === "ranking") return value.map(clipName).join(" > ");
  if (control.kind === "best-worst") return Object.entries(value).map(([end, clip]) => `${say(`best-worst.${end}`)}: ${clipName(clip)}`).join("\n");
  if (control.kind === "ratings") return Object.entries(value).map(([clip, one]) => `${clipName(clip)}: ${number(one, decimals(control.step))}`).join("\n");
  return Array.isArray(value) ? value.map(String).join("\n") : String(value);
}

/** The middle of numbers: of two middle ones the lower, so that it is somebody's answer. */
export const middle = (values) => [...values].sort((one, other) => one - other)[Math.floor((values.length - 1) / 2)];

/** The answer that more people gave than any other; undefined when none is ahead. */
export function mostGiven(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const ordered = [...counts].sort((one, other) => other[1] - one[1]);
  return ordered.length && ordered[0][1] > (ordered[1]?.[1] ?? 0) ? ordered[0][0] : undefined;
}

/**
 * Which of the answers stand out, one truth value an answer. Of free text none does: no two people write the same. Numbers and edges stand out when they lie far from the middle
 * one, everything else when it is not what most people gave; where no answer is ahead, all of them stand out.
 */
export function standOut(control, values) {
  const given = values.filter((value) => value !== null && value !== undefined);
  if (given.length < 2 || control.kind === "text") return values.map(() => false);
  if (control.kind === "scale") {
    const centre = middle(given);
    const far = Math.max(FAR_ON_SCALE * (control.high - control.low), control.step / 2);
    return values.map((value) => typeof value === "number" && Math.abs(value - centre) > far);
  }
  if (control.kind === "boundaries") {
    const centres = [0, 1].map((edge) => middle(given.map((value) => value[edge])));
    return values.map(
      (value) => Array.isArray(value) && centres.some((centre, edge) => Math.abs(value[edge] - centre) > FAR_IN_TIME),
    );
  }
  const keys = values.map((value) => (value === null || value === undefined ? undefined : JSON.stringify(value)));
  const ahead = mostGiven(keys.filter((key) => key !== undefined));
  return keys.map((key) => key !== undefined && key !== ahead);
}
