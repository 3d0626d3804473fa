// The form of filters: every change asks the server, and the address keeps what was asked, so that it can be sent.

const TYPING = 180;

/** The address that a form asks for, without what is empty. */
function asked(form) {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value && name !== "page") query.append(name, value);
  if (!query.get("low") && !query.get("high")) query.delete("score");
  const text = query.toString();
  return form.getAttribute("action") + (text ? `?${text}` : "");
}

/**
 * Listens to a form of filters.
 * @param {HTMLFormElement} form
 * @param {(address: string) => Promise<void>} show shows what an address asks for
 */
export function watchFilters(form, show) {
  let timer = 0;
  const apply = () => {
    clearTimeout(timer);
    const address = asked(form);
    history.replaceState(null, "", address);
    return show(address);
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply();
  });
  form.addEventListener("input", (event) => {
    clearTimeout(timer);
    if (event.target.tagName === "SELECT") apply();
    else timer = setTimeout(apply, TYPING);
  });
}
