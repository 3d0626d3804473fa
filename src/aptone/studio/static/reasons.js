// Why a figure is undefined, what it rests on, why somebody is set aside: the server says so in English, sentence by
// sentence; here is what the sentences mean in Mandarin. One that is not listed is shown as it came.
import { language } from "./words.js";

const SENTENCES = [
  ["nobody's answers count", "没有计入的回答"],
  ["no items", "没有条目"],
  ["no complete items", "没有完整的条目"],
  ["no item has {} answers", "没有条目收到 {} 份回答"],
  ["no item has two answers", "没有条目收到两份回答"],
  ["no item has two raters", "没有条目有两位评分者"],
  ["no item was rated by somebody else, too", "没有其他人也评过的条目"],
  ["no two raters answered about the same two items", "没有两位评分者评过相同的两个条目"],
  ["no two raters share {} items on which an ICC is defined", "没有两位评分者共有 {} 个可计算 ICC 的条目"],
  ["{} of {} raters on the {} of {} items that all of them rated", "评分者 {} / {}，都评过的条目 {} / {}"],
  [
    "pairs of raters: {}, sharing {} to {} items, each from {} to {}",
    "{} 对评分者，共有 {} 至 {} 个条目，各为 {} 至 {}",
  ],
  ["no interval: the pairs share raters", "无区间：各对含有相同的评分者"],
  ["no interval: the mean of three", "无区间：三者的均值"],
  ["no interval: a bootstrap needs at least two items", "无区间：自助法至少需要两个条目"],
  ["{} of {} answers", "回答 {} / {}"],
  ["{} of {} texts hold no word whose feeling is known", "文字 {} / {} 不含已知情感的词"],
  ["the judge answers on another scale: {} is not from {} to {}", "自动评判的量表不同：{} 不在 {} 至 {} 之间"],
  ["the statistic is undefined on these items", "在这些条目上无法计算"],
  ["all ratings are equal{}: nothing was told apart", "所有评分相同{}：没有区分"],
  ["{} of {} answers of the test are right", "资格测试答对 {} / {}"],
  ["{} of {} attention checks are right", "注意力检查通过 {} / {}"],
  ["{} % of the ratings stray from those of the others", "{} % 的评分偏离其余人"],
  ["wilson over answers", "按回答计的 Wilson 区间"],
  ["bootstrap-percentile", "自助法百分位区间"],
];

const escaped = (text) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
const PATTERNS = SENTENCES.map(([english, mandarin]) => ({
  pattern: new RegExp(`^${escaped(english).replaceAll("{}", "(.*?)")}$`),
  mandarin,
}));

/** A sentence of the server, or several with semicolons between them, in the language of the page. */
export function told(text) {
  if (!text || language() !== "zh") return text ?? "";
  return text
    .split("; ")
    .map((part) => inMandarin(part.replace(/\.$/, "")))
    .join("；");
}

function inMandarin(sentence) {
  for (const { pattern, mandarin } of PATTERNS) {
    const found = sentence.match(pattern);
    if (!found) continue;
    const values = found.slice(1);
    return mandarin.replaceAll("{}", () => values.shift());
  }
  return sentence;
}
