// The tasks of the person who is signed in.
import { get, kindly, path } from "./api.js";
import { fill, make } from "./dom.js";
import { begin, frame } from "./frame.js";
import { Outbox } from "./outbox.js";
import { pick, say } from "./messages.js";

const main = document.getElementById("main");

/** Titles that more than one task has: those go by their names besides. */
const repeated = (tasks) => {
  const titles = tasks.map((task) => pick(task.title, task.name));
  return new Set(titles.filter((title, index) => titles.indexOf(title) !== index));
};

function card(task, person, doubled) {
  const { stage, done, total, quota_left: left } = task.progress ?? {};
  const title = pick(task.title, task.name);
  const runs = person.role !== "annotator";
  return make(
    "section",
    { class: "card stack task" },
    make(
      "div",
      { class: "spread" },
      make(
        "div",
        {},
        make("h2", { text: title, dir: "auto" }),
        doubled.has(title) ? make("p", { class: "small muted", text: task.name, dir: "auto" }) : null,
      ),
      make("span", { class: "chip", text: task.open ? say(`stage.${stage}`) : say("home.closed") }),
    ),
    make(
      "div",
      {},
      make("progress", {
        max: Math.max(1, total),
        value: done,
        aria: { label: `${title}: ${say("progress", { done, total })}` },
      }),
      make(
        "div",
        { class: "spread small muted number" },
        make("span", { text: say("progress", { done, total }) }),
        left === null || left === undefined ? null : make("span", { text: say("progress.left", { count: left }) }),
      ),
    ),
    make(
      "div",
      { class: "row" },
      make("a", {
        class: task.open ? "button primary" : "button",
        href: path("rate", task.name),
        text: say(!task.open ? "home.look" : done ? "home.go-on" : "home.start"),
      }),
      runs ? make("a", { class: "button", href: path("adjudicate", task.name), text: say("link.adjudicate") }) : null,
      runs && task.results ? make("a", { class: "button", href: path("results", task.name), text: say("link.results") }) : null,
      runs ? make("a", { class: "button", href: path("agreement", task.name), text: say("link.agreement") }) : null,
    ),
  );
}

async function show() {
  let person;
  try {
    person = await begin();
    frame({ person });
    const tasks = await get("/api/tasks");
    const doubled = repeated(tasks);
    const outbox = new Outbox(person.id);
    const kept = make("p", { class: "note warn", role: "status" });
    outbox.addEventListener("state", ({ detail }) => {
      kept.hidden = !detail.waiting;
      kept.textContent = detail.waiting ? say("home.waiting", { count: detail.waiting }) : "";
    });
    fill(
      main,
      make("h2", { text: say("home.hello", { name: person.name }), dir: "auto" }),
      kept,
      ...(tasks.length
        ? tasks.map((task) => card(task, person, doubled))
        : [make("p", { class: "card", text: say("home.none") })]),
    );
    outbox.announce();
  } catch (error) {
    if (!person) frame();
    fill(
      main,
      make("p", { class: "note bad", role: "alert", text: kindly(error) }),
      make("button", { class: "primary", type: "button", text: say("retry"), on: { click: show } }),
    );
  }
}

show();
