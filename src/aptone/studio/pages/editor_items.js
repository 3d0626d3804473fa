// Items of a task in the editor: those that are stored, which can be removed, and new ones from a table.
import { kindly, post, request } from "./api.js";
import { fill, make } from "./dom.js";
import { language, say } from "./messages.js";

const UPLOAD_TIMEOUT = 600000;
const MOST_PROBLEMS = 50;

/**
 * The section.
 * @param {{state: {draft: object, stored: string[], count: number, without: Set<string>}, changed: () => void}} options
 */
export function itemsSection({ state, changed }) {
  const count = make("p", { class: "muted" });
  const list = make("ul", { class: "items" });
  const problem = make("p", { class: "small bad problem", role: "status" });
  const clips = {};

  function row(id, { isNew }) {
    const gone = state.without.has(id);
    const word = gone ? "bring-back" : "remove";
    const act = () => {
      if (isNew) state.draft.items = state.draft.items.filter((item) => item.id !== id);
      else if (gone) state.without.delete(id);
      else state.without.add(id);
      show();
      changed();
    };
    return make(
      "li",
      { class: gone ? "gone" : "" },
      make("bdi", { text: id }),
      isNew ? make("span", { class: "chip", text: say("edit-task.items.added") }) : null,
      make("button", {
        type: "button",
        class: "quiet icon",
        text: gone ? "↺" : "×",
        aria: { label: say(`edit-task.items.${word}`, { item: id }) },
        title: say(`edit-task.items.${word}`, { item: id }),
        on: { click: act },
      }),
    );
  }

  function show() {
    const added = (state.draft.items ?? []).map((item) => item.id);
    const total = state.count - state.without.size + added.length;
    const more = state.count > state.stored.length;
    const words = [say("edit-task.items.count", { count: total })];
    if (more) words.push(say("edit-task.items.more", { shown: state.stored.length, count: state.count }));
    fill(count, words.join(" "));
    fill(
      list,
      ...added.map((id) => row(id, { isNew: true })),
      ...state.stored.map((id) => row(id, { isNew: false })),
    );
  }

  const table = tableForm({
    clips,
    task: () => state.draft,
    add: (items) => {
      state.draft.items = [...(state.draft.items ?? []), ...items];
      show();
      changed();
    },
  });
  show();
  const node = make(
    "section",
    { class: "stack card bound", dataset: { path: "items" }, aria: { labelledby: "items-heading" } },
    make("h2", { id: "items-heading", text: say("edit-task.items") }),
    count,
    problem,
    list,
    table,
  );
  return { node, show };
}

function tableForm({ clips, task, add }) {
  const results = make("div", { class: "stack", aria: { live: "polite" } });
  const uploaded = make("span", { class: "small muted" });
  const recordings = make("input", {
    id: "table-clips",
    type: "file",
    multiple: true,
    accept: "audio/*,.wav,.flac,.ogg,.opus,.mp3,.m4a",
  });
  const file = make("input", { id: "table-file", type: "file", accept: ".csv,.tsv,text/csv" });
  let text = "";

  recordings.addEventListener("change", async () => {
    for (const one of recordings.files) {
      try {
        const type = one.type || "application/octet-stream";
        const kept = await request("POST", "/api/clips", { raw: one, type, timeout: UPLOAD_TIMEOUT });
        clips[one.name] = kept.path;
        fill(uploaded, say("edit-task.items.clips.done", { count: Object.keys(clips).length }));
      } catch (error) {
        results.append(make("p", { class: "bad small", text: `${one.name}: ${kindly(error)}` }));
      }
    }
    if (text) await read(null);
  });
  file.addEventListener("change", async () => {
    text = (await file.files[0]?.text()) ?? "";
    if (text) await read(null);
  });

  async function read(columns) {
    try {
      const body = { task: { ...task(), items: [] }, table: text, clips, ...(columns ? { columns } : {}) };
      show(await post("/api/drafts/items", body, { timeout: UPLOAD_TIMEOUT }));
    } catch (error) {
      results.querySelector(".refused")?.remove();
      results.append(make("p", { class: "note bad refused", role: "alert", text: kindly(error) }));
    }
  }

  function show(found) {
    const selects = new Map(
      found.targets.map((target) => {
        const select = make(
          "select",
          {},
          make("option", { value: "", text: say("edit-task.items.column.none") }),
          ...found.columns.map((column) => make("option", { value: column, text: column })),
        );
        select.value = found.mapping[target] ?? "";
        return [target, select];
      }),
    );
    const again = () =>
      read(Object.fromEntries([...selects].map(([target, one]) => [target, one.value]).filter(([, column]) => column)));
    for (const select of selects.values()) select.addEventListener("change", again);
    const problems = found.problems.slice(0, MOST_PROBLEMS).map(({ row, message, mandarin }) => {
      const said = language() === "zh" ? mandarin : message;
      return make("li", { text: row ? say("edit-task.items.row", { row, problem: said }) : said });
    });
    fill(
      results,
      make(
        "div",
        { class: "mapping" },
        ...[...selects].map(([target, select]) =>
          make("label", { class: "field" }, say("edit-task.items.column", { field: target }), select),
        ),
      ),
      make("p", { text: say("edit-task.items.found", { items: found.items.length, rows: found.rows }) }),
      problems.length ? make("ul", { class: "results bad small" }, ...problems) : null,
      found.items.length
        ? make("button", {
            type: "button",
            class: "primary",
            text: say("edit-task.items.add", { count: found.items.length }),
            on: {
              click: () => {
                add(found.items);
                fill(results);
                file.value = "";
                text = "";
              },
            },
          })
        : null,
    );
  }

  return make(
    "details",
    { class: "inner" },
    make("summary", { text: say("edit-task.items.table") }),
    make("p", { class: "small muted", text: say("edit-task.items.table.note") }),
    make(
      "div",
      { class: "uploads" },
      make("label", { class: "field", for: "table-clips" }, say("edit-task.items.clips"), recordings, uploaded),
      make("label", { class: "field", for: "table-file" }, say("edit-task.items.file"), file),
    ),
    results,
  );
}
