"""Can a system win contrast pairs without hearing how it is asked? Two toys that never open the audio.

    python -m benchmarks.answer_deaf --out benchmarks/results

Questions are sentences of the bank, 100 of each dimension, named, ordered and asked as ``aptone build paras2s`` and
``aptone answer`` do; nothing is spoken, since nobody listens. The toys are told more than a system under test is: the
words of the question and the two styles of its pair. They answer in words as ``told`` of `scripted_answers.py` would,
to a style that they guess:

- ``names`` looks for the style in everything that reaches a system besides the recording (``{dialogue}``, ``{turn}``,
  the headers) and, where there is none, goes by a bit of the name;
- ``order`` takes the style that comes first in the paper's list when a sentence is asked for the first time, and the
  other one for the second time.

A control, ``labelled``, is ``names`` with the names that questions had before: the id of the pair and the style. It
must win nearly every pair, or the toys are too simple to find what is there. Answers are judged by the built-in judge,
by their words.

Goal: the toys win half of the pairs that are not tied, no more; the 95 % interval (Wilson) holds 0.5.
"""

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from aptone.rooms.answer.build.candidates import ideal_answers, load_bank
from aptone.rooms.answer.build.records import Candidate
from aptone.rooms.answer.data import CATEGORIES, AnswerSample, AnswerStyle, Dimension, Fields, Prompt
from aptone.rooms.answer.judge.built_in import BuiltInAnswerJudge, judge_fields
from aptone.rooms.answer.score import OVERALL, JudgedAnswer, PairMeasure, pair_margins, pair_measures
from aptone.rooms.answer.step import asked_as, assign_systems, contrasts_of
from aptone.run.system import Asked
from aptone.stats.intervals import wilson_interval
from benchmarks.made_with import with_revisions
from benchmarks.scripted_answers import WAYS, turned_back

Toy = Literal["names", "order", "labelled"]
TOYS: tuple[Toy, ...] = ("names", "order", "labelled")
ORDER = [way for ways in CATEGORIES.values() for way in ways]


@dataclass(frozen=True, slots=True)
class Told:
    """What a toy knows of a question besides what reaches a system: its words, and the styles of its pair.

    Args:
        labelled: name of the question as it was before: the pair, the style and the turn.
    """

    words: str
    styles: tuple[str, str]
    labelled: str


@dataclass(frozen=True, slots=True)
class Deaf:
    """A system that guesses how it was asked; what it says, in words."""

    toy: Toy
    told: Mapping[str, Told]
    _heard: dict[str, int] = field(default_factory=dict)

    def reply(self, asked: Asked) -> str:
        """The words of its answer."""
        told = self.told[asked.name]
        way = WAYS[self._guess(asked, told)]
        return f"{way.before} {turned_back(told.words)} {way.after}"

    def _guess(self, asked: Asked, told: Told) -> str:
        first, second = sorted(told.styles, key=ORDER.index)
        if self.toy == "order":
            times = self._heard[told.words] = self._heard.get(told.words, 0) + 1
            return first if times == 1 else second
        seen = told.labelled if self.toy == "labelled" else f"{asked.dialogue} {asked.name} {asked.turn} {asked.of}"
        if named := [way for way in told.styles if way in seen]:
            return max(named, key=len)
        return (first, second)[hashlib.sha256(seen.encode()).digest()[0] & 1]


def questions(count: int) -> list[AnswerSample]:
    """Sentences of the bank as the builder makes questions of them, spread over its topics."""
    found = []
    for dimension in Dimension:
        banks = [(topic, bank) for (kind, topic), bank in load_bank("en").items() if kind is dimension]
        chosen = [(topic, bank[place]) for place in range(60) for topic, bank in banks if place < len(bank)]
        for number, (topic, sentence) in enumerate(chosen[:count]):
            answers = ideal_answers(dimension, topic, sentence.ways, language="en")
            name = f"en-{dimension.value}-{topic}-{number:03d}"
            one = Candidate(name, sentence.text, dimension, sentence.ways, topic, answers, "en")
            prompts = [
                Prompt(one.question_id(way), one.content, dimension, way, topic=topic, pair=one.id)
                for way in one.categories
            ]
            found += [AnswerSample(prompt.id, prompt) for prompt in sorted(prompts, key=lambda prompt: prompt.id)]
    return found


def told_of(samples: Sequence[AnswerSample]) -> dict[str, Told]:
    """What the toys know, by the name under which a question is asked."""
    contrasts = contrasts_of(sample.prompt for sample in samples)
    found = {}
    for sample in samples:
        prompt = sample.prompt
        first, second = contrasts[prompt.id].split(" / ")
        labelled = f"{prompt.pair}-{prompt.category}-1"
        found[asked_as(prompt).name] = Told(prompt.content, (first, second), labelled)
    return found


def judged(sample: AnswerSample, words: str, other: str) -> JudgedAnswer:
    """The verdict on an answer's words, as it was asked and as if it had been asked the other way."""
    prompt = sample.prompt
    fields = [Fields(prompt.content, prompt.dimension, way, words, AnswerStyle()) for way in (prompt.category, other)]
    own, swapped = (judge_fields(one, language="en").value for one in fields)
    return JudgedAnswer(prompt, own, swapped, fields[0])


def counted(measure: PairMeasure) -> dict[str, Any]:
    """Pairs of a toy, and its share of those that are not tied."""
    won = measure.pairs - measure.ties - measure.lost
    decided = won + measure.lost
    low, high = wilson_interval(won, decided, confidence=0.95) if decided else (0.0, 1.0)
    return {
        "pairs": measure.pairs,
        "won": won,
        "lost": measure.lost,
        "tied": measure.ties,
        "won of those not tied": round(won / decided, 4) if decided else None,
        "interval": [round(low, 4), round(high, 4)],
        "margin": round(measure.margin.value, 4),
    }


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100, help="of each dimension")
    parser.add_argument("--out", type=Path, help="folder for answer_deaf.json")
    options = parser.parse_args()
    samples = questions(options.pairs)
    told = told_of(samples)
    systems = {toy: Deaf(toy, told) for toy in TOYS}
    answers: dict[str, list[JudgedAnswer]] = {toy: [] for toy in TOYS}
    for sample in assign_systems(samples, list(systems)):  # in the order in which systems are asked
        name = sample.ids["system"]
        if name in systems:
            asked = asked_as(sample.prompt)
            other = next(way for way in told[asked.name].styles if way != sample.prompt.category)
            answers[name].append(judged(sample, systems[name].reply(asked), other))
    results: dict[str, dict[str, Any]] = {}
    for name, verdicts in answers.items():
        measures = pair_measures(pair_margins(verdicts))
        results[name] = {
            **counted(measures[OVERALL]),
            "by dimension": {part: counted(one) for part, one in measures.items() if part != OVERALL},
        }
    report: dict[str, Any] = {
        "questions": len(samples),
        "judge": BuiltInAnswerJudge().signature,
        "systems": results,
        "goals": {
            **{
                f"{toy}: no advantage over chance": results[toy]["interval"][0] <= 0.5 <= results[toy]["interval"][1]
                for toy in ("names", "order")
            },
            "the control wins at least 90 % of pairs": results["labelled"]["won"] >= 0.9 * results["labelled"]["pairs"],
        },
    }
    print(json.dumps(report, indent=1, ensure_ascii=False))
    if options.out:
        path = options.out / "answer_deaf.json"
        path.write_text(
            json.dumps(with_revisions(report, "planner"), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
