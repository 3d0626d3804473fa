// Results of a listening test: the leaderboard, the differences, what the test could find, and a methods paragraph.
import { get, path } from "./api.js";
import { freshness, openDesk, taskOfPage } from "./desk.js";
import { fill, make } from "./dom.js";
import { axis, dots, ends, isNumber } from "./drawing.js";
import "./results_messages.js";
import { count, interval, number, percents, signed } from "./figures.js";
import { frame } from "./frame.js";
import { keepFresh, write } from "./live.js";
import { language, pick, say, setTranslations, translated } from "./messages.js";

const SECONDS = 6;
const CSV = ["systems", "pairs", "ratings"];

/** A p-value as papers write it. */
const pValue = (value) => (!isNumber(value) ? "–" : value < 0.001 ? "< 0.001" : number(value, 3));
const cell = (text, properties = {}) => make("td", { ...properties, text });
const head = (...names) => make("thead", {}, make("tr", {}, ...names.map((one) => make("th", { scope: "col" }, one))));

/** Decimals of a scale: tenths where it is long. */
const places = ({ low, high }) => (high - low > 20 ? 1 : 2);

function leaderboard(report) {
  const decimals = places(report);
  const shown = (value) => number(value, decimals);
  const isCompared = report.unit === "comparison";
  const track = ends(
    report.systems.flatMap(({ mean }) => [mean.value, mean.low, mean.high]),
    isCompared ? [0] : report.unit === "score" ? [report.low, report.high] : [],
  );
  const strengths = report.systems.some(({ strength }) => isNumber(strength));
  const medians = report.systems.some(({ median }) => isNumber(median.value));
  const rows = report.systems.map((one, index) => {
    const point = { ...one.mean, tone: one.role ? "judge" : "people" };
    const role = one.role && one.role !== "reference" ? make("span", { class: "chip", text: say(`results.role.${one.role}`) }) : null;
    return make(
      "tr",
      {},
      cell(String(index + 1), { class: "number" }),
      make("th", { scope: "row" }, make("span", { text: one.system, dir: "auto" }), " ", role),
      make("td", { class: "track-cell" }, dots(track, [point], isCompared ? 0 : null)),
      make(
        "td",
        { class: "number" },
        make("strong", { text: shown(one.mean.value) }),
        make("span", { class: "small muted block", text: interval(one.mean, shown) }),
      ),
      medians
        ? make(
            "td",
            { class: "number" },
            shown(one.median.value),
            make("span", {
              class: "small muted block",
              text: interval({ low: one.quartiles[0], high: one.quartiles[1] }, shown),
            }),
          )
        : null,
      strengths ? cell(signed(one.strength), { class: "number" }) : null,
      cell(count(one.ratings), { class: "number" }),
      cell(one.better_than.join(", "), { dir: "auto" }),
    );
  });
  const columns = [
    say("results.rank"),
    say("results.system"),
    axis(track, (value) => number(value, Math.abs(track.to - track.from) > 5 ? 0 : 1)),
    say(`results.mean.${report.unit}`),
    medians ? say("results.median") : null,
    strengths ? say("results.strength") : null,
    say("results.ratings"),
    say("results.better"),
  ].filter((one) => one !== null);
  return make(
    "section",
    { class: "card stack", aria: { label: say("results.leaderboard") } },
    make("h2", { text: say("results.leaderboard") }),
    make("p", { class: "small muted", text: say("results.leaderboard.about") }),
    scroll(make("table", { class: "leaderboard" }, head(...columns), make("tbody", {}, ...rows))),
  );
}

const scroll = (table) => make("div", { class: "scroll", tabindex: "0", role: "region" }, table);

function differences(report) {
  const decimals = places(report);
  const shown = (value) => signed(value, decimals);
  const track = ends(
    report.pairs.flatMap(({ difference }) => [difference.value, difference.low, difference.high]),
    [0],
  );
  const rows = report.pairs.map((one) =>
    make(
      "tr",
      {},
      make("th", { scope: "row", text: `${one.second} − ${one.first}`, dir: "auto" }),
      make("td", { class: "track-cell" }, dots(track, [{ ...one.difference, tone: "people" }], 0)),
      make(
        "td",
        { class: "number" },
        shown(one.difference.value),
        make("span", { class: "small muted block", text: interval(one.difference, shown) }),
      ),
      cell(pValue(one.p_value), { class: "number" }),
      cell(pValue(one.adjusted), { class: "number" }),
      make(
        "td",
        {},
        one.significant
          ? make("span", { class: "chip good", text: say("results.significant") })
          : make("span", { class: "small muted", text: say("results.open") }),
      ),
    ),
  );
  const columns = [say("results.pair"), axis(track), say("results.difference"), "p", say("results.holm"), ""];
  return make(
    "section",
    { class: "card stack", aria: { label: say("results.differences") } },
    make("h2", { text: say("results.differences") }),
    make("p", { class: "small muted", text: say("results.differences.about") }),
    scroll(make("table", {}, head(...columns), make("tbody", {}, ...rows))),
  );
}

