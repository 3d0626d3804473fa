"""Validation of answers."""

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import TypeGuard

from aptone.messages import message
from aptone.studio.refusals import NotAnAnswerError, NotFoundError
from aptone.types import Control, Json, RatingItem, is_finite_number
from aptone.types.rating import SAME

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


def preferable(control: Control, item: RatingItem) -> list[str]:
    """Possible answers of a preference: one of the two clips, or `SAME` where the task offers it."""
    pair = item.fields[control.prefill]
    assert isinstance(pair, list | tuple)
    return [*map(str, pair), *([SAME] if control.allows_same else [])]


def is_missing(control: Control, value: Json) -> bool:
    """True if a required answer is missing.

    >>> word = Control("feeling", "text", {"en": "Which feeling?"})
    >>> is_missing(word, "  "), is_missing(word, "calm")
    (True, False)
    """
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
    """Check a name from an address, and return it unchanged.

    Raises:
        NotFoundError: if no database could hold it.
    """
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
