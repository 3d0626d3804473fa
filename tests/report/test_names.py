import re

from aptone.report.hearing.findings import MEASURES
from aptone.report.names import named, score_name
from aptone.types import AgeBand, ClosedSet, Emotion, Intonation, RecordingCondition, Rhythm, Sex
from tests.tables import for_each


@for_each("closed", [AgeBand, Emotion, Intonation, RecordingCondition, Rhythm, Sex])
def test_every_member_of_a_closed_set_has_its_own_mandarin_name(closed: type[ClosedSet]) -> None:
    for member in closed:
        assert named(member, "zh") == member.zh
        assert named(member, "en") == member.value


@for_each("name", [name for names in MEASURES.values() for name in names])
def test_every_measure_of_the_ear_has_a_mandarin_name(name: str) -> None:
    assert re.search("[\u4e00-\u9fff]", named(name, "zh"))


def test_no_two_measures_share_a_mandarin_name() -> None:
    said = [named(name, "zh") for names in MEASURES.values() for name in names]
    assert len(set(said)) == len(said)


def test_names_with_underscores_are_known_too() -> None:
    assert named("recording_condition", "zh") == named("recording condition", "zh") == "录音状态"
    assert named("recording_condition", "en") == "recording condition"


@for_each("name", ["", "sparkle", "{0}", "[red]x[/red]"])
def test_what_is_not_ours_stays_as_it_is(name: str) -> None:
    assert score_name(name, "zh") == name
    assert named(name, "zh") == named(name, "en") == name
