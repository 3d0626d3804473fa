// Lists of the task editor whose members are added, removed and moved up and down.
import { fill, make } from "./dom.js";
import { valueAt } from "./editor_fields.js";
import { say } from "./messages.js";

/**
 * A list in the draft.
 * @param {{draft: () => object, path: string, add: string, create: () => object, changed: () => void,
 *   name: (member: object, index: number) => string, show: (path: string, redraw: () => void) => Node[],
 *   small?: boolean}} options `show` gives the fields of a member, `name` what buttons call it
 */
export function orderedList({ draft, path, add, create, changed, name, show, small = false }) {
  const rows = make("ol", { class: small ? "members small-members" : "members" });
  const problem = make("p", { class: "small bad problem", role: "status" });
  const members = () => valueAt(draft(), path) ?? [];
  const button = make("button", {
    type: "button",
    text: add,
    on: {
      click: () => {
        members().push(create());
        redraw();
        changed();
        rows.lastElementChild?.querySelector("input, select, textarea")?.focus();
      },
    },
  });

  function act(word, index, run, { disabled = false, sign }) {
    return make("button", {
      type: "button",
      class: "quiet icon",
      disabled,
      text: sign,
      dataset: { act: word },
      title: say(`edit-task.${word}`, { what: name(members()[index], index) }),
      aria: { label: say(`edit-task.${word}`, { what: name(members()[index], index) }) },
      on: { click: run },
    });
  }

  function move(index, step, word) {
    const all = members();
    [all[index], all[index + step]] = [all[index + step], all[index]];
    redraw();
    changed();
    const there = rows.children[index + step];
    const acts = there.querySelector(":scope > .member-acts");
    (acts.querySelector(`[data-act="${word}"]:not([disabled])`) ?? acts.querySelector(":not([disabled])")).focus();
  }

  function redraw() {
    fill(
      rows,
      ...members().map((member, index) =>
        make(
          "li",
          { class: small ? "member" : "member card", dataset: { index: String(index) } },
          make("div", { class: "member-fields" }, ...show(`${path}[${index}]`, redraw)),
          make(
            "div",
            { class: "member-acts" },
            act("up", index, () => move(index, -1, "up"), { disabled: index === 0, sign: "↑" }),
            act("down", index, () => move(index, 1, "down"), { disabled: index === members().length - 1, sign: "↓" }),
            act(
              "remove",
              index,
              () => {
                members().splice(index, 1);
                redraw();
                changed();
                const next = rows.children[Math.min(index, rows.children.length - 1)];
                (next?.querySelector(":scope > .member-acts > [data-act=remove]") ?? button).focus();
              },
              { sign: "×" },
            ),
          ),
        ),
      ),
    );
  }
  redraw();
  return make("div", { class: "bound stack", dataset: { path } }, rows, problem, make("div", {}, button));
}
