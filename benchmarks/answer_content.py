"""Does the judge of answers know a good answer from rote words, contradiction and harm? Graded and adversarial answers.

    python -m benchmarks.answer_content --out benchmarks/results

Two sets, each answer judged by its words alone (how it sounds is not known, so that nothing but words can decide):

- **held-out questions** of the graded answers (``recipes/answer_content/answers``, written and graded by a language
  model): a fifth of the questions, no near-duplicate of which was trained on. Pearson's correlation with the grades of
  content and fit, mean score by kind, and for each kind of attack the share that scores below every honest answer
  (good or plain) to the same question, whatever the style. Apart as well for the questions of files 1 to 3, on which
  former scorers were measured, for those of file 4, near misses that were written for what such a scorer got wrong, and
  for those of file 5, in which every question has a sentence that could be said to anybody, and for those of file 6,
  which the shipped scorer was not trained on.
- **sentences for everybody**: six sentences a language that could be said to anybody, put to every held-out question of
  their language: mean content and mean score, 0 to 1, beside those of good answers.
- **adversarial answers** (``benchmarks/adversarial_answers``): sixty attacks on ten questions with three honest answers
  each, both languages, written before any graded answer was seen. The share that scores below every honest answer of
  its question; the goal is 90 %.

Rivals in the same tables: the judge before (content by a cosine, with a floor for words that acknowledge the style;
wording by the table), the cosine of the text embedder alone, and a ridge regression on TF-IDF of answer and question
with the style, trained on the same training questions (scikit-learn). Everything was chosen on dev questions. Intervals
are 95 %, bootstrap over questions, and Wilson's for shares.
"""

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.rooms.answer.api import dimension_of
from aptone.rooms.answer.data import CATEGORIES, AnswerStyle, Fields
from aptone.rooms.answer.judge.built_in import Parts, content_fit, judge_parts
from aptone.rooms.answer.judge.content_model import load_content_model
from aptone.rooms.answer.judge.style_model import load_style_model
from aptone.rooms.answer.judge.terms import load_complements
from aptone.rooms.answer.judge.wording import wording_fit
from aptone.stats import bootstrap, pearson
from aptone.stats.intervals import wilson_interval
from aptone.types import Language
from benchmarks.made_with import with_revisions
from recipes.answer_content.data import (
    ATTACKS,
    KINDS,
    LANGUAGES,
    GradedAnswer,
    adversarial_questions,
    read_answers,
    split_of,
)

GOAL = 0.90
FILES = {"files 1 to 3": "[1-3]", "file 4": "4", "file 5": "5", "file 6": "6"}
FOR_EVERYBODY: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "Thank you for telling me. I hear you, and we will get through this together.",
        "I understand how you feel. Let me know how I can help.",
        "That sounds like a lot. Take a deep breath; everything happens for a reason.",
        "What a wonderful thing to say! I am so glad that you are here.",
        "It depends on many things, but with a little patience it will work out.",
        "Good question. There is more than one side to it.",
    ),
    "zh": (
        "谢谢你告诉我，我听到了，我们一起面对。",
        "我理解你的感受，有什么需要随时跟我说。",
        "听起来真不容易，深呼吸，一切都会好起来的。",
        "你说得真好，能和你聊天我很开心。",
        "这个要看情况，耐心一点总会解决的。",
        "这是个好问题，凡事都有两面。",
    ),
}
"""Written before any scorer was asked about them."""
ALL_WAYS = {way for ways in CATEGORIES.values() for way in ways}
SEED = 0


class Scores(NamedTuple):
    """Scores of an answer by one judge, each from 0 to 1; NaN where it has none.

    Args:
        content: how well it answers the question.
        fit: how well its wording fits the style.
        whole: both together, which is what answers are ordered by.
    """

    content: float
    fit: float
    whole: float


class Asked(NamedTuple):
    """An answer as a judge sees it."""

    language: Language
    question: str
    style: str
    answer: str


Judge = Callable[[Asked], Scores]


def present(asked: Asked) -> Scores:
    """The judge that ships; a style outside the benchmark's categories goes to the scorer it is built on."""
    if asked.style in ALL_WAYS:
        parts = judge_parts(_fields(asked))
        return Scores(parts.content, math.nan if parts.wording is None else parts.wording, _share(parts.fitness))
    found = load_content_model().score(asked.question, asked.answer, style=asked.style, language=asked.language)
    content = content_fit(asked.question, asked.answer, found)
    return Scores(content, found.fit, _share(Parts(content, found.fit).fitness))


