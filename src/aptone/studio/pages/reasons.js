// Why a figure is undefined, what it rests on, why somebody is set aside: the report says so in English and brings each
// sentence in Mandarin with it.
import { language } from "./words.js";

let mandarin = new Map();

/** Learns what the sentences of a report are in Mandarin. */
export function learn(sentences) {
  mandarin = new Map(Object.entries(sentences));
}

/** A sentence of the report in the language of the page; one that is not known is shown as it came. */
export function told(text) {
  return (language() === "zh" && mandarin.get(text)) || (text ?? "");
}
