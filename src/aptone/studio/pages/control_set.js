// Questions about all clips of a set at once: a number for each, an order, or the best and the worst.
import { fill, make, picture } from "./dom.js";
import { decimals, fits, onGrid, rubric } from "./control_scale.js";
import { say } from "./messages.js";

const TYPING_PAUSE = 1200; // milliseconds within which typed digits belong to one number

/** The clips of the set, in the blind order of this person. */
const clipsOf = (control, { pairs }) => pairs[control.prefill] ?? Object.values(pairs)[0] ?? [];

/** A button that plays a clip, or switches to it; the same wherever a set is asked about. */
function playButton(clip, { clipName, players, focusClip }) {
  const player = players.get(clip);
  const state = make("span", { class: "set-state", aria: { hidden: "true" } }, picture("play"));
  const button = make(
    "button",
    { type: "button", class: "set-play", aria: { label: `${say("player.play")}: ${clipName(clip)}` } },
    state,
    make("span", { text: clipName(clip), dir: "auto" }),
  );
  let before = false; // whether it played before a press gave the row the focus, which switches to it
  button.addEventListener("pointerdown", () => {
    before = Boolean(player?.playing);
  });
  button.addEventListener("click", (event) => {
    const on = event.detail ? before : player?.playing; // without detail it was a key
    focusClip(clip);
    if (on) player.pause();
    else player?.play();
  });
  player?.addEventListener("state", () => {
    const shown = player.playing ? "pause" : "play";
    fill(state, picture(shown));
    button.setAttribute("aria-pressed", String(player.playing));
    button.setAttribute("aria-label", `${say(`player.${shown}`)}: ${clipName(clip)}`);
  });
  return button;
}

/** The row of a clip; where clips run in step, it stands for the clip itself. */
function rowOf(clip, { players, focusClip }, properties, ...children) {
  const element = make("div", { ...properties, dataset: { clip } }, ...children);
  element.addEventListener("focusin", () => focusClip(clip));
  players.get(clip)?.standIn?.(element);
  return element;
}

/** A number for each clip, as a kind of control: a slider and a field in each row; the row in focus is what is heard. */
export function ratings(control, context, report) {
  const { low, high, step } = control;
  const clips = clipsOf(control, context);
  const { clipName, label } = context;
  const guide = rubric(control, label);
  let values = {};
  let current = clips[0];
  let typed = "";
  let last = 0;
  const rows = new Map(clips.map((clip) => [clip, row(clip)]));

  function row(clip) {
    const name = `${clipName(clip)}: ${label}`;
    const range = make("input", {
      type: "range",
      min: low,
      max: high,
      step,
      value: (low + high) / 2,
      class: "unset",
      aria: { label: name, valuetext: say("scale.none") },
    });
    const field = make("input", {
      type: "text",
      inputmode: "decimal",
      tabindex: "-1", // digits typed on the slider do the same
      class: "number scale-number",
      autocomplete: "off",
      placeholder: "–",
      aria: { label: `${name}: ${say("scale.type", { low, high })}` },
    });
    const element = rowOf(clip, context, { class: "set-row" }, playButton(clip, context), range, field);
    const slid = () => give(clip, onGrid(Number(range.value), control), true);
    range.addEventListener("input", slid);
    range.addEventListener("pointerup", () => range.classList.contains("unset") && slid());
    field.addEventListener("change", () => {
      const number = Number(field.value.trim().replace(/[,，。]/u, "."));
      if (field.value.trim() && fits(number, control)) give(clip, onGrid(number, control));
      else show(clip);
    });
    element.addEventListener("focusin", () => {
      if (current !== clip) typed = "";
      current = clip;
      for (const [other, { element: node }] of rows) node.classList.toggle("current", other === clip);
      guide.show(values[clip]);
    });
    return { element, range, field };
  }

  function show(clip) {
    const { range, field } = rows.get(clip);
    const given = typeof values[clip] === "number";
    range.classList.toggle("unset", !given);
    range.setAttribute("aria-valuetext", given ? String(values[clip]) : say("scale.none"));
    if (given) range.value = String(values[clip]);
    range.style.setProperty("--filled", `${((Number(range.value) - low) / (high - low)) * 100}%`);
    field.value = given ? values[clip].toFixed(decimals(step)) : "";
  }

  function give(clip, value, typing = false) {
    values = { ...values, [clip]: value };
    show(clip);
    guide.show(value);
    report(values, { typing });
  }

  const body = make(
    "div",
    { class: guide.element ? "scale with-rubric" : "scale" },
    make("div", { class: "set-rows" }, ...[...rows.values()].map(({ element }) => element)),
    guide.element,
  );
  return {
    body,
    whole: (value) => clips.every((clip) => typeof value?.[clip] === "number"),
    set: (value) => {
      values = { ...(value ?? {}) };
      for (const clip of clips) show(clip);
    },
    focus: () => rows.get(clips.find((clip) => values[clip] === undefined) ?? current)?.range.focus(),
    digit: (key) => {
      if (!/^[\d.-]$/.test(key)) return false;
      const now = Date.now();
      const longer = now - last < TYPING_PAUSE ? typed + key : key;
      const tries = [longer, key].find((text) => text !== "." && text !== "-" && fits(Number(text), control));
      last = now;
      typed = tries ?? longer;
      if (tries === undefined) return key === "." || key === "-";
      give(current, onGrid(Number(tries), control));
      return true;
    },
  };
}

