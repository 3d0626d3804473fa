// Building the page from text that nobody vouches for: everything goes through textContent and attributes of a fixed
// set, so that no text can become an element.

const ATTRIBUTES = new Set([
  "accept",
  "autocomplete",
  "class",
  "colspan",
  "dir",
  "disabled",
  "download",
  "for",
  "height",
  "href",
  "id",
  "inputmode",
  "lang",
  "list",
  "max",
  "maxlength",
  "method",
  "min",
  "multiple",
  "name",
  "open",
  "placeholder",
  "readonly",
  "rel",
  "required",
  "role",
  "rows",
  "scope",
  "selected",
  "spellcheck",
  "src",
  "step",
  "tabindex",
  "target",
  "title",
  "type",
  "value",
  "width",
]);
const SVG = "http://www.w3.org/2000/svg";

/**
 * An element.
 * @param {string} tag
 * @param {object} properties `text`, `on` (event to listener), `dataset`, `aria` (name to value), or an attribute of the
 *   fixed set
 * @param {...(Node|string|null)} children strings become text
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name === "on") for (const [event, run] of Object.entries(value)) element.addEventListener(event, run);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "aria")
      for (const [key, text] of Object.entries(value)) element.setAttribute(`aria-${key}`, text);
    else if (ATTRIBUTES.has(name)) element.setAttribute(name, value === true ? "" : value);
    else throw new TypeError(`make: no property ${name}`);
  }
  if (
    typeof element.href === "string" &&
    element.getAttribute("href") !== null &&
    !/^(https?|blob):$/.test(element.protocol)
  ) {
    element.removeAttribute("href");
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const PICTURES = {
  play: "M7 4l13 8-13 8z",
  pause: "M8 5v14M16 5v14",
  replay: "M4 5v5h5M4.6 10A8 8 0 1 1 4 14",
  region: "M5 4v16M19 4v16M10 9l5 3-5 3z",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
  help: "M9 9a3 3 0 1 1 4 2.8c-.7.3-1 .8-1 1.7M12 17.5v.01M12 2.8a9.2 9.2 0 1 1 0 18.4 9.2 9.2 0 0 1 0-18.4z",
  light:
    "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v2M12 20v2M4 12H2M22 12h-2M5 5l1.4 1.4M17.6 17.6 19 19M5 19l1.4-1.4M17.6 6.4 19 5",
  dark: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z",
  auto: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 3v18M12 8h7M12 13h8.5M12 18h6",
  leave: "M10 4H5v16h5M15 8l4 4-4 4M19 12H9",
  restore: "M4 5v5h5M4.6 10A8 8 0 1 1 4 14",
  good: "M5 12.5l4.5 4.5L19 7.5",
  todo: "M12 7a5 5 0 1 1 0 10 5 5 0 0 1 0-10z",
  warn: "M12 4l9 16H3zM12 10v4M12 17v.01",
};

/** A small line drawing, hidden from screen readers: the button that holds it carries the name. */
export function picture(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon-picture");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PICTURES[name]);
  svg.append(path);
  return svg;
}

/** A button that shows a drawing; its name is said and shown on pointing. */
export function iconButton(drawing, name, run) {
  const about = { type: "button", class: "quiet icon", title: name, aria: { label: name }, on: { click: run } };
  return make("button", about, picture(drawing));
}

/** Replaces what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
