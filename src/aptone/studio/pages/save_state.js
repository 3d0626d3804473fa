// Whether what was entered is safe: saved, on its way, or kept on this device.
import { fill, make, picture } from "./dom.js";
import { say } from "./words.js";

const LOOKS = { saved: "muted", saving: "muted", offline: "warn", refused: "bad", "signed-out": "bad" };

/** A line that follows an outbox. */
export function saveState(outbox) {
  const line = make("span", {
    class: "save small",
    role: "status",
    aria: { live: "polite" },
    dataset: { state: "saved" },
  });
  outbox.addEventListener("state", ({ detail: { state, waiting, reason, memory } }) => {
    const text = state === "refused" ? say("save.refused", { reason }) : say(`save.${state}`, { count: waiting });
    const whole = memory ? `${text} · ${say("save.memory")}` : text;
    if (line.textContent === whole && line.dataset.state === state) return;
    line.dataset.state = state;
    line.className = `save small ${memory ? "bad" : LOOKS[state]}`;
    fill(
      line,
      state === "saved" ? picture("good") : state === "saving" ? "" : picture("warn"),
      make("span", { text: whole }),
    );
  });
  return line;
}
