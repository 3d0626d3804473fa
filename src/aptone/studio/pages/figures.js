// Formatting of numbers, times, undefined figures and long labels.
import { language, say } from "./messages.js";
import { isNumber } from "./drawing.js";

const UNDEFINED = "–";

/** A number with so many decimals; what is undefined is a dash, and its reason stands beside it. */
export function number(value, decimals = 2) {
  if (!isNumber(value)) return UNDEFINED;
  const written = new Intl.NumberFormat(language(), {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  return written
    .format(value)
    .replace(/^-(?=[0.,]*$)/, "")
    .replace("-", "−");
}

/** A number with its sign, for what may lean either way. */
export function signed(value, decimals = 2) {
  const written = number(value, decimals);
  return isNumber(value) && value > 0 && /[1-9]/.test(written) ? `+${written}` : written;
}

/** A share as whole percents. */
export const percents = (value) => (isNumber(value) ? `${number(100 * value, 0)} %` : UNDEFINED);

/** Whole things, with the language's separators. */
export const count = (value) => (isNumber(value) ? new Intl.NumberFormat(language()).format(value) : UNDEFINED);

/** An interval as words: "0.61 to 0.80", or nothing where there is none; `written` writes its ends. */
export function interval({ low, high }, written = number) {
  return isNumber(low) && isNumber(high) ? say("desk.interval", { low: written(low), high: written(high) }) : "";
}

/** Seconds as people say them: "8 s", "2 min 5 s". */
export function seconds(value) {
  if (!isNumber(value)) return UNDEFINED;
  if (value < 60) return `${number(value, value < 10 ? 1 : 0)} s`;
  return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

/** Age of a time (seconds since 1970): "now", "5 minutes ago"; a dash for never. */
export function ago(moment, now = Date.now() / 1000) {
  if (!isNumber(moment) || !moment) return UNDEFINED;
  const gone = Math.max(0, now - moment);
  const written = new Intl.RelativeTimeFormat(language(), { numeric: "auto" });
  if (gone < 60) return written.format(0, "second");
  if (gone < 3600) return written.format(-Math.floor(gone / 60), "minute");
  if (gone < 86400) return written.format(-Math.floor(gone / 3600), "hour");
  return written.format(-Math.floor(gone / 86400), "day");
}

/** Whole days until a moment (seconds since 1970), at least 0. */
export const daysUntil = (moment, now = Date.now() / 1000) => Math.max(0, Math.ceil((moment - now) / 86400));

/** Days from now in words: "tomorrow", "in 12 days". */
export const inDays = (days) => new Intl.RelativeTimeFormat(language(), { numeric: "auto" }).format(days, "day");

/** A question or an answer without its explanation, which stands behind a colon. */
export const titleOf = (label) => label.split(/[:：]/u)[0].trim();
