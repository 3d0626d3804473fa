// Invitations: a link for a named person, shown once, and what became of those that were sent.
import { path, post, providers, remove } from "./api.js";
import { roleSelect } from "./admin_people.js";
import { make } from "./dom.js";
import { daysUntil, inDays } from "./figures.js";
import { keepRows, write } from "./live.js";
import { say } from "./messages.js";

const DAYS = 30;

/**
 * The section.
 * @param {{attempt: (change: () => Promise<unknown>) => Promise<void>}} options
 */
export function invitationsSection({ attempt }) {
  const body = make("tbody");
  const heads = ["name", "role", "state", "action"].map((name) =>
    make("th", { scope: "col", text: say(`desk.invitations.${name}`) }),
  );
  const table = make("table", { class: "blocks" }, make("thead", {}, make("tr", {}, ...heads)), body);
  const fresh = make("div", { aria: { live: "polite" } });
  const invite = async (wanted) => {
    const { name, token } = await post("/api/invitations", wanted);
    const card = freshLink(name, `${location.origin}/join#${token}`);
    fresh.prepend(card);
    return card;
  };
  const node = make(
    "section",
    { class: "stack", aria: { labelledby: "invitations-heading" } },
    make("h2", { id: "invitations-heading", text: say("desk.invitations") }),
    inviting(attempt, invite),
    fresh,
    table,
  );
  return {
    node,
    /** Another link for somebody who was here, in focus to be copied. */
    renew: ({ id, name, role }) =>
      attempt(async () => (await invite({ person: id, name, role, days: DAYS })).querySelector("input").focus()),
    show(invitations) {
      table.hidden = !invitations.length;
      keepRows(
        body,
        invitations,
        (one) => String(one.id),
        (one) => invitationRow(one, attempt),
      );
    },
  };
}

function inviting(attempt, invite) {
  const name = make("input", { id: "invite-name", name: "name", required: true, maxlength: 200, autocomplete: "off" });
  const role = roleSelect(say("desk.invitations.role"));
  const days = make("input", {
    id: "invite-days",
    name: "days",
    type: "number",
    min: 1,
    max: 365,
    value: DAYS,
    required: true,
  });
  const email = make("input", { id: "invite-email", type: "email", maxlength: 254, autocomplete: "off" });
  const byEmail = make("label", { class: "field" }, say("desk.invitations.email"), email);
  byEmail.hidden = true;
  providers().then((found) => (byEmail.hidden = !found.length), () => {});
  const form = make(
    "form",
    { class: "card invite" },
    make("label", { class: "field" }, say("desk.invitations.name"), name),
    make("label", { class: "field" }, say("desk.invitations.role"), role),
    make("label", { class: "field" }, say("desk.invitations.days"), days),
    byEmail,
    make("button", { class: "primary", type: "submit", text: say("desk.invitations.create") }),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(async () => {
      const address = email.value.trim();
      await invite({ name: name.value, role: role.value, days: Number(days.value), ...(address ? { email: address } : {}) });
      name.value = email.value = "";
      name.focus();
    });
  });
  return form;
}

function freshLink(name, link) {
  const shown = make("input", {
    readonly: true,
    value: link,
    class: "link",
    aria: { label: say("desk.invitations.link-of", { name }) },
  });
  shown.addEventListener("focus", () => shown.select());
  const copied = make("span", { class: "small", role: "status" });
  const copy = make("button", { type: "button", text: say("desk.copy") });
  copy.addEventListener("click", async () => {
    shown.select();
    try {
      await navigator.clipboard.writeText(link);
      copied.textContent = say("desk.copied");
    } catch {
      copied.textContent = say("desk.copy-yourself"); // the clipboard is closed to pages that are not https or local
    }
  });
  const card = make("div", { class: "note good stack" });
  const away = make("button", {
    type: "button",
    class: "quiet",
    text: say("desk.invitations.hide"),
    on: { click: () => card.remove() },
  });
  card.append(
    make("p", { text: say("desk.invitations.once", { name }) }),
    make("div", { class: "row" }, shown, copy, away, copied),
  );
  return card;
}

function invitationRow(invitation, attempt) {
  const state = make("span");
  const revoke = make("button", {
    type: "button",
    class: "danger",
    text: say("desk.invitations.revoke"),
    aria: { label: say("desk.invitations.revoke-of", { name: invitation.name }) },
    on: {
      click: () =>
        confirm(say("desk.invitations.revoke-sure", { name: invitation.name })) &&
        attempt(() => remove(path("api", "invitations", invitation.id))),
    },
  });
  const cell = (label, ...children) =>
    make("td", { dataset: { label: say(`desk.invitations.${label}`) } }, ...children);
  const node = make(
    "tr",
    {},
    make("th", { scope: "row", text: invitation.name, title: invitation.email }),
    cell("role", say(`desk.role.${invitation.role}`)),
    cell("state", state),
    make("td", {}, revoke),
  );
  return {
    node,
    fill(current) {
      const days = daysUntil(current.expires);
      const left = days > 0 ? say("desk.invitations.left", { when: inDays(days) }) : say("desk.invitations.expired");
      write(
        state,
        current.revoked
          ? say("desk.invitations.revoked")
          : current.person
            ? `${say("desk.invitations.used")}, ${left}`
            : left,
      );
      revoke.hidden = current.revoked || days === 0;
    },
  };
}
