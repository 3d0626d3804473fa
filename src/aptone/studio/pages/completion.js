// The code with which somebody whom a platform has sent goes back there.
import { make } from "./dom.js";
import { say } from "./messages.js";

/** @param {{code: string, url: string}} completion `url` holds the code; empty where there is no address */
export function completionCard({ code, url }) {
  const shown = make("input", { readonly: true, value: code, class: "link", aria: { label: say("rate.code") } });
  shown.addEventListener("focus", () => shown.select());
  return make(
    "div",
    { class: "note good stack completion" },
    make("p", { text: say("rate.code.note") }),
    make("div", { class: "row" }, shown),
    url ? make("div", {}, make("a", { class: "button primary", href: url, text: say("rate.code.back") })) : null,
  );
}
