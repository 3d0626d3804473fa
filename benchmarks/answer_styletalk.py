"""Does the judge of answers prefer the style that was recorded? StyleTalk's eval part, beside logistic regression.

    python -m benchmarks.answer_styletalk --data TEXTS
    python -m benchmarks.answer_styletalk --data TEXTS --engine api --set judge.model=MODEL --turns 200

`TEXTS` holds ``styletalk/``. A turn gives the question's words and style (feeling, rate, volume); its answer was
recorded in one style. The judge scores that style and another one, with everything else the same, and prefers what
scores higher; a tie is half a preference. "Another one" has three readings, and all are reported:

- **uniform**: each other style that occurs in the training part is as likely. The goal (0.90) is taken for this one:
  the figure that it is set beside, 0.88 for logistic regression, is what class-balanced regression has here, and what
  none has under the next reading.
- **frequency**: other styles are drawn as often as they occur in the training part. Much harder: most of the others are
  then the three that make up two thirds of all answers, and differ from one another in the feeling only.
- **twin**: the other style is that of the answer to the same words, asked in another way in the same dialogue; both
  styles are scored with both questions, and the pair measure of this room says which way round fits better.

The first two are expectations over all other styles, not one draw, so that no seed matters; a chat model, which costs
money, is asked for the recorded style and one drawn other (``--seed``). "Feeling alone" leaves rate and volume out.
Intervals are 95 %, bootstrap over dialogues. What was fitted was fitted to the training part (`aptone train
answer-style`), its choices made by cross-validation there; no dialogue is in both parts, 25 short questions are.

Used fields: the judge **without c_o** knows what the goal names, the question's words and style; **with c_o** it also
reads the answer's words, as a judge may. Rivals, scikit-learn with its default strength: logistic regression over the
styles on TF-IDF of the question's words and on its style, on either alone, with c_o, and with classes balanced; the
judge's table alone; its learned model with nothing and with all taken back of how common a style is (the judge takes
back half); and how common a style is. Seen on eval before anything of the judge was chosen: the figures of the
regressions at strengths 0.3, 1 and 3, plain and with classes balanced, and their figures by single attribute. Needs
scikit-learn.
"""

import argparse
import asyncio
import json
import platform
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.rooms.answer.data import AnswerStyle, Dimension, Fields
from aptone.rooms.answer.judge import AnswerJudge
from aptone.rooms.answer.judge.built_in import judge_fields, judge_parts
from aptone.rooms.answer.judge.style_model import STYLES, Floats, load_style_model
from aptone.rooms.answer.judge.terms import MANNERS, load_complements, manner_of, sound_of
from aptone.rooms.answer.parts import ENGINES, make_judge
from aptone.rooms.answer.score import pair_margin
from aptone.run import Call
from aptone.stats import bootstrap
from aptone.types import Estimate, Json, json_or_text
from benchmarks.made_with import with_revisions
from recipes.answer_style.fit import Style, Turn, meant, preferred, read_styletalk

RESULTS = Path(__file__).parent / "results" / "answer_styletalk.json"
GOAL = 0.90
SEED = 0
UNSEEN = -1e9
"""Score of a style that a regression never saw."""

Places = npt.NDArray[np.int64]
Scorer = Callable[[Fields], float]


def fields_of(turn: Turn, style: Style, *, feeling_alone: bool = False) -> Fields:
    """Return the fields of a turn that a judge reads, had its answer been in a style."""
    feeling, rate, volume = style
    sound = AnswerStyle({feeling: 1.0}) if feeling_alone else AnswerStyle({feeling: 1.0}, rate, volume)
    return Fields(turn.question, Dimension.EMOTION, ", ".join(turn.asked), turn.answer, sound)


def with_words(fields: Fields) -> float:
    """The whole judge: all four fields."""
    return judge_fields(fields, language="en").value


def without_words(fields: Fields) -> float:
    """The judge's style part without the answer's words."""
    return judge_parts(fields, use_words=False).sound or 0.0


def by_table(fields: Fields) -> float:
    """The table alone."""
    manner = manner_of(fields.input_style)
    assert manner is not None
    return load_complements().manners[manner.feeling].sound_fit(sound_of(fields.output_style))


def by_model(turns: Sequence[Turn], *, taken_back: float) -> Floats:
    """Scores of the learned model without c_o, had another share of how common a style is been taken back."""
    model = load_style_model()
    rows = []
    for turn in turns:
        manner = manner_of(", ".join(turn.asked))
        assert manner is not None
        rows.append(model.likely(manner, turn.question) - taken_back * model.common)
    return np.array(rows)


def scores(turns: Sequence[Turn], scorer: Scorer) -> Floats:
    """Scores of every style for every turn: [turns, styles]."""
    return np.array([[scorer(fields_of(turn, style)) for style in STYLES] for turn in turns])


