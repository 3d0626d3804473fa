// The keyboard: named keys to actions. Keys never steal from a text field, nor from an input method that is composing
// (Mandarin is typed so), nor what a button or a radio button does with a key of its own.

const TYPED = new Set(["text", "search", "number", "email", "url", "tel", "password", "date", "time"]);
const OWN_KEYS = {
  button: new Set(["space", "enter"]),
  a: new Set(["enter"]),
  summary: new Set(["space", "enter"]),
  select: new Set(["space", "enter", "arrowup", "arrowdown", "arrowleft", "arrowright"]),
  radio: new Set(["arrowup", "arrowdown", "arrowleft", "arrowright"]),
  checkbox: new Set(["space"]),
  range: new Set(["arrowup", "arrowdown", "arrowleft", "arrowright", "pageup", "pagedown", "home", "end"]),
  slider: new Set([
    "arrowup",
    "arrowdown",
    "arrowleft",
    "arrowright",
    "shift+arrowleft",
    "shift+arrowright",
    "pageup",
    "pagedown",
    "home",
    "end",
  ]),
};

/** True if an element takes typed text. */
export function takesText(element) {
  if (!(element instanceof HTMLElement)) return false;
  if (element instanceof HTMLTextAreaElement || element.isContentEditable) return true;
  return element instanceof HTMLInputElement && TYPED.has(element.type);
}

/** The name of a pressed key: `space`, `enter`, `shift+arrowleft`, `ctrl+enter`, `j`, `?`. */
export function chord(event) {
  const bare = event.key === " " ? "space" : event.key.toLowerCase();
  const held = [];
  if (event.ctrlKey || event.metaKey) held.push("ctrl");
  if (event.altKey) held.push("alt");
  if (event.shiftKey && bare.length > 1) held.push("shift");
  return [...held, bare].join("+");
}

function ownKeys(element) {
  const role = element.getAttribute?.("role");
  if (role && OWN_KEYS[role]) return OWN_KEYS[role];
  const kind = element instanceof HTMLInputElement ? element.type : element.tagName?.toLowerCase();
  return OWN_KEYS[kind] ?? new Set();
}

/**
 * Listens to the keyboard.
 * @param {Array<{keys: string[], run: (event: KeyboardEvent, name: string) => unknown, everywhere?: boolean}>} bindings
 *   `everywhere` holds in text fields, too. An action that gives `false` leaves the key to the browser. What else a
 *   binding says is for its page, such as words for a help.
 * @param {{active?: () => boolean}} options whether the keys hold just now; an open dialog has its own
 * @returns {() => void} stops listening
 */
export function listen(bindings, { active = () => !document.querySelector("dialog[open]") } = {}) {
  const table = new Map(bindings.flatMap((binding) => binding.keys.map((key) => [key, binding])));
  const pressed = (event) => {
    if (event.isComposing || event.keyCode === 229 || event.defaultPrevented || !active()) return;
    const name = chord(event);
    const binding = table.get(name);
    if (!binding) return;
    const target = event.composedPath()[0];
    if (!binding.everywhere && (takesText(target) || ownKeys(target).has(name))) return;
    if (event.repeat && !name.includes("arrow")) return event.preventDefault();
    if (binding.run(event, name) !== false) event.preventDefault();
  };
  document.addEventListener("keydown", pressed);
  return () => document.removeEventListener("keydown", pressed);
}
