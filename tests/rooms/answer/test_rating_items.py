from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.rooms.answer.data import AnswerSample, Dimension, Prompt, Source
from aptone.rooms.answer.rating_items import Answers, read_verification, verification_task, verified
from aptone.types import AudioRef, Rating, dumps, to_json
from tests.tables import for_each


def sample(name: str, pair: str = "", source: Source = Source.SYNTHETIC) -> AnswerSample:
    clip = AudioRef("a.wav")
    prompt = Prompt(name, "Hello there.", Dimension.EMOTION, "happy", clip, pair=pair, source=source)
    return AnswerSample(name, prompt)


RIGHT = {"anna": (True, True), "ben": (True, True), "cleo": (True, True)}


def test_the_task_asks_three_people_two_questions_in_both_languages() -> None:
    task = verification_task([sample("a", "p").prompt])
    assert task.raters_per_item == 3
    assert task.accept == {"content_correct": "yes", "style_correct": "yes"}
    assert [control.name for control in task.controls] == ["content_correct", "style_correct"]
    assert {"en", "zh"} <= set(task.guide)
    assert task.items[0].fields == {"words": "Hello there.", "style": "in a happy voice / 用高兴的语气"}


@for_each(
    ("given", "reason"),
    [
        ({**RIGHT, "ben": (False, True)}, "the words are not right for ben"),
        ({**RIGHT, "cleo": (True, False), "anna": (True, False)}, "the way is not right for anna, cleo"),
        ({"anna": (True, True), "ben": (True, True)}, "2 of 3 raters answered"),
        ({}, "0 of 3 raters answered"),
    ],
)
def test_one_no_or_a_missing_rater_brings_the_whole_pair_down(given: dict[str, tuple[bool, bool]], reason: str) -> None:
    samples = [sample("a", "p"), sample("b", "p"), sample("c", "q"), sample("d", "q")]
    answers: Answers = {"a": given, "b": RIGHT, "c": RIGHT, "d": RIGHT}
    kept, fallen = verified(samples, answers)
    assert [one.id for one in kept] == ["c", "d"]
    assert fallen == {"a": reason, "b": "its twin 'a' fell"}


def test_real_speech_needs_no_verification() -> None:
    real = sample("r", source=Source.MELD)
    assert verified([real], {}) == ([real], {})


def test_answers_about_another_benchmark_are_refused() -> None:
    with pytest.raises(RecordError, match="no question 'x'"):
        verified([sample("a")], {"x": RIGHT})


def test_ratings_of_the_studio_and_tables_are_read(tmp_path: Path) -> None:
    rating = Rating("paras2s", "a", "anna", {"content_correct": "yes", "style_correct": "no"})
    (tmp_path / "answers.jsonl").write_text(dumps(to_json(rating)) + "\n", encoding="utf-8")
    assert read_verification(tmp_path / "answers.jsonl") == {"a": {"anna": (True, False)}}
    table = "item,rater,content_correct,style_correct\na,ben,Yes,TRUE\n"
    (tmp_path / "answers.csv").write_text(table, encoding="utf-8")
    assert read_verification(tmp_path / "answers.csv") == {"a": {"ben": (True, True)}}


@for_each(
    ("rows", "problem"),
    [
        ("a,ben,maybe,yes\n", "line 2: content_correct is yes or no, got 'maybe'"),
        ("a,ben,yes,\n", "style_correct is yes or no"),
        (",ben,yes,yes\n", "expected item, rater"),
        ("a,ben,yes,yes\na,ben,yes,no\n", "line 3: rater 'ben' has answered about 'a' before"),
    ],
)
def test_an_answer_that_cannot_be_read_counts_for_nothing(tmp_path: Path, rows: str, problem: str) -> None:
    path = tmp_path / "answers.csv"
    path.write_text(f"item,rater,content_correct,style_correct\n{rows}", encoding="utf-8")
    with pytest.raises(RecordError) as raised:
        read_verification(path)
    assert problem in str(raised.value)