function trials(report) {
  const rows = report.abx.map((one) =>
    make(
      "tr",
      {},
      make("th", { scope: "row", text: `${one.first} / ${one.second}`, dir: "auto" }),
      cell(`${count(one.hits)} / ${count(one.trials)}`, { class: "number" }),
      make(
        "td",
        { class: "number" },
        percents(one.share.value),
        make("span", { class: "small muted block", text: interval(one.share, percents) }),
      ),
      cell(pValue(one.adjusted), { class: "number" }),
      cell(say(one.significant ? "results.told-apart" : "results.not-told-apart")),
    ),
  );
  const columns = [say("results.pair"), say("results.hits"), say("results.share"), say("results.holm"), ""];
  return make(
    "section",
    { class: "card stack", aria: { label: say("results.abx") } },
    make("h2", { text: say("results.abx") }),
    scroll(make("table", {}, head(...columns), make("tbody", {}, ...rows))),
  );
}

function methods(report) {
  const said = make("span", { class: "small muted", role: "status" });
  const copy = make("button", {
    type: "button",
    text: say("results.copy"),
    on: {
      click: async () => {
        try {
          await navigator.clipboard.writeText(report.methods[language()]);
          write(said, say("results.copied"));
        } catch {
          getSelection().selectAllChildren(text); // without leave to copy: it is marked, to be copied by hand
          write(said, say("results.marked"));
        }
      },
    },
  });
  const text = make("p", { class: "prose", text: report.methods[language()], dir: "auto" });
  return make(
    "section",
    { class: "card stack", aria: { label: say("results.methods") } },
    make("h2", { text: say("results.methods") }),
    text,
    make("div", { class: "row" }, copy, said),
  );
}

function downloads(name) {
  const link = (query, text) =>
    make("a", { class: "button", href: `${path("api", "tasks", name, "results", "file")}?${query}`, download: "", text });
  return make(
    "section",
    { class: "card stack", aria: { label: say("results.files") } },
    make("h2", { text: say("results.files") }),
    make(
      "div",
      { class: "row" },
      ...CSV.map((part) => link(`format=csv&part=${part}`, `${say(`results.part.${part}`)} (CSV)`)),
      link("format=json", say("results.part.all")),
    ),
  );
}

await openDesk("adjudicator", async (person, main) => {
  const name = taskOfPage();
  const task = await get(path("api", "tasks", name));
  frame({ person, title: `${say("link.results")}: ${pick(task.title, name)}` });
  const fresh = freshness();
  const board = make("div", { class: "stack" });
  fill(
    main,
    make(
      "div",
      { class: "spread" },
      fresh.node,
      make("a", { class: "button", href: path("agreement", name), text: say("desk.agreement") }),
    ),
    board,
  );
  let last = "";
  async function refresh() {
    const report = await get(path("api", "tasks", name, "results"));
    const now = JSON.stringify(report);
    if (now === last) return;
    last = now;
    setTranslations(report.mandarin);
    const { people, items, ratings, power } = report;
    const summary = say("results.summary", { people: count(people), items: count(items), ratings: count(ratings) });
    const decimals = places(report);
    const smallest = isNumber(power.smallest)
      ? say(power.raters_for_half ? "results.power.more" : "results.power", {
          smallest: number(power.smallest, decimals),
          half: number(power.smallest / 2, decimals),
          raters: count(power.raters_for_half),
        })
      : "";
    const aside = Object.entries(report.set_aside).map(([rater, why]) =>
      make("li", { text: `${rater}: ${translated(why)}` }),
    );
    fill(
      board,
      make(
        "div",
        { class: "card stack" },
        make("p", { text: summary }),
        smallest ? make("p", { class: "small muted", text: smallest }) : null,
        aside.length
          ? make("div", {}, make("p", { class: "warn", text: say("results.aside", { count: aside.length }) }), make("ul", {}, ...aside))
          : null,
      ),
      ...(report.systems.length ? [leaderboard(report)] : []),
      ...(report.pairs.length ? [differences(report)] : []),
      ...(report.abx.length ? [trials(report)] : []),
      ratings ? methods(report) : make("p", { class: "card", text: say("results.nobody") }),
      downloads(name),
    );
  }
  const soon = keepFresh(refresh, { seconds: SECONDS, onResult: fresh.onResult });
  await soon();
});
