"""Requests of our own pages: fields and recordings in one body, without an encoding that makes them larger.

The first line is JSON: ``{"fields": {…}, "clips": [{"field": "clips", "name": "take 1.wav", "size": 96044}]}``.
The bytes of the recordings follow it, one after the other.
"""

from collections.abc import Mapping

from starlette.requests import Request

from aptone.messages import message
from aptone.rooms.operation import MOST_CLIPS, ClipFile
from aptone.types import Json
from aptone.web.bodies import read_body
from aptone.web.refusals import NotThatTypeError, NotUnderstoodError
from aptone.web.strict_json import read_json

PACKED_TYPE = "application/vnd.aptone.packed"
"""Media type of such a body; a form of another site cannot send it."""
LARGEST = 64 * 1024 * 1024
"""Bytes of a request: twenty takes of half a minute at 48 kHz, and some."""


async def read_packed(request: Request) -> dict[str, object]:
    """Fields of a request by name, recordings as `ClipFile`; a field that has several holds a tuple.

    Raises:
        RefusedError: if it is too large or too slow, of another type, or does not have this form.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != PACKED_TYPE:
        raise NotThatTypeError(message("web.body-must-type", kind=PACKED_TYPE))
    return unpack(await read_body(request, LARGEST))


def unpack(body: bytes) -> dict[str, object]:
    r"""Fields and recordings of a body.

    >>> unpack(b'{"fields": {"line": "Go!"}, "clips": [{"field": "clips", "name": "a.wav", "size": 2}]}\nab')
    {'line': 'Go!', 'clips': (ClipFile(name='a.wav'),)}

    Raises:
        NotUnderstoodError: if it does not have this form.
    """
    head, _, sound = body.partition(b"\n")
    stated = read_json(head)
    fields = stated.get("fields") if isinstance(stated, Mapping) else None
    clips = stated.get("clips", []) if isinstance(stated, Mapping) else None
    if not isinstance(fields, Mapping) or not isinstance(clips, list) or len(clips) > MOST_CLIPS:
        raise NotUnderstoodError(message("web.request-cannot-understood"))
    found: dict[str, object] = dict(fields)
    place = 0
    for clip in clips:
        name, size, field = _described(clip)
        if place + size > len(sound):
            raise NotUnderstoodError(message("web.request-cannot-understood"))
        file = ClipFile(name, sound[place : place + size])
        place += size
        found[field] = file if field == "audio" else (*_several(found.get(field)), file)
    if place != len(sound):
        raise NotUnderstoodError(message("web.request-cannot-understood"))
    return found


def _described(clip: Json) -> tuple[str, int, str]:
    if isinstance(clip, Mapping):
        name, size, field = clip.get("name"), clip.get("size"), clip.get("field")
        if isinstance(name, str) and type(size) is int and size >= 0 and field in ("audio", "clips"):
            return name, size, str(field)
    raise NotUnderstoodError(message("web.request-cannot-understood"))


def _several(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else ()
