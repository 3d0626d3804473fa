// One item: drawings of its recordings, which the server works out when asked, and the keyboard.
import { listen } from "./keys.js";
import { fetchPart } from "./parts.js";
import { toggle, watchPlayers } from "./playing.js";

const players = [...document.querySelectorAll("#item .clip audio")];

async function draw(player) {
  const { nodes } = await fetchPart(`${player.getAttribute("src")}/timeline`);
  player.before(nodes);
}

async function drawAll() {
  for (const player of players) await draw(player).catch(() => {}); // the player says what it cannot play
  document.documentElement.dataset.drawn = "yes";
}

const go = (rel) => () => document.querySelector(`a[rel=${rel}]`)?.click() ?? false;

watchPlayers();
listen([
  { keys: ["j", "arrowright"], run: go("next") },
  { keys: ["k", "arrowleft"], run: go("prev") },
  { keys: ["space"], run: () => toggle(players.find((player) => !player.paused) ?? players[0]) },
]);
drawAll();
document.documentElement.dataset.ready = "yes";
