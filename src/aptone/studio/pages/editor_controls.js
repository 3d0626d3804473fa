// Questions in the task editor: what each kind of answer needs to be known about it.
import { make } from "./dom.js";
import { valueAt } from "./editor_fields.js";
import { orderedList } from "./editor_lists.js";
import { pick, say } from "./messages.js";

/** Kinds of answers that a task may ask for, and what a new question of a kind has. */
export const KINDS = {
  scale: () => ({ low: 1, high: 5, step: 1, bands: [] }),
  choice: () => ({
    choices: [
      { value: "yes", label: { en: "Yes", zh: "是" } },
      { value: "no", label: { en: "No", zh: "否" } },
    ],
  }),
  text: () => ({}),
  boundaries: () => ({}),
  edit: () => ({}),
  preference: () => ({ choices: [] }),
  ratings: () => ({ low: 0, high: 100, step: 1, bands: [] }),
  ranking: () => ({}),
  "best-worst": () => ({}),
};
const FILLED = ["edit", "preference", "ratings", "ranking", "best-worst"];
const SAME = { value: "same", label: { en: "The same", zh: "一样" } };
const OWN = ["low", "high", "step", "bands", "choices", "prefill"];

/** A question of a kind with what it needs; what the kind has no use for is left out. */
export function asKind(control, kind) {
  const rest = Object.fromEntries(Object.entries(control).filter(([name]) => !OWN.includes(name)));
  return { ...rest, kind, ...KINDS[kind](), ...(FILLED.includes(kind) ? { prefill: control.prefill || "" } : {}) };
}

/** The section with all questions. */
export function controlsList({ draft, changed, fields }) {
  const kinds = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, say(`edit-task.kind.${kind}`)]));
  const list = (path, add, create, show, name) =>
    orderedList({ draft, path, add: say(add), create, changed, small: true, show, name });

  function choices(path) {
    return make(
      "fieldset",
      { class: "inner" },
      make("legend", { text: say("edit-task.control.choices") }),
      list(
        `${path}.choices`,
        "edit-task.control.choices.add",
        () => ({ value: "", label: {} }),
        (inner) => [
          fields.text(`${inner}.value`, say("edit-task.control.choice.value")),
          fields.words(`${inner}.label`, say("edit-task.control.choice.label")),
        ],
        (choice) => choice.value || say("edit-task.control.choice.label"),
      ),
    );
  }

  function bands(path) {
    return make(
      "details",
      { class: "inner", open: (valueAt(draft(), `${path}.bands`) ?? []).length > 0 },
      make("summary", { text: say("edit-task.control.bands") }),
      list(
        `${path}.bands`,
        "edit-task.control.bands.add",
        () => ({ low: valueAt(draft(), `${path}.low`) ?? 0, high: valueAt(draft(), `${path}.high`) ?? 1, meaning: {} }),
        (inner) => [
          fields.number(`${inner}.low`, say("edit-task.control.low")),
          fields.number(`${inner}.high`, say("edit-task.control.high")),
          fields.words(`${inner}.meaning`, say("edit-task.control.band.meaning")),
        ],
        (band) => `${band.low}–${band.high}`,
      ),
    );
  }

  function sameSwitch(path) {
    const control = make("input", { type: "checkbox", role: "switch" });
    control.checked = (valueAt(draft(), `${path}.choices`) ?? []).some((choice) => choice.value === SAME.value);
    control.addEventListener("change", () => fields.write(`${path}.choices`, control.checked ? [SAME] : []));
    return make("label", { class: "field inline" }, control, say("edit-task.control.same"));
  }

  const set = (path) => fields.text(`${path}.prefill`, say("edit-task.control.prefill.set"));
  const special = {
    ratings: (path) => [set(path), ...special.scale(path)],
    ranking: (path) => [set(path)],
    "best-worst": (path) => [set(path)],
    scale: (path) => [
      make(
        "div",
        { class: "ends" },
        fields.number(`${path}.low`, say("edit-task.control.low")),
        fields.number(`${path}.high`, say("edit-task.control.high")),
        fields.number(`${path}.step`, say("edit-task.control.step")),
      ),
      bands(path),
    ],
    choice: (path) => [choices(path)],
    text: () => [],
    boundaries: (path) => [fields.text(`${path}.prefill`, say("edit-task.control.prefill"))],
    edit: (path) => [fields.text(`${path}.prefill`, say("edit-task.control.prefill"))],
    preference: (path) => [fields.text(`${path}.prefill`, say("edit-task.control.prefill.pair")), sameSwitch(path)],
  };

  return orderedList({
    draft,
    path: "controls",
    add: say("edit-task.controls.add"),
    changed,
    create: () => asKind({ name: freeName(draft().controls), label: {}, required: true }, "scale"),
    name: (control) => pick(control?.label, control?.name) || control?.name || "",
    show: (path, redraw) => {
      const kind = valueAt(draft(), `${path}.kind`);
      const whole = make("div", { class: "bound", dataset: { path } }, make("p", { class: "small bad problem", role: "status" }));
      return [
        whole,
        make(
          "div",
          { class: "two" },
          fields.text(`${path}.name`, say("edit-task.control.name")),
          fields.choice(`${path}.kind`, say("edit-task.control.kind"), kind in kinds ? kinds : { ...kinds, [kind]: kind }, {
            onChange: (chosen) => {
              fields.write(path, asKind(valueAt(draft(), path), chosen));
              redraw();
            },
          }),
        ),
        fields.words(`${path}.label`, say("edit-task.control.label")),
        ...(special[kind]?.(path) ?? []),
        fields.truth(`${path}.required`, say("edit-task.control.required")),
        make(
          "details",
          { class: "inner" },
          make("summary", { text: say("edit-task.control.more") }),
          make(
            "div",
            { class: "two" },
            fields.choice(`${path}.agreement`, say("edit-task.control.agreement"), {
              "": say("edit-task.control.agreement."),
              vad: say("edit-task.control.agreement.vad"),
            }),
            fields.text(`${path}.judged_by`, say("edit-task.control.judged")),
          ),
        ),
      ];
    },
  });
}

function freeName(controls) {
  const taken = new Set((controls ?? []).map((control) => control.name));
  let number = 1;
  while (taken.has(`question_${number}`)) number += 1;
  return `question_${number}`;
}
