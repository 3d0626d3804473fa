import io
import math

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from aptone.report.room_report import MOST_ROWS, ShownUnit
from aptone.rooms.caption.report import caption_evidence, caption_marks, caption_notes, caption_table
from aptone.types import Entry, Item, Json, Outcome, Score, State
from tests.tables import for_each

Evidence = dict[str, Json]


def unit(start: int, end: int, text: str, **more: Json) -> dict[str, Json]:
    return {"fact": f"It is {text[start:end]}.", "evidence": text[start:end], "start": start, "end": end, **more}


def entry(caption: str, evidence: Evidence, reference: str = "") -> Entry:
    outcome = Outcome(State.DONE, {"s_p": Score(0.5)}, evidence=evidence)
    return Entry(Item.make("a", {"caption": caption, "reference": reference}), outcome)


CAPTION = "A deep, furious voice."


def evidence(**more: Json) -> Evidence:
    units: list[Json] = [
        unit(2, 6, CAPTION, verdict="true", measured="120 Hz"),
        unit(8, 15, CAPTION, verdict="true"),
        unit(8, 15, CAPTION, verdict="false"),
    ]
    return {"units": units, "dropped_units": 0, "format_failures": 0, **more}


def test_words_are_marked_by_the_gravest_verdict_on_them() -> None:
    (marked,) = caption_marks(entry(CAPTION, evidence()), longest=100)
    assert [(piece.text, piece.state) for piece in marked.pieces] == [
        ("A ", ""),
        ("deep", "true"),
        (", ", ""),
        ("furious", "false"),
        (" voice.", ""),
    ]
    assert marked.pieces[3].facts == "It is furious. It is furious."


def test_missed_units_are_marked_in_the_reference() -> None:
    given = evidence(reference_units=[unit(0, 4, "slow", missed=True)])
    caption, reference = caption_marks(entry(CAPTION, given, "slow"), longest=100)
    assert caption.name == "caption"
    assert [(piece.text, piece.state) for piece in reference.pieces] == [("slow", "missed")]


def test_long_texts_and_many_units_are_cut_and_counted() -> None:
    text = "x" * 50
    many: list[Json] = [unit(0, 1, text, verdict="true") for _ in range(MOST_ROWS + 5)]
    (marked,) = caption_marks(entry(text, {"units": many, "dropped_units": 0}), longest=20)
    assert (marked.left_out, marked.units_left_out) == (30, 5)


@for_each(
    "broken",
    [
        {"units": "many", "dropped_units": 0},
        {"units": [1], "dropped_units": 0},
        {"units": [{"fact": 3}], "dropped_units": 0},
        {"units": [unit(0, 1, "x", verdict="perhaps")], "dropped_units": 0},
        {"units": [{**unit(0, 1, "x", verdict="true"), "start": -1}], "dropped_units": 0},
        {"units": [], "dropped_units": 0, "reference_units": [unit(0, 1, "x", missed="no")]},
        {"units": []},
        {},
    ],
)
def test_evidence_that_cannot_be_read_marks_nothing(broken: Evidence) -> None:
    assert caption_evidence(entry("x", broken).outcome) is None
    assert caption_marks(entry("x", broken), longest=10) == ()


def test_a_run_notes_what_was_dropped_and_what_was_no_answer() -> None:
    given = entry(CAPTION, evidence(dropped_units=2, format_failures=1))
    assert caption_notes([given.outcome, given.outcome]) == (
        "4 units were dropped: the words that they rest on are not in the caption",
        "2 of 6 answers (33.3 %) were neither yes nor no and verify nothing",
    )
    assert caption_notes([entry(CAPTION, evidence()).outcome]) == ()


@given(st.text(max_size=20), st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5)), max_size=8))
def test_the_pieces_are_the_whole_text_whatever_is_marked(text: str, spans: list[tuple[int, int]]) -> None:
    units: list[Json] = [
        unit(start, start + length, text, verdict="true") for start, length in spans if start + length <= len(text)
    ]
    for marked in caption_marks(entry(text, {"units": units, "dropped_units": 0}), longest=100):
        assert "".join(piece.text for piece in marked.pieces) == text


def test_a_unit_remembers_what_was_measured() -> None:
    found = caption_evidence(entry(CAPTION, evidence()).outcome)
    assert found is not None
    assert found.units[0] == ShownUnit("It is deep.", "deep", 2, 6, "true", "120 Hz")


def test_words_that_were_not_read_are_marked_and_the_share_is_told() -> None:
    caption = "A deep, furious zorbish quonk voice."
    units: list[Json] = [unit(2, 6, caption, verdict="true"), unit(8, 15, caption, verdict="false")]
    unread: list[Json] = [{"words": "zorbish", "start": 16, "end": 23}, {"words": "quonk", "start": 24, "end": 29}]
    given: Evidence = {"units": units, "dropped_units": 0, "coverage": {"share": 0.5, "read": 2, "unread": unread}}
    (marked,) = caption_marks(entry(caption, given), longest=100)
    assert [(piece.text, piece.state) for piece in marked.pieces if piece.state] == [
        ("deep", "true"),
        ("furious", "false"),
        ("zorbish quonk", "unread"),
    ]
    assert marked.note == "50 % of the caption's content words were read"
    assert [shown.state for shown in marked.units] == ["true", "false"]  # no rows for what was not read
    outcome = Outcome(State.DONE, {"s_p": Score(0.5)}, evidence=given)
    assert caption_notes([outcome]) == ("50 % of the content words of 1 caption were read into claims",)
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(caption_table(outcome, caption=caption))
    assert "not read: zorbish, quonk" in console.export_text()


@for_each("broken", [None, {}, {"share": "all"}, {"share": 2.0, "unread": [{"start": -1, "end": 2}, "x"]}])
def test_coverage_that_cannot_be_read_is_left_out(broken: Json) -> None:
    found = caption_evidence(Outcome(State.DONE, {"s_p": Score(0.5)}, evidence=evidence(coverage=broken)))
    assert found is not None
    assert math.isnan(found.coverage)
    assert found.unread == ()


@for_each(
    ("verdict", "words", "expected"), [("true", ["zorbish"], True), ("false", ["zorbish"], False), ("true", [], False)]
)
def test_a_perfect_score_of_a_part_is_said_to_be_one(verdict: str, words: list[str], *, expected: bool) -> None:
    unit: Json = {
        "fact": "The pitch is low.",
        "evidence": "low",
        "start": 0,
        "end": 3,
        "verdict": verdict,
        "measured": "",
    }
    coverage: Json = {"share": 0.5, "read": 1, "unread": [], "fully_read": not words, "may_be_claims": [*words]}
    given: Evidence = {"units": [unit], "dropped_units": 0, "coverage": coverage}
    outcome = Outcome(State.DONE, {"s_p": Score(1.0)}, evidence=given)
    found = caption_evidence(outcome)
    assert found is not None
    assert found.is_partly_perfect is expected
    assert any("not fully read" in note for note in caption_notes([outcome])) is expected
