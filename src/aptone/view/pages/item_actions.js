// Actions on one item: edit its plan and score again, mark its verdict.

import { countSeconds, sendJson, showProblem, showReply } from "./packed.js";

function wire(section) {
  const edit = section.querySelector("form.plan-edit");
  const verdict = section.querySelector("form.verdict");
  edit?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const names = ["emotion", "rhythm", "intonation", "recording_condition"];
    const plan = Object.fromEntries(names.map((name) => [name, edit.elements[name].value]));
    const result = edit.querySelector(".again");
    const button = edit.querySelector("button");
    button.disabled = true;
    const stop = countSeconds(edit.querySelector(".progress"), section.dataset.working);
    try {
      await showReply(result, await sendJson(edit.dataset.address, plan));
    } catch {
      showProblem(result, section.dataset.unreachable);
    } finally {
      stop();
      button.disabled = false;
    }
  });
  verdict?.addEventListener("input", (event) => {
    if (event.target.name === "score" && event.target.value) verdict.elements.verdict.value = "wrong";
  });
  verdict?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { verdict: chosen, score, comment } = verdict.elements;
    const mark = { verdict: chosen.value, comment: comment.value };
    if (chosen.value === "wrong" && score.value !== "") mark.score = Number(score.value);
    const problems = verdict.querySelector(".problems");
    try {
      const reply = await sendJson(verdict.dataset.address, mark);
      if (!reply.ok) return await showReply(problems, reply);
      const kept = section.querySelector(".again")?.cloneNode(true); // what was scored again stays
      await showReply(section, reply);
      if (kept) section.querySelector(".again").replaceWith(kept);
      wire(section);
    } catch {
      showProblem(problems, section.dataset.unreachable);
    }
  });
}

for (const section of document.querySelectorAll(".item-actions")) {
  try {
    await showReply(section, await fetch(section.dataset.address));
    wire(section);
  } catch {
    showProblem(section, section.dataset.unreachable);
  }
}
