// Adding to a study: task files and clips, one reply a file, so that what was refused says why.
import { kindly, request } from "./api.js";
import { make } from "./dom.js";
import { say } from "./messages.js";

const TASK_TYPES = { json: "application/json", yaml: "application/yaml", yml: "application/yaml" };
const UPLOAD_TIMEOUT = 600000;

/** The section. @param {{changed: () => Promise<void>}} options `changed` asks the server again */
export function uploadsSection({ changed }) {
  const results = make("ul", { class: "results", aria: { live: "polite" } });
  const tasks = picker({
    id: "upload-task",
    label: say("desk.uploads.task"),
    accept: ".json,.yaml,.yml",
    multiple: false,
  });
  const clips = picker({
    id: "upload-clips",
    label: say("desk.uploads.clips"),
    accept: "audio/*,.wav,.flac,.ogg,.opus,.mp3,.m4a",
    multiple: true,
  });
  tasks.input.addEventListener("change", () => send(tasks.input, results, sendTask, changed));
  clips.input.addEventListener("change", () => send(clips.input, results, sendClip, changed));
  return make(
    "section",
    { class: "stack", aria: { labelledby: "uploads-heading" } },
    make("h2", { id: "uploads-heading", text: say("desk.uploads") }),
    make("p", { class: "muted", text: say("desk.uploads.note") }),
    make("div", { class: "card uploads" }, tasks.node, clips.node),
    results,
  );
}

function picker({ id, label, accept, multiple }) {
  const input = make("input", { id, type: "file", accept, multiple });
  return { input, node: make("label", { class: "field", for: id }, label, input) };
}

async function send(input, results, one, changed) {
  const files = [...input.files];
  input.disabled = true;
  for (const file of files) {
    const statusLine = make("span", { text: say("desk.uploads.sending") });
    const line = make("li", {}, make("bdi", { text: file.name }), " ", statusLine);
    results.prepend(line);
    try {
      statusLine.textContent = await one(file);
      line.className = "good";
    } catch (error) {
      statusLine.textContent = kindly(error);
      line.className = "bad";
    }
  }
  input.disabled = false;
  input.value = "";
  input.focus();
  await changed();
}

async function sendTask(file) {
  const ending = file.name.split(".").pop().toLowerCase();
  const type = TASK_TYPES[ending] ?? TASK_TYPES.json;
  const task = await request("POST", "/api/tasks", { raw: file, type, timeout: UPLOAD_TIMEOUT });
  return say("desk.uploads.task-added", { task: task.name });
}

async function sendClip(file) {
  const type = file.type || "application/octet-stream";
  const kept = await request("POST", "/api/clips", { raw: file, type, timeout: UPLOAD_TIMEOUT });
  return say("desk.uploads.clip-added", { path: kept.path });
}
