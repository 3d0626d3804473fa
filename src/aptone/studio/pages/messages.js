// Messages of the pages, in English and Mandarin. A page adds its own with `addMessages`.

const MESSAGES = {
  "brand": { en: "Aptone studio", zh: "Aptone 评听室" },
  "skip": { en: "Skip to the content", zh: "跳到正文" },
  "home": { en: "My tasks", zh: "我的任务" },
  "language": { en: "Language", zh: "语言" },
  "theme.auto": { en: "Theme: as the system", zh: "主题：跟随系统" },
  "theme.light": { en: "Theme: light", zh: "主题：浅色" },
  "theme.dark": { en: "Theme: dark", zh: "主题：深色" },
  "leave": { en: "Sign out", zh: "退出" },
  "close": { en: "Close", zh: "关闭" },
  "help": { en: "Help and keys", zh: "帮助与按键" },
  "help.keys": { en: "Keys", zh: "按键" },
  "retry": { en: "Try again", zh: "重试" },
  "link.admin": { en: "Study", zh: "研究管理" },
  "link.account": { en: "Account", zh: "账户" },
  "link.adjudicate": { en: "Adjudicate", zh: "裁定" },
  "link.results": { en: "Results", zh: "结果" },
  "link.agreement": { en: "Agreement", zh: "一致性" },

  "error.offline": { en: "The server cannot be reached just now.", zh: "暂时连不上服务器。" },
  "error.signed-out": { en: "You are signed out. Open your personal link again.", zh: "您已退出登录。请重新打开您的个人链接。" },
  "error.forbidden": { en: "This is not open to you.", zh: "您没有权限查看此内容。" },
  "error.missing": { en: "There is nothing here.", zh: "这里没有内容。" },
  "error.large": { en: "That is too large.", zh: "内容过大。" },
  "error.type": { en: "That is not a type this place takes.", zh: "此处不接受这种类型的文件。" },
  "error.often": { en: "Too many attempts. Try again in {seconds} s.", zh: "尝试次数过多，请在 {seconds} 秒后重试。" },
  "error.server": { en: "The server had a problem; what you entered is kept. Try again in a moment.", zh: "服务器出现问题；您输入的内容已保留，请稍后重试。" },
  "error.unexpected": { en: "Something went wrong: {detail}", zh: "出错了：{detail}" },

  "refused.closed": { en: "This task is closed. Ask whoever runs the study.", zh: "此任务已关闭，请联系研究负责人。" },
  "refused.locked": { en: "Answers of calibration and test cannot be changed once they are submitted.", zh: "校准与资格测试的回答提交后不能修改。" },
  "refused.released": { en: "This item was left alone for long, and went to somebody else. Go on with the next one.", zh: "此条目搁置过久，已交给其他人，请继续下一条。" },
  "refused.too-early": { en: "Less time went by than the clip lasts. Listen to its end.", zh: "所用时间短于录音时长，请听完整段录音。" },
  "refused.not-heard": { en: "A clip was not heard to its end yet. Play it to its end.", zh: "还有录音没有听完，请播放到结尾。" },
  "refused.too-many-changes": { en: "You have stored as many changes of this item as one person can. Load the page again: the answers that it shows are stored, and can be submitted.", zh: "您对此条目的修改次数已达上限。请重新加载页面：页面上显示的回答都已保存，可以提交。" },
  "refused.disk-full": { en: "The studio's disk is full. What you entered is kept here; tell whoever runs the study, and try again when there is room.", zh: "服务器磁盘已满。您输入的内容已保留在本机；请告知研究负责人，腾出空间后重试。" },
  "refused.bad-password": { en: "That password is not right.", zh: "密码不正确。" },
  "refused.sign-in-expired": { en: "This sign-in took too long, or began in another browser. Please sign in again.", zh: "此次登录已超时，或是在其他浏览器中开始的。请重新登录。" },
  "refused.sign-in-declined": { en: "You were not signed in there. You can try again, or use your personal link.", zh: "对方未完成登录。您可以重试，或使用个人链接。" },
  "refused.sign-in-untrusted": { en: "The reply of the sign-in service could not be trusted, so you were not let in. Tell whoever runs the study.", zh: "登录服务的回复不可信，因此未能进入。请告知研究负责人。" },
  "refused.sign-in-unreachable": { en: "The sign-in service cannot be reached just now. Try again in a moment, or use your personal link.", zh: "暂时连不上登录服务。请稍后重试，或使用个人链接。" },
  "refused.sign-in-not-invited": { en: "Nobody with this account was invited to the study. Open the personal link that you were sent, or ask for an invitation.", zh: "此账户没有受邀参加研究。请打开发给您的个人链接，或请求邀请。" },
  "refused.identity-taken": { en: "That account is connected with somebody else here.", zh: "该账户已与此处的其他人关联。" },
  "refused.superseded": { en: "Newer answers, given elsewhere, stand, and are shown now. Look at them and submit again.", zh: "已有来自别处的较新回答，现已显示。请查看后再次提交。" },

  "join.with": { en: "Sign in with {name}", zh: "用 {name} 登录" },
  "join.provider-busy": { en: "Signing you in…", zh: "正在登录…" },
  "join.again": { en: "Back to the sign-in page", zh: "返回登录页" },
  "join.title": { en: "Welcome to the listening room", zh: "欢迎来到评听室" },
  "join.busy": { en: "Opening your personal link…", zh: "正在打开您的个人链接…" },
  "join.none": { en: "Use the personal link that you were sent. It looks like this:", zh: "请使用发给您的个人链接，形如：" },
  "join.paste": { en: "Or paste the link here", zh: "或将链接粘贴到这里" },
  "join.open": { en: "Come in", zh: "进入" },
  "join.password": { en: "Or sign in by name and password", zh: "或用名称和密码登录" },
  "join.name": { en: "Sign-in name, such as R-7K2M", zh: "登录名，例如 R-7K2M" },
  "join.secret": { en: "Password", zh: "密码" },
  "join.enter": { en: "Sign in", zh: "登录" },
  "join.wrong": { en: "This link does not open the room. It may have expired or been withdrawn; ask whoever sent it for a new one.", zh: "此链接无法使用，可能已过期或被撤回；请向发送者索取新链接。" },

  "home.hello": { en: "Hello, {name}", zh: "{name}，您好" },
  "home.none": { en: "No task is open for you yet. Whoever invited you will open one.", zh: "暂时没有可做的任务，请等待邀请人开放任务。" },
  "home.start": { en: "Start", zh: "开始" },
  "home.go-on": { en: "Continue", zh: "继续" },
  "home.look": { en: "Look at my answers", zh: "查看我的回答" },
  "home.closed": { en: "Closed", zh: "已关闭" },
  "home.waiting": { en: "Answers kept on this device and not yet sent: {count}. They are sent now.", zh: "本机尚有 {count} 条未发送的回答，正在发送。" },

  "stage.calibration": { en: "Calibration", zh: "校准" },
  "stage.qualification": { en: "Qualification", zh: "资格测试" },
  "stage.rating": { en: "Rating", zh: "评分" },
  "stage.done": { en: "Done", zh: "已完成" },
  "progress": { en: "{done} of {total}", zh: "{done} / {total}" },
  "progress.stage": { en: "{stage} {position} of {total}", zh: "{stage} {position} / {total}" },
  "progress.left": { en: "{count} left for you", zh: "您还可做 {count} 条" },

  "save.saved": { en: "Saved", zh: "已保存" },
  "save.saving": { en: "Saving…", zh: "正在保存…" },
  "save.offline": { en: "Offline: kept here, {count} waiting", zh: "离线：已存于本机，{count} 条待发送" },
  "save.full": { en: "The studio's disk is full: {count} kept here, and sent as soon as there is room. Tell whoever runs the study.", zh: "服务器磁盘已满：{count} 条已存于本机，有空间后会自动发送。请告知研究负责人。" },
  "save.refused": { en: "Not taken by the server: {reason}", zh: "服务器未接受：{reason}" },
  "save.signed-out": { en: "Signed out: {count} kept here. Open your personal link again to send them.", zh: "已退出登录：{count} 条已存于本机。重新打开个人链接即可发送。" },
  "save.memory": { en: "This browser keeps nothing on the device (storage full or switched off). Stay on this page until “Saved” is shown.", zh: "浏览器无法在本机保存（存储已满或被禁用）。请在显示“已保存”之前不要离开此页。" },

  "rate.guide": { en: "Guide", zh: "说明" },
  "rate.story": { en: "Story", zh: "故事上下文" },
  "rate.target": { en: "To the line in question", zh: "回到目标句" },
  "rate.previous": { en: "Previous", zh: "上一条" },
  "rate.next": { en: "Next", zh: "下一条" },
  "rate.submit": { en: "Submit and go on", zh: "提交并继续" },
  "rate.correct": { en: "Submit the correction", zh: "提交修改" },
  "rate.listen-once": { en: "Listen first: {clip}", zh: "请先听：{clip}" },
  "rate.listen-first": { en: "Listen to the end first: {clip}", zh: "请先听完：{clip}" },
  "rate.answer-first": { en: "Still to answer: {control}", zh: "尚未回答：{control}" },
  "rate.submitted": { en: "Submitted. You can still correct it.", zh: "已提交，仍可修改。" },
  "rate.locked": { en: "Submitted. These answers stand as they are.", zh: "已提交，这些回答不能再改。" },
  "rate.changed": { en: "Changed since it was submitted. Submit the correction.", zh: "提交后有改动，请再次提交。" },
  "rate.changed-elsewhere": { en: "Changed in another window", zh: "已在另一窗口中修改" },
  "rate.superseded": { en: "A newer answer, given in another window or on another device, stands. It is shown now; change it if it is wrong.", zh: "已有较新的回答（来自另一窗口或设备），现显示该回答；如不正确请修改。" },
  "rate.clip": { en: "Recording", zh: "录音" },
  "rate.clip.letter": { en: "Recording {letter}", zh: "录音 {letter}" },
  "rate.required": { en: "required", zh: "必答" },
  "rate.optional": { en: "optional", zh: "选答" },
  "rate.answered": { en: "answered", zh: "已答" },
  "rate.items": { en: "My items", zh: "我的条目" },
  "rate.questions": { en: "Questions", zh: "问题" },
  "rate.item": { en: "Item {position}", zh: "第 {position} 条" },
  "rate.back": { en: "Back to my tasks", zh: "返回我的任务" },
  "rate.code": { en: "Code for the platform", zh: "平台代码" },
  "rate.code.note": { en: "This is your code. Enter it on the platform that sent you, or go back by the button.", zh: "这是您的代码。请在原平台输入，或点击按钮返回。" },
  "rate.code.back": { en: "Back to the platform", zh: "返回平台" },
  "rate.end.done": { en: "All done. Thank you for listening.", zh: "全部完成，感谢您的聆听。" },
  "rate.end.quota": { en: "You have rated as many items as one person may. Thank you.", zh: "您已达到每人可评的数量上限，谢谢。" },
  "rate.end.not-qualified": { en: "The qualification test was not passed, so no further items follow. Your answers are kept. Thank you for your time.", zh: "未通过资格测试，因此没有后续条目。您的回答已保留，感谢您的时间。" },
  "rate.end.waiting": { en: "Every item is with someone else just now. More may come; look again later.", zh: "目前所有条目都由他人处理中，稍后可能会有新的条目。" },
  "rate.end.closed": { en: "This task is closed.", zh: "此任务已关闭。" },

  "player.play": { en: "Play", zh: "播放" },
  "player.pause": { en: "Pause", zh: "暂停" },
  "player.replay": { en: "From the start", zh: "从头播放" },
  "player.region": { en: "Play the marked part", zh: "播放选中部分" },
  "player.wave": { en: "Waveform of {clip}", zh: "{clip} 的波形" },
  "player.position": { en: "{now} of {total} seconds", zh: "{now} / {total} 秒" },
  "player.heard": { en: "Heard to the end", zh: "已听完" },
  "player.unheard": { en: "Not yet heard to the end", zh: "尚未听完" },
  "player.failed": { en: "This recording could not be loaded.", zh: "无法载入此录音。" },
  "player.limit": { en: "On first hearing you can go back, not ahead.", zh: "第一遍收听时可以回退，不能快进。" },

  "scale.type": { en: "Type a number, {low} to {high}", zh: "输入数字，{low} 至 {high}" },
  "scale.outside": { en: "A number from {low} to {high} in steps of {step}", zh: "请输入 {low} 至 {high}、步长为 {step} 的数字" },
  "scale.none": { en: "no answer yet", zh: "尚未作答" },
  "scale.rubric": { en: "What the numbers mean", zh: "分数含义" },
  "choice.none": { en: "No answer", zh: "不作答" },
  "edit.restore": { en: "Restore", zh: "还原" },
  "edit.changed": { en: "Changed", zh: "已修改" },
  "edit.unchanged": { en: "As given", zh: "与原文一致" },
  "edit.line": { en: "Line {number}", zh: "第 {number} 行" },
  "edit.marks": { en: "What you changed", zh: "您的修改" },
  "edit.removed": { en: "removed", zh: "删除" },
  "edit.added": { en: "added", zh: "添加" },
  "boundaries.start": { en: "Start (s)", zh: "开始（秒）" },
  "boundaries.end": { en: "End (s)", zh: "结束（秒）" },
  "boundaries.length": { en: "{seconds} s long", zh: "长 {seconds} 秒" },
  "boundaries.how": { en: "Drag the edges on the waveform, type seconds, or focus an edge and use the arrow keys (Shift: fine).", zh: "在波形上拖动边缘、输入秒数，或聚焦边缘后用方向键（按住 Shift 微调）。" },
  "boundaries.whole": { en: "The whole recording", zh: "整段录音" },
  "boundaries.wrong": { en: "The start lies before the end, both within {seconds} s.", zh: "开始须早于结束，且都在 {seconds} 秒之内。" },
  "ranking.how": { en: "Choose the clips one after the other, the best first; a chosen one leaves the order again.", zh: "依次选择录音，最好的在前；再选一次即取消。" },
  "ranking.choose": { en: "Choose", zh: "选择" },
  "ranking.place": { en: "Place {place}", zh: "第 {place} 名" },
  "ranking.again": { en: "Begin again", zh: "重新排序" },
  "best-worst.how": { en: "Choose the best and the worst. Digits: first the best, then the worst.", zh: "选出最好和最差的。数字键：先选最好，再选最差。" },
  "best-worst.best": { en: "Best", zh: "最好" },
  "best-worst.worst": { en: "Worst", zh: "最差" },
  "switch.reference": { en: "Reference", zh: "参考" },
  "switch.clips": { en: "Switch between clips", zh: "切换录音" },
  "switch.position": { en: "Position", zh: "位置" },
  "switch.loop": { en: "Loop", zh: "循环" },
  "switch.from": { en: "From {seconds}", zh: "从 {seconds}" },
  "switch.to": { en: "To {seconds}", zh: "到 {seconds}" },
  "switch.no-sound": { en: "The browser plays no sound here. Is there a loudspeaker or headphone?", zh: "浏览器无法播放声音。是否接有扬声器或耳机？" },
  "switch.whole": { en: "Everything", zh: "全部" },
  "preference.same": { en: "The same", zh: "一样" },

  "feedback.title": { en: "How your answers compare", zh: "您的回答对比" },
  "feedback.all": { en: "All within the expected range.", zh: "全部在预期范围内。" },
  "feedback.some": { en: "{count} of {total} differ from the reference. Look at them, then go on.", zh: "{total} 项中有 {count} 项与参考不同。请看过后继续。" },
  "feedback.control": { en: "Question", zh: "问题" },
  "feedback.given": { en: "You", zh: "您" },
  "feedback.gold": { en: "Reference", zh: "参考" },
  "feedback.within": { en: "within range", zh: "在范围内" },
  "feedback.apart": { en: "differs", zh: "有差异" },
  "feedback.go-on": { en: "Go on", zh: "继续" },

  "keys.play": { en: "Play or pause", zh: "播放或暂停" },
  "keys.play-typing": { en: "Play or pause, also while typing", zh: "播放或暂停，打字时也可用" },
  "keys.replay": { en: "From the start", zh: "从头播放" },
  "keys.region": { en: "Play the marked part", zh: "播放选中部分" },
  "keys.reference": { en: "Play the reference, where there is one", zh: "播放参考（如有）" },
  "keys.seek": { en: "Back, ahead (with Shift: while a question has the focus)", zh: "后退、前进（问题获得焦点时加 Shift）" },
  "keys.clip": { en: "The other recording", zh: "切换录音" },
  "keys.digits": { en: "Answer the question in focus", zh: "回答当前问题" },
  "keys.move": { en: "Next, previous question", zh: "下一个、上一个问题" },
  "keys.field": { en: "Leave a text field", zh: "离开文本框" },
  "keys.submit": { en: "Submit and go on (in a text field: Ctrl+Enter)", zh: "提交并继续（在文本框中用 Ctrl+Enter）" },
  "keys.previous": { en: "Previous item", zh: "上一条" },
  "keys.next": { en: "Next item", zh: "下一条" },
  "keys.target": { en: "To the line in question", zh: "回到目标句" },
  "keys.help": { en: "Guide and keys", zh: "说明与按键" },
};
const LANGUAGES = { en: "English", zh: "中文" };

