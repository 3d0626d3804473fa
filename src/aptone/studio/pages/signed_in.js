// Where a provider sends the browser back to: what it added to the address is sent to the studio, and leaves the address.
import { finishSignIn, kindly } from "./api.js";
import { fill, make } from "./dom.js";
import { frame } from "./frame.js";
import { browserLanguage, language, say, setLanguage } from "./messages.js";

const main = document.getElementById("main");
const sent = new URLSearchParams(location.search);
const provider = decodeURIComponent(location.pathname.split("/").at(-1));

async function finish() {
  fill(main, make("p", { class: "card", role: "status", text: say("join.provider-busy") }));
  const said = Object.fromEntries(["state", "code", "iss", "error"].map((name) => [name, sent.get(name) ?? ""]));
  try {
    await finishSignIn({ provider, ...said, language: language() });
    location.replace("/");
  } catch (error) {
    fill(
      main,
      make(
        "section",
        { class: "card stack welcome" },
        make("p", { class: "note bad", role: "alert", text: kindly(error) }),
        make("a", { class: "button primary", href: "/join", text: say("join.again") }),
      ),
    );
  }
}

setLanguage(browserLanguage());
frame({ title: "" });
history.replaceState(null, "", location.pathname); // the code leaves the address bar and the history
finish();
