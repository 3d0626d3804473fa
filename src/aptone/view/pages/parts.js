// Parts of pages that the server renders: fetched, and put in place of what was there. The server escapes every text,
// and parsing here runs no script.

/** Thrown for an answer that is no part of a page. */
export class PartError extends Error {}

/**
 * Fetches a part of a page.
 * @returns {Promise<{html: string, nodes: DocumentFragment}>}
 */
export async function fetchPart(address, { signal } = {}) {
  const answer = await fetch(address, { signal, headers: { accept: "text/html" }, credentials: "same-origin" });
  if (!answer.ok) throw new PartError(`${answer.status}`);
  const html = await answer.text();
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const nodes = document.createDocumentFragment();
  nodes.append(...[...parsed.body.childNodes].map((node) => document.adoptNode(node)));
  return { html, nodes };
}

/** Puts a part in place, unless it is what stands there already; gives whether anything changed. */
export async function replacePart(holder, address = holder.dataset.part) {
  const { html, nodes } = await fetchPart(address);
  if (holder.shownPart === html) return false;
  holder.shownPart = html;
  holder.replaceChildren(nodes);
  return true;
}

/** Goes to the place that the address names, once the part that holds it is there. */
export function goToFragment() {
  const name = decodeURIComponent(location.hash.slice(1));
  if (name) document.getElementById(name)?.scrollIntoView();
}
