// A draft as raters would see it: their own page, which asks a server of the page's own, so that no answer is stored.
import { answerRequests, me, post } from "./api.js";
import { fill, make } from "./dom.js";
import { takeOver } from "./editor_draft.js";
import "./editor_messages.js";
import { frame } from "./frame.js";
import { say, setLanguage } from "./messages.js";

/** What the rating page would be told by the server, for the items of a preview. */
export function previewServer({ task, views }) {
  const items = new Map(views.map((view) => [view.id, { ...view, answers: {}, played: [] }]));
  const begun = [];
  const asked = (id) => items.get(id);
  return (method, address, body) => {
    const [, , noun, name, verb] = address.split("?")[0].split("/").map(decodeURIComponent);
    if (noun === "tasks" && !verb) return task;
    if (noun === "tasks" && verb === "mine")
      return begun.map(({ id, position, stage, state }) => ({ id, position, stage, state }));
    if (noun === "tasks" && verb === "next") {
      const next = [...items.values()].find((item) => item.state === "open");
      if (next && !begun.includes(next)) begun.push(next);
      return { assignment: next ?? null, reason: next ? "" : "done" };
    }
    if (noun !== "assignments" || !asked(name)) return undefined;
    const item = asked(name);
    if (method === "GET") return item;
    if (verb === "played") {
      if (!item.played.includes(body.clip)) item.played.push(body.clip);
      return { played: item.played };
    }
    for (const change of body?.changes ?? []) {
      item.answers[change.control] = change.value;
      item.sequence = Math.max(item.sequence, change.sequence);
    }
    if (verb === "changes") return { saved: body.changes.map((change) => change.id), superseded: [] };
    item.state = "submitted";
    return { state: "submitted", feedback: null };
  };
}

async function open() {
  const main = document.getElementById("main");
  const person = await me();
  setLanguage(person.language);
  const given = takeOver(decodeURIComponent(location.hash.slice(1)));
  history.replaceState(null, "", location.pathname);
  if (!given) {
    frame({ person });
    fill(main, make("p", { class: "note bad", role: "alert", text: say("preview.gone") }));
    return;
  }
  const shown = await post("/api/drafts/preview", given, { timeout: 120000 });
  const banner = make(
    "p",
    { class: "note warn row preview-note", role: "status" },
    make("span", { text: say("preview.note") }),
    make("button", { type: "button", text: say("preview.close"), on: { click: () => window.close() } }),
  );
  main.before(banner);
  answerRequests(previewServer(shown));
  await import("./rate.js");
}

try {
  await open();
} catch (error) {
  const { kindly } = await import("./api.js");
  frame();
  fill(document.getElementById("main"), make("p", { class: "note bad", role: "alert", text: kindly(error) }));
}
