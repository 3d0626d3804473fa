from aptone.rooms.aptness.production.book_lines import gather_lines
from aptone.rooms.aptness.production.voices import voice_report
from aptone.types import Plan
from tests.rooms.aptness.production.books import SURE, entry

USUAL = {"pitch level": 5.0, "articulation rate": 4.0, "loudness": -20.0}
CALM = Plan("calm")


def test_a_line_far_from_the_usual_level_of_its_character_is_an_outlier() -> None:
    entries = [entry(number, 3.0, plan=CALM, measures=USUAL) for number in range(1, 9)]
    quiet = entry(9, 3.0, plan=Plan("happy"), measures={**USUAL, "loudness": -29.0})
    (outlier,) = voice_report(gather_lines([*entries, quiet], "aptness")).outliers
    assert (outlier.line.position, outlier.habit.measure, outlier.difference) == (9, "loudness", -9.0)
    assert (outlier.habit.median, outlier.habit.lines) == (-20.0, 9)


def test_what_the_plan_asks_for_is_no_fault() -> None:
    entries = [entry(number, 3.0, plan=CALM, measures=USUAL) for number in range(1, 9)]
    loud = entry(9, 3.0, plan=SURE, measures={**USUAL, "loudness": -10.0})  # anger
    hushed = entry(10, 3.0, plan=Plan("", voice=("whisper",)), measures={**USUAL, "loudness": -40.0})
    assert voice_report(gather_lines([*entries, loud, hushed], "aptness")).outliers == ()


def test_a_voice_that_varies_much_has_few_outliers() -> None:
    # deviations 0, 4, 4, 8, 8 … around the median: 1.4826 · 4 · 3.5 = 20.8 dB before a line stands out
    levels = [-20.0, -24.0, -16.0, -28.0, -12.0, -24.0, -16.0, -20.0, -32.0]
    lines = [entry(number, 3.0, plan=CALM, measures={"loudness": level}) for number, level in enumerate(levels)]
    assert voice_report(gather_lines(lines, "aptness")).outliers == ()


def test_a_chapter_in_which_a_voice_is_higher_drifts() -> None:
    low = [entry(number, 3.0, measures=USUAL) for number in range(1, 8)]
    high = {**USUAL, "pitch level": 8.0}
    later = [entry(number, 3.0, chapter="Chapter 2", measures=high) for number in range(8, 13)]
    (drift,) = voice_report(gather_lines([*low, *later], "aptness")).drifts
    assert (drift.chapter, drift.habit.measure, drift.difference, drift.lines) == ("Chapter 2", "pitch level", 3.0, 5)


def test_too_few_lines_and_unknown_speakers_have_no_usual_voice() -> None:
    few = [entry(number, 3.0, measures=USUAL) for number in range(7)]
    unknown = [entry(number, 3.0, role="", measures=USUAL) for number in range(7, 20)]
    told = [entry(number, 3.0, role="", speech=False, measures=USUAL) for number in range(20, 28)]
    report = voice_report(gather_lines([*few, *unknown, *told], "aptness"))
    assert {habit.role for habit in report.habits} == {""}
    assert {habit.lines for habit in report.habits} == {8}
