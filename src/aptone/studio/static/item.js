// One item on the page: what is shown on one side, what is asked on the other.
import { path } from "./api.js";
import { buildControl } from "./controls.js";
import { make } from "./dom.js";
import { Player } from "./player.js";
import { tellStory } from "./story.js";
import { pick, say } from "./words.js";

const isStory = (field) => field && typeof field === "object" && Array.isArray(field.lines);
const letters = "ABCDEFGH";

/**
 * What a rater sees and hears of an item.
 * @param {object} task
 * @param {object} view the item, or what an adjudicator gets of it
 * @param {{clipUrl: (clip: string) => string, played?: string[]}} options
 * @returns {{element: HTMLElement, players: Map<string, Player>, clipName: (clip: string) => string, begin: () => void,
 *   toTarget: () => void, destroy: () => void}}
 */
export function showItem(task, view, { clipUrl, played = view.played ?? [] }) {
  const players = new Map();
  const stories = [];
  const names = new Map();
  const facts = new Map(view.clips.map((clip) => [clip.clip, clip]));
  const addPlayer = (clip, label) => {
    const { seconds, must_play: must } = facts.get(clip) ?? { seconds: Number.NaN, must_play: false };
    names.set(clip, label);
    const player = new Player({
      url: clipUrl(clip),
      label,
      seconds,
      must: Boolean(must && task.must_listen !== false),
      heard: played.includes(clip),
    });
    players.set(clip, player);
    return player.element;
  };
  const parts = task.shown.map((shown) => {
    const label = pick(shown.label, shown.name);
    if (shown.kind === "audio") {
      const clip = view.clips.find((one) => one.name === shown.name);
      return clip ? make("div", { class: "card" }, addPlayer(clip.clip, label || say("rate.clip"))) : null;
    }
    if (shown.kind === "pair") {
      const pair = view.pairs[shown.name] ?? [];
      return make(
        "div",
        { class: "card pair", role: "group", aria: { label } },
        ...pair.map((clip, index) => addPlayer(clip, say("rate.clip.letter", { letter: letters[index] }))),
      );
    }
    const field = view.fields[shown.name];
    if (shown.kind === "story" && isStory(field)) {
      const story = tellStory(field, { label: label || say("rate.story"), url: clipUrl });
      stories.push(story);
      return make("div", { class: "card" }, story.element);
    }
    return make(
      "div",
      { class: "card text" },
      make("h2", { text: label }),
      make("div", { class: "prose reading", text: readText(field), dir: "auto" }),
    );
  });
  return {
    element: make("div", { class: "stack shown" }, ...parts.filter(Boolean)),
    players,
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
 * @param {{changed: (name: string, value: unknown, how: {typing: boolean}) => void}} options
 */
export function askQuestions(task, view, shown, { changed }) {
  const first = shown.players.values().next().value ?? null;
  const controls = task.controls.map((control) =>
    buildControl(control, { fields: view.fields, pairs: view.pairs, clipName: shown.clipName, player: first, changed }),
  );
  for (const control of controls) if (control.name in view.answers) control.set(view.answers[control.name]);
  return controls;
}

/** The address of a clip of an assignment. */
export const assignmentClip = (assignment) => (clip) => path("api", "assignments", assignment, "clips", clip);