def feeling_scores(turns: Sequence[Turn], scorer: Scorer) -> Floats:
    """The same of every feeling, rate and volume unknown: [turns, feelings]."""
    return np.array(
        [[scorer(fields_of(turn, (feeling, "", ""), feeling_alone=True)) for feeling in MANNERS] for turn in turns]
    )


def by_dialogue(turns: Sequence[Turn], values: Floats) -> Estimate:
    """A mean over turns, with an interval over dialogues."""
    sums: defaultdict[str, list[float]] = defaultdict(list)
    for turn, value in zip(turns, values, strict=True):
        sums[turn.dialogue].append(float(value))
    totals, counts = (np.array([fold(one) for one in sums.values()], dtype=float) for fold in (sum, len))
    return bootstrap(lambda total, count: total.sum() / count.sum(), totals, counts, seed=SEED)


def shown(estimate: Estimate) -> dict[str, Any]:
    """A number with its interval, as it is kept."""
    return {"value": round(estimate.value, 4), "interval": [round(estimate.low, 4), round(estimate.high, 4)]}


def twins(turns: Sequence[Turn]) -> list[tuple[int, int]]:
    """Turns of one dialogue with the same words, asked and answered in different ways."""
    found = []
    for one, first in enumerate(turns):
        for other in range(one + 1, len(turns)):
            second = turns[other]
            same = first.dialogue == second.dialogue and first.question == second.question
            if same and first.asked != second.asked and meant(first.answered) != meant(second.answered):
                found.append((one, other))
    return found


def twin_measure(turns: Sequence[Turn], found: Floats, truth: Places) -> Estimate:
    """Measure how often two turns' answer styles fit their own questions better than each other's; a tie is half."""
    pairs = twins(turns)
    wins = []
    for one, other in pairs:
        own = float(found[one, truth[one]]), float(found[other, truth[other]])
        swapped = float(found[one, truth[other]]), float(found[other, truth[one]])
        margin = pair_margin(own, swapped)
        wins.append(float(margin > 0) + 0.5 * float(margin == 0))
    return by_dialogue([turns[one] for one, _ in pairs], np.array(wins))


def regression(train: Sequence[Turn], test: Sequence[Turn], *, inputs: str, balanced: bool = False) -> Floats:
    """Scores of logistic regression for every style: log-probabilities, and `UNSEEN` for styles that it never saw.

    Args:
        train: to fit to.
        test: to score.
        inputs: any of ``s`` (the question's style), ``q`` (its words) and ``a`` (the answer's words).
        balanced: whether rare styles weigh as much as common ones.
    """
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    columns: list[list[Any]] = [[], []]
    for letter in inputs:
        if letter == "s":
            made = [csr_matrix([_one_hot(turn.asked) for turn in part]) for part in (train, test)]
        else:
            texts = [[turn.question if letter == "q" else turn.answer for turn in part] for part in (train, test)]
            words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
            made = [words.fit_transform(texts[0]), words.transform(texts[1])]
        for side, column in zip(columns, made, strict=True):
            side.append(column)
    model = LogisticRegression(max_iter=500, class_weight="balanced" if balanced else None)
    model.fit(hstack(columns[0]).tocsr(), places(train))
    found = np.full((len(test), len(STYLES)), UNSEEN)
    found[:, model.classes_] = model.predict_log_proba(hstack(columns[1]).tocsr())
    return found


def _one_hot(style: Style) -> list[float]:
    return [float(name == style[term]) for term in range(3) for name in dict.fromkeys(one[term] for one in STYLES)]


def places(turns: Sequence[Turn]) -> Places:
    """The recorded style of each turn, by its place in `STYLES`."""
    return np.array([STYLES.index(meant(turn.answered)) for turn in turns])


def feelings_of(found: Floats) -> Floats:
    """Log-probabilities of feelings, from those of styles."""
    grouped = found.reshape(len(found), len(MANNERS), -1)
    summed: Floats = np.logaddexp.reduce(grouped, axis=2)
    return summed


