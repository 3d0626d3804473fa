"""What a request holds: fields and recordings, as multipart/form-data or as JSON with bytes in base64."""

import asyncio
import base64
import binascii
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from aptone.errors import AptoneError
from aptone.messages import message
from aptone.rooms.operation import ClipFile, Field, Operation
from aptone.rooms.operation import Request as Checked
from aptone.types import Json
from aptone.view.service.refusals import wrong_request
from aptone.web.bodies import body_pieces, read_body
from aptone.web.error_replies import JSON_TYPE
from aptone.web.refusals import NotThatTypeError, NotUnderstoodError
from aptone.web.strict_json import read_json

FORM_TYPE = "multipart/form-data"
REQUESTS = "requests"
"""Key or part that holds the requests of a batch."""
LONGEST_TEXT = 1 << 20
"""Bytes of a part that is text; a story of the longest kind fits in."""
SMALL = 1 << 16
"""Bytes of JSON that are read at once; more is read in a thread."""
MOST_PARTS = 1_000


@dataclass(slots=True)
class _Form:
    """Parts of a form: texts by name, and recordings by name."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    clips: dict[str, list[ClipFile]] = field(default_factory=dict)


class _InMemoryParser(MultiPartParser):
    """Starlette's parser; nothing goes to the disk, for the size of the whole body is bounded."""

    spool_max_size: ClassVar[int] = 1 << 40  # type: ignore[misc]

    def close(self) -> None:
        """Let go of what was read, however far that went."""
        for file in self._files_to_close_on_error:
            file.close()


async def read_request(request: Request, operation: Operation, *, limit: int) -> Checked:
    """Read the body of a request for an operation, and check its fields.

    Raises:
        TooLargeError, TooSlowError, NotThatTypeError, NotUnderstoodError: if it is not what the operation takes.
    """
    if _media_type(request) == FORM_TYPE:
        form = await _read_form(request, limit=limit, longest=LONGEST_TEXT)
        return checked(operation, _from_form(operation, form))
    value = await _read_json(request, limit=limit)
    return checked(operation, _from_json(operation, value, parts={}))


async def read_batch(
    request: Request, operation: Operation, *, limit: int, most: int
) -> list[Checked | NotUnderstoodError]:
    """Read the requests of a batch; one that is not understood is its error, and the others are as they are.

    Raises:
        TooLargeError, TooSlowError, NotThatTypeError, NotUnderstoodError: if it is no batch.
    """
    parts: Mapping[str, list[ClipFile]] = {}
    if _media_type(request) == FORM_TYPE:
        form = await _read_form(request, limit=limit, longest=limit)
        given = form.texts.get(REQUESTS, [])
        if len(given) != 1 or len(form.texts) > 1:
            raise NotUnderstoodError(message("view.batch-form"), next=message("view.see-api"))
        value, parts = await _parsed(given[0].encode("utf-8", "replace")), form.clips
    else:
        whole = await _read_json(request, limit=limit)
        value = whole.get(REQUESTS) if isinstance(whole, Mapping) and set(whole) == {REQUESTS} else None
    if not isinstance(value, list) or not 0 < len(value) <= most:
        raise NotUnderstoodError(message("view.batch-requests", count=most), next=message("view.see-api"))
    return [_one_of_batch(operation, one, parts) for one in value]


def _one_of_batch(
    operation: Operation, value: Json, parts: Mapping[str, list[ClipFile]]
) -> Checked | NotUnderstoodError:
    try:
        return checked(operation, _from_json(operation, value, parts=parts))
    except NotUnderstoodError as refusal:
        return refusal


def checked(operation: Operation, given: Mapping[str, object]) -> Checked:
    """Check the fields of a request.

    Raises:
        NotUnderstoodError: if one is unknown, missing or wrong.
    """
    try:
        return operation.read(given)
    except AptoneError as error:
        raise wrong_request(str(error)) from None


def _media_type(request: Request) -> str:
    """Media type of the body.

    Raises:
        NotThatTypeError: if it is none of those that are read.
    """
    found = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if found not in (FORM_TYPE, JSON_TYPE):
        raise NotThatTypeError(
            message("view.body-types", names=f"{FORM_TYPE}, {JSON_TYPE}"), next=message("view.see-api")
        )
    return found


