// What stands between a person and the next item: consent, the headphone check, and rests.
import { get, kindly, path, post } from "./api.js";
import { fill, make } from "./dom.js";
import { addMessages, language, pick, say } from "./messages.js";

addMessages({
  "gate.consent": { en: "Before you begin", zh: "开始之前" },
  "gate.consent.agree": { en: "I have read this and agree to take part", zh: "我已阅读并同意参加" },
  "gate.consent.go": { en: "Agree and begin", zh: "同意并开始" },
  "gate.consent.no": { en: "I do not agree", zh: "我不同意" },
  "gate.consent.version": { en: "Version {version}. You can withdraw at any time under Account.", zh: "第 {version} 版。您可随时在“账户”中退出。" },
  "gate.headphones": { en: "Headphone check", zh: "耳机测试" },
  "gate.headphones.huggins": { en: "Put on headphones. Each sound has three noises; one of them hides a faint tone. Which one?", zh: "请戴上耳机。每段声音包含三段噪声，其中一段藏有微弱的音调。是哪一段？" },
  "gate.headphones.antiphase": { en: "Put on headphones. Each sound has three tones. Which one is the softest?", zh: "请戴上耳机。每段声音包含三个音。哪一个最轻？" },
  "gate.headphones.rule": { en: "{needed} of {trials} must be right; attempts left: {left}.", zh: "{trials} 题中须答对 {needed} 题；剩余尝试：{left}。" },
  "gate.headphones.trial": { en: "Sound {number}", zh: "声音 {number}" },
  "gate.headphones.choice": { en: "Number {number}", zh: "第 {number} 段" },
  "gate.headphones.done": { en: "Done", zh: "完成" },
  "gate.headphones.failed": { en: "{right} right. Check that both ears have sound, then try again.", zh: "答对 {right} 题。请确认两只耳朵都有声音，然后再试一次。" },
  "gate.no-headphones": { en: "The headphone check was not passed, so you cannot rate this task. Ask whoever runs the study.", zh: "耳机测试未通过，因此无法评分。请联系研究负责人。" },
  "gate.break": { en: "Time for a rest", zh: "休息一下" },
  "gate.break.forced": { en: "Rest your ears. You can go on in {seconds} s.", zh: "让耳朵休息一下。{seconds} 秒后可以继续。" },
  "gate.break.suggested": { en: "You have rated {items} items. A short rest keeps your ears sharp; go on whenever you like.", zh: "您已评 {items} 个条目。短暂休息有助于保持听力敏锐；随时可以继续。" },
  "gate.go-on": { en: "Go on", zh: "继续" },
});

const card = (name, title, ...parts) =>
  make("section", { class: "card stack end gate", dataset: { gate: name } }, make("h2", { text: title }), ...parts);
const button = (text, run, kind = "primary") =>
  make("button", { type: "button", class: kind, text, on: { click: run } });

/** Shows the consent text; resolves when it was agreed to. */
async function askConsent(main) {
  const { version, text, given } = await get("/api/consent");
  if (!version || typeof given === "number") return;
  await new Promise((done) => {
    const box = make("input", { type: "checkbox", id: "consent-box" });
    const trouble = make("p", { class: "bad small", role: "alert" });
    const go = button(say("gate.consent.go"), async () => {
      try {
        await post("/api/consent", { version, language: language() });
        done();
      } catch (error) {
        fill(trouble, kindly(error));
      }
    });
    go.disabled = true;
    box.addEventListener("change", () => {
      go.disabled = !box.checked;
    });
    const lines = pick(text).split(/\n\s*\n/u).map((words) => make("p", { text: words, dir: "auto" }));
    fill(
      main,
      card(
        "consent",
        say("gate.consent"),
        make("div", { class: "prose consent-text" }, ...lines),
        make("label", { class: "row", for: "consent-box" }, box, make("span", { text: say("gate.consent.agree") })),
        make("div", { class: "row" }, go, make("a", { class: "button", href: "/", text: say("gate.consent.no") })),
        make("p", { class: "small muted", text: say("gate.consent.version", { version }) }),
        trouble,
      ),
    );
  });
}

/** One attempt at the headphone check; resolves to whether one may go on. */
async function attemptHeadphones(main, task, told) {
  const test = await post(path("api", "tasks", task.name, "headphones"));
  const answers = Array.from({ length: test.trials }, () => null);
  const result = await new Promise((done) => {
    const trouble = make("p", { class: "bad small", role: "alert" });
    const send = button(say("gate.headphones.done"), async () => {
      try {
        done(await post(path("api", "headphones", test.id), { answers }));
      } catch (error) {
        fill(trouble, kindly(error));
      }
    });
    send.disabled = true;
    const trials = answers.map((_, index) => {
      const sound = make("audio", { src: path("api", "headphones", test.id, String(index)) });
      sound.controls = true;
      sound.preload = "auto";
      const choices = [0, 1, 2].map((place) =>
        make(
          "label",
          { class: "choice" },
          make("input", {
            type: "radio",
            name: `trial-${index}`,
            value: String(place),
            on: {
              change: () => {
                answers[index] = place;
                send.disabled = answers.includes(null);
              },
            },
          }),
          make("span", { text: say("gate.headphones.choice", { number: place + 1 }) }),
        ),
      );
      const label = say("gate.headphones.trial", { number: index + 1 });
      return make(
        "fieldset",
        { class: "stack", dataset: { trial: String(index) } },
        make("legend", { text: label }),
        sound,
        make("div", { class: "choices", role: "radiogroup", aria: { label } }, ...choices),
      );
    });
    const rule = { needed: test.needed, trials: test.trials, left: test.attempts_left };
    fill(
      main,
      card(
        "headphones",
        say("gate.headphones"),
        told ? make("p", { class: "note warn", role: "status", text: told }) : null,
        make("p", { text: say(`gate.headphones.${test.kind}`) }),
        make("p", { class: "small muted", text: say("gate.headphones.rule", rule) }),
        ...trials,
        make("div", { class: "row" }, send),
        trouble,
      ),
    );
  });
  return result;
}

let failure = ""; // what came of the attempt before

async function checkHeadphones(main, task) {
  const { passed, right } = await attemptHeadphones(main, task, failure);
  failure = passed ? "" : say("gate.headphones.failed", { right });
}

/** Shows a rest; resolves when it is over, or at once where it is only suggested and somebody goes on. */
export function rest(main, { forced, seconds, items }) {
  return new Promise((done) => {
    let left = Math.ceil(seconds);
    const text = make("p", {});
    const go = button(say("gate.go-on"), done);
    const show = () => {
      go.disabled = forced && left > 0;
      text.textContent = forced
        ? say("gate.break.forced", { seconds: Math.max(0, left) })
        : say("gate.break.suggested", { items });
    };
    show();
    fill(main, card("break", say("gate.break"), text, make("div", { class: "row" }, go)));
    const timer = setInterval(() => {
      left -= 1;
      show();
      if (left <= 0 || !go.isConnected) clearInterval(timer);
    }, 1000);
  });
}

/** Leads through what stands before rating; resolves to false where there is no way on. */
export async function passGate(main, task, gate) {
  if (gate === "consent") await askConsent(main);
  else if (gate === "headphones") await checkHeadphones(main, task);
  else if (gate === "no-headphones") {
    fill(
      main,
      card(
        "no-headphones",
        say("gate.headphones"),
        make("p", { text: say("gate.no-headphones") }),
        make("a", { class: "button primary", href: "/", text: say("rate.back") }),
      ),
    );
    return false;
  }
  return true;
}
