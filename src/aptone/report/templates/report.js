// The table of all items: sorted, searched and filtered, and remembered in the address.
document.addEventListener("DOMContentLoaded", () => {
  const root = document.documentElement;
  const page = 100; // rows in the document at once: thousands stay quick to lay out
  const table = document.querySelector("table.items");
  const body = table.tBodies[0];
  const form = document.querySelector("form.tools");
  const more = document.querySelector("button.more");
  const told = form.querySelector("output");
  const heads = [...table.querySelectorAll("th")];
  const columns = new Map();
  heads.forEach((head, index) => {
    const button = head.querySelector("button");
    if (button) columns.set(button.dataset.sort, { index, head, number: head.classList.contains("number") });
  });
  const collator = new Intl.Collator(root.lang, { numeric: true });
  const rows = [...body.rows].map((row, position) => ({
    row, position, state: row.dataset.state, text: row.textContent.toLowerCase(),
  }));
  const wanted = { filter: "", search: "", sort: "" };
  let limit = page;

  const key = (entry, column) => {
    const cell = entry.row.cells[column.index];
    if (!column.number) return cell.textContent.trim();
    return cell.dataset.value === "" ? NaN : Number(cell.dataset.value);
  };
  const sorted = (list) => {
    const down = wanted.sort.startsWith("-");
    const column = columns.get(down ? wanted.sort.slice(1) : wanted.sort);
    if (!column) return list;
    const keyed = list.map((entry) => [key(entry, column), entry]);
    keyed.sort(([a, one], [b, two]) => {
      if (column.number && Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1; // undefined: last
      const order = column.number ? (Number.isNaN(a) ? 0 : a - b) : collator.compare(a, b);
      return (down ? -order : order) || one.position - two.position;
    });
    return keyed.map(([, entry]) => entry);
  };
  const show = () => {
    const needle = wanted.search.toLowerCase();
    const matching = sorted(rows.filter((entry) =>
      (!wanted.filter || entry.state === wanted.filter) && (!needle || entry.text.includes(needle))));
    body.replaceChildren(...matching.slice(0, limit).map((entry) => entry.row));
    more.hidden = matching.length <= limit;
    told.textContent = told.dataset.phrase
      .replace("{shown}", Math.min(limit, matching.length))
      .replace("{matching}", matching.length).replace("{all}", rows.length);
    const name = wanted.sort.replace(/^-/, "");
    for (const [key, column] of columns) {
      column.head.setAttribute("aria-sort",
        key !== name ? "none" : wanted.sort.startsWith("-") ? "descending" : "ascending");
    }
  };
  const remember = () => {
    const kept = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value));
    history.replaceState(null, "", "#" + (kept.toString() || "items"));
  };
  const recall = () => {
    if (!location.hash.includes("=")) return;
    const given = new URLSearchParams(location.hash.slice(1));
    for (const name of Object.keys(wanted)) wanted[name] = given.get(name) || "";
    if (form.elements.filter) form.elements.filter.value = wanted.filter;
    form.elements.search.value = wanted.search;
    limit = page;
    show();
    document.getElementById("items").scrollIntoView();
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    wanted.filter = form.elements.filter ? form.elements.filter.value : "";
    wanted.search = form.elements.search.value.trim();
    limit = page;
    show();
    remember();
  });
  for (const [name, column] of columns) {
    column.head.querySelector("button").addEventListener("click", () => {
      wanted.sort = wanted.sort === name ? "-" + name : name;
      show();
      remember();
    });
  }
  more.addEventListener("click", () => { limit += 5 * page; show(); });
  window.addEventListener("hashchange", recall);
  show();
  recall();
  root.dataset.script = "ready";
});
