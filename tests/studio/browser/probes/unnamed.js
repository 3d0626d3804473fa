// What a screen reader could not name.
() => {
  const operated = "button, input, textarea, select, a, [role=slider], [role=radiogroup], [role=group]";
  const nameOf = (one) =>
    one.getAttribute("aria-label") ||
    (one.labels?.length && [...one.labels].map((label) => label.textContent).join("")) ||
    document.getElementById(one.getAttribute("aria-labelledby"))?.textContent ||
    one.textContent.trim();
  return [...document.querySelectorAll(operated)]
    .filter((one) => one.checkVisibility() && !nameOf(one))
    .map((one) => one.outerHTML.slice(0, 90));
}