let chosen = "en";

/** Languages of the interface, by code. */
export const languages = () => ({ ...LANGUAGES });

/** The language that is spoken just now. */
export const language = () => chosen;

/** Speaks another language; one that is not there leaves things as they are. */
export function setLanguage(code) {
  const known = String(code ?? "").toLowerCase().split("-")[0];
  if (known in LANGUAGES) chosen = known;
  document.documentElement.lang = chosen === "zh" ? "zh-Hans" : chosen;
  return chosen;
}

/** The language of the browser, for whoever is not known yet. */
export const browserLanguage = () => (navigator.languages ?? [navigator.language])
  .map((code) => String(code).toLowerCase().split("-")[0]).find((code) => code in LANGUAGES) ?? "en";

/** Adds a page's own messages; an existing key is an error. */
export function addMessages(table) {
  for (const [key, words] of Object.entries(table)) {
    if (key in MESSAGES) throw new Error(`messages: ${key} exists already`);
    MESSAGES[key] = words;
  }
}

/** Message under a key, with `{name}` replaced by values. */
export function say(key, values = {}) {
  const words = MESSAGES[key];
  if (!words) throw new Error(`messages: nothing under ${key}`);
  return (words[chosen] ?? words.en).replace(/\{([a-z]+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** True if there is a message under a key. */
export const canSay = (key) => key in MESSAGES;

/** Text of a task (`{"en": …, "zh": …}`) in the language of the page. */
export function pick(words, otherwise = "") {
  if (!words || typeof words !== "object") return otherwise;
  return words[chosen] ?? words.en ?? Object.values(words)[0] ?? otherwise;
}

/** Every key, for the tests. */
export const allMessages = () => MESSAGES;

let mandarin = new Map();

/** Sets the Mandarin translations of the sentences in a report. */
export function setTranslations(sentences) {
  mandarin = new Map(Object.entries(sentences));
}

/** Sentence of a report in the language of the page; without a translation in English. */
export function translated(text) {
  return (language() === "zh" && mandarin.get(text)) || (text ?? "");
}
