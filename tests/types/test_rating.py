"""Rating tasks: the five kinds that the web room serves, written in the schema as it is, and what it refuses."""

import dataclasses
import math
import re
from typing import Any

import pytest

from aptone.types import (
    DIMENSIONS,
    AudioRef,
    Band,
    Choice,
    Control,
    Dimension,
    Qualification,
    RatingItem,
    RatingTask,
    Shown,
    dumps,
    from_json,
    loads,
    to_json,
)
from tests.tables import for_each

RUBRIC = [("不合适", "Clearly inappropriate"), ("较弱", "Weak"), ("大致合适", "Somewhat appropriate")]
RUBRIC += [("基本合适", "Generally appropriate"), ("非常合适", "Highly appropriate")]
FIVE_BANDS = tuple(Band(low, low + 1, {"zh": zh, "en": en}) for low, (zh, en) in enumerate(RUBRIC))


def both(en: str, zh: str) -> dict[str, str]:
    return {"en": en, "zh": zh}


def control_of(name: str, dimension: Dimension) -> Control:
    label = both(dimension.en, dimension.zh)
    if dimension.kind == "score":
        return Control(name, "scale", label, low=0, high=5, step=0.5, bands=FIVE_BANDS)
    if dimension.kind == "closed":
        return Control(
            name, "choice", label, choices=tuple(Choice(en, both(en, zh)) for en, zh in dimension.choices.items())
        )
    if dimension.kind == "time":
        return Control(name, "boundaries", label)
    prefills = {"refined_context": "story", "refined_content": "line"}
    return Control(name, "edit" if name in prefills else "text", label, prefill=prefills.get(name, ""))


def ceaeval() -> RatingTask:
    """CEAEval-D: fifteen dimensions, rubrics of five bands, a shared calibration set with feedback."""
    items = tuple(
        RatingItem(
            f"clip-{index}",
            audio={"clip": AudioRef("story.m4a", index * 2.0, index * 2.0 + 2.0)},
            fields={"story": [{"text": "夜深了。", "role": ""}], "line": "你走吧。"},
            gold={"overall_score": 3.5} if index < 2 else {},
        )
        for index in range(4)
    )
    return RatingTask(
        "ceaeval",
        both("Does it fit the story?", "是否符合语境？"),
        both("Listen, read, answer.", "请先听再读，然后作答。"),
        shown=(Shown("story", "story"), Shown("clip", "audio"), Shown("line", "text", both("Line", "台词"))),
        controls=tuple(control_of(name, dimension) for name, dimension in DIMENSIONS.items()),
        items=items,
        calibration=("clip-0", "clip-1"),
    )


def s3bench() -> RatingTask:
    """S3Bench: match 0 to 5 and confidence, ten items of qualification, 30 % outliers, 250 pairs, five raters."""
    items = tuple(
        RatingItem(
            f"pair-{index}",
            audio={"clip": AudioRef(f"{index}.wav")},
            fields={"description": "A low, hoarse yet gentle voice."},
            hidden={"stratum": index % 5},
            gold={"match": index % 6} if index < 10 else {},
        )
        for index in range(30)
    )
    levels = [("high", "高"), ("medium", "中"), ("low", "低")]
    return RatingTask(
        "s3bench",
        both("How well does the voice match?", "声音与描述有多匹配？"),
        both("Ignore audio quality.", "请忽略音质。"),
        shown=(Shown("clip", "audio"), Shown("description", "text")),
        controls=(
            Control("match", "scale", both("Match", "匹配度"), low=0, high=5, step=1),
            Control(
                "confidence",
                "choice",
                both("Sure?", "把握"),
                choices=tuple(Choice(en, both(en, zh)) for en, zh in levels),
            ),
        ),
        items=items,
        raters_per_item=5,
        quota_per_rater=250,
        outlier_distance=1.5,
        outlier_share=0.3,
        qualification=Qualification(tuple(f"pair-{index}" for index in range(10)), tolerance=1.0, pass_share=0.7),
    )


def paras2s() -> RatingTask:
    """ParaS2S: is the content right, is the style right; three people, and only what all accept is kept."""
    yes_no = (Choice("yes", both("yes", "是")), Choice("no", both("no", "否")))
    return RatingTask(
        "paras2s",
        both("Is the prompt as written?", "提示语音是否正确？"),
        {},
        shown=(Shown("clip", "audio"), Shown("text", "text"), Shown("style", "text")),
        controls=(
            Control("content_correct", "choice", both("Content correct?", "内容正确？"), choices=yes_no),
            Control("style_correct", "choice", both("Style correct?", "风格正确？"), choices=yes_no),
        ),
        items=(RatingItem("sarcasm-1", {"clip": AudioRef("1.wav")}, {"text": "Great.", "style": "sarcastic"}),),
        raters_per_item=3,
        accept={"content_correct": "yes", "style_correct": "yes"},
    )


def emosura() -> RatingTask:
    """EmoSURA: a mean opinion score from 1 to 5 for a clip and its caption, whose origin stays hidden."""
    origins = ["reference", "sabotaged", "free", "refined"]
    return RatingTask(
        "emosura",
        both("How good is the caption?", "描述有多好？"),
        {},
        shown=(Shown("clip", "audio"), Shown("caption", "text")),
        controls=(Control("opinion", "scale", both("Rating", "评分"), low=1, high=5, step=1),),
        items=tuple(
            RatingItem(origin, {"clip": AudioRef("1.wav")}, {"caption": "A calm man."}, hidden={"origin": origin})
            for origin in origins
        ),
        raters_per_item=14,
    )


