"""Items as raters see them, and their answers as they are stored.

A rater sees the fields that the task shows or edits, and clips under blind names (``c0``, ``c1``, …). These follow the
order in which things are presented, pairs and sets in the random order of the person, so that they tell nothing about
where a clip comes from.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeGuard

from aptone.messages import message
from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.store.records import ShownClip
from aptone.types import Control, Json, RatingItem, RatingTask, is_finite_number
from aptone.types.rating import BEST, SAME, SET_KINDS, WORST
from aptone.web.refusals import NotFoundError

TEXT_LENGTH = 10_000
"""Most characters in a free text."""
EDIT_LENGTH = 200_000
"""Most characters in an edited text, all lines together."""
EDIT_LINES = 5_000

_END_SLACK = 0.1
"""Seconds by which a page may take a clip for longer than it is; decoders disagree about the last samples."""
_GRID_SLACK = 1e-6
_TURNS_LINES = re.compile("[\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""Characters that end a line or change its direction, so that a name could look like another one."""


def checked_value(control: Control, value: Json, *, item: RatingItem, seconds: float) -> Json:
    """Check an answer, and return it as it is stored: a scale on its grid, times within the clip, all else unchanged.

    Args:
        value: the answer; ``None`` takes an earlier one back and is always allowed.
        seconds: duration of the clip whose boundaries are asked for; NaN for none.
    """
    if value is None:
        return None
    match control.kind:
        case "scale":
            return _scale(control, value)
        case "choice":
            return _one_of(control, value, [choice.value for choice in control.choices])
        case "text":
            return _text(control, value, limit=TEXT_LENGTH)
        case "boundaries":
            return _boundaries(control, value, seconds)
        case "edit":
            return _edit(control, value, item.fields[control.prefill])
        case "preference":
            return _one_of(control, value, preferable(control, item))
        case "ratings":
            return _ratings(control, value, set_clips(control, item))
        case "ranking":
            return _ranking(control, value, set_clips(control, item))
        case "best-worst":
            return _best_worst(control, value, set_clips(control, item))


def set_clips(control: Control, item: RatingItem) -> list[str]:
    """Own names of the clips that a question about a set asks about."""
    clips = item.fields[control.prefill]
    assert isinstance(clips, list | tuple)
    return [str(clip) for clip in clips]


def preferable(control: Control, item: RatingItem) -> list[str]:
    """Possible answers of a preference: one of the two clips, or `SAME` where the task offers it."""
    pair = item.fields[control.prefill]
    assert isinstance(pair, list | tuple)
    return [*map(str, pair), *([SAME] if control.allows_same else [])]


def is_missing(control: Control, value: Json, item: RatingItem) -> bool:
    """True if a required answer is missing; about a set, if it leaves out one of the clips.

    >>> word = Control("feeling", "text", {"en": "Which feeling?"})
    >>> is_missing(word, "  ", RatingItem("1")), is_missing(word, "calm", RatingItem("1"))
    (True, False)
    """
    if control.kind in SET_KINDS and control.required:
        whole = 2 if control.kind == "best-worst" else len(set_clips(control, item))
        return not isinstance(value, Mapping | list | tuple) or len(value) < whole
    return control.required and (value is None or (isinstance(value, str) and not value.strip()) or value == [])


def plain_line(value: str, *, limit: int) -> str:
    """Return a name or the like as one stripped line without control characters.

    Raises:
        NotAnAnswerError: if it is empty, too long, or holds characters that do not belong in a line.
    """
    line = unicodedata.normalize("NFC", value).strip()
    if not line or len(line) > limit or not is_plain(line, allowed="") or _TURNS_LINES.search(line):
        raise NotAnAnswerError(message("studio.name-line-signs", limit=limit), code="not-a-line")
    return line


def is_plain(value: str, *, allowed: str = "\n\t") -> bool:
    r"""True if a text holds no control characters but those allowed, and nothing that UTF-8 cannot encode.

    >>> is_plain("a\nb"), is_plain("a\x00b"), is_plain("\ud800")
    (True, False, False)
    """
    if value.isprintable():  # most texts, by far
        return True
    return all(sign in allowed or unicodedata.category(sign) not in {"Cc", "Cs"} for sign in value)


def check_name(name: str, *, what: str) -> str:
    """Check a name from an address, and return it unchanged; raises `NotFoundError` if no database could hold it."""
    if not is_plain(name, allowed=""):
        raise NotFoundError(message(f"studio.no-such-{what}"))
    return name


def _scale(control: Control, value: Json) -> float:
    expected = message(
        "studio.expected-number-in-steps", name=control.name, low=control.low, high=control.high, step=control.step
    )
    if not is_finite_number(value):
        raise NotAnAnswerError(expected)
    steps = round((value - control.low) / control.step) if control.low <= value <= control.high else -1
    nearest = round(control.low + steps * control.step, 9)
    if steps < 0 or abs(nearest - value) > _GRID_SLACK * max(1.0, control.step):
        raise NotAnAnswerError(expected)
    return nearest


