"""Blinded items: fields that the task shows or edits, and clips under blind names.

Blind names (``c0``, ``c1``, …) follow the order in which things are presented, pairs in the random order of the person,
so that they tell nothing about where a clip comes from.
"""

import math
from collections.abc import Iterator, Mapping

from aptone.messages import message
from aptone.studio.refusals import NotAnAnswerError, NotFoundError
from aptone.studio.store.records import Assignment, ShownClip
from aptone.types import Control, Json, RatingItem, RatingTask
from aptone.types.rating import SAME

Orders = Mapping[str, tuple[str, str]]
"""Field of a pair to its clips, in the random order of a person."""


def pair_fields(task: RatingTask) -> list[str]:
    """Names of the fields with a pair of clips, shown or asked about."""
    shown = [one.name for one in task.shown if one.kind == "pair"]
    asked = [control.prefill for control in task.controls if control.kind == "preference"]
    return list(dict.fromkeys([*shown, *asked]))


def task_orders(task: RatingTask, item: RatingItem) -> dict[str, tuple[str, str]]:
    """Map the field of each pair to its clips, in the order of the task."""
    found = {}
    for name in pair_fields(task):
        pair = item.fields[name]
        assert isinstance(pair, list | tuple)
        found[name] = (str(pair[0]), str(pair[1]))
    return found


def blind_names(task: RatingTask, item: RatingItem, orders: Orders) -> dict[str, str]:
    """Map the own name of every presented clip to its blind name."""
    return {
        name: f"c{number}"
        for number, name in enumerate(dict.fromkeys(name for name, _, _ in _presented(task, item, orders)))
    }


def own_name(blind: Mapping[str, str], clip: str) -> str:
    """Find a clip's own name by its blind name."""
    for own, other in blind.items():
        if other == clip:
            return own
    raise NotFoundError(message("studio.no-such-clip"))


def shown_clips(
    task: RatingTask, item: RatingItem, orders: Orders, seconds: Mapping[str, float]
) -> tuple[ShownClip, ...]:
    """Return every presented clip. Single clips and pairs must be heard; a story's lines need not be."""
    blind = blind_names(task, item, orders)
    places: dict[str, tuple[str, bool]] = {}
    for name, field, by_itself in _presented(task, item, orders):
        if name not in places or (by_itself and not places[name][1]):  # a line of a story may be shown by itself too
            places[name] = (field, by_itself)
    return tuple(
        ShownClip(blind[name], field, seconds[name], by_itself and task.must_listen)
        for name, (field, by_itself) in places.items()
    )


def shown_fields(task: RatingTask, item: RatingItem, orders: Orders) -> dict[str, Json]:
    """Return the fields that are read or edited; clips in the lines of a story by their blind names."""
    blind = blind_names(task, item, orders)
    stories = {one.name for one in task.shown if one.kind == "story"}
    names = [one.name for one in task.shown if one.kind in {"text", "story"}]
    names += [control.prefill for control in task.controls if control.prefill and control.kind != "preference"]
    pairs = set(pair_fields(task))
    return {
        name: _blind_story(item.fields[name], blind) if name in stories else item.fields[name]
        for name in dict.fromkeys(names)
        if name not in pairs
    }


def to_own_names(task: RatingTask, item: RatingItem, assignment: Assignment, control: str, value: Json) -> Json:
    """Convert an answer for storage: the clip of a preference by its own name."""
    return own_answer(_control(task, control), value, blind_names(task, item, assignment.orders))


def own_answer(control: Control, value: Json, blind: Mapping[str, str]) -> Json:
    """Convert an answer for storage, given the blind names of an item's clips.

    Raises:
        NotAnAnswerError: if the clip of a preference is not called by its blind name. Its own name is no answer:
            whoever guessed that would be shown the blind one, and so learn whose clip it is.
    """
    if control.kind != "preference" or not isinstance(value, str) or value == SAME:
        return value
    for own, other in blind.items():
        if other == value:
            return own
    raise NotAnAnswerError(message("studio.expected-clips-shown", name=control.name))


def to_blind_names(task: RatingTask, item: RatingItem, assignment: Assignment, control: str, value: Json) -> Json:
    """Convert a stored answer for its rater: clips by their blind names."""
    if _control(task, control).kind != "preference" or not isinstance(value, str):
        return value
    return blind_names(task, item, assignment.orders).get(value, value)


def bounded_seconds(task: RatingTask, seconds: Mapping[str, float]) -> float:
    """Duration of the clip whose boundaries are asked for, the first one shown; NaN for none."""
    return next((seconds[one.name] for one in task.shown if one.kind == "audio"), math.nan)


def story_lines(value: Json) -> list[Mapping[str, Json]]:
    """Check a story, and return its lines.

    Raises:
        ValueError: if it is not ``{"lines": [{"text", "role", "clip"}], "target": index}``.
    """
    lines = value.get("lines") if isinstance(value, Mapping) else None
    target = value.get("target") if isinstance(value, Mapping) else None
    if not isinstance(lines, list | tuple) or not all(isinstance(line, Mapping) for line in lines):
        raise ValueError(message("studio.wrong-story"))
    found = [line for line in lines if isinstance(line, Mapping)]
    if not all(isinstance(line.get(key, ""), str) for line in found for key in ("text", "role", "clip")):
        raise ValueError(message("studio.text-role-clip-story-line"))
    if not isinstance(target, int) or isinstance(target, bool) or not 0 <= target < len(found):
        raise ValueError(message("studio.target-story-index-lines", count=len(found)))
    return found


def _presented(task: RatingTask, item: RatingItem, orders: Orders) -> Iterator[tuple[str, str, bool]]:
    """Yield each clip, its field, and whether it is shown by itself or in a pair rather than in a story only."""
    shown = {one.name for one in task.shown}
    for one in task.shown:
        if one.kind == "audio":
            yield one.name, one.name, True
        elif one.kind == "pair":
            yield from ((clip, one.name, True) for clip in orders[one.name])
        elif one.kind == "story":
            lines = story_lines(item.fields[one.name])
            yield from ((str(line["clip"]), one.name, False) for line in lines if line.get("clip"))
    for name in pair_fields(task):
        if name not in shown:
            yield from ((clip, name, True) for clip in orders[name])


def _blind_story(value: Json, blind: Mapping[str, str]) -> Json:
    assert isinstance(value, Mapping)
    lines = [
        {"text": line.get("text", ""), "role": line.get("role", ""), "clip": blind.get(str(line.get("clip", "")), "")}
        for line in story_lines(value)
    ]
    return {"lines": lines, "target": value["target"]}


def _control(task: RatingTask, name: str) -> Control:
    return next(one for one in task.controls if one.name == name)
