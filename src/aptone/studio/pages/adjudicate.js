// The adjudicator's page: items by disagreement, one of them open; keys lead through them.
import { get, kindly, path } from "./api.js";
import { OpenItem, fetchItem } from "./adjudicate_item.js";
import { addressOf, disagreementList, itemOfAddress } from "./adjudicate_list.js";
import { openDesk, taskOfPage } from "./desk.js";
import { fill, make, picture } from "./dom.js";
import { Draft } from "./local_records.js";
import { titleOf } from "./figures.js";
import { frame } from "./frame.js";
import { openHelp } from "./help.js";
import { listen } from "./keys.js";
import { pick, say } from "./messages.js";

await openDesk("adjudicator", async (person, main) => {
  const name = taskOfPage();
  const task = await get(path("api", "tasks", name));
  const labels = new Map(task.controls.map((control) => [control.name, titleOf(pick(control.label, control.name))]));
  const help = make(
    "button",
    {
      type: "button",
      class: "quiet icon",
      title: say("help"),
      aria: { label: say("help") },
      on: { click: () => openHelp(task, bindings) },
    },
    picture("help"),
  );
  frame({ person, title: `${say("link.adjudicate")}: ${pick(task.title, name)}`, extra: [help] });
  const list = disagreementList(name, labels);
  const place = make("div", { class: "stack" });
  const statusLine = make("p", { class: "note bad", role: "alert" });
  statusLine.hidden = true;
  const state = make("div");
  const save = make("button", {
    type: "button",
    class: "primary",
    text: say("desk.settle.save"),
    on: { click: () => settle() },
  });
  const arrow = (words, icon, step) =>
    make(
      "button",
      { type: "button", class: "icon", title: say(words), aria: { label: say(words) }, on: { click: () => go(step) } },
      picture(icon),
    );
  const bar = make(
    "footer",
    { class: "bar" },
    make(
      "div",
      { class: "bar-inner" },
      arrow("rate.previous", "left", -1),
      arrow("rate.next", "right", 1),
      make("div", { class: "bar-middle" }, state),
      save,
    ),
  );
  const bindings = [
    { keys: ["n"], shown: ["N"], label: "keys.next", run: () => go(1) },
    { keys: ["p"], shown: ["P"], label: "keys.previous", run: () => go(-1) },
    { keys: ["space"], shown: ["Space", "空格"], label: "keys.play", run: () => open?.player?.toggle() },
    { keys: ["r"], shown: ["R"], label: "keys.replay", run: () => open?.player?.replay() },
    { keys: ["j"], shown: ["Tab", "J"], label: "keys.move", run: () => open?.move(1) },
    { keys: ["k"], shown: ["K"], run: () => open?.move(-1) },
    { keys: ["tab"], run: () => open?.tab() ?? false },
    {
      keys: [..."0123456789."],
      shown: ["0", "…", "9", "."],
      label: "keys.digits",
      run: (event, key) => open?.digit(key) ?? false,
    },
    {
      keys: ["ctrl+enter"],
      shown: ["Ctrl+Enter"],
      label: "desk.settle.save-on",
      everywhere: true,
      run: () => settle({ goOn: true }),
    },
    { keys: ["?", "？"], shown: ["?"], label: "keys.help", run: () => openHelp(task, bindings) },
  ];
  fill(
    main,
    make(
      "div",
      { class: "settle" },
      make(
        "details",
        { class: "card list", open: matchMedia("(min-width: 1200px)").matches },
        make("summary", { text: say("desk.settle.list") }),
        list.node,
      ),
      make("div", { class: "stack" }, statusLine, place),
    ),
  );
  document.body.append(bar);
  let open = null;
  let turn = 0;

  function trouble(error) {
    statusLine.hidden = !error;
    statusLine.textContent = error ? kindly(error) : "";
  }
  async function go(step) {
    const next = await list.neighbour(step);
    if (next) location.hash = addressOf(next);
  }
  async function settle({ goOn = false } = {}) {
    if (!open) return;
    save.disabled = true;
    const next = goOn ? await list.neighbour(1) : "";
    try {
      await open.save();
      trouble(null);
      await list.refresh();
      if (next) location.hash = addressOf(next);
    } catch (error) {
      trouble(error);
    } finally {
      save.disabled = false;
    }
  }
  async function show() {
    const item = itemOfAddress() || list.items[0] || "";
    const mine = (turn += 1);
    bar.hidden = !item;
    if (!item) {
      fill(place, make("p", { class: "card", text: say("desk.settle.none") }));
      return;
    }
    try {
      const fetched = await fetchItem(task, item);
      if (mine !== turn) return; // another item was asked for meanwhile
      open?.close();
      open = new OpenItem(task, fetched, new Draft(person.id, name, item));
      fill(place, open.element);
      fill(state, open.state);
      open.start();
      list.open(item);
      trouble(null);
      open.element.focus({ preventScroll: true });
      scrollTo({ top: 0 });
    } catch (error) {
      trouble(error);
    }
  }
  await list.refresh();
  await show();
  window.addEventListener("hashchange", show);
  listen(bindings);
});