def measure(train: Sequence[Turn], test: Sequence[Turn]) -> dict[str, Any]:
    """Every way of scoring styles, under every reading."""
    truth, counts = places(test), np.bincount(places(train), minlength=len(STYLES)).astype(float)
    feeling_counts = counts.reshape(len(MANNERS), -1).sum(axis=1)
    regressions: dict[str, tuple[str, bool]] = {
        "logistic regression, question and style": ("sq", False),
        "logistic regression, question and style, balanced": ("sq", True),
        "logistic regression, style only": ("s", False),
        "logistic regression, question only": ("q", False),
        "logistic regression, question, style and c_o": ("sqa", False),
        "logistic regression, question, style and c_o, balanced": ("sqa", True),
    }
    every: dict[str, tuple[Floats, Floats]] = {}
    for name, scorer in (
        ("judge, without c_o", without_words),
        ("judge, with c_o", with_words),
        ("table alone", by_table),
    ):
        every[name] = scores(test, scorer), feeling_scores(test, scorer)
    for name, (inputs, balanced) in regressions.items():
        found = regression(train, test, inputs=inputs, balanced=balanced)
        every[name] = found, feelings_of(found)
    for share in (0.0, 1.0):
        found = by_model(test, taken_back=share)
        every[f"its model without c_o, {share:g} of how common it is taken back"] = found, feelings_of(found)
    common = np.tile(np.log(counts + 1e-3), (len(test), 1))
    every["how common it is"] = common, feelings_of(common)
    rows: dict[str, Any] = {}
    kept: dict[str, Floats] = {}
    for name, (found, of_feelings) in every.items():
        kept[name] = preferred(found, truth, (counts > 0).astype(float))
        feelings = truth // (len(STYLES) // len(MANNERS))
        rows[name] = {
            "uniform": shown(by_dialogue(test, kept[name])),
            "frequency": shown(by_dialogue(test, preferred(found, truth, counts))),
            "twin": shown(twin_measure(test, found, truth)),
            "feeling alone, uniform": shown(by_dialogue(test, preferred(of_feelings, feelings, np.ones(len(MANNERS))))),
            "feeling alone, frequency": shown(by_dialogue(test, preferred(of_feelings, feelings, feeling_counts))),
        }
        print(name, json.dumps({reading: one["value"] for reading, one in rows[name].items()}), flush=True)
    above = {
        name: shown(by_dialogue(test, kept["judge, without c_o"] - kept[name]))
        for name in regressions
        if "c_o" not in name
    }
    return {"rows": rows, "judge_without_c_o_above_uniform": above}


async def asked_both(judge: AnswerJudge, turn: Turn, other: Style) -> tuple[float, float]:
    """Judge the recorded style and another one."""
    call = Call()
    own, drawn = [
        (await judge.judge(fields_of(turn, style), call, language="en")).value for style in (turn.answered, other)
    ]
    return own, drawn


def measure_judge(judge: AnswerJudge, train: Sequence[Turn], test: Sequence[Turn], *, seed: int) -> dict[str, Any]:
    """A judge by its interface: the recorded style against one drawn other, under both readings."""
    counts = np.bincount(places(train), minlength=len(STYLES)).astype(float)
    dice = np.random.default_rng(seed)
    found: dict[str, Any] = {}
    for reading, weights in (("uniform", (counts > 0).astype(float)), ("frequency", counts)):
        wins, failed = [], 0
        for turn, own in zip(test, places(test), strict=True):
            chances = np.where(np.arange(len(STYLES)) == own, 0.0, weights)
            other = STYLES[int(dice.choice(len(STYLES), p=chances / chances.sum()))]
            recorded, drawn = asyncio.run(asked_both(judge, turn, other))
            failed += int(np.isnan(recorded - drawn))
            wins.append(0.5 if np.isnan(recorded - drawn) else float(recorded > drawn) + 0.5 * (recorded == drawn))
        found[reading] = {**shown(by_dialogue(test, np.array(wins))), "unscored": failed}
        print(reading, json.dumps(found[reading]), flush=True)
    return found


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description="Does the judge of answers prefer the style that was recorded?")
    parser.add_argument("--data", type=Path, required=True, help="Folder with styletalk/.")
    parser.add_argument("--engine", choices=ENGINES, default="built-in", help="Who judges.")
    parser.add_argument("--set", action="append", default=[], help="judge.OPTION=VALUE; may be given again.")
    parser.add_argument("--turns", type=int, help="Only so many turns of eval; for judges that cost something.")
    parser.add_argument("--seed", type=int, default=SEED, help="Random seed of the sampled styles, for other engines.")
    parser.add_argument("--output", type=Path, help="Result file; by default the results of the built-in judge only.")
    options = parser.parse_args()
    data = options.data / "text" if (options.data / "text").is_dir() else options.data
    train, test = (read_styletalk(data, part=part) for part in ("train", "eval"))
    test = test[: options.turns]
    record: dict[str, Any] = {
        "what": "share of turns in which the recorded style of the answer is preferred to another one",
        "turns": len(test),
        "dialogues": len({turn.dialogue for turn in test}),
        "twins": len(twins(test)),
        "styles": int((np.bincount(places(train), minlength=len(STYLES)) > 0).sum()),
        "goal": {"reading": "uniform, without c_o", "least": GOAL},
    }
    if options.engine == "built-in":
        record |= {
            "model": load_style_model().revision,
            "table": load_complements().hash,
            "versions": {"python": platform.python_version()}
            | {name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
            **measure(train, test),
        }
    else:
        settings: dict[str, Json] = {
            name: json_or_text(value) for name, _, value in (text.partition("=") for text in options.set)
        }
        judge = make_judge(options.engine, settings=settings)
        record |= {"judge": judge.signature, "seed": options.seed}
        record |= measure_judge(judge, train, test, seed=options.seed)
    output = options.output or (RESULTS if options.engine == "built-in" else None)
    if output:
        output.write_text(json.dumps(with_revisions(record), indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
