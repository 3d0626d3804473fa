// The list of runs: kept up to date while they grow; two that are ticked can be compared.
import { keepFresh } from "./live.js";
import { replacePart } from "./parts.js";

const list = document.getElementById("run-list");
const boards = document.getElementById("boards");
const form = document.getElementById("compare");
const ticked = [];

function showTicks() {
  for (const box of list.querySelectorAll("input[name=tick]")) {
    box.checked = ticked.includes(box.value);
    box.disabled = !box.checked && ticked.length >= 2;
  }
  form.elements.a.value = ticked[0] ?? "";
  form.elements.b.value = ticked[1] ?? "";
  form.querySelector("button").disabled = ticked.length !== 2;
}

list.addEventListener("change", (event) => {
  const { value, checked } = event.target;
  if (checked) ticked.push(value);
  else ticked.splice(ticked.indexOf(value), 1);
  showTicks();
});

async function refresh() {
  const focused = document.activeElement?.name === "tick" ? document.activeElement.value : "";
  if (!(await replacePart(list))) return;
  showTicks();
  if (focused) list.querySelector(`input[value="${CSS.escape(focused)}"]`)?.focus();
}

const said = (error) => {
  document.getElementById("stale").hidden = error === null;
};
keepFresh(refresh, { seconds: 2, onResult: said })();
keepFresh(() => replacePart(boards), { seconds: 10, onResult: () => {} })();
showTicks();
document.documentElement.dataset.ready = "yes";
