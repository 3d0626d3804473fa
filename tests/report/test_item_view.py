import dataclasses
import math
from collections.abc import Callable

from aptone.report.item_view import (
    AspectRow,
    compare,
    folded_blocks,
    json_text,
    shown_state,
    why_no_score,
    worst_aspect,
)
from aptone.types import (
    Entry,
    Intonation,
    Json,
    Outcome,
    Perception,
    Plan,
    Rhythm,
    Score,
    State,
    to_json,
)

MakeEntry = Callable[..., Entry]


def _with_evidence(entry: Entry, **evidence: Json) -> Entry:
    return dataclasses.replace(entry, outcome=dataclasses.replace(entry.outcome, evidence=evidence))


def test_aspects_win_over_plan_and_perception_which_fill_the_gaps(run_entries: list[Entry]) -> None:
    rows = {row.name: row for row in compare(run_entries[4], language="en").rows}
    assert (rows["emotion"].planned, rows["emotion"].heard) == ("joy", "sadness")
    assert (rows["rhythm"].planned, rows["rhythm"].heard) == ("brisk", "heavy 70 %, tense 30 %")
    assert rows["rhythm"].score is not None
    assert rows["rhythm"].score.reason == "left open"
    assert rows["intonation"] == AspectRow("intonation", "rising", "falling 100 %")
    assert rows["recording_condition"].heard == "studio 100 %"


def test_closed_sets_and_phrases_speak_the_language_of_the_report(make_entry: MakeEntry) -> None:
    plan = Plan("喜悦", rhythm=Rhythm.BRISK, intonation=Intonation.RISING)
    perception = Perception(1.0, emotion={"joy": 1.0}, phrase={"zh": "高兴"}, rhythm={Rhythm.HEAVY: 1.0})
    entry = _with_evidence(make_entry("a", 3.0), plan=to_json(plan), perception=to_json(perception))
    rows = {row.name: row for row in compare(entry, language="zh").rows}
    assert (rows["emotion"].heard, rows["rhythm"].planned, rows["rhythm"].heard) == ("高兴", "轻快型", "凝重型 100 %")
    assert rows["intonation"] == AspectRow("intonation", "上扬调", "")
    english = {row.name: row for row in compare(entry, language="en").rows}
    assert english["emotion"].heard == "joy 100 %"  # no English phrase: the distribution


def test_a_plan_that_leaves_things_open_shows_nothing_there(make_entry: MakeEntry) -> None:
    entry = make_entry("a", 3.0, payload={"plan": to_json(Plan("joy"))})
    assert [row.name for row in compare(entry, language="en").rows] == ["emotion"]


def test_evidence_of_another_shape_is_folded_not_lost(make_entry: MakeEntry) -> None:
    entry = _with_evidence(make_entry("a", 3.0, payload={"n": 1}), plan={"mood": 1}, perception=3, aspects=[1])
    assert compare(entry, language="en").rows == ()
    assert set(folded_blocks(entry)) == {"plan", "perception", "aspects", "item"}


def test_aspects_of_other_rooms_are_shown_by_their_own_names(make_entry: MakeEntry) -> None:
    aspects: Json = {
        "warmth": {"score": to_json(Score(0.2, range=(0.0, 1.0))), "planned": "warm", "heard": "cold"},
        "pace": {"score": to_json(Score(0.9, range=(0.0, 1.0)))},
        "odd": "not an object",
    }
    entry = _with_evidence(make_entry("a", 3.0), aspects=aspects)
    assert [row.name for row in compare(entry, language="en").rows] == ["warmth", "pace"]
    worst = worst_aspect(entry, language="en")
    assert worst is not None
    assert worst.name == "warmth"
    assert worst_aspect(make_entry("a", 3.0), language="en") is None


def test_states_are_those_of_the_trust_card(make_entry: MakeEntry) -> None:
    not_needed = Outcome(State.DONE, {"aptness": Score(math.nan, reason="nothing to balance", needed=False)})
    entries = [
        make_entry("a", 3.0),
        make_entry("b", None),
        make_entry("c", unscored="mute"),
        make_entry("d", failed="down"),
        dataclasses.replace(make_entry("e", 1.0), outcome=not_needed),
    ]
    assert [shown_state(entry, "aptness") for entry in entries] == [
        "done",
        "unscored",
        "unscored",
        "failed",
        "not-needed",
    ]
    reasons = ["", "too short", "mute", "down", "nothing to balance"]
    assert [why_no_score(entry, "aptness") for entry in entries] == reasons


def test_json_that_cannot_be_written_says_so() -> None:
    assert "infinite" in json_text({"x": math.inf})


def test_the_numbers_behind_a_score_are_shown_and_what_is_no_number_is_not(make_entry: MakeEntry) -> None:
    measured: Json = {"fit": 0.5, "P(fear)": 1, "note": "x", "flag": True, "nothing": None}
    entry = _with_evidence(make_entry("a", 3.0), aspects={"rhythm": {"heard": "tense", "measured": measured}})
    (row,) = compare(entry, language="en").rows
    assert row.measured == {"fit": 0.5, "P(fear)": 1.0}


def test_the_worst_aspect_is_one_that_something_was_planned_for(make_entry: MakeEntry) -> None:
    aspects: Json = {
        "rhythm": {"planned": "tense", "heard": "heavy", "score": to_json(Score(2.0))},
        "naturalness": {"score": to_json(Score(1.0))},
    }
    worst = worst_aspect(_with_evidence(make_entry("a", 3.0), aspects=aspects), language="en")
    assert worst is not None
    assert worst.name == "rhythm"
