// The items on which people lie apart, the furthest first; a page of them at a time.
import { get, path } from "./api.js";
import { make } from "./dom.js";
import { count } from "./figures.js";
import { keepRows, write } from "./live.js";
import { say } from "./messages.js";

const PAGE = 50;
const STATES = ["open", "settled", "all"];

/** Address of an item on this page. */
export const addressOf = (item) => `#${encodeURIComponent(item)}`;

/** The item that the address names; empty for none. */
export const itemOfAddress = () => decodeURIComponent(location.hash.slice(1));

/**
 * The list.
 * @param {string} task its name
 * @param {Map<string, string>} labels control to label
 */
export function disagreementList(task, labels) {
  const state = make(
    "select",
    { id: "list-state" },
    ...STATES.map((name) => make("option", { value: name, text: say(`desk.settle.${name}`) })),
  );
  const rows = make("ol", { class: "disagreements" });
  const statusLine = make("p", { class: "small muted", role: "status", text: say("desk.loading") });
  const more = { back: turner("desk.settle.back", -PAGE), on: turner("desk.settle.on", PAGE) };
  const node = make(
    "nav",
    { class: "stack", aria: { label: say("desk.settle.list") } },
    make("label", { class: "field inline" }, say("desk.settle.show"), state),
    statusLine,
    rows,
    make("div", { class: "row" }, more.back, more.on),
  );
  let page = { total: 0, items: [] };
  let offset = 0;
  let current = "";

  function turner(words, step) {
    return make("button", {
      type: "button",
      class: "quiet",
      text: say(words),
      on: { click: () => turn(offset + step) },
    });
  }
  async function turn(to) {
    offset = Math.max(0, to);
    await refresh();
    rows.querySelector("a")?.focus();
  }
  async function refresh() {
    const asked = new URLSearchParams({ offset, limit: PAGE, state: state.value });
    page = await get(`${path("api", "tasks", task, "disagreements")}?${asked}`);
    if (offset && !page.items.length) {
      offset = Math.max(0, Math.floor((page.total - 1) / PAGE) * PAGE);
      return refresh();
    }
    show();
  }
  function show() {
    const last = offset + page.items.length;
    write(
      statusLine,
      page.total
        ? say("desk.settle.range", { first: count(offset + 1), last: count(last), total: count(page.total) })
        : say("desk.settle.none"),
    );
    more.back.disabled = offset === 0;
    more.on.disabled = last >= page.total;
    for (const button of Object.values(more)) button.hidden = page.total <= PAGE;
    keepRows(
      rows,
      page.items,
      (item) => item.item,
      (item) => itemRow(item.item, labels),
    );
    for (const [name, row] of rows.keptRows) row.mark(name === current);
  }
  state.addEventListener("change", () => turn(0));
  return {
    node,
    refresh,
    get items() {
      return page.items.map((item) => item.item);
    },
    open(item) {
      current = item;
      show();
    },
    /** The item before or after the open one; another page is turned to where the list goes on. */
    async neighbour(step) {
      const place = page.items.findIndex((item) => item.item === current);
      const next = place < 0 ? 0 : place + step;
      if (next >= page.items.length && offset + page.items.length < page.total) {
        offset += PAGE;
        await refresh();
        return page.items[0]?.item ?? "";
      }
      if (next < 0 && offset > 0) {
        offset = Math.max(0, offset - PAGE);
        await refresh();
        return page.items.at(-1)?.item ?? "";
      }
      return page.items[next]?.item ?? "";
    },
  };
}

function itemRow(item, labels) {
  const apart = make("span", { class: "small muted" });
  const settled = make("span", { class: "chip good", text: say("desk.settle.settled-mark") });
  const link = make("a", { href: addressOf(item) }, make("bdi", { text: item }), apart, settled);
  return {
    node: make("li", {}, link),
    fill(current) {
      const names = current.controls.map((name) => labels.get(name) ?? name).join(", ");
      write(apart, names ? say("desk.settle.apart", { controls: names }) : say("desk.settle.together"));
      settled.hidden = !current.settled;
    },
    mark(isCurrent) {
      if (isCurrent) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    },
  };
}
