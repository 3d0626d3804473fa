// The way in: the token stands in the fragment of the personal link, which no server and no log sees.
import { ApiError, enter, goToProvider, join, kindly, providers, takePart } from "./api.js";
import { fill, make } from "./dom.js";
import { frame } from "./frame.js";
import { browserLanguage, language, say, setLanguage } from "./messages.js";

const main = document.getElementById("main");
const STUDY = "study="; // before the secret of a link that a platform hands out, with ids in its query
const sent = new URLSearchParams(location.search);
const first = (...names) => names.map((name) => sent.get(name)).find(Boolean) ?? "";
const asParticipant = { participant: first("PROLIFIC_PID", "workerId"), study: first("STUDY_ID", "hitId") };

/** The token of a link, or the token itself. */
const tokenOf = (text) => text.trim().split("#").at(-1).trim();

function form(message = "") {
  const field = make("input", {
    type: "password",
    id: "link",
    autocomplete: "off",
    required: true,
    placeholder: `${location.origin}/join#…`,
  });
  const follow = (event) => {
    event.preventDefault();
    open(tokenOf(field.value));
  };
  fill(
    main,
    make(
      "section",
      { class: "card stack welcome" },
      make("h2", { text: say("join.title") }),
      message ? make("p", { class: "note bad", role: "alert", text: message }) : null,
      make("p", {}, say("join.none"), " ", make("code", { text: `${location.origin}/join#…` })),
      make(
        "form",
        { class: "stack", on: { submit: follow } },
        make("label", { for: "link", text: say("join.paste") }),
        field,
        make("button", { class: "primary", type: "submit", text: say("join.open") }),
      ),
      passwordForm(),
    ),
  );
  showProviders();
}

/** A button for each provider that one can sign in by; none where the studio has none. */
async function showProviders() {
  const found = await providers().catch(() => []);
  const go = (id) => async () => {
    try {
      await goToProvider(id);
    } catch (error) {
      form(kindly(error));
    }
  };
  const buttons = found.map(({ id, name }) =>
    make("button", { type: "button", dir: "auto", text: say("join.with", { name }), on: { click: go(id) } }),
  );
  if (buttons.length) main.querySelector(".welcome")?.append(make("div", { class: "stack providers" }, ...buttons));
}

/** Name and password, for whoever has set one. */
function passwordForm() {
  const name = make("input", { id: "name", name: "username", autocomplete: "username", required: true });
  const password = make("input", {
    type: "password",
    id: "password",
    name: "password",
    autocomplete: "current-password",
    required: true,
  });
  const signIn = async (event) => {
    event.preventDefault();
    const given = { name: name.value, password: password.value };
    fill(main, make("p", { class: "card", role: "status", text: say("join.busy") }));
    try {
      await enter(given);
      location.replace("/");
    } catch (error) {
      form(kindly(error));
      document.getElementById("name").value = given.name;
    }
  };
  return make(
    "form",
    { class: "stack", on: { submit: signIn }, aria: { label: say("join.password") } },
    make("p", { text: say("join.password") }),
    make("label", { for: "name", text: say("join.name") }),
    name,
    make("label", { for: "password", text: say("join.secret") }),
    password,
    make("button", { type: "submit", text: say("join.enter") }),
  );
}

async function open(token) {
  if (!token) return form();
  fill(main, make("p", { class: "card", role: "status", text: say("join.busy") }));
  try {
    if (token.startsWith(STUDY)) await takePart({ ...asParticipant, secret: token.slice(STUDY.length), language: language() });
    else await join({ token, language: language() });
    location.replace("/");
  } catch (error) {
    const wrong = error instanceof ApiError && [400, 401, 403, 404, 410, 422].includes(error.status);
    form(wrong ? say("join.wrong") : kindly(error));
  }
}

setLanguage(browserLanguage());
frame({ title: "" });
const token = tokenOf(location.hash.length > 1 ? location.hash : "");
history.replaceState(null, "", "/join"); // the token leaves the address bar and the history
open(token);
window.addEventListener("hashchange", () => {
  const next = tokenOf(location.hash.length > 1 ? location.hash : "");
  history.replaceState(null, "", "/join");
  if (next) open(next);
});