def _one_of(control: Control, value: Json, known: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise NotAnAnswerError(message("studio.expected-choice", name=control.name, count=len(known)))
    return value


def _text(control: Control, value: Json, *, limit: int) -> str:
    if not isinstance(value, str) or len(value) > limit or not is_plain(value):
        raise NotAnAnswerError(message("studio.expected-text", name=control.name, limit=limit))
    return value


def _boundaries(control: Control, value: Json, seconds: float) -> list[float]:
    limit = math.inf if math.isnan(seconds) else seconds
    if not _is_times(value) or not 0 <= value[0] < value[1] <= limit + _END_SLACK or value[0] >= limit:
        raise NotAnAnswerError(message("studio.expected-times", name=control.name, limit=limit))
    return [float(value[0]), min(float(value[1]), limit)]


def _is_times(value: Json) -> TypeGuard[Sequence[float]]:
    return isinstance(value, list | tuple) and len(value) == 2 and all(is_finite_number(time) for time in value)


def _edit(control: Control, value: Json, before: Json) -> Json:
    """Check an edit: it has the form of its prefill, a text or a list of texts."""
    if isinstance(before, str):
        return _text(control, value, limit=EDIT_LENGTH)
    expected = message("studio.expected-lines", name=control.name, lines=EDIT_LINES, signs=EDIT_LENGTH)
    if not isinstance(value, list | tuple) or len(value) > EDIT_LINES:
        raise NotAnAnswerError(expected)
    lines = [line for line in value if isinstance(line, str) and is_plain(line)]
    if len(lines) < len(value) or sum(map(len, lines)) > EDIT_LENGTH:
        raise NotAnAnswerError(expected)
    return lines


def _ratings(control: Control, value: Json, clips: Sequence[str]) -> Json:
    if not isinstance(value, Mapping) or any(name not in clips for name in value):
        raise NotAnAnswerError(
            message("studio.expected-ratings", name=control.name, low=control.low, high=control.high, step=control.step)
        )
    return {str(name): _scale(control, number) for name, number in value.items()}


def _ranking(control: Control, value: Json, clips: Sequence[str]) -> Json:
    names = [one for one in value if isinstance(one, str)] if isinstance(value, list | tuple) else []
    if not isinstance(value, list | tuple) or len(names) < len(value) or len(set(names)) < len(names):
        raise NotAnAnswerError(message("studio.expected-ranking", name=control.name))
    if any(name not in clips for name in names):
        raise NotAnAnswerError(message("studio.expected-ranking", name=control.name))
    return names


def _best_worst(control: Control, value: Json, clips: Sequence[str]) -> Json:
    if isinstance(value, Mapping) and set(value) <= {BEST, WORST}:
        chosen = list(value.values())
        if all(isinstance(one, str) and one in clips for one in chosen) and len(set(chosen)) == len(chosen):
            return dict(value)
    raise NotAnAnswerError(message("studio.expected-best-worst", name=control.name))


Orders = Mapping[str, tuple[str, ...]]
"""Field of a pair or set to its clips, in the random order of a person."""


def pair_fields(task: RatingTask) -> list[str]:
    """Names of the fields with a pair or set of clips, shown or asked about."""
    shown = [one.name for one in task.shown if one.kind in {"pair", "set", "switch"}]
    asked = [control.prefill for control in task.controls if control.kind in {"preference", *SET_KINDS}]
    return list(dict.fromkeys([*shown, *asked]))


def task_orders(task: RatingTask, item: RatingItem) -> dict[str, tuple[str, ...]]:
    """Map the field of each pair or set to its clips, in the order of the task."""
    found = {}
    for name in pair_fields(task):
        clips = item.fields[name]
        assert isinstance(clips, list | tuple)
        found[name] = tuple(str(clip) for clip in clips)
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
    """Return every presented clip. Single clips, pairs and sets must be heard; a story's lines need not be."""
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
    names += [control.prefill for control in task.controls if control.prefill]
    pairs = set(pair_fields(task))
    return {
        name: _blind_story(item.fields[name], blind) if name in stories else item.fields[name]
        for name in dict.fromkeys(names)
        if name not in pairs
    }


def own_answer(control: Control, value: Json, blind: Mapping[str, str]) -> Json:
    """Convert an answer for storage, given the blind names of an item's clips.

    Raises:
        NotAnAnswerError: if a clip is not called by its blind name. Its own name is no answer: whoever guessed that
            would be shown the blind one, and so learn whose clip it is.
    """
    own = {other: name for name, other in blind.items()}
    try:
        return _renamed(control, value, lambda name: own[name])
    except KeyError:
        raise NotAnAnswerError(message("studio.expected-clips-shown", name=control.name)) from None


def blind_answers(task: RatingTask, answers: Mapping[str, Json], blind: Mapping[str, str]) -> dict[str, Json]:
    """Convert stored answers for those who see blind names: the clips of preferences and sets by these."""
    controls = {control.name: control for control in task.controls}
    return {
        name: _renamed(controls[name], value, lambda clip: blind.get(clip, clip)) if name in controls else value
        for name, value in answers.items()
    }


def _renamed(control: Control, value: Json, rename: Callable[[str], str]) -> Json:
    """Rename the clips in an answer; what is no answer of its kind stays, and is refused by the check after this."""
    match control.kind:
        case "preference":
            return rename(value) if isinstance(value, str) and value != SAME else value
        case "ratings" if isinstance(value, Mapping):
            return {rename(str(name)): number for name, number in value.items()}
        case "ranking" if isinstance(value, list | tuple):
            return [rename(one) if isinstance(one, str) else one for one in value]
        case "best-worst" if isinstance(value, Mapping):
            return {key: rename(one) if isinstance(one, str) else one for key, one in value.items()}
    return value


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
    """Yield each clip, its field, and whether it is shown by itself, in a pair or set rather than in a story only."""
    shown = {one.name for one in task.shown}
    for one in task.shown:
        if one.kind == "audio":
            yield one.name, one.name, True
        elif one.kind in {"pair", "set", "switch"}:
            if one.reference:
                yield one.reference, one.name, True
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
