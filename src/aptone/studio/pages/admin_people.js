// The people of a study: what they may do, how far and how fast they are, and what calls for a look.
import { patch, path } from "./api.js";
import { keepChips } from "./desk.js";
import { make } from "./dom.js";
import { progress } from "./drawing.js";
import { ago, count, percents, seconds } from "./figures.js";
import { listen } from "./keys.js";
import { keepRows, settle, write } from "./live.js";
import { say } from "./messages.js";

const ROLES = ["annotator", "adjudicator", "admin"];

/** The choice of a role, with its label. */
export function roleSelect(label) {
  const choices = ROLES.map((role) => make("option", { value: role, text: say(`desk.role.${role}`) }));
  return make("select", { aria: { label } }, ...choices);
}

/**
 * The section.
 * @param {{attempt: (change: () => Promise<unknown>) => Promise<void>, renew: (person: object) => void, self: string}} options
 *   `renew` makes another link for a person; `self` is the id of who looks
 */
export function peopleSection({ attempt, renew, self }) {
  const body = make("tbody");
  const heads = ["name", "role", "active", "progress", "speed", "screening", "seen", "flags", "link"].map((name) =>
    make("th", { scope: "col", text: say(`desk.people.${name}`) }),
  );
  const table = make("table", { class: "blocks people" }, make("thead", {}, make("tr", {}, ...heads)), body);
  let people = [];
  const search = peopleSearch({
    changed: () => show(people),
    into: () => body.querySelector("tr:not([hidden]) :is(select, input, button):not(:disabled, [hidden])")?.focus(),
  });
  const node = make(
    "section",
    { class: "stack", aria: { labelledby: "people-heading" } },
    make("div", { class: "spread" }, make("h2", { id: "people-heading", text: say("desk.people") }), search.node),
    search.statusLine,
    table,
  );
  function show(current) {
    people = current;
    keepRows(
      body,
      people,
      (person) => String(person.id),
      (person) => personRow(person, { attempt, renew, self, isFound: search.isFound }),
    );
    search.report(people);
  }
  return { node, show };
}

/**
 * The search among people: by name, pseudonym, role and what calls for a look.
 * @param {{changed: () => void, into: () => void}} options `into` goes to the first who is found
 */
function peopleSearch({ changed, into }) {
  const field = make("input", {
    type: "search",
    id: "people-search",
    placeholder: say("desk.people.search.hint"),
    autocomplete: "off",
    spellcheck: "false",
    aria: { keyshortcuts: "/" },
  });
  const statusLine = make("p", { class: "small muted", role: "status" });
  const isFound = (person) =>
    finds(field.value, [
      person.name,
      person.pseudonym,
      say(`desk.role.${person.role}`),
      ...flagsOf(person).map(({ text }) => text),
      ...screeningOf(person).map(({ text }) => text),
    ]);
  onSearch(field, changed);
  field.addEventListener("keydown", (event) => event.key === "Enter" && !event.isComposing && into());
  const goThere = () => {
    field.focus({ preventScroll: true });
    field.scrollIntoView(); // at the top, so that those who are found are in sight below
  };
  listen([{ keys: ["/"], run: goThere }]);
  return {
    node: make("label", { class: "field inline search" }, say("desk.people.search"), field, make("kbd", { text: "/" })),
    statusLine,
    isFound,
    report(people) {
      const found = people.filter(isFound).length;
      statusLine.hidden = !field.value.trim();
      write(statusLine, say(found ? "desk.people.found" : "desk.people.none", { found: count(found), all: count(people.length) }));
    },
  };
}

function personRow(person, { attempt, renew, self, isFound }) {
  const change = (what) => attempt(() => patch(path("api", "people", person.id), what));
  const role = roleSelect(say("desk.people.role-of", { name: person.name }));
  role.addEventListener("change", () => change({ role: role.value }));
  const active = make("input", {
    type: "checkbox",
    role: "switch",
    aria: { label: say("desk.people.active-of", { name: person.name }) },
  });
  active.addEventListener("change", () => change({ active: active.checked }));
  for (const control of [role, active]) control.disabled = person.id === self;
  const name = make("strong");
  const pseudonym = make("span", { class: "small muted" });
  const bar = progress(0, 1, say("desk.people.progress-of", { name: person.name }));
  const done = make("span", { class: "small muted number" });
  const speed = make("span", { class: "number" });
  const screening = make("span", { class: "row" });
  const seen = make("span");
  const flags = make("span", { class: "row" });
  const link = make("button", {
    type: "button",
    text: say("desk.people.renew"),
    aria: { label: say("desk.people.renew-of", { name: person.name }) },
    on: { click: () => renew(person) },
  });
  const cell = (label, ...children) => make("td", { dataset: { label: say(`desk.people.${label}`) } }, ...children);
  const node = make(
    "tr",
    {},
    make("th", { scope: "row" }, name, " ", pseudonym),
    cell("role", role),
    cell("active", active),
    cell("progress", bar, done),
    cell("speed", speed),
    cell("screening", screening),
    cell("seen", seen),
    cell("flags", flags),
    cell("link", link),
  );
  return {
    node,
    fill(current) {
      node.hidden = !isFound(current) && !node.contains(document.activeElement); // nobody loses the row they are in
      write(name, current.name);
      write(pseudonym, current.pseudonym);
      settle(role, "value", current.role);
      settle(active, "checked", current.active);
      link.hidden = !current.active; // a link does not let in who may not enter
      bar.max = Math.max(1, current.total);
      bar.value = current.done;
      write(done, say("desk.people.done", { done: count(current.done), total: count(current.total) }));
      write(speed, seconds(current.seconds));
      write(seen, ago(current.seen));
      keepChips(screening, screeningOf(current));
      keepChips(flags, flagsOf(current));
    },
  };
}

/** Broken rules of a person, as text. */
export function flagsOf({ flags }) {
  return flags.map(({ kind, task, share }) => ({
    tone: "warn",
    text: say(`desk.flag.${kind}`, { task, share: percents(share) }),
  }));
}

/** Consent and headphone checks of a person, as text. */
function screeningOf({ consent, headphones }) {
  const agreed = consent ? [{ tone: "", text: say("desk.people.consent", { version: consent }) }] : [];
  const checks = headphones.map(({ task, result }) => ({
    tone: result === "failed" ? "warn" : "",
    text: say(`desk.people.headphones.${result}`, { task }),
  }));
  return [...agreed, ...checks];
}

/** Text in its form for comparison: `"É"`, `"e"` and the full-width `"Ｅ"` are one character. */
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** True if every typed word occurs in one of the texts, ignoring case and accents. */
function finds(typed, texts) {
  const all = texts.map(folded);
  return folded(typed)
    .split(/\s+/u)
    .every((word) => all.some((text) => text.includes(word)));
}

/**
 * Reports the input of a search field, and its clearing by Escape. While an input method composes (Mandarin is
 * typed so), its letters are not searched for.
 * @param {HTMLInputElement} field
 * @param {() => void} changed
 */
function onSearch(field, changed) {
  field.addEventListener("input", (event) => event.isComposing || changed());
  field.addEventListener("compositionend", changed);
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || !field.value) return;
    event.preventDefault();
    field.value = "";
    changed();
  });
}
