// Requests to the server of the page: fields and recordings in one body, replies as parts of a page.

const TYPE = "application/vnd.aptone.packed";
export const LARGEST = 64 * 1024 * 1024;

/** Sends fields and clips (`{field, name, blob}`); see `aptone.view.trying.packed`. */
export function sendPacked(address, fields, clips = []) {
  const described = clips.map(({ field, name, blob }) => ({ field, name, size: blob.size }));
  const head = `${JSON.stringify({ fields, clips: described })}\n`;
  const body = new Blob([head, ...clips.map((clip) => clip.blob)]);
  return fetch(address, { method: "POST", headers: { "Content-Type": TYPE }, body });
}

/** Sends JSON. */
export function sendJson(address, value) {
  return fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(value),
  });
}

/** Shows what the server replied: a part of a page that it escaped, or the sentence of an error. */
export async function showReply(element, reply) {
  const kind = reply.headers.get("content-type") || "";
  const text = await reply.text();
  if (kind.startsWith("text/html")) {
    const parsed = new DOMParser().parseFromString(text, "text/html"); // scripts in it never run
    element.replaceChildren(...parsed.body.childNodes);
    return;
  }
  showProblem(element, errorSentence(text) || `${reply.status}`);
}

function errorSentence(text) {
  try {
    const { error } = JSON.parse(text);
    const told = document.documentElement.lang.startsWith("zh") ? error.mandarin : error;
    return [told.message, told.next].filter(Boolean).join(" ");
  } catch {
    return "";
  }
}

/** Shows a sentence as a problem. */
export function showProblem(element, sentence) {
  const box = document.createElement("div");
  box.className = "problem";
  box.setAttribute("role", "alert");
  box.textContent = sentence;
  element.replaceChildren(box);
}

/** Counts seconds in an element until the returned function is called. */
export function countSeconds(element, sentence) {
  const began = performance.now();
  const show = () => {
    element.textContent = `${sentence} ${Math.floor((performance.now() - began) / 1000)} s`;
  };
  show();
  const timer = setInterval(show, 500);
  return () => {
    clearInterval(timer);
    element.textContent = "";
  };
}
