// The person's own items, to be opened again and corrected; a hundred at a time.
import { fill, make } from "./dom.js";
import { say } from "./messages.js";

const PAGE = 100;

/**
 * @param {Array<{id: string, stage: string, state: string}>} mine
 * @param {string|undefined} current
 * @param {(id: string) => void} open
 */
export function openMine(mine, current, open) {
  const list = make("ol", { class: "mine" });
  const range = make("span", { class: "number small muted" });
  let page = Math.max(0, Math.floor(mine.findIndex((one) => one.id === current) / PAGE));
  const last = Math.max(0, Math.ceil(mine.length / PAGE) - 1);
  const turn = (step) => () => {
    page = Math.max(0, Math.min(last, page + step));
    draw();
  };
  const back = make("button", {
    type: "button",
    text: "‹",
    aria: { label: say("rate.previous") },
    on: { click: turn(-1) },
  });
  const ahead = make("button", {
    type: "button",
    text: "›",
    aria: { label: say("rate.next") },
    on: { click: turn(1) },
  });
  const dialog = make("dialog", {
    class: "mine-dialog",
    aria: { label: say("rate.items") },
    on: { close: () => dialog.remove() },
  });
  function entry(one, position) {
    const done = one.state === "submitted";
    const stage = say(`stage.${one.stage}`);
    const name = [say("rate.item", { position }), stage, done ? say("rate.answered") : ""].filter(Boolean).join(", ");
    const opened = () => {
      dialog.close();
      open(one.id);
    };
    const look = one.id === current ? "primary" : one.state;
    const about = {
      type: "button",
      class: `number ${look}`,
      title: stage,
      aria: { label: name },
      on: { click: opened },
    };
    return make("button", about, `${position}${done ? " ✓" : ""}`);
  }
  function draw() {
    const first = page * PAGE;
    const shown = mine.slice(first, first + PAGE);
    fill(list, ...shown.map((one, offset) => make("li", {}, entry(one, first + offset + 1))));
    range.textContent = say("progress", { done: `${first + 1}–${first + shown.length}`, total: mine.length });
    back.disabled = page === 0;
    ahead.disabled = page === last;
  }
  draw();
  fill(
    dialog,
    make(
      "div",
      { class: "stack" },
      make(
        "div",
        { class: "spread" },
        make("h2", { text: say("rate.items") }),
        make("button", { type: "button", class: "primary", text: say("close"), on: { click: () => dialog.close() } }),
      ),
      list,
      last ? make("div", { class: "row" }, back, range, ahead) : null,
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
}
