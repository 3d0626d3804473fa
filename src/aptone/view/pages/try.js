// The page to try things out: tabs, a story and its lines, takes, and answers as the server renders them.

import { make } from "./dom.js";
import { LARGEST, countSeconds, sendPacked, showProblem, showReply } from "./packed.js";
import { watchPlayers } from "./playing.js";
import { Takes } from "./takes.js";

const root = document.getElementById("try");
const words = JSON.parse(root.dataset.words);
const models = root.querySelector(".models");
let isLoaded = false;

function chooseTab(name) {
  for (const tab of root.querySelectorAll("[role=tab]")) {
    const isChosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls")).hidden = !isChosen;
  }
  history.replaceState(null, "", `?what=${name}`);
}

const tabs = [...root.querySelectorAll("[role=tab]")];
tabs.forEach((tab, place) => {
  tab.addEventListener("click", () => chooseTab(tab.id.slice(4)));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(place + step + tabs.length) % tabs.length];
    chooseTab(next.id.slice(4));
    next.focus();
  });
});

async function loadModels() {
  const stop = countSeconds(models, words.try_first_time);
  try {
    const reply = await fetch("/try/start", { method: "POST" });
    stop();
    if (!reply.ok) return showReply(models, reply);
    isLoaded = true;
    models.textContent = words.try_ready;
  } catch {
    stop();
    showProblem(models, words.try_unreachable);
  }
}

/** Sends a request and shows its answer; the button rests meanwhile. */
async function ask(address, fields, clips, { button, progress, result }) {
  if (clips.reduce((size, clip) => size + clip.blob.size, 0) > LARGEST) return showProblem(result, words.try_too_large);
  button.disabled = true;
  result.replaceChildren();
  const stop = countSeconds(progress, isLoaded ? words.try_working : words.try_first_time);
  try {
    await showReply(result, await sendPacked(address, fields, clips));
    putPlayers(result, clips);
    if (result.getBoundingClientRect().top > 0.6 * innerHeight) result.scrollIntoView();
  } catch {
    showProblem(result, words.try_unreachable);
  } finally {
    stop();
    button.disabled = false;
  }
}

/** Players under the names of a ranking and the drawing of a sound, from the recordings that the page holds. */
function putPlayers(result, clips) {
  const names = JSON.parse(result.querySelector(".names")?.dataset.names ?? "[]");
  const drawing = result.querySelector(".figure svg.timeline");
  if (drawing && clips.length) drawing.closest(".figure").append(playerOf(clips[0]));
  for (const row of result.querySelectorAll("table.ranking tbody tr")) {
    const name = row.querySelector("th bdi")?.textContent;
    const clip = clips[names.indexOf(name)];
    if (!clip) continue;
    row.querySelector("th").append(playerOf(clip));
  }
}

function playerOf(clip) {
  const player = make("audio", { src: clip.url });
  player.controls = true;
  return player;
}

function wireStory(form) {
  const [story, line, role, occurrence] = ["story", "line", "role", "occurrence"].map((name) => form.elements[name]);
  const box = form.querySelector(".lines");
  const hint = form.querySelector(".choose-line");
  const say = form.querySelector(".say");
  let asked = 0;
  let timer = 0;

  const press = () => {
    say.hidden = !line.value.trim();
    say.querySelector("bdi").textContent = line.value;
    for (const button of box.querySelectorAll("button.line")) {
      const isSame = button.dataset.line === line.value && button.dataset.occurrence === occurrence.value;
      button.setAttribute("aria-pressed", String(isSame));
    }
  };
  const list = async () => {
    const number = ++asked;
    if (!story.value.trim()) {
      box.replaceChildren();
      hint.hidden = true;
      press();
      return;
    }
    try {
      const reply = await sendPacked("/try/lines", { story: story.value });
      if (number !== asked) return; // a newer text is on its way
      await showReply(box, reply);
      hint.hidden = !reply.ok;
      press();
    } catch {
      showProblem(box, words.try_unreachable);
    }
  };
  story.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(list, 300);
  });
  line.addEventListener("input", () => {
    occurrence.value = "";
    press();
  });
  box.addEventListener("click", (event) => {
    const button = event.target.closest("button.line");
    if (!button) return;
    line.value = button.dataset.line;
    role.value = "";
    role.placeholder = button.dataset.role;
    occurrence.value = button.dataset.occurrence;
    press();
  });
  for (const example of form.querySelectorAll(".example"))
    example.addEventListener("click", () => {
      story.value = example.dataset.story;
      line.value = example.dataset.line;
      occurrence.value = role.value = "";
      list();
    });
  form.querySelector(".own").addEventListener("click", () => {
    story.value = line.value = occurrence.value = role.value = role.placeholder = "";
    list();
    story.focus();
  });
  if (!story.value) form.querySelector(`.example[lang="${document.documentElement.lang}"]`).click();
  else list(); // the browser kept it
  const button = form.querySelector(".plan-first");
  const result = form.querySelector(".planned");
  const progress = form.parentElement.querySelector(".progress");
  button.addEventListener("click", () => {
    if (!line.value.trim()) return showProblem(result, words.try_no_line);
    return ask("/try/plan", fieldsOf(form), [], { button, progress, result });
  });
}

/** The fields of a form that hold something, as operations name them. */
function fieldsOf(form) {
  const fields = {};
  for (const { name, value } of form.querySelectorAll("[name]")) {
    if (!value.trim()) continue;
    if (name === "descriptions") fields[name] = value.split("\n").map((one) => one.trim()).filter(Boolean);
    else fields[name] = name === "occurrence" ? Number(value) : value;
  }
  return fields;
}

for (const form of root.querySelectorAll("form.ask")) {
  const { operation } = form.dataset;
  const takes = new Takes(form.querySelector(".takes"), words);
  const [progress, result] = [".progress", ".result"].map((name) => form.parentElement.querySelector(name));
  if (operation === "rank") wireStory(form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (takes.recorder) takes.finish();
    form.querySelector(".planned")?.replaceChildren(); // the answer holds the plan
    const clips = takes.clips(operation === "rank" ? "clips" : "audio");
    if (operation === "rank" && !form.elements.line.value.trim()) return showProblem(result, words.try_no_line);
    if (!clips.length) return showProblem(result, words.try_no_takes);
    return ask(`/try/${operation}`, fieldsOf(form), clips, { button: form.querySelector(".main"), progress, result });
  });
}

watchPlayers();
loadModels();
