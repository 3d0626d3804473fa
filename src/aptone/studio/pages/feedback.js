// After a calibration item: what was answered, what the reference says, and whether the two are near enough.
import { fill, make, picture } from "./dom.js";
import { pick, say } from "./messages.js";

/** An answer as people read it. */
export function readable(value, control, clipName = (clip) => clip) {
  if (value === null || value === undefined || value === "") return "–";
  if (control?.kind === "choice")
    return pick(control.choices.find((option) => option.value === value)?.label, String(value));
  if (control?.kind === "preference") return value === "same" ? say("preference.same") : clipName(value);
  if (control?.kind === "boundaries" && Array.isArray(value))
    return `${value.map((one) => Number(one).toFixed(2)).join("–")} s`;
  if (control?.kind === "ranking") return value.map(clipName).join(" > ");
  if (control?.kind === "best-worst" || control?.kind === "ratings")
    return Object.entries(value)
      .map(([one, other]) => (control.kind === "ratings" ? `${clipName(one)}: ${other}` : `${say(`best-worst.${one}`)}: ${clipName(other)}`))
      .join("\n");
  return Array.isArray(value) ? value.join("\n") : String(value);
}

/** Shows the feedback; resolves when the person goes on. */
export function showFeedback(feedback, task, clipName) {
  const rows = task.controls
    .filter((control) => control.name in feedback)
    .map((control) => ({ control, ...feedback[control.name] }))
    .sort((one, other) => Number(one.within) - Number(other.within));
  const apart = rows.filter((row) => !row.within).length;
  const dialog = make("dialog", { class: "feedback", aria: { label: say("feedback.title") } });
  const go = make("button", {
    type: "button",
    class: "primary",
    text: say("feedback.go-on"),
    on: { click: () => dialog.close() },
  });
  const cell = (text) => make("td", { text, dir: "auto" });
  fill(
    dialog,
    make(
      "div",
      { class: "stack" },
      make("h2", { text: say("feedback.title") }),
      make("p", {
        class: apart ? "note warn" : "note good",
        text: apart ? say("feedback.some", { count: apart, total: rows.length }) : say("feedback.all"),
      }),
      make(
        "div",
        { class: "scroll" },
        make(
          "table",
          {},
          make(
            "thead",
            {},
            make(
              "tr",
              {},
              ...["control", "given", "gold"].map((name) =>
                make("th", { scope: "col", text: say(`feedback.${name}`) }),
              ),
              make("th", { scope: "col" }),
            ),
          ),
          make(
            "tbody",
            {},
            ...rows.map(({ control, given, gold, within }) =>
              make(
                "tr",
                {},
                make("th", { scope: "row", text: pick(control.label, control.name), dir: "auto" }),
                cell(readable(given, control, clipName)),
                cell(readable(gold, control, clipName)),
                make(
                  "td",
                  {},
                  make(
                    "span",
                    { class: within ? "chip good" : "chip warn" },
                    picture(within ? "good" : "warn"),
                    say(within ? "feedback.within" : "feedback.apart"),
                  ),
                ),
              ),
            ),
          ),
        ),
      ),
      make("div", { class: "dialog-foot" }, go),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  dialog.scrollTop = 0;
  go.focus({ preventScroll: true });
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve();
    }),
  );
}
