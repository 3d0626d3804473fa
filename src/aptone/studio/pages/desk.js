// Common parts of the admin and adjudicator pages: access and error messages.
import { ApiError, kindly } from "./api.js";
import { fill, make } from "./dom.js";
import { begin, frame } from "./frame.js";
import { keepRows } from "./live.js";
import { allMessages, say } from "./messages.js";
import "./desk_messages.js";

/** The role that opens a page, or one above it. */
const OPENS = { admin: ["admin"], adjudicator: ["adjudicator", "admin"] };

/**
 * Opens a page of the desk: signs in, refuses kindly, draws the frame, runs the page.
 * @param {"admin"|"adjudicator"} role that it needs
 * @param {(person: object, main: HTMLElement) => Promise<void>} run
 */
export async function openDesk(role, run) {
  const main = document.getElementById("main");
  let person;
  try {
    person = await begin();
    if (!OPENS[role].includes(person.role)) return refuse(person, main);
    await run(person, main);
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return refuse(person, main);
    if (!person) frame();
    fill(main, make("p", { class: "note bad", role: "alert", text: kindly(error) }));
    throw error;
  }
}

function refuse(person, main) {
  frame({ person, title: say("desk.title") });
  fill(
    main,
    make(
      "div",
      { class: "card stack" },
      make("p", { text: say("desk.refused") }),
      make("div", {}, make("a", { class: "button primary", href: "/", text: say("desk.refused.home") })),
    ),
  );
}

/** The line that says whether what is shown is up to date. */
export function freshness() {
  const node = make("p", { class: "small muted fresh", role: "status" });
  return {
    node,
    onResult(error) {
      const text = error ? say("desk.stale", { reason: kindly(error) }) : say("desk.fresh");
      node.classList.toggle("bad", Boolean(error));
      if (node.textContent !== text) node.textContent = text;
    },
  };
}

/**
 * Carries out changes one by one and says how each ended.
 * @param {() => Promise<void>} changed asks the server again afterwards, so that a refused change is undone on the page
 */
export function attempts(changed) {
  const node = make("p", { class: "note", role: "status" });
  node.hidden = true;
  const attempt = async (change) => {
    try {
      await change();
      node.hidden = true;
    } catch (error) {
      node.hidden = false;
      node.className = "note bad";
      node.textContent = kindly(error);
    }
    await changed();
  };
  return { node, attempt };
}

/** The task that stands in the page's address: `/agreement/{task}`. */
export const taskOfPage = () => decodeURIComponent(location.pathname.split("/")[2] ?? "");

/** Message under a key, or else the name. */
export const sayOr = (key, name) => (key in allMessages() ? say(key) : name);

/** Short remarks, `{tone, text}` each, in line with what they are now. */
export function keepChips(parent, remarks) {
  const chip = ({ tone, text }) => ({ node: make("span", { class: `chip ${tone}`, text }), fill: () => {} });
  keepRows(parent, remarks, (remark) => remark.text, chip);
}