/** An order, as a kind of control: clips are chosen from the best on; chosen again, they leave it. */
export function ranking(control, context, report) {
  const clips = clipsOf(control, context);
  const { clipName } = context;
  let order = [];
  const rows = new Map(
    clips.map((clip, index) => {
      const place = make("span", { class: "number set-place" });
      const choose = make(
        "button",
        { type: "button", class: "choice set-choose", on: { click: () => toggle(clip) } },
        make("kbd", { text: String(index + 1), aria: { hidden: "true" } }),
        place,
      );
      const element = rowOf(clip, context, { class: "set-row" }, playButton(clip, context), choose);
      return [clip, { element, choose, place }];
    }),
  );
  const again = make("button", {
    type: "button",
    class: "quiet small",
    text: say("ranking.again"),
    on: { click: () => give([]) },
  });

  function show() {
    for (const [clip, { choose, place }] of rows) {
      const at = order.indexOf(clip);
      choose.setAttribute("aria-pressed", String(at >= 0));
      const text = at >= 0 ? say("ranking.place", { place: at + 1 }) : say("ranking.choose");
      place.textContent = text;
      choose.setAttribute("aria-label", `${clipName(clip)}: ${text}`);
    }
    again.hidden = !order.length;
  }

  function give(next) {
    order = next;
    show();
    report(order);
  }

  const toggle = (clip) => {
    if (order.includes(clip)) return give(order.filter((one) => one !== clip));
    const next = [...order, clip];
    const left = clips.filter((one) => !next.includes(one));
    give(left.length === 1 ? [...next, ...left] : next); // what is left is the last
  };
  show();
  return {
    body: make(
      "div",
      { class: "scale" },
      make("p", { class: "small muted", text: say("ranking.how") }),
      make("div", { class: "set-rows" }, ...[...rows.values()].map(({ element }) => element)),
      again,
    ),
    whole: (value) => Array.isArray(value) && value.length === clips.length,
    set: (value) => {
      order = Array.isArray(value) ? [...value] : [];
      show();
    },
    focus: () => rows.get(clips.find((clip) => !order.includes(clip)) ?? clips[0])?.choose.focus(),
    digit: (key) => {
      const clip = clips[Number(key) - 1];
      if (!clip) return false;
      toggle(clip);
      rows.get(clip).choose.focus();
      return true;
    },
  };
}

/** The best and the worst, as a kind of control. Digits choose the best first, then the worst. */
export function bestWorst(control, context, report) {
  const clips = clipsOf(control, context);
  const { clipName, id } = context;
  let chosen = {};
  const inputs = new Map();
  const cell = (clip, end) => {
    const input = make("input", {
      type: "radio",
      class: "unseen",
      name: `${id}-${end}`,
      value: clip,
      aria: { label: `${say(`best-worst.${end}`)}: ${clipName(clip)}` },
      on: { change: () => choose(clip, end) },
    });
    inputs.set(`${end} ${clip}`, input);
    return make("label", { class: "choice set-end" }, input, make("span", { text: say(`best-worst.${end}`) }));
  };
  const rows = clips.map((clip, index) =>
    rowOf(
      clip,
      context,
      { class: "set-row set-ends" },
      make("kbd", { text: String(index + 1), aria: { hidden: "true" } }),
      playButton(clip, context),
      cell(clip, "best"),
      cell(clip, "worst"),
    ),
  );

  function show() {
    for (const [key, input] of inputs) {
      const [end, ...clip] = key.split(" ");
      input.checked = chosen[end] === clip.join(" ");
    }
  }

  function choose(clip, end) {
    const other = end === "best" ? "worst" : "best";
    const rest = chosen[other] === clip ? {} : { [other]: chosen[other] };
    chosen = Object.fromEntries(Object.entries({ ...rest, [end]: clip }).filter(([, one]) => one !== undefined));
    show();
    report(Object.keys(chosen).length ? { ...chosen } : null);
  }

  return {
    body: make(
      "div",
      { class: "scale" },
      make("p", { class: "small muted", text: say("best-worst.how") }),
      make("div", { class: "set-rows" }, ...rows),
    ),
    whole: (value) => Boolean(value?.best && value?.worst),
    set: (value) => {
      chosen = { ...(value ?? {}) };
      show();
    },
    focus: () => {
      const end = chosen.best ? "worst" : "best";
      inputs.get(`${end} ${chosen[end] ?? clips[0]}`)?.focus();
    },
    digit: (key) => {
      const clip = clips[Number(key) - 1];
      if (!clip) return false;
      const end = chosen.best && !chosen.worst ? "worst" : "best";
      if (end === "best" && chosen.best) chosen = {}; // both stand: it begins anew
      choose(clip, end);
      inputs.get(`${end} ${clip}`).focus();
      return true;
    },
  };
}
