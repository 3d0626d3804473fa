// Control for boundaries: edges on the waveform, and the same numbers as fields.
import { fill, make, picture } from "./dom.js";
import { say } from "./messages.js";

const DELAY = 120; // milliseconds of rest after which a dragged edge counts as put down

/** Two times in order within a clip. */
export const areBoundaries = (value, seconds) =>
  Array.isArray(value) &&
  value.length === 2 &&
  value.every(Number.isFinite) &&
  value[0] >= 0 &&
  value[0] < value[1] &&
  value[1] <= seconds + 1e-6;

/** Boundaries, as a kind of control; without a waveform the fields remain. */
export function boundaries(control, { id, fields, player }, report) {
  const seconds = () => player?.seconds ?? Infinity;
  const given = areBoundaries(fields[control.prefill], seconds()) ? [...fields[control.prefill]] : undefined;
  let now = given ?? [0, player?.seconds ?? 0];
  let timer = 0;
  const wrong = make("p", { class: "small bad", role: "alert" });
  const length = make("span", { class: "small muted number" });
  const field = (side) =>
    make("input", {
      type: "text",
      inputmode: "decimal",
      id: `${id}-${side}`,
      class: "number",
      autocomplete: "off",
      on: { change: () => typed() },
    });
  const start = field("start");
  const end = field("end");
  const show = () => {
    [start.value, end.value] = now.map((value) => value.toFixed(2));
    length.textContent = say("boundaries.length", { seconds: (now[1] - now[0]).toFixed(2) });
    fill(wrong);
    for (const one of [start, end]) one.removeAttribute("aria-invalid");
  };
  const give = (value) => {
    clearTimeout(timer);
    now = value;
    show();
    player?.mark(value);
    report(value);
  };
  function typed() {
    const value = [start, end].map((one) => Number(one.value.trim().replace(",", ".")));
    if (areBoundaries(value, seconds())) return give(value);
    for (const one of [start, end]) one.setAttribute("aria-invalid", "true");
    fill(wrong, say("boundaries.wrong", { seconds: seconds().toFixed(2) }));
  }
  player?.mark(now);
  player?.addEventListener("marked", ({ detail }) => {
    now = detail.map((value) => Math.min(value, seconds()));
    show();
    clearTimeout(timer);
    timer = setTimeout(() => areBoundaries(now, seconds()) && report(now), DELAY);
  });
  show();
  const labelled = (one, side) =>
    make(
      "div",
      { class: "boundary" },
      make("label", { for: one.id, class: "small", text: say(`boundaries.${side}`) }),
      one,
    );
  return {
    body: make(
      "div",
      { class: "stack boundaries" },
      make(
        "div",
        { class: "row" },
        labelled(start, "start"),
        labelled(end, "end"),
        length,
        make(
          "button",
          {
            type: "button",
            class: "icon",
            title: say("player.region"),
            aria: { label: say("player.region") },
            on: { click: () => player?.playRegion() },
          },
          picture("region"),
        ),
        given
          ? make(
              "button",
              { type: "button", class: "quiet small", on: { click: () => give([...given]) } },
              picture("restore"),
              say("edit.restore"),
            )
          : make("button", {
              type: "button",
              class: "quiet small",
              text: say("boundaries.whole"),
              on: { click: () => give([0, seconds()]) },
            }),
      ),
      wrong,
      make("p", { class: "small muted", text: say("boundaries.how") }),
    ),
    set: (value) => {
      now = areBoundaries(value, seconds()) ? [...value] : (given ?? [0, player?.seconds ?? 0]);
      show();
      player?.mark(now);
    },
    focus: () => (player?.region ? player.focusEdge("start") : start.focus()),
    standing: given,
  };
}
