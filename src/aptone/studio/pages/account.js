// The own account: how one signs in, and the sessions that are open.
import { get, goToProvider, kindly, path, post, providers, put, remove } from "./api.js";
import { fill, make } from "./dom.js";
import { ago } from "./figures.js";
import { begin, frame } from "./frame.js";
import { addMessages, say } from "./messages.js";

addMessages({
  "account.title": { en: "Account", zh: "账户" },
  "account.password": { en: "Password", zh: "密码" },
  "account.name": { en: "Your sign-in name is {name}.", zh: "您的登录名是 {name}。" },
  "account.none": { en: "You have no password yet: you come in by your personal link. With one you can sign in on any device by name and password, also after the link has ended.", zh: "您还没有密码，目前通过个人链接进入。设置密码后，可在任何设备上用名称和密码登录，链接失效后也可以。" },
  "account.some": { en: "Your password was set {when}. Setting another one ends all other sessions.", zh: "密码设置于{when}。设置新密码会结束其他所有登录。" },
  "account.current": { en: "Current password", zh: "当前密码" },
  "account.new": { en: "New password, at least 12 characters", zh: "新密码，至少 12 个字符" },
  "account.set": { en: "Set the password", zh: "设置密码" },
  "account.done": { en: "The password is set. All other sessions have ended.", zh: "密码已设置，其他登录均已结束。" },
  "account.services": { en: "Sign-in services", zh: "登录服务" },
  "account.services.text": { en: "Connect one, and you can come in with it as well as by your link.", zh: "关联后，除个人链接外，也可用它登录。" },
  "account.connect": { en: "Connect with {name}", zh: "关联 {name}" },
  "account.connected": { en: "Connected with {name} {when}.", zh: "已关联 {name}（{when}）。" },
  "account.disconnect": { en: "Disconnect {name}", zh: "取消关联 {name}" },
  "account.no-password": { en: "You came in by a sign-in service. To set a password, open your personal link.", zh: "您是通过登录服务进入的。如需设置密码，请打开您的个人链接。" },
  "account.sessions": { en: "Open sessions", zh: "当前登录" },
  "account.device": { en: "Device", zh: "设备" },
  "account.unknown": { en: "unknown", zh: "未知" },
  "account.by": { en: "Signed in by", zh: "登录方式" },
  "account.by.link": { en: "personal link", zh: "个人链接" },
  "account.by.provider": { en: "sign-in service", zh: "登录服务" },
  "account.by.password": { en: "password", zh: "密码" },
  "account.seen": { en: "Last seen", zh: "最近使用" },
  "account.this": { en: "this one", zh: "当前" },
  "account.end": { en: "End", zh: "结束" },
  "account.end-of": { en: "End the session of {device}, last seen {seen}", zh: "结束 {device} 的登录（最近使用：{seen}）" },
  "account.withdraw": { en: "Withdraw from the study", zh: "退出研究" },
  "account.withdraw.text": { en: "Your account, your consent and all your answers are erased for good, and your links stop working. Backups and exports made before still hold them; whoever runs the study can delete those.", zh: "您的账户、同意记录和全部回答将被永久删除，链接也会失效。之前的备份和导出仍含有这些数据，可由研究负责人删除。" },
  "account.withdraw.keep": { en: "My answers may stay, without anything that leads back to me", zh: "我的回答可以保留，但不留下任何与我有关的信息" },
  "account.withdraw.name": { en: "Type your sign-in name ({name}) to confirm", zh: "请输入您的登录名（{name}）以确认" },
  "account.withdraw.do": { en: "Withdraw", zh: "退出" },
  "account.withdraw.done": { en: "You have withdrawn. Thank you for your time.", zh: "您已退出。感谢您的参与。" },
  "account.end-others": { en: "End all others", zh: "结束其他所有登录" },
});

const main = document.getElementById("main");

function passwordSection(account, current, told) {
  const field = (id, autocomplete) => make("input", { type: "password", id, autocomplete, required: true, maxlength: 200 });
  const needs = account.password_set !== null && current?.by !== "link";
  if (account.password_set === null && current?.by === "provider") {
    return make(
      "section",
      { class: "card stack", aria: { labelledby: "password-heading" } },
      make("h2", { id: "password-heading", text: say("account.password") }),
      told,
      make("p", { text: say("account.no-password") }),
    );
  }
  const before = needs ? field("current", "current-password") : null;
  const fresh = field("new", "new-password");
  const change = async (event) => {
    event.preventDefault();
    const body = { password: fresh.value, ...(before ? { current: before.value } : {}) };
    await attempt(() => put("/api/me/password", body), "account.done");
  };
  return make(
    "section",
    { class: "card stack", aria: { labelledby: "password-heading" } },
    make("h2", { id: "password-heading", text: say("account.password") }),
    told,
    make("p", { text: say("account.name", { name: account.name }) }),
    make("p", {
      text:
        account.password_set === null
          ? say("account.none")
          : say("account.some", { when: ago(account.password_set) }),
    }),
    make(
      "form",
      { class: "stack", on: { submit: change } },
      make("input", { type: "hidden", name: "username", autocomplete: "username", value: account.name }),
      before ? make("label", { for: "current", text: say("account.current") }) : null,
      before,
      make("label", { for: "new", text: say("account.new") }),
      fresh,
      make("div", { class: "row" }, make("button", { class: "primary", type: "submit", text: say("account.set") })),
    ),
  );
}

