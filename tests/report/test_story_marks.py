"""The words that a plan rests on are marked where they stand."""

from typing import Any

from aptone.report.item_card import Part, marked_story
from aptone.types import Evidence, Json, Plan

PAYLOAD: dict[str, Json] = {
    "context": [{"text": "His hands shook."}, {"text": "Nobody spoke."}],
    "target": {"text": "Go away!", "role": "Tom"},
    "following": [{"text": "he sobbed."}],
}


def plan(*evidence: Evidence) -> Plan:
    return Plan("sad", evidence=evidence)


def parts(payload: dict[str, Json], made: Plan | None) -> list[list[Part]]:
    story = marked_story(payload, made)
    return [list(line.parts) for line in (*story.context, *story.target, *story.following)]


def test_evidence_is_marked_in_its_line_with_what_it_says() -> None:
    made = plan(Evidence("hands shook", "fear", -2, 4, 15, "narration"), Evidence("sobbed", "sad", 1, 3, 9, "tag"))
    assert parts(PAYLOAD, made) == [
        [Part("His "), Part("hands shook", "fear"), Part(".")],
        [Part("Nobody spoke.")],
        [Part("Go away!")],
        [Part("he "), Part("sobbed", "sad"), Part(".")],
    ]


def test_words_that_moved_are_found_by_what_they_are() -> None:
    payload: Any = PAYLOAD | {"following": [{"text": "  Then he sobbed."}]}
    assert Part("sobbed", "sad") in parts(payload, plan(Evidence("sobbed", "sad", 1, 3, 9, "tag")))[-1]


def test_marks_that_overlap_are_made_once_and_what_is_gone_is_left_out() -> None:
    made = plan(
        Evidence("hands shook", "fear", -2, 4, 15, "narration"),
        Evidence("shook", "fear", -2, 10, 15, "narration"),
        Evidence("laughed", "happy", -1, 0, 7, "narration"),
    )
    found = parts(PAYLOAD, made)
    assert found[0] == [Part("His "), Part("hands shook", "fear"), Part(".")]
    assert found[1] == [Part("Nobody spoke.")]


def test_a_story_without_a_plan_has_no_marks() -> None:
    assert all(not part.says for line in parts(PAYLOAD, None) for part in line)
