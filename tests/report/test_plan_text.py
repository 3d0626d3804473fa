import io

import pytest
from rich.console import Console, RenderableType

from aptone.report.plan_text import PlanDigests, evidence_rows, plan_json, plan_table
from aptone.types import (
    Entry,
    Evidence,
    Intonation,
    Item,
    Language,
    Line,
    NoVote,
    Outcome,
    Plan,
    Rhythm,
    Score,
    State,
    Vad,
    Vote,
    to_json,
)


def printed(thing: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=110)
    console.print(thing)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return " ".join(text.split())


def voted() -> Plan:
    return Plan(
        "fear",
        Rhythm.TENSE,
        Intonation.RISING,
        "phone",
        votes=(
            Vote(14, "calm", Rhythm.RELAXED, Intonation.FLAT),
            Vote(15, "fear", Rhythm.TENSE, Intonation.RISING, "phone"),
        ),
        no_votes=(NoVote(13, "it was [red]prose[/red]\x1b[2J"),),
        windows=15,
    )


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "Emotion fear Rhythm tense Intonation rising Recording condition phone Lines Emotion"),
        ("zh", "情感 恐惧 节奏 紧张型 语调 上扬调 录音状态 电话转录 行数 情感"),
    ],
)
def test_a_plan_is_told_in_both_languages(language: Language, told: str) -> None:
    assert printed(plan_table(voted(), language=language)).startswith(told)


def test_windows_stand_in_order_and_what_was_not_asked_is_counted() -> None:
    told = printed(plan_table(voted()))
    assert told.index("13 no vote") < told.index("14 calm relaxed flat normal 100 % 0") < told.index("15 fear tense")
    # One of two votes: half; entropy 1 bit.
    assert "15 fear tense rising phone 50 % 1 " in told
    assert "3 of 15 windows were asked" in told


def test_words_of_a_model_are_shown_and_not_obeyed() -> None:
    told = printed(plan_table(voted()))
    assert "[red]prose[/red]␛[2J" in told


def test_a_plan_that_nobody_voted_on_has_no_windows() -> None:
    told = printed(plan_table(Plan("calm", vad=Vad(0.5, float("nan"), 0.1))))
    assert told == ("Emotion calm Rhythm – Intonation – Recording condition – Valence, arousal, dominance 0.5, –, 0.1")
    assert plan_json(Plan("calm")) == {
        "share": None,
        "entropy": None,
        "plans": 0,
        "windows": 0,
        "asked": 0,
        "not_asked": 0,
        "by_window": [],
    }


def test_machines_learn_how_firm_the_vote_is() -> None:
    told = plan_json(voted())
    assert (told["share"], told["entropy"], told["asked"], told["not_asked"]) == (0.5, 1.0, 3, 12)


def test_words_stand_beside_a_line_or_some_paragraphs_away() -> None:
    made = Plan(
        "fear",
        evidence=(
            Evidence("My hands shook", "fear", 1, 0, 14, "narration"),
            Evidence("the dark", "fear", -3, 0, 8, "context", -1),
            Evidence("the storm", "fear", -5, 0, 9, "context", -2),
            Evidence("fled", "fear", 4, 0, 4, "narration", 1),
        ),
    )
    shown = evidence_rows(made, language="en")
    places = [row.split("(")[1].split(")")[0] for row in shown]
    assert places == ["beside it", "the line before", "2 lines before", "the line after"]


def test_plans_of_the_first_lines_are_shown_and_further_lines_are_counted_once() -> None:
    digests = PlanDigests(limit=2)
    plan = Plan("fear", emotions={"fear": 1.0}, unsaid=0.0)
    for number in (0, 1, 2, 2, 3, 0):
        target = to_json(Line(f"Line {number}."))
        item = Item.make(f"{number}", {"target": target})
        digests.add(Entry(item, Outcome(State.DONE, {"aptness": Score(1.0)}, evidence={"plan": to_json(plan)})))
    digests.add(Entry(Item.make("x", {"target": to_json(Line("No plan."))}), Outcome.failed("lost")))
    text = printed(digests.table())
    assert "Line 0." in text
    assert "Line 1." in text
    assert "Line 2." not in text
    assert "2 more rows" in text
