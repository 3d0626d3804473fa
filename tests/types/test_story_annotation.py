"""The fifteen dimensions of CEAEval-D, against the paper's Table 7 and Table 8."""

import math
from dataclasses import fields
from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest

from aptone.types import DIMENSIONS, AgeBand, Annotation, ClosedSet, Intonation, Line, Rhythm, Segment, Sex
from tests.tables import for_each

# Table 7 of the paper, spelled as there.
TABLE_7 = [
    "Overall Expressive Score",
    "TTS Difficulty",
    "Intonation",
    "Rhythm",
    "Emotion",
    "Paralinguistic Vocalizations",
    "Refined Textual Context",
    "Refined Textual Content",
    "Utterance Boundaries",
    "Speaker Role Name",
    "Speaker Age",
    "Speaker Gender",
    "Recording Conditions",
    "Background Music Presence",
    "Sound Events",
]


def test_there_are_fifteen_dimensions_numbered_in_the_order_of_the_paper() -> None:
    assert [dimension.number for dimension in DIMENSIONS.values()] == list(range(1, 16))
    ours = [dimension.en.lower().replace("vocalisations", "vocalizations") for dimension in DIMENSIONS.values()]
    assert [name.removesuffix("s") for name in ours] == [name.lower().removesuffix("s") for name in TABLE_7]


def test_the_fields_of_an_annotation_are_the_dimensions() -> None:
    assert [entry.name for entry in fields(Annotation)] == list(DIMENSIONS)


def test_every_dimension_has_a_name_of_its_own_in_both_languages() -> None:
    assert len({dimension.en for dimension in DIMENSIONS.values()}) == 15
    assert len({dimension.zh for dimension in DIMENSIONS.values()}) == 15
    for dimension in DIMENSIONS.values():
        assert dimension.en.isascii()
        assert all("\u4e00" <= character <= "\u9fff" for character in dimension.zh)


def test_a_dimension_is_closed_where_the_paper_reports_percent_agreement() -> None:
    # Table 8: percent agreement for closed sets, ICC for numbers; recording condition and vocalisations are textual.
    by_kind: dict[str, set[str]] = {}
    for name, dimension in DIMENSIONS.items():
        by_kind.setdefault(dimension.kind, set()).add(name)
    assert by_kind["closed"] == {"intonation", "rhythm", "age", "background_music", "gender"}
    assert by_kind["score"] == {"overall_score", "tts_difficulty"}
    assert by_kind["time"] == {"boundaries"}
    assert set(by_kind) == {"closed", "score", "time", "text"}


@for_each(("name", "closed"), [("intonation", Intonation), ("rhythm", Rhythm), ("age", AgeBand), ("gender", Sex)])
def test_the_choices_of_a_closed_dimension_are_the_members_of_its_set(name: str, closed: type[ClosedSet]) -> None:
    assert dict(DIMENSIONS[name].choices) == {member.value: member.zh for member in closed}
    assert get_args(get_type_hints(Annotation)[name]) == (closed, NoneType)


def test_background_music_is_there_or_not() -> None:
    assert dict(DIMENSIONS["background_music"].choices) == {"yes": "有", "no": "无"}


def test_a_dimension_has_choices_if_and_only_if_it_is_closed() -> None:
    for dimension in DIMENSIONS.values():
        assert bool(dimension.choices) == (dimension.kind == "closed")


def test_an_empty_annotation_leaves_everything_open_in_the_order_of_the_paper() -> None:
    assert Annotation().unanswered == tuple(DIMENSIONS)


def test_answers_that_look_like_nothing_are_answers() -> None:
    filled = Annotation(overall_score=0.0, tts_difficulty=0, background_music=False, boundaries=Segment(0.0, 0.0))
    assert set(DIMENSIONS) - set(filled.unanswered) == {
        "overall_score",
        "tts_difficulty",
        "background_music",
        "boundaries",
    }


def test_a_full_annotation_leaves_nothing_open() -> None:
    full = Annotation(
        overall_score=4.5,
        tts_difficulty=2.0,
        intonation=Intonation.RISING,
        rhythm=Rhythm.TENSE,
        emotion="平静转为激动",
        vocalisations="叹气",
        refined_context=(Line("夜深了。"),),
        refined_content="你走吧。",
        boundaries=Segment(0.5, 2.0),
        role="张三",
        age=AgeBand.MIDDLE_AGED,
        gender=Sex.MALE,
        recording_condition="正常说话",
        background_music=True,
        sound_events="无",
    )
    assert full.unanswered == ()


@pytest.mark.parametrize("name", ["overall_score", "tts_difficulty"])
def test_a_score_lies_between_0_and_5(name: str) -> None:
    answer: dict[str, Any]
    for answer in ({name: 0}, {name: 5}, {name: 2.5}):
        assert name not in Annotation(**answer).unanswered
    answer = {name: math.nan}
    assert name in Annotation(**answer).unanswered
    for bad in (-0.1, 5.1, math.inf, -math.inf):
        answer = {name: bad}
        with pytest.raises(ValueError, match=f"^{name} lies between 0 and 5, got {bad}"):
            Annotation(**answer)
