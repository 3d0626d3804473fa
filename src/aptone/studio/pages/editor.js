// The task editor: questions, texts in both languages, rules and items, checked by the server as one types.
import { get, kindly, path, post, request } from "./api.js";
import { openDesk } from "./desk.js";
import { fill, make } from "./dom.js";
import { controlsList } from "./editor_controls.js";
import { emptyTask, forgetDraft, handOver, keepDraft, keptDraft } from "./editor_draft.js";
import { fieldsOf, placeProblems, valueAt } from "./editor_fields.js";
import { itemsSection } from "./editor_items.js";
import { orderedList } from "./editor_lists.js";
import "./editor_messages.js";
import { frame } from "./frame.js";
import { pick, say } from "./messages.js";

const PAUSE = 250; // milliseconds without a key after which the draft is checked
const TASK_TYPES = { json: "application/json", yaml: "application/yaml", yml: "application/yaml" };

const HEADPHONES = { kind: "huggins", trials: 3, needed: 3, attempts: 3, required: true };
const BREAKS = { items: 20, minutes: 0, seconds: 60, forced: false };

const TESTS = () => ({
  "": say("edit-task.test-name.none"),
  mos: "MOS",
  cmos: "CMOS",
  ab: "AB",
  abx: "ABX",
  mushra: "MUSHRA",
  "best-worst": "Best–worst",
  aptness: "Aptness",
});

class Editor {
  #main;
  #name;
  #state;
  #fields;
  #form = make("form", { class: "stack editor", method: "dialog" });
  #status = make("button", { type: "button", class: "quiet status", role: "status" });
  #note = make("p", { class: "note", role: "status" });
  #save = make("button", { type: "button", class: "primary" });
  #open = make("input", { type: "checkbox", role: "switch" });
  #timer = 0;
  #round = 0;
  #problems = [];
  #dirty = false;

