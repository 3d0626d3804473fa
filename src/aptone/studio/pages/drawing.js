// Small pictures beside numbers: a dot with its interval on a track, ticks of the track above, and a bar of what is done.
//
// A picture never stands alone: it sits in the row of a table that says the same in words, so it is hidden from those
// who listen to the page. Places are percentages of the track's width, which keeps letters and dots their size on a
// phone.

const SPACE = "http://www.w3.org/2000/svg";
const HEIGHT = 24;
const MARGIN = 3;

function shape(name, attributes, ...children) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

function picture(...children) {
  return shape(
    "svg",
    { class: "track", height: HEIGHT, width: "100%", "aria-hidden": "true", focusable: "false" },
    ...children,
  );
}

/** True for a number that can be drawn: JSON has no NaN, undefined figures arrive as null. */
export function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

/** Position of a value on a track, in percent of its width, limited to its ends. */
export function place(value, { from, to }) {
  const share = to > from ? (value - from) / (to - from) : 0.5;
  return MARGIN + (100 - 2 * MARGIN) * Math.min(1, Math.max(0, share));
}

const percent = (value, ends) => `${place(value, ends).toFixed(2)}%`;

/** About `count` round numbers between two ends, for the ticks of a track. */
export function ticks({ from, to }, count = 4) {
  if (!(to > from)) return [from];
  const rough = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** The ends of a track that holds all the values (and `around`), a little wider than they are. */
export function ends(values, around = []) {
  const known = [...values, ...around].filter(isNumber);
  if (!known.length) return { from: 0, to: 1 };
  const low = Math.min(...known);
  const high = Math.max(...known);
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  return { from: around.includes(low) ? low : low - room, to: around.includes(high) ? high : high + room };
}

/** The ticks of a track with their numbers, for the head of a column. */
export function axis(track, format = String) {
  const marks = ticks(track).map((value) => {
    const x = percent(value, track);
    const anchor = place(value, track) < 8 ? "start" : place(value, track) > 92 ? "end" : "middle";
    return shape("text", { x, y: 13, "text-anchor": anchor }, document.createTextNode(format(value)));
  });
  const lines = ticks(track).map((value) =>
    shape("line", { x1: percent(value, track), x2: percent(value, track), y1: 17, y2: HEIGHT, class: "tick" }),
  );
  return picture(...marks, ...lines);
}

/**
 * Dots with their intervals on one track.
 *
 * @param {{from: number, to: number}} track its ends.
 * @param {{value: number|null, low: number|null, high: number|null, tone: string}[]} points `tone` is `people`, `judge`
 *   or `flagged`: a disc, a diamond or an open disc, so that no one needs to tell colours apart.
 * @param {number|null} reference a line across the track, such as no bias at all.
 */
export function dots(track, points, reference = null) {
  const drawn = [
    shape("line", { x1: `${MARGIN}%`, x2: `${100 - MARGIN}%`, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "rail" }),
  ];
  if (isNumber(reference)) {
    const x = percent(reference, track);
    drawn.push(shape("line", { x1: x, x2: x, y1: 0, y2: HEIGHT, class: "reference" }));
  }
  const known = points.filter((point) => isNumber(point.value));
  known.forEach((point, index) => {
    const y = (HEIGHT * (index + 1)) / (known.length + 1);
    if (isNumber(point.low) && isNumber(point.high)) {
      const line = { x1: percent(point.low, track), x2: percent(point.high, track), y1: y, y2: y };
      drawn.push(shape("line", { ...line, class: `reach ${point.tone}` }));
    }
    drawn.push(mark(percent(point.value, track), y, point.tone));
  });
  return picture(...drawn);
}

function mark(x, y, tone) {
  if (tone !== "judge") return shape("circle", { cx: x, cy: y, r: 4.5, class: `dot ${tone}` });
  const inside = shape("rect", {
    x: -4.5,
    y: -4.5,
    width: 9,
    height: 9,
    transform: `translate(0 ${y}) rotate(45)`,
    class: "dot judge",
  });
  return shape("svg", { x, overflow: "visible" }, inside);
}

/** A bar of how much is done, which says so in words too. */
export function progress(done, total, label) {
  const bar = document.createElement("progress");
  bar.max = Math.max(total, 1);
  bar.value = Math.min(done, total);
  bar.setAttribute("aria-label", label);
  return bar;
}