def preference() -> RatingTask:
    """A/B: which of two takes fits better, in an order that differs from person to person."""
    return RatingTask(
        "takes",
        both("Which take fits better?", "哪一个更合适？"),
        {},
        shown=(Shown("line", "text"), Shown("takes", "pair")),
        controls=(Control("better", "preference", both("Better", "更好"), prefill="takes"),),
        items=(
            RatingItem(
                "line-1",
                audio={"first": AudioRef("a.wav"), "second": AudioRef("b.wav")},
                fields={"line": "Go.", "takes": ["first", "second"]},
                hidden={"first": "system A", "second": "system B"},
            ),
        ),
    )


def test_a_gold_or_accepted_answer_to_a_question_that_is_not_asked_is_refused() -> None:
    with pytest.raises(ValueError, match="no control is named 'tone'"):
        dataclasses.replace(emosura(), accept={"tone": "yes"})
    item = dataclasses.replace(emosura().items[0], gold={"loudness": 3})
    with pytest.raises(ValueError, match="no control is named 'loudness'"):
        dataclasses.replace(emosura(), items=(item,))


def test_an_outlier_rule_without_a_distance_is_refused() -> None:
    with pytest.raises(ValueError, match="needs the distance"):
        dataclasses.replace(emosura(), outlier_share=0.3)


@for_each("takes", ["first", ["first"], ["first", "third"], {"first": 1, "second": 2}, None])
def test_a_pair_that_does_not_name_two_clips_is_refused(takes: Any) -> None:
    item = dataclasses.replace(preference().items[0], fields={"line": "Go.", "takes": takes})
    with pytest.raises(ValueError, match="'takes' does not name two of its clips"):
        dataclasses.replace(preference(), items=(item,))


@for_each("make", [ceaeval, s3bench, paras2s, emosura, preference])
def test_a_task_of_the_web_room_comes_back_from_its_text_as_it_was(make: Any) -> None:
    task = make()
    text = dumps(to_json(task))
    again = from_json(RatingTask, loads(text))
    assert dumps(to_json(again)) == text
    assert again.items == task.items
    assert [control.name for control in again.controls] == [control.name for control in task.controls]


def test_the_ceaeval_task_asks_all_fifteen_dimensions_in_order() -> None:
    task = from_json(RatingTask, loads(dumps(to_json(ceaeval()))))
    assert [control.name for control in task.controls] == list(DIMENSIONS)
    rubric = task.controls[0].bands
    assert [(band.low, band.high) for band in rubric] == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert rubric[4].meaning["zh"] == "非常合适"
    assert [choice.value for choice in task.controls[2].choices] == ["flat", "rising", "curved", "falling"]


def test_the_s3bench_task_keeps_its_rules() -> None:
    task = from_json(RatingTask, loads(dumps(to_json(s3bench()))))
    assert (task.raters_per_item, task.quota_per_rater, task.outlier_share) == (5, 250, 0.3)
    assert task.qualification is not None
    assert len(task.qualification.items) == 10
    assert [choice.value for choice in task.controls[1].choices] == ["high", "medium", "low"]


def test_a_task_without_an_outlier_rule_says_so_with_null() -> None:
    assert to_json(emosura())["outlier_share"] is None
    assert math.isnan(emosura().outlier_share)


@for_each(
    ("changes", "message"),
    [
        ({"raters_per_item": 0}, "at least one rater an item, got 0."),
        ({"items": (RatingItem("a"), RatingItem("a")), "shown": ()}, "two items have the same id, 'a'"),
        ({"controls": (Control("x", "text", {}), Control("x", "text", {}))}, "two controls have the same name."),
        ({"calibration": ("pair-0", "pair-99")}, "no item has the id 'pair-99'."),
        ({"qualification": Qualification(("nobody",))}, "no item has the id 'nobody'."),
    ],
)
def test_a_task_that_contradicts_itself_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"task 's3bench': {message}")):
        dataclasses.replace(s3bench(), **changes)


@for_each(
    ("changes", "absent"),
    [
        ({"shown": (Shown("nothing", "text"),)}, "nothing"),
        ({"shown": (Shown("description", "audio"),)}, "description"),  # words cannot be played
        ({"shown": (Shown("clip", "text"),)}, "clip"),  # a clip cannot be read
        ({"controls": (*s3bench().controls, Control("x", "edit", {}, prefill="transcript"))}, "transcript"),
        ({"controls": (*s3bench().controls, Control("x", "edit", {}, prefill="clip"))}, "clip"),
    ],
)
def test_a_task_that_shows_what_an_item_lacks_is_refused(changes: dict[str, Any], absent: str) -> None:
    with pytest.raises(ValueError, match=f"^task 's3bench', item 'pair-0': no field '{absent}' to show"):
        dataclasses.replace(s3bench(), **changes)


@for_each("ends", [{}, {"low": 0, "high": 5}, {"low": 5, "high": 0, "step": 1}, {"low": 0, "high": 5, "step": 0}])
def test_a_scale_without_ends_or_step_is_refused(ends: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="control 'x': a scale needs low < high and a positive step"):
        Control("x", "scale", {}, **ends)


def test_a_closed_question_has_two_choices_or_more() -> None:
    for choices in ((), (Choice("yes", {}),)):
        with pytest.raises(ValueError, match="control 'x': a closed question needs at least two choices"):
            Control("x", "choice", {}, choices=choices)


def test_an_edit_names_the_field_that_fills_it() -> None:
    with pytest.raises(ValueError, match="control 'x': an edit needs the field that fills it"):
        Control("x", "edit", {})
