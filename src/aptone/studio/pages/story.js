// The story around a line: scrolled to the target, the target marked, neighbours playable where they have a clip.
import { fill, make, picture } from "./dom.js";
import { pauseOthers, playsToo } from "./player.js";
import { say } from "./messages.js";

/**
 * @param {{lines: Array<{text: string, role: string, clip: string}>, target: number}} story
 * @param {{label: string, url: (clip: string) => string}} options
 * @returns {{element: HTMLElement, toTarget: () => void, destroy: () => void}}
 */
export function tellStory(story, { label, url }) {
  const sound = new Audio();
  let playing = null;
  const draw = (button, on) => {
    fill(button, picture(on ? "pause" : "play"));
    button.setAttribute("aria-label", `${say(on ? "player.pause" : "player.play")}: ${button.dataset.line}`);
  };
  const stop = () => {
    sound.pause();
    if (playing) draw(playing, false);
    playing = null;
  };
  const part = playsToo({ pause: stop });
  sound.addEventListener("ended", stop);
  sound.addEventListener("error", stop);
  const toggle = (button, clip) => {
    const again = playing === button;
    stop();
    if (again) return;
    pauseOthers();
    sound.src = url(clip);
    playing = button;
    draw(button, true);
    sound.play().catch(stop);
  };

  const lines = story.lines.map((line, index) => {
    const target = index === story.target;
    const button =
      line.clip && !target
        ? make("button", { type: "button", class: "quiet icon line-play", dataset: { line: line.text.slice(0, 40) } })
        : null;
    if (button) {
      draw(button, false);
      button.addEventListener("click", () => toggle(button, line.clip));
    }
    return make(
      "li",
      { class: target ? "line target" : "line", aria: target ? { current: "true" } : {} },
      make("span", { class: "line-role small", text: line.role ?? "", dir: "auto" }),
      make("span", { class: "line-text", text: line.text, dir: "auto" }),
      button,
    );
  });
  const list = make("ol", { class: "lines", tabindex: "0", aria: { label } }, ...lines);
  const toTarget = () => {
    const line = lines[story.target];
    if (line) list.scrollTop = line.offsetTop - (list.clientHeight - line.offsetHeight) / 2;
  };
  const element = make(
    "section",
    { class: "story" },
    make(
      "div",
      { class: "spread" },
      make("h2", { text: label }),
      make("button", { type: "button", class: "quiet small", text: say("rate.target"), on: { click: toTarget } }),
    ),
    list,
  );
  const destroy = () => {
    stop();
    part();
  };
  return { element, toTarget, destroy };
}