  /** @param {string} name the stored task; empty for a new one */
  constructor(main, name, opened) {
    this.#main = main;
    this.#name = name;
    this.#note.hidden = true;
    this.#begin(opened);
    const kept = keptDraft(name);
    if (kept) {
      this.#state.draft = kept.draft;
      this.#state.without = new Set(kept.without);
      this.#dirty = true;
    }
    this.#fields = fieldsOf(
      () => this.#state.draft,
      () => this.#changed(),
    );
    this.#save.addEventListener("click", () => this.#store());
    this.#status.addEventListener("click", () => this.#form.querySelector(".wrong")?.scrollIntoView({ block: "center" }));
    this.#form.addEventListener("submit", (event) => event.preventDefault());
    fill(main, this.#note, this.#head(), this.#form, this.#bar());
    this.#draw();
    fill(this.#status, say("edit-task.checking"));
    if (kept) this.#announce("good", say("edit-task.restored"), this.#discardButton());
    this.#check();
    window.addEventListener("beforeunload", (event) => this.#dirty && !keptDraft(name) && event.preventDefault());
  }

  #begin({ task, items, count, open, answered, versions }) {
    this.#state = { draft: task, stored: items, count, without: new Set(), answered, versions };
    this.#open.checked = open || !this.#name;
  }

  get #body() {
    return {
      task: this.#state.draft,
      items_of: this.#state.count ? this.#name : "",
      without: [...this.#state.without],
    };
  }

  #changed() {
    this.#dirty = true;
    keepDraft(this.#name, { draft: this.#state.draft, without: [...this.#state.without] });
    clearTimeout(this.#timer);
    fill(this.#status, say("edit-task.checking"));
    this.#timer = setTimeout(() => this.#check(), PAUSE);
  }

  async #check() {
    this.#round += 1;
    const round = this.#round;
    try {
      const { problems } = await post("/api/drafts/check", this.#body);
      if (round !== this.#round) return; // something was typed meanwhile, and is checked by itself
      this.#problems = problems;
      const { texts } = placeProblems(this.#form, problems);
      const words = problems.length ? say("edit-task.problems", { count: problems.length }) : say("edit-task.fine");
      fill(this.#status, [words, ...texts].join(" "));
      this.#status.className = problems.length ? "quiet status bad" : "quiet status good";
      this.#status.title = problems.length ? say("edit-task.first") : "";
    } catch (error) {
      fill(this.#status, say("edit-task.unchecked", { reason: kindly(error) }));
      this.#status.className = "quiet status bad";
    }
  }

  async #store() {
    await this.#attempt(async () => {
      const saved = await post("/api/drafts", { ...this.#body, open: this.#open.checked });
      forgetDraft(this.#name);
      this.#dirty = false;
      if (saved.name !== this.#name) history.replaceState(null, "", path("edit", saved.name));
      this.#name = saved.name;
      this.#begin(await get(path("api", "tasks", saved.name, "draft")));
      this.#draw();
      fill(this.#main, this.#note, this.#head(), this.#form, this.#bar());
      this.#announce("good", say("edit-task.saved", { task: saved.name, count: saved.items }));
    });
    await this.#check();
  }

  /** Runs what talks to the server, and says how it failed. */
  async #attempt(run) {
    try {
      await run();
    } catch (error) {
      this.#announce("bad", kindly(error));
    }
  }

  #announce(tone, text, ...more) {
    this.#note.className = `note ${tone} row`;
    this.#note.hidden = false;
    fill(this.#note, make("span", { text }), ...more);
    this.#note.scrollIntoView({ block: "nearest" });
  }

  #discardButton() {
    const discard = () => {
      forgetDraft(this.#name);
      this.#dirty = false;
      location.reload();
    };
    return make("button", { type: "button", text: say("edit-task.discard"), on: { click: discard } });
  }

  #preview() {
    const name = handOver(this.#body);
    window.open(`${path("preview", this.#state.draft.name || "task")}#${name}`, "_blank", "noopener");
  }

  async #read(file) {
    await this.#attempt(async () => {
      const type = TASK_TYPES[file.name.split(".").pop().toLowerCase()] ?? TASK_TYPES.json;
      const { task, problems } = await request("POST", "/api/drafts/file", { raw: file, type });
      if (!task) throw new Error(problems.map((one) => one.message).join(" "));
      this.#replace(task);
      this.#announce("good", say("edit-task.read.done", { file: file.name }));
    });
  }

  /** Puts another task into the editor, with the items that it brings and no others. */
  #replace(task) {
    this.#state = { ...this.#state, draft: task, stored: [], count: 0, without: new Set() };
    this.#draw();
    this.#changed();
  }

  async #startWith(name) {
    if (this.#state.draft.controls.length && !confirm(say("edit-task.start.sure"))) return;
    await this.#attempt(async () => {
      const own = this.#state.draft.name;
      const { task } = name ? await get(path("api", "templates", name)) : { task: emptyTask() };
      this.#replace({ ...task, name: own === "new-task" ? task.name : own });
    });
  }

  #head() {
    const start = make("select", { aria: { label: say("edit-task.start") } });
    start.append(make("option", { value: "", text: say("edit-task.start.empty") }));
    get("/api/templates").then(
      (found) => found.forEach(({ name, title }) => start.append(make("option", { value: name, text: pick(title, name) }))),
      (error) => this.#announce("bad", kindly(error)),
    );
    const file = make("input", { id: "task-file", type: "file", accept: ".json,.yaml,.yml" });
    file.addEventListener("change", async () => {
      if (file.files[0]) await this.#read(file.files[0]);
      file.value = "";
    });
    const others = (this.#state.versions ?? []).filter((one) => one !== this.#name);
    return make(
      "section",
      { class: "card stack" },
      this.#state.answered ? make("p", { class: "note warn", text: say("edit-task.answered") }) : null,
      others.length
        ? make(
            "p",
            { class: "row small" },
            make("span", { text: say("edit-task.versions") }),
            ...this.#state.versions.map((one) =>
              one === this.#name ? make("strong", { text: one }) : make("a", { href: path("edit", one), text: one }),
            ),
          )
        : null,
      make(
        "div",
        { class: "row" },
        make("label", { class: "field inline" }, say("edit-task.start"), start),
        make("button", {
          type: "button",
          text: say("edit-task.start.use"),
          on: { click: () => this.#startWith(start.value) },
        }),
        make("label", { class: "field inline", for: "task-file" }, say("edit-task.read"), file),
        ...(this.#name
          ? ["json", "yaml"].map((format) =>
              make("a", {
                class: "button quiet",
                href: `${path("api", "tasks", this.#name, "file")}?format=${format}`,
                download: `${this.#name}.${format}`,
                text: say("edit-task.download", { format: format.toUpperCase() }),
              }),
            )
          : []),
      ),
    );
  }

  #bar() {
    fill(this.#save, say(this.#state.answered ? "edit-task.save-version" : "edit-task.save"));
    return make(
      "div",
      { class: "editor-bar" },
      this.#status,
      make("label", { class: "row" }, this.#open, say("edit-task.open")),
      make("button", { type: "button", text: say("edit-task.preview"), on: { click: () => this.#preview() } }),
      this.#save,
    );
  }

  #draw() {
    const draft = () => this.#state.draft;
    const changed = () => this.#changed();
    const fields = this.#fields;
    for (const name of ["shown", "controls", "items"]) draft()[name] ??= [];
    const section = (id, title, ...children) =>
      make(
        "section",
        { class: "stack card", aria: { labelledby: id } },
        make("h2", { id, text: say(title) }),
        ...children,
      );
    const items = itemsSection({ state: this.#state, changed });
    fill(
      this.#form,
      section(
        "texts-heading",
        "edit-task.texts",
        fields.text("name", say("edit-task.name")),
        fields.words("title", say("edit-task.heading")),
        fields.words("guide", say("edit-task.guide"), { long: true }),
      ),
      section("shown-heading", "edit-task.shown", this.#shownList()),
      section("controls-heading", "edit-task.controls", controlsList({ draft, changed, fields })),
      section("rules-heading", "edit-task.rules", this.#rules()),
      items.node,
    );
    placeProblems(this.#form, this.#problems);
  }

  #shownList() {
    const kinds = ["audio", "text", "story", "pair", "set", "switch"];
    const fields = this.#fields;
    return orderedList({
      draft: () => this.#state.draft,
      path: "shown",
      add: say("edit-task.shown.add"),
      changed: () => this.#changed(),
      create: () => ({ name: "audio", kind: "audio", label: {} }),
      name: (shown) => shown?.name ?? "",
      show: (where, redraw) => [
        make(
          "div",
          { class: "two" },
          fields.text(`${where}.name`, say("edit-task.shown.name")),
          fields.choice(
            `${where}.kind`,
            say("edit-task.shown.kind"),
            Object.fromEntries(kinds.map((kind) => [kind, say(`edit-task.shown.${kind}`)])),
            { onChange: redraw },
          ),
        ),
        fields.words(`${where}.label`, say("edit-task.shown.label")),
        ...(valueAt(this.#state.draft, `${where}.kind`) === "switch"
          ? [fields.text(`${where}.reference`, say("edit-task.shown.reference"))]
          : []),
      ],
    });
  }

  #rules() {
    const fields = this.#fields;
    const test = (items) => {
      const before = this.#state.draft.qualification;
      fields.write("qualification", items.length ? { tolerance: 1, pass_share: 0.7, ...before, items } : null);
      numbers.hidden = !items.length;
    };
    const numbers = make(
      "div",
      { class: "two" },
      fields.number("qualification.pass_share", say("edit-task.test.share")),
      fields.number("qualification.tolerance", say("edit-task.test.tolerance")),
    );
    numbers.hidden = !valueAt(this.#state.draft, "qualification.items")?.length;
    return make(
      "div",
      { class: "stack" },
      make(
        "div",
        { class: "two" },
        fields.number("raters_per_item", say("edit-task.raters"), { whole: true }),
        fields.number("quota_per_rater", say("edit-task.quota"), { whole: true }),
        fields.truth("must_listen", say("edit-task.must-listen")),
        fields.truth("shuffled", say("edit-task.shuffled")),
        fields.choice("test", say("edit-task.test-name"), TESTS()),
        fields.text("balanced_by", say("edit-task.balanced")),
        fields.lines("calibration", say("edit-task.calibration")),
        fields.lines("qualification.items", say("edit-task.test"), { store: test }),
        fields.lines("attention", say("edit-task.attention")),
        fields.number("attention_every", say("edit-task.attention-every"), { whole: true }),
        fields.number("attention_share", say("edit-task.attention-share")),
        fields.number("outlier_distance", say("edit-task.outlier-distance")),
        fields.number("outlier_share", say("edit-task.outlier-share")),
      ),
      numbers,
      this.#optional("headphones", say("edit-task.headphones"), HEADPHONES, (at) => [
        fields.choice(`${at}.kind`, say("edit-task.headphones.kind"), {
          huggins: say("edit-task.headphones.huggins"),
          antiphase: say("edit-task.headphones.antiphase"),
        }),
        fields.number(`${at}.trials`, say("edit-task.headphones.trials"), { whole: true }),
        fields.number(`${at}.needed`, say("edit-task.headphones.needed"), { whole: true }),
        fields.number(`${at}.attempts`, say("edit-task.headphones.attempts"), { whole: true }),
        fields.truth(`${at}.required`, say("edit-task.headphones.required")),
      ]),
      this.#optional("breaks", say("edit-task.breaks"), BREAKS, (at) => [
        fields.number(`${at}.items`, say("edit-task.breaks.items"), { whole: true }),
        fields.number(`${at}.minutes`, say("edit-task.breaks.minutes")),
        fields.number(`${at}.seconds`, say("edit-task.breaks.seconds")),
        fields.truth(`${at}.forced`, say("edit-task.breaks.forced"), { otherwise: false }),
      ]),
    );
  }

  /** Rules that a task has as a whole or not at all, behind a switch. */
  #optional(where, label, initial, show) {
    const inside = make("div", { class: "two" });
    const control = make("input", { type: "checkbox", role: "switch" });
    const draw = () => {
      inside.hidden = !control.checked;
      fill(inside, ...(control.checked ? show(where) : []));
    };
    control.checked = Boolean(valueAt(this.#state.draft, where));
    control.addEventListener("change", () => {
      this.#fields.write(where, control.checked ? { ...initial } : null);
      draw();
    });
    draw();
    return make(
      "div",
      { class: "stack bound", dataset: { path: where } },
      make("label", { class: "row" }, control, label),
      inside,
      make("span", { class: "small bad problem", role: "status" }),
    );
  }
}

await openDesk("admin", async (person, main) => {
  const name = decodeURIComponent(location.pathname.split("/")[2] ?? "");
  frame({ person, title: name ? `${say("edit-task.title")}: ${name}` : say("edit-task.new") });
  const opened = name
    ? await get(path("api", "tasks", name, "draft"))
    : { task: emptyTask(), items: [], count: 0, open: true, answered: false, versions: [] };
  new Editor(main, name, opened);
});
