// Two runs side by side: filters, and listening to either side with the keyboard.
import { watchFilters } from "./filters.js";
import { listen } from "./keys.js";
import { toggle, watchPlayers } from "./playing.js";

const form = document.getElementById("filters");
let chosen = null;

function choose(pair) {
  if (!pair) return;
  chosen?.removeAttribute("aria-current");
  chosen = pair;
  pair.setAttribute("aria-current", "true");
  pair.scrollIntoView({ block: "nearest" });
}

function move(step) {
  const pairs = [...document.querySelectorAll("article.pair")];
  choose(chosen ? pairs[pairs.indexOf(chosen) + step] : pairs[0]);
}

function play(side) {
  if (!chosen) move(1);
  toggle(chosen?.querySelector(`[data-side=${side}] audio`));
}

watchFilters(form, async (address) => location.assign(address));
watchPlayers();
listen([
  { keys: ["j", "arrowdown"], run: () => move(1) },
  { keys: ["k", "arrowup"], run: () => move(-1) },
  { keys: ["a"], run: () => play("a") },
  { keys: ["b"], run: () => play("b") },
  { keys: ["space"], run: () => play("a") },
  { keys: ["/"], run: () => form.elements.text.focus() },
]);
document.documentElement.dataset.ready = "yes";
