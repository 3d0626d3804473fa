// One item on the page: what is shown on one side, what is asked on the other.
import { path } from "./api.js";
import { buildControl } from "./controls.js";
import { make } from "./dom.js";
import { Player } from "./player.js";
import { SwitchPlayer } from "./switch_player.js";
import { tellStory } from "./story.js";
import { pick, say } from "./messages.js";

const isStory = (field) => field && typeof field === "object" && Array.isArray(field.lines);
const letters = "ABCDEFGHIJKL";
const HEARD = new Set(["audio", "pair", "set", "switch"]);

/**
 * Item as a rater sees and hears it.
 * @param {object} task
 * @param {object} view the item, or what an adjudicator gets of it
 * @param {{clipUrl: (clip: string) => string, played?: string[]}} options
 * @returns {{element: HTMLElement, players: Map<string, Player>, main: Player|null, clipName: (clip: string) => string,
 *   begin: () => void, toTarget: () => void, destroy: () => void}} `main` is the clip whose boundaries are asked for, `reference` the open one of a switch
 */
export function showItem(task, view, { clipUrl, played = view.played ?? [] }) {
  const players = new Map();
  const stories = [];
  const names = new Map();
  const facts = new Map(view.clips.map((clip) => [clip.clip, clip]));
  const urlOf = (clip) => facts.get(clip)?.url ?? clipUrl(clip); // a preview names its own
  const addPlayer = (clip, label, { height = 64 } = {}) => {
    const { seconds, must_play: must } = facts.get(clip) ?? { seconds: Number.NaN, must_play: false };
    names.set(clip, label);
    const player = new Player({
      url: urlOf(clip),
      label,
      seconds,
      must: Boolean(must && task.must_listen !== false),
      heard: played.includes(clip),
      height,
    });
    players.set(clip, player);
    return player;
  };
  const fields = new Set(
    task.shown.filter((one) => HEARD.has(one.kind)).map((one) => one.name),
  );
  /** The clip of an audio field; one that a story tells as well stands under the story's name. */
  const clipOf = (name) =>
    view.clips.find((one) => one.name === name) ??
    view.clips.find((one) => one.must_play && !fields.has(one.name) && !players.has(one.clip));
  const pairCard = (name, label) => {
    const several = Object.keys(view.pairs).length > 1 && label ? `${label}: ` : "";
    const titled = (index) => several + say("rate.clip.letter", { letter: letters[index] });
    const isSet = (view.pairs[name] ?? []).length > 2; // more than a pair take less room each
    const size = isSet ? { height: 40 } : {};
    const both = (view.pairs[name] ?? []).map((clip, index) => addPlayer(clip, titled(index), size).element);
    return make("div", { class: isSet ? "card pair compact" : "card pair", role: "group", aria: { label: label || say("rate.clip") } }, ...both);
  };
  /** Clips in step: the open reference first, then the set in its blind order. */
  const switchCard = ({ name }, label) => {
    const order = view.pairs[name] ?? [];
    const open = view.clips.find((one) => one.name === name && !order.includes(one.clip))?.clip ?? "";
    const titled = (clip) =>
      clip === open ? say("switch.reference") : say("rate.clip.letter", { letter: letters[order.indexOf(clip)] });
    const clips = [...(open ? [open] : []), ...order].map((clip) => {
      const { seconds, must_play: must } = facts.get(clip) ?? { seconds: Number.NaN, must_play: false };
      names.set(clip, titled(clip));
      const needed = Boolean(must && task.must_listen !== false);
      return { clip, url: urlOf(clip), label: titled(clip), seconds, must: needed, heard: played.includes(clip) };
    });
    const switching = new SwitchPlayer({ label: label || say("rate.clip"), clips, reference: open });
    for (const [clip, channel] of switching.channels) players.set(clip, channel);
    reference = switching.reference ?? reference;
    return make("div", { class: "card" }, switching.element);
  };
  let reference = null;
  let main = null;
  /** What is played stands above what is read, however long that is: it stays in sight. */
  const heardFirst = [
    ...task.shown.filter((one) => HEARD.has(one.kind)),
    ...task.shown.filter((one) => !HEARD.has(one.kind)),
  ];
  const parts = heardFirst.map((shown) => {
    const label = pick(shown.label, shown.name);
    if (shown.kind === "audio") {
      const clip = clipOf(shown.name);
      if (!clip) return null;
      const player = addPlayer(clip.clip, label || say("rate.clip"));
      main ??= player;
      return make("div", { class: "card" }, player.element);
    }
    if (shown.kind === "pair" || shown.kind === "set") return pairCard(shown.name, label);
    if (shown.kind === "switch") return switchCard(shown, label);
    const field = view.fields[shown.name];
    if (shown.kind === "story" && isStory(field)) {
      const story = tellStory(field, { label: label || say("rate.story"), url: urlOf });
      stories.push(story);
      return make("div", { class: "card" }, story.element);
    }
    const words = readText(field);
    if (!words.trim()) return null;
    return make(
      "div",
      { class: "card text" },
      make("h2", { text: label }),
      make("div", { class: "prose reading", text: words, dir: "auto" }),
    );
  });
  const askedOnly = Object.keys(view.pairs).filter((name) => !fields.has(name)); // compared without being shown
  parts.unshift(...askedOnly.map((name) => pairCard(name, "")));
  return {
    element: make("div", { class: "stack shown" }, ...parts.filter(Boolean)),
    players,
    main,
    reference,
    clipName: (clip) => names.get(clip) ?? clip,
    begin: () => {
      for (const player of players.values()) player.load();
      for (const story of stories) story.toTarget();
    },
    toTarget: () => stories.forEach((story) => story.toTarget()),
    destroy: () => {
      for (const player of players.values()) player.destroy();
      for (const story of stories) story.destroy();
    },
  };
}

const readText = (field) => {
  if (typeof field === "string") return field;
  if (Array.isArray(field)) return field.map(readText).join("\n");
  return isStory(field) ? field.lines.map((line) => line.text).join("\n") : String(field ?? "");
};

/**
 * The questions about an item.
 * @param {{changed: (name: string, value: unknown, how: {typing: boolean}) => void, focusClip?: (clip: string) => void
 *   }} options
 */
export function askQuestions(task, view, shown, { changed, focusClip = () => {} }) {
  const { clipName, main, players } = shown;
  const context = { fields: view.fields, pairs: view.pairs, clipName, players, focusClip, player: main, changed };
  const controls = task.controls.map((control) => buildControl(control, context));
  for (const control of controls) if (control.name in view.answers) control.set(view.answers[control.name]);
  return controls;
}

/** The address of a clip of an assignment. */
export const assignmentClip = (assignment) => (clip) => path("api", "assignments", assignment, "clips", clip);
