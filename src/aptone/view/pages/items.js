// The items of a run: pages that follow each other as one scrolls, filters, and listening with the keyboard.
import { watchFilters } from "./filters.js";
import { listen } from "./keys.js";
import { keepFresh } from "./live.js";
import { fetchPart, goToFragment, replacePart } from "./parts.js";
import { toggle, watchPlayers } from "./playing.js";

const MOST_ROWS = 1000; // beyond, the next page is a page of its own, so that the browser holds few
const list = document.getElementById("list");
const form = document.getElementById("filters");
const deck = document.getElementById("deck");
const player = deck.querySelector("audio");
const byline = document.getElementById("byline");
const overview = document.getElementById("overview");
let chosen = null;
let asking = null;

function withPart(address) {
  return address + (address.includes("?") ? "&" : "?") + "part=items";
}

async function show(address) {
  asking?.abort();
  const mine = (asking = new AbortController());
  list.setAttribute("aria-busy", "true");
  try {
    const { nodes } = await fetchPart(withPart(address), { signal: mine.signal });
    list.replaceChildren(nodes);
    chosen = null;
    watchEnd();
  } catch (error) {
    if (error.name !== "AbortError") location.assign(address); // the server says what is wrong
  }
  if (asking !== mine) return;
  asking = null;
  list.removeAttribute("aria-busy");
}

const ending = new IntersectionObserver((seen) => {
  if (seen.some((one) => one.isIntersecting)) more();
}, { rootMargin: "600px" });

function nextLink() {
  return list.querySelector("nav.pages a[rel=next]");
}

function watchEnd() {
  ending.disconnect();
  if (nextLink()) ending.observe(list.querySelector("nav.pages"));
}

let loading = null;
function more() {
  const link = nextLink();
  const body = list.querySelector("tbody");
  if (!link || !body || body.rows.length >= MOST_ROWS) return null;
  loading ??= (async () => {
    const { nodes } = await fetchPart(withPart(link.getAttribute("href").replace(/^\?/, `${location.pathname}?`)));
    if (!body.isConnected) return; // other filters meanwhile
    body.append(...nodes.querySelectorAll("tbody > tr"));
    const pages = nodes.querySelector("nav.pages");
    if (pages) list.querySelector("nav.pages").replaceWith(pages);
  })()
    .catch(() => {}) // the link stays
    .finally(() => {
      loading = null;
      watchEnd();
    });
  return loading;
}

function choose(row) {
  if (!row) return;
  chosen?.removeAttribute("aria-current");
  chosen = row;
  row.setAttribute("aria-current", "true");
  row.scrollIntoView({ block: "nearest" });
}

async function move(step) {
  const rows = [...list.querySelectorAll("tbody > tr")];
  const wasPlaying = !player.paused;
  const at = chosen ? rows.indexOf(chosen) + step : 0;
  if (at >= rows.length) {
    await more();
    choose(chosen?.nextElementSibling);
  } else if (at >= 0) choose(rows[at]);
  if (wasPlaying) play();
}

function play() {
  if (!chosen) choose(list.querySelector("tbody > tr"));
  if (!chosen) return;
  const address = `/runs/${encodeURIComponent(list.dataset.run)}/items/${chosen.dataset.number}/clips/0`;
  if (player.getAttribute("src") === address) return toggle(player);
  deck.hidden = false;
  deck.querySelector(".absent").hidden = true;
  deck.querySelector(".now").textContent = chosen.querySelector("td.line a").textContent;
  player.src = address;
  toggle(player);
}

player.addEventListener("error", () => {
  deck.querySelector(".absent").hidden = false;
});
list.addEventListener("click", (event) => {
  const row = event.target.closest("tbody > tr");
  if (row) choose(row);
  if (event.target.closest("button.play")) return play();
  const link = event.target.closest("th a, nav.pages a, .found a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const address = new URL(link.href);
  form.elements.sort.value = address.searchParams.get("sort") ?? "";
  history.pushState(null, "", address);
  if (link.closest(".found")) location.reload();
  else show(address.pathname + address.search).then(() => form.scrollIntoView({ block: "start" }));
});
addEventListener("popstate", () => location.reload());

watchFilters(form, show);
watchPlayers();
watchEnd();
listen([
  { keys: ["j", "arrowdown"], run: () => move(1) },
  { keys: ["k", "arrowup"], run: () => move(-1) },
  { keys: ["space"], run: play },
  { keys: ["enter"], run: () => (chosen ? location.assign(chosen.dataset.href) : false) },
  { keys: ["/"], run: () => form.elements.text.focus() },
  { keys: ["escape"], everywhere: true, run: () => document.activeElement?.blur() },
]);

const revision = () => byline.firstElementChild.dataset.revision;
let shown = revision();

/** Shows what has come while a run goes on: rows where one page is shown and nobody stands in it, else their number. */
async function showNew() {
  const { nodes } = await fetchPart(withPart(location.pathname + location.search));
  if (asking) return; // other filters meanwhile
  const rows = list.querySelectorAll("tbody > tr").length;
  if (rows > nodes.querySelectorAll("tbody > tr").length || list.contains(document.activeElement)) {
    list.querySelector("output").replaceWith(nodes.querySelector("output"));
    return;
  }
  const number = chosen?.dataset.number;
  list.replaceChildren(nodes);
  chosen = number ? list.querySelector(`tr[data-number="${number}"]`) : null;
  chosen?.setAttribute("aria-current", "true");
  watchEnd();
}

async function follow() {
  await replacePart(byline);
  const now = revision();
  if (now === shown || asking || loading) return;
  await showNew();
  shown = now;
  await replacePart(overview);
}

keepFresh(follow, {
  seconds: 2,
  onResult: (error) => {
    document.getElementById("stale").hidden = error === null;
  },
})();
replacePart(overview).then(goToFragment, () => {});
document.documentElement.dataset.ready = "yes";