async def _read_json(request: Request, *, limit: int) -> Json:
    return await _parsed(await read_body(request, limit))


async def _parsed(body: bytes) -> Json:
    """Parse JSON; a large one in a thread, so that others are answered meanwhile."""
    return read_json(body) if len(body) <= SMALL else await asyncio.to_thread(read_json, body)


async def _read_form(request: Request, *, limit: int, longest: int) -> _Form:
    parser = _InMemoryParser(
        request.headers,
        body_pieces(request, limit),  # type: ignore[arg-type]  # it only iterates
        max_files=MOST_PARTS,
        max_fields=MOST_PARTS,
        max_part_size=longest,
    )
    with contextlib.closing(parser):
        try:
            found = (await parser.parse()).multi_items()
        except (MultiPartException, ValueError, LookupError):  # the latter two: a character set that is none
            raise wrong_request(message("view.form-broken")) from None
        form = _Form()
        for name, value in found:
            if isinstance(value, UploadFile):
                form.clips.setdefault(name, []).append(ClipFile(value.filename or "", value.file.read()))
            else:
                form.texts.setdefault(name, []).append(_usable(value))
        return form


def _usable(text: str) -> str:
    if "\0" in text:
        raise NotUnderstoodError(message("web.text-body-holds-character-nul"))
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise NotUnderstoodError(message("web.text-body-holds-half-character"))
    return text


def _from_form(operation: Operation, form: _Form) -> dict[str, object]:
    """Values by field. A text that is empty counts as left out, as that of a form on a page is."""
    fields = {one.name: one for one in operation.fields}
    given: dict[str, object] = {}
    for name in {**form.texts, **form.clips}:
        values: list[object] = [*form.clips.get(name, ()), *form.texts.get(name, ())]
        known = fields.get(name)
        if known is None:
            given[name] = None  # refused by its name
        elif known.is_repeated:
            given[name] = values
        elif len(values) > 1:
            raise wrong_request(message("view.field-twice", name=name))
        else:
            given[name] = _parse(known, values[0])
    return given


def _parse(known: Field, value: object) -> object:
    if not isinstance(value, str):
        if known.kind in ("clip", "clips"):
            return value
        raise wrong_request(message("view.field-file", name=known.name))
    if not value.strip() and not known.required:
        return None
    try:
        return known.parse(value)
    except AptoneError as error:
        raise wrong_request(str(error)) from None


def _from_json(operation: Operation, value: Json, *, parts: Mapping[str, list[ClipFile]]) -> dict[str, object]:
    if not isinstance(value, Mapping):
        raise wrong_request(message("view.request-object"))
    given: dict[str, object] = dict(value)
    for one in operation.clip_fields:
        clips = given.get(one.name)
        if one.kind == "clip" and clips is not None:
            given[one.name] = _clip(clips, name=one.name, parts=parts)
        elif isinstance(clips, list) and len(clips) <= one.most:  # more is refused by its number
            given[one.name] = tuple(_clip(clip, name=one.name, parts=parts) for clip in clips)
    return given


def _clip(value: object, *, name: str, parts: Mapping[str, list[ClipFile]]) -> ClipFile:
    """A recording: bytes in base64 with a name, or a part of the form by its name."""
    if isinstance(value, Mapping) and set(value) == {"part"}:
        found = parts.get(str(value["part"]), [])
        if len(found) != 1:
            raise wrong_request(message("view.clip-part", name=name, part=str(value["part"])[:60]))
        return found[0]
    if not isinstance(value, Mapping) or "base64" not in value or not set(value) <= {"name", "base64"}:
        raise wrong_request(message("view.clip-form", name=name))
    file, text = value.get("name", ""), value["base64"]
    if not isinstance(file, str) or not isinstance(text, str):
        raise wrong_request(message("view.clip-form", name=name))
    try:
        return ClipFile(file, base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        raise wrong_request(message("view.clip-base64", name=name)) from None
