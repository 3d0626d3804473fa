"""The task that a built set gives to people: the same items as those from a manifest."""

from aptone.rooms.aptness.build.files import TaskLine, rating_task
from aptone.types import AudioRef, Line, Sample, Segment

BEFORE, AFTER = (Line("Night fell."), Line("It rained.", "Mara")), (Line("Silence."), Line("Dawn."))


def task_line(*neighbours: str | None) -> TaskLine:
    sample = Sample(
        "s", AudioRef("s.flac"), Line("Go!", "Jon"), context=BEFORE, following=AFTER, ids={"story": "tower"}
    )
    return TaskLine(sample, "wide/s.flac", Segment(1.0, 2.00049), neighbours, {"weak": {"caption": "A shout."}})


def test_lines_before_and_behind_are_told_and_those_before_are_the_context_to_correct() -> None:
    (item,) = rating_task([task_line("a.flac", None, None, "d.flac")], calibration=[], raters=2).items
    assert item.fields["context"] == ["Night fell.", "It rained."]
    assert item.fields["story"] == {
        "lines": [
            {"text": "Night fell.", "role": "", "clip": "line_0"},
            {"text": "It rained.", "role": "Mara", "clip": ""},
            {"text": "Go!", "role": "Jon", "clip": ""},
            {"text": "Silence.", "role": "", "clip": ""},
            {"text": "Dawn.", "role": "", "clip": "line_4"},  # the line in question is the third
        ],
        "target": 2,
    }
    assert item.audio == {"audio": AudioRef("wide/s.flac"), "line_0": AudioRef("a.flac"), "line_4": AudioRef("d.flac")}
    assert item.fields["boundaries"] == [1.0, 2.0]


def test_who_speaks_in_which_story_and_language_is_hidden_for_splits_and_exports() -> None:
    (item,) = rating_task([task_line(None, None, None, None)], calibration=["s"], raters=2).items
    assert item.hidden == {"story": "tower", "language": "en", "character": "Jon", "weak": {"caption": "A shout."}}
