// The draft of the editor on this device: kept until it is saved, over reloads and crashes.

const key = (task) => `aptone.draft.${task}`;

/** An empty task. */
export const emptyTask = () => ({
  name: "new-task",
  title: {},
  guide: {},
  shown: [],
  controls: [],
  items: [],
  raters_per_item: 3,
});

/** Keeps a draft on this device; says nothing where storage is switched off. */
export function keepDraft(task, record) {
  try {
    localStorage.setItem(key(task), JSON.stringify(record));
  } catch {
    // Storage is full or switched off: the draft lives as long as the page.
  }
}

/** The draft that was kept of a task; null for none. */
export function keptDraft(task) {
  try {
    const record = JSON.parse(localStorage.getItem(key(task)) ?? "null");
    return record && typeof record.draft === "object" && Array.isArray(record.without) ? record : null;
  } catch {
    return null;
  }
}

export function forgetDraft(task) {
  try {
    localStorage.removeItem(key(task));
  } catch {
    // Storage is switched off.
  }
}

/** Hands a draft to a preview in another tab, and returns the key that it finds it under. */
export function handOver(body) {
  const name = `aptone.preview.${crypto.getRandomValues(new Uint32Array(2)).join("")}`;
  localStorage.setItem(name, JSON.stringify(body));
  return name;
}

/** Takes what an editor handed over; a reload of the tab finds it again. */
export function takeOver(name) {
  try {
    const given = localStorage.getItem(name) ?? sessionStorage.getItem("aptone.preview");
    if (given === null) return null;
    localStorage.removeItem(name);
    sessionStorage.setItem("aptone.preview", given);
    return JSON.parse(given);
  } catch {
    return null;
  }
}