/** Providers that the account is connected with, and those that it could be; nothing where there are none. */
function servicesSection(account, offered) {
  if (!offered.length && !account.identities.length) return null;
  const named = (issuer) => offered.find((one) => one.issuer === issuer)?.name ?? issuer;
  const connected = account.identities.map((one) =>
    make(
      "div",
      { class: "row spread" },
      make("span", { text: say("account.connected", { name: named(one.issuer), when: ago(one.created) }) }),
      make("button", {
        type: "button",
        text: say("account.disconnect", { name: named(one.issuer) }),
        on: { click: () => attempt(() => remove(path("api", "me", "identities", one.id))) },
      }),
    ),
  );
  const others = offered.filter((one) => !account.identities.some(({ issuer }) => issuer === one.issuer));
  const buttons = others.map(({ id, name }) =>
    make("button", {
      type: "button",
      text: say("account.connect", { name }),
      on: { click: () => goToProvider(id, { connect: true }).catch((error) => show(badNews(error))) },
    }),
  );
  return make(
    "section",
    { class: "card stack", aria: { labelledby: "services-heading" } },
    make("h2", { id: "services-heading", text: say("account.services") }),
    make("p", { text: say("account.services.text") }),
    ...connected,
    make("div", { class: "row" }, ...buttons),
  );
}

const badNews = (error) => make("p", { class: "note bad", role: "alert", text: kindly(error) });

function sessionRow(session) {
  const device = session.device || say("account.unknown");
  const seen = ago(session.seen);
  const end = make("button", {
    type: "button",
    text: say("account.end"),
    aria: { label: say("account.end-of", { device, seen }) },
    on: { click: () => attempt(() => remove(path("api", "me", "sessions", session.id))) },
  });
  return make(
    "tr",
    { dataset: { session: session.id } },
    make("th", { scope: "row", text: device }),
    make("td", { dataset: { label: say("account.by") }, text: say(`account.by.${session.by}`) }),
    make("td", { dataset: { label: say("account.seen") }, text: seen }),
    make("td", {}, session.current ? make("span", { class: "chip", text: say("account.this") }) : end),
  );
}

function sessionsSection(account) {
  const heads = ["device", "by", "seen"].map((name) => make("th", { scope: "col", text: say(`account.${name}`) }));
  const others = account.sessions.some((session) => !session.current);
  return make(
    "section",
    { class: "card stack", aria: { labelledby: "sessions-heading" } },
    make("h2", { id: "sessions-heading", text: say("account.sessions") }),
    make(
      "table",
      { class: "blocks" },
      make("thead", {}, make("tr", {}, ...heads, make("td"))),
      make("tbody", {}, ...account.sessions.map(sessionRow)),
    ),
    others
      ? make("button", {
          type: "button",
          text: say("account.end-others"),
          on: { click: () => attempt(() => remove("/api/me/sessions")) },
        })
      : null,
  );
}

function withdrawalSection(account) {
  const name = make("input", { type: "text", id: "withdraw-name", autocomplete: "off", maxlength: 200 });
  const keep = make("input", { type: "checkbox", id: "withdraw-keep" });
  const told = make("p", { class: "bad small", role: "alert" });
  const go = make("button", { type: "submit", text: say("account.withdraw.do") });
  const leave = async (event) => {
    event.preventDefault();
    try {
      await post("/api/me/withdrawal", { name: name.value.trim(), keep_answers: keep.checked });
      localStorage.clear(); // what waited on this device, too
      frame();
      fill(main, make("p", { class: "note good", role: "status", text: say("account.withdraw.done") }));
    } catch (error) {
      fill(told, kindly(error));
    }
  };
  return make(
    "details",
    { class: "card withdrawal" },
    make("summary", { text: say("account.withdraw") }),
    make(
      "form",
      { class: "stack", on: { submit: leave } },
      make("p", { text: say("account.withdraw.text") }),
      make("label", { class: "row", for: "withdraw-keep" }, keep, make("span", { text: say("account.withdraw.keep") })),
      make("label", { for: "withdraw-name", text: say("account.withdraw.name", { name: account.name }) }),
      name,
      make("div", { class: "row" }, go),
      told,
    ),
  );
}

/** Changes something and shows the account again, with what came of it. */
async function attempt(change, word = "") {
  let told = null;
  try {
    await change();
    if (word) told = make("p", { class: "note good", role: "status", text: say(word) });
  } catch (error) {
    told = badNews(error);
  }
  await show(told);
}

async function show(told = null) {
  try {
    const [account, offered] = await Promise.all([get("/api/me/account"), providers()]);
    const current = account.sessions.find((session) => session.current);
    fill(main, passwordSection(account, current, told), servicesSection(account, offered), sessionsSection(account), withdrawalSection(account));
  } catch (error) {
    fill(
      main,
      make("p", { class: "note bad", role: "alert", text: kindly(error) }),
      make("button", { class: "primary", type: "button", text: say("retry"), on: { click: () => show() } }),
    );
  }
}

async function start() {
  try {
    frame({ person: await begin(), title: say("account.title") });
    await show();
  } catch (error) {
    frame();
    fill(main, make("p", { class: "note bad", role: "alert", text: kindly(error) }));
  }
}

start();
