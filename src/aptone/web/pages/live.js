// Pages that keep themselves up to date: rows that change in place, and a clock that asks the server again.
//
// A row is made once and then only filled, so whoever stands in it with the keyboard, has scrolled to it or is typing in
// it stays there.

/**
 * Bring the children of a parent in line with records, one child a record.
 *
 * @param {Element} parent holds the children and nothing else.
 * @param {object[]} records in the order in which they are shown.
 * @param {(record: object) => string} key what makes a record the same as before.
 * @param {(record: object) => {node: Element, fill: (record: object) => void}} make a child for a record, filled later.
 */
export function keepRows(parent, records, key, make) {
  const rows = (parent.keptRows ??= new Map());
  const wanted = new Set(records.map(key));
  for (const [name, row] of rows) {
    if (wanted.has(name)) continue;
    row.node.remove();
    rows.delete(name);
  }
  let before = null;
  for (const record of records) {
    const name = key(record);
    if (!rows.has(name)) rows.set(name, make(record));
    const row = rows.get(name);
    row.fill(record);
    const next = before ? before.nextElementSibling : parent.firstElementChild;
    if (row.node !== next) parent.insertBefore(row.node, next);
    before = row.node;
  }
}

/** Write text into a node, and leave the node alone when it says so already. */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Give a form's control the server's value, unless somebody is at it. */
export function settle(control, name, value) {
  if (document.activeElement !== control && control[name] !== value) control[name] = value;
}

/** Factor of the waiting time over the server's reply time, so that watching a large study does not slow it down. */
const PATIENCE = 8;

/**
 * Ask again every few seconds while the page is in sight, less often while answers take long, and less and less while
 * asking fails.
 *
 * @param {() => Promise<void>} refresh asks and shows.
 * @param {{seconds: number, onResult: (error: Error|null) => void}} options `onResult` gets the result of each attempt.
 * @returns {() => Promise<void>} asks at once, such as after a change.
 */
export function keepFresh(refresh, { seconds, onResult }) {
  const slowest = 60;
  let wait = seconds;
  let timer = 0;
  let running = null;
  async function ask() {
    clearTimeout(timer);
    const begun = performance.now();
    try {
      await refresh();
      wait = Math.min(slowest, Math.max(seconds, (PATIENCE * (performance.now() - begun)) / 1000));
      onResult(null);
    } catch (error) {
      wait = Math.min(slowest, wait * 2);
      onResult(error);
    }
    if (!document.hidden) timer = setTimeout(once, wait * 1000);
  }
  function once() {
    running ??= ask().finally(() => {
      running = null;
    });
    return running;
  }
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else once();
  });
  return () => (running ? running.then(once) : once()); // what was asked before a change may not know of it yet
}
