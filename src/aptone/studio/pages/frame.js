// Header of every page: signed-in person, language, theme, sign-out.
import { me, patch, remove, ApiError } from "./api.js";
import { fill, make, picture } from "./dom.js";
import { browserLanguage, language, languages, say, setLanguage } from "./messages.js";

const THEMES = ["auto", "light", "dark"];

const kept = (name) => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};
const keep = (name, value) => {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Storage is switched off: the choice holds until the page is left.
  }
};

function themeButton() {
  const now = () => document.documentElement.dataset.theme ?? "auto";
  const button = make("button", { class: "quiet icon", type: "button" });
  const draw = () => {
    const name = say(`theme.${now()}`);
    button.setAttribute("aria-label", name);
    button.title = name;
    fill(button, picture(now()));
  };
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(now()) + 1) % THEMES.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    keep("aptone.theme", next);
    draw();
    window.dispatchEvent(new Event("aptone-theme"));
  });
  draw();
  return button;
}

function languageButton(person) {
  const codes = Object.keys(languages());
  const next = codes[(codes.indexOf(language()) + 1) % codes.length];
  const change = async () => {
    keep("aptone.language", next);
    try {
      if (person) await patch("/api/me", { language: next });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // the server is away: the language stays as it is
    }
    location.reload();
  };
  return make(
    "button",
    {
      class: "quiet",
      type: "button",
      lang: next,
      aria: { label: `${say("language")}: ${languages()[next]}` },
      on: { click: change },
    },
    next === "zh" ? "中文" : "EN",
  );
}

/** The links that a person's role opens. */
function links(person) {
  if (!person) return [];
  const admin = person.role === "admin" ? [make("a", { href: "/admin", text: say("link.admin") })] : [];
  return [...admin, make("a", { href: "/account", text: say("link.account") })];
}

/**
 * Draws the header into `<header id="frame">`.
 * @param {{person?: object|null, title?: string, extra?: Node[]}} options `extra`: a page's own buttons, before the
 *   language
 */
export function frame({ person = null, title = "", extra = [] } = {}) {
  const leave = async () => {
    try {
      await remove("/api/session");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
    location.assign("/join");
  };
  const header = document.getElementById("frame");
  header.className = "frame";
  document.title = title ? `${title} · ${say("brand")}` : say("brand");
  fill(
    header,
    make("a", { class: "skip", href: "#main", text: say("skip") }),
    make(
      "div",
      { class: "frame-inner" },
      make("a", { class: "frame-brand", href: "/", text: "aptone" }),
      make("h1", { class: "frame-title", text: title }),
      make(
        "nav",
        { class: "frame-links", aria: { label: say("brand") } },
        ...links(person),
        ...extra,
        languageButton(person),
        themeButton(),
        person
          ? make(
              "button",
              {
                class: "quiet icon",
                type: "button",
                title: say("leave"),
                aria: { label: say("leave") },
                on: { click: leave },
              },
              picture("leave"),
            )
          : null,
      ),
    ),
  );
}

/**
 * Finds out who is there and speaks their language. Whoever is signed out goes to `/join`; while the server is away,
 * the error is the caller's.
 */
export async function begin() {
  setLanguage(kept("aptone.language") ?? browserLanguage());
  try {
    const person = await me();
    setLanguage(person.language);
    return person;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) {
      location.replace("/join");
      await new Promise(() => {}); // the page is being left
    }
    throw error;
  }
}
