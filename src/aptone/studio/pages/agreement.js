// Agreement page: by question, by person, and the automatic judge.
import { get, path } from "./api.js";
import { controlsSection } from "./agreement_controls.js";
import { judgeSection } from "./agreement_judge.js";
import { ratersSection } from "./agreement_raters.js";
import { freshness, openDesk, taskOfPage } from "./desk.js";
import { fill, make } from "./dom.js";
import { count, titleOf } from "./figures.js";
import { frame } from "./frame.js";
import { keepFresh, write } from "./live.js";
import { pick, say, setTranslations } from "./messages.js";

const SECONDS = 6;

await openDesk("adjudicator", async (person, main) => {
  const name = taskOfPage();
  const task = await get(path("api", "tasks", name));
  const labels = new Map(task.controls.map((control) => [control.name, titleOf(pick(control.label, control.name))]));
  frame({ person, title: `${say("link.agreement")}: ${pick(task.title, name)}` });
  const fresh = freshness();
  const summary = make("p", { text: say("desk.loading") });
  const aside = make("p", { class: "warn" });
  const rated = controlsSection({ id: "rated", labels });
  const judge = judgeSection({ labels });
  const everybody = ratersSection({ labels, controls: task.controls });
  const calibration = controlsSection({ id: "calibration", labels });
  fill(
    main,
    make(
      "div",
      { class: "spread" },
      fresh.node,
      make("a", { class: "button", href: path("adjudicate", name), text: say("desk.adjudicate") }),
    ),
    make("div", { class: "card stack" }, summary, aside),
    rated.node,
    judge.node,
    everybody.node,
    calibration.node,
  );

  async function refresh() {
    const report = await get(path("api", "tasks", name, "agreement"));
    setTranslations(report.mandarin);
    write(
      summary,
      say("desk.agreement.summary", {
        items: count(report.items),
        ratings: count(report.ratings),
        people: count(report.people),
      }),
    );
    const raters = Object.keys(report.set_aside);
    aside.hidden = !raters.length;
    write(aside, say("desk.agreement.aside", { raters: raters.join(", ") }));
    rated.show(report.controls);
    judge.show(report.judge);
    everybody.show(report.raters);
    calibration.show(report.calibration);
  }
  const soon = keepFresh(refresh, { seconds: SECONDS, onResult: fresh.onResult });
  await soon();
});