def before(asked: Asked) -> Scores:
    """The judge of revision 2: a cosine's curve with floors, and the table's words."""
    content = 0.25 + 0.75 * load_style_model().related(asked.question, asked.answer)
    if asked.style not in ALL_WAYS:
        return Scores(content, math.nan, content)
    rows = load_complements().categories[dimension_of(asked.style)]
    words = wording_fit(asked.style, rows, asked.question, asked.answer, language=asked.language)
    content = max(content, 0.7) if words.signs else content
    return Scores(content, words.fit, content**0.4 * words.fit**0.6)


def cosine(asked: Asked) -> Scores:
    """The cosine of question and answer."""
    first, second = load_static_vectors().embed([asked.question, asked.answer])
    near = float(first @ second)
    return Scores(near, math.nan, near)


def tf_idf(train: Sequence[GradedAnswer]) -> Judge:
    """Ridge regressions of content and fit on TF-IDF of answer and question and on the style."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]
    from sklearn.linear_model import Ridge  # type: ignore[import-untyped]
    from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]

    models = {}
    for language in LANGUAGES:
        own = [one for one in train if one.language == language]
        texts = [_joined(one.question, one.style, one.answer) for one in own]
        analyzer = "char" if language == "zh" else "word"
        for name in ("content", "fit"):
            words = TfidfVectorizer(analyzer=analyzer, ngram_range=(1, 3), min_df=2, sublinear_tf=True)
            models[language, name] = make_pipeline(words, Ridge(alpha=1.0))
            models[language, name].fit(texts, [(getattr(one, name) - 1) / 4 for one in own])

    def judge(asked: Asked) -> Scores:
        text = [_joined(asked.question, asked.style, asked.answer)]
        content, fit = (
            min(1.0, max(0.0, float(models[asked.language, name].predict(text)[0]))) for name in ("content", "fit")
        )
        return Scores(content, fit, _share(Parts(content, fit).fitness))

    return judge


def _joined(question: str, style: str, answer: str) -> str:
    return f"{answer} style{style} {' '.join(f'asked{word}' for word in question.lower().split())}"


def _fields(asked: Asked) -> Fields:
    style = asked.style
    return Fields(asked.question, dimension_of(style), style, asked.answer, AnswerStyle(), asked.language)


def _share(fitness: float) -> float:
    return (fitness - 1.0) / 4.0


def held_out(rows: Sequence[GradedAnswer], judge: Judge) -> dict[str, Any]:
    """Figures of a judge on graded answers."""
    scores = [judge(Asked(one.language, one.question, one.style, one.answer)) for one in rows]
    found: dict[str, Any] = {}
    for language in (*LANGUAGES, "both"):
        chosen = [place for place, one in enumerate(rows) if language in (one.language, "both")]
        found[language] = {
            "content": _correlation(rows, scores, chosen, "content"),
            "fit": _correlation(rows, scores, chosen, "fit"),
            "attacks below every honest answer": _attacks(rows, scores, chosen),
        }
    found["mean content by kind"] = {
        kind: round(
            float(np.mean([score.content for one, score in zip(rows, scores, strict=True) if one.kind == kind])), 3
        )
        for kind in KINDS
    }
    return found


def _correlation(
    rows: Sequence[GradedAnswer], scores: Sequence[Scores], chosen: Sequence[int], name: str
) -> dict[str, Any]:
    known = [place for place in chosen if not math.isnan(getattr(scores[place], name))]
    if len(known) < 3:
        return {"pearson": None, "answers": len(known)}
    questions = list(dict.fromkeys((rows[place].language, rows[place].question) for place in known))
    of_question = {
        key: np.array([place for place in known if (rows[place].language, rows[place].question) == key])
        for key in questions
    }
    given = np.array([float(getattr(one, name)) for one in rows])
    scored = np.array([float(getattr(score, name)) for score in scores])

    def over(numbers: Any) -> float:
        places = np.concatenate([of_question[questions[int(number)]] for number in numbers])
        return pearson(scored[places], given[places]).value

    estimate = bootstrap(over, np.arange(len(questions)), seed=SEED, resamples=500)
    interval = [round(estimate.low, 3), round(estimate.high, 3)]
    return {"pearson": round(estimate.value, 3), "interval": interval, "answers": len(known)}


def _attacks(rows: Sequence[GradedAnswer], scores: Sequence[Scores], chosen: Sequence[int]) -> dict[str, Any]:
    honest: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for place in chosen:
        if rows[place].kind in ("good", "plain"):
            honest[rows[place].language, rows[place].question].append(scores[place].whole)
    below: defaultdict[str, list[bool]] = defaultdict(list)
    for place in chosen:
        one = rows[place]
        if one.kind in ATTACKS and honest[one.language, one.question]:
            below[one.kind].append(scores[place].whole < min(honest[one.language, one.question]))
    return {
        "all": _counted([flag for flags in below.values() for flag in flags]),
        **{k: _counted(below[k]) for k in ATTACKS},
    }


def adversarial(judge: Judge) -> dict[str, Any]:
    """Share of the adversarial answers that score below every honest one of the same question."""
    by_kind: defaultdict[str, list[bool]] = defaultdict(list)
    by_language: defaultdict[str, list[bool]] = defaultdict(list)
    above = []
    for language, questions in adversarial_questions().items():
        spoken: Language = "zh" if language == "zh" else "en"
        for one in questions:
            honest = [judge(Asked(spoken, one["question"], one["style"], text)).whole for text in one["honest"]]
            for kind, text in one["adversarial"].items():
                score = judge(Asked(spoken, one["question"], one["style"], text)).whole
                by_kind[kind].append(score < min(honest))
                by_language[language].append(score < min(honest))
                if score >= min(honest):
                    above.append(
                        {
                            "id": one["id"],
                            "kind": kind,
                            "score": round(1 + 4 * score, 2),
                            "lowest honest": round(1 + 4 * min(honest), 2),
                        }
                    )
    every = [flag for flags in by_kind.values() for flag in flags]
    return {
        "all": _counted(every),
        **{language: _counted(flags) for language, flags in by_language.items()},
        "by kind": {kind: _counted(flags) for kind, flags in by_kind.items()},
        "not below": above,
    }


def for_everybody(rows: Sequence[GradedAnswer], judge: Judge) -> dict[str, Any]:
    """Score sentences that could be said to anybody, put to every question."""
    found: dict[str, Any] = {}
    for language in LANGUAGES:
        asked = sorted({(one.question, one.style) for one in rows if one.language == language})
        scores = [
            judge(Asked(language, question, style, sentence))
            for question, style in asked
            for sentence in FOR_EVERYBODY[language]
        ]
        good = [
            judge(Asked(language, one.question, one.style, one.answer))
            for one in rows
            if one.language == language and one.kind == "good"
        ]
        found[language] = {
            name: {
                "content": round(float(np.mean([one.content for one in own])), 3),
                "score": round(float(np.mean([one.whole for one in own])), 3),
            }
            for name, own in (("sentences for everybody", scores), ("good answers", good))
        }
    return found


def _counted(flags: Sequence[bool]) -> dict[str, Any]:
    if not flags:
        return {"share": None, "count": 0}
    low, high = wilson_interval(sum(flags), len(flags), confidence=0.95)
    return {
        "share": round(sum(flags) / len(flags), 3),
        "interval": [round(low, 3), round(high, 3)],
        "count": len(flags),
    }


def by_file(rows: Sequence[GradedAnswer]) -> dict[str, list[GradedAnswer]]:
    """Return the answers to the questions of each group of files; a question counts where it came first."""
    left = list(rows)
    found = {}
    for which, files in FILES.items():
        asked = {(one.language, one.question) for one in read_answers(files=files)}
        found[which] = [one for one in left if (one.language, one.question) in asked]
        left = [one for one in left if (one.language, one.question) not in asked]
    return found


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("dev", "test"), default="test", help="questions to report on")
    parser.add_argument("--out", type=Path, help="folder for answer_content.json")
    options = parser.parse_args()
    answers = read_answers()
    parts = split_of(answers)
    rows = [one for one in answers if parts[one.language, one.question] == options.part]
    train = [one for one in answers if parts[one.language, one.question] == "train"]
    judges: Mapping[str, Judge] = {
        "judge": present,
        "judge before": before,
        "cosine alone": cosine,
        "TF-IDF regression": tf_idf(train),
    }
    report = {
        "about": "answers written and graded by a language model; words alone are judged",
        "part": options.part,
        "answers": len(rows),
        "questions": len({(one.language, one.question) for one in rows}),
        "scorer": load_content_model().revision,
        "held-out questions": {name: held_out(rows, judge) for name, judge in judges.items()},
        **{
            f"held-out questions, {which}": {
                name: held_out(own, judges[name]) for name in ("judge", "TF-IDF regression")
            }
            for which, own in by_file(rows).items()
        },
        "sentences for everybody": {name: for_everybody(rows, judges[name]) for name in ("judge", "TF-IDF regression")},
        "adversarial answers": {name: adversarial(judge) for name, judge in judges.items()},
    }
    report["goals"] = {
        "adversarial answers below every honest one, at least 0.9": (
            report["adversarial answers"]["judge"]["all"]["share"] >= GOAL
        )
    }
    print(json.dumps(report, indent=1, ensure_ascii=False))
    if options.out:
        path = options.out / "answer_content.json"
        path.write_text(
            json.dumps(with_revisions(report, "planner"), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
