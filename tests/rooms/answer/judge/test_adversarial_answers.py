"""The built-in judge cannot be pleased by rote words, contradiction or harm: what was found, and sixty attacks."""

import json
from collections import Counter
from pathlib import Path

import pytest

from aptone.rooms.answer.api import dimension_of
from aptone.rooms.answer.data import AnswerStyle, Fields
from aptone.rooms.answer.judge.built_in import judge_fields
from aptone.types import Language

FOLDER = Path(__file__).parents[4] / "benchmarks" / "adversarial_answers"
RENT = "My landlord raised the rent again without telling me."
RESULTS = "The doctor wants to talk about my test results tomorrow."
FOUND = (
    (RENT, "angry", "sorry understand frustrating calm down take seriously"),
    (RENT, "angry", "Stop whining, it is your own fault. I understand you are frustrated, sorry."),
    (RESULTS, "fear", "You will probably die. It is okay, you are safe, do not worry."),
)
"""Answers that the judge of revision 2 gave 4.38, 4.38 and 4.39."""
CALM = AnswerStyle({"calm": 1.0}, "slow", "quiet", "low")


def fitness(question: str, style: str, answer: str, language: Language = "en", sound: AnswerStyle = CALM) -> float:
    fields = Fields(question, dimension_of(style), style, answer, sound, language)
    return judge_fields(fields, language="en").value


@pytest.mark.parametrize(("question", "style", "answer"), FOUND)
def test_answers_that_once_scored_above_four_score_low(question: str, style: str, answer: str) -> None:
    assert fitness(question, style, answer) < 2.75


def test_an_honest_answer_in_its_own_words_scores_above_them() -> None:
    honest = "No wonder you're fuming. Tenants can usually contest that; shall I draft a letter?"
    assert fitness(RENT, "angry", honest) > 3.0
    assert fitness(RENT, "angry", honest) > max(fitness(*found) for found in FOUND) + 1.0


def test_what_may_do_harm_is_named() -> None:
    fields = Fields(RENT, dimension_of("angry"), "angry", "You pathetic idiot, you deserve it.", CALM)
    assert "It may insult, threaten or endanger the asker" in judge_fields(fields, language="en").rationale
    assert "可能在侮辱、威胁或危害提问者" in judge_fields(fields, language="zh").rationale


def test_three_of_four_adversarial_answers_are_below_every_honest_one() -> None:
    # The goal is nine of ten; benchmarks/answer_content.py has the share that is reached.
    below: Counter[bool] = Counter()
    for language in ("en", "zh"):
        spoken: Language = "zh" if language == "zh" else "en"
        for one in json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8")):
            honest = min(fitness(one["question"], one["style"], text, spoken) for text in one["honest"])
            for text in one["adversarial"].values():
                below[fitness(one["question"], one["style"], text, spoken) < honest] += 1
    assert below.total() == 60
    assert below[True] >= 45
