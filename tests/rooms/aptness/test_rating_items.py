"""Answers of the studio as the fifteen dimensions; what items show is tested where they are imported."""

import math
from typing import Any

import numpy as np
import pytest

from aptone.errors import RecordError
from aptone.ratings.tasks import task_template
from aptone.rooms.aptness.rating_items import annotation_of, rating_items
from aptone.types import DIMENSIONS, AgeBand, Annotation, Audio, Intonation, Json, Line, Rhythm, Sample, Segment, Sex
from tests.tables import for_each

WHOLE: dict[str, Json] = {
    "overall_score": 3.7,
    "tts_difficulty": 1,
    "intonation": "curved",
    "rhythm": "low-paced",
    "emotion": " calm turning into joy ",
    "vocalisations": "none",
    "refined_context": ["Night fell.", "Why not?"],
    "refined_content": "Get out!",
    "boundaries": [0.1, 1.4],
    "role": "Mara",
    "age": "young adult",
    "gender": "female",
    "recording_condition": "telephone",
    "background_music": "yes",
    "sound_events": "a door",
}


def test_answers_to_every_control_make_a_whole_annotation() -> None:
    assert set(WHOLE) == {control.name for control in task_template("ceaeval-d").controls} == set(DIMENSIONS)
    context = (Line("Night fell."), Line("Why?", "Jon"))
    found = annotation_of(WHOLE, context=context)
    assert found.unanswered == ()
    assert found == Annotation(
        3.7,
        1.0,
        Intonation.CURVED,
        Rhythm.LOW_PACED,
        "calm turning into joy",
        "none",
        (Line("Night fell."), Line("Why not?", "Jon")),
        "Get out!",
        Segment(0.1, 1.4),
        "Mara",
        AgeBand.YOUNG_ADULT,
        Sex.FEMALE,
        "telephone",
        True,
        "a door",
    )


def test_every_choice_of_the_task_is_one_of_the_record() -> None:
    for control in task_template("ceaeval-d").controls:
        for choice in control.choices:
            assert getattr(annotation_of({control.name: choice.value}), control.name) not in (None, "")


def test_what_was_not_answered_stays_open_and_roles_are_lost_with_the_lines() -> None:
    found = annotation_of({"overall_score": None, "emotion": ""})
    assert math.isnan(found.overall_score)
    assert len(found.unanswered) == len(DIMENSIONS)
    merged = annotation_of({"refined_context": "Night fell."}, context=(Line("Night"), Line("fell.", "Jon")))
    assert merged.refined_context == (Line("Night fell."),)


@for_each(
    ("name", "value"),
    [
        ("overall_score", "4"),
        ("overall_score", 5.1),
        ("overall_score", True),
        ("intonation", "sideways"),
        ("background_music", "perhaps"),
        ("boundaries", [2.0, 1.0]),
        ("boundaries", [1.0]),
        ("boundaries", "0 to 1"),
        ("emotion", 3),
        ("refined_context", 3),
        ("refined_context", [["nested"]]),
    ],
)
def test_what_is_no_answer_is_refused_by_name_and_never_a_default(name: str, value: Any) -> None:
    with pytest.raises(RecordError, match=name):
        annotation_of({name: value})


def test_sound_in_memory_is_refused() -> None:
    sample = Sample("x", Audio(np.zeros(80, dtype=np.float32), 8000), Line("Go!"))
    with pytest.raises(RecordError, match="not in a file"):
        rating_items([sample])
