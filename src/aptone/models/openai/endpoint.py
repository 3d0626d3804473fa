"""One call to an OpenAI-compatible server, and the errors that its failures become.

Nothing is retried here. A time-out, a dropped connection, a rate limit, a server error or a truncated reply is a
`TransientError`, with the time that the server asks to wait; a wrong key, model or request is a `UsageError` that says
what to check.

The key is read from the environment at each call. It is stored nowhere, and removed from whatever the server says
before anybody sees it.
"""

import asyncio
import contextlib
import email.utils
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypedDict
from urllib.parse import urlsplit

from aptone.errors import RecordError, TransientError, UsageError
from aptone.messages import labelled, message
from aptone.models.asking.guard import visible
from aptone.models.parts import About, Kinds, check_kinds
from aptone.run.http.keys import check_address, hide_key, read_key, shown_address, without_key
from aptone.run.http.post import ConnectionFailedError, HttpReply, post
from aptone.run.http.reading import EncodedReplyError, LargeReplyError, Limits
from aptone.run.http.route import route_of
from aptone.types import Json, dumps, loads

ABOUT = About(modules=("httpx",), extra="llm")

KEY_VARIABLE = "OPENAI_API_KEY"
"""Default name of the environment variable that holds the key."""
TIMEOUT = 120.0
"""Default limit of a whole call, in seconds."""

_KINDS: Kinds = {
    "model": ((str,), "a name"),
    "base_url": ((str,), "an address"),
    "key_variable": ((str,), "the name of an environment variable"),
    "timeout": ((int, float), "a number of seconds"),
}

LARGEST_REPLY = 64 << 20
"""Most bytes of a reply that is sound, or vectors."""
LARGEST_JSON = 16 << 20
"""Most bytes of any other reply."""
MOST_PARTS = 500_000
"""Most objects and lists in a reply."""

_SHOWN = 300
_LONGEST_MESSAGE = 100_000  # characters, before spaces are joined
_PERMANENT_SERVER_ERRORS = (501, 505)
_PASSING_CLIENT_ERRORS = (408, 409, 425, 429)
_OUT_OF_MONEY = ("insufficient_quota", "billing_hard_limit_reached")
_ADVICE = {
    401: "the server wants another key; put it into the environment variable {key}",
    403: "the key in the environment variable {key} may not do this",
    404: "check the base URL (it usually ends in /v1) and the name of the model",
    413: "the recording or the text is too long for this server",
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """OpenAI-compatible server.

    Args:
        base_url: address up to ``/chat/completions``, for instance ``http://localhost:8000/v1``.
        key_variable: name of the environment variable that holds the key; it may be unset where no key is needed.
        timeout: limit of a whole call, connecting included, in seconds.

    Raises:
        UsageError: if the address is invalid, or holds a password, query or fragment.
    """

    base_url: str
    key_variable: str = KEY_VARIABLE
    timeout: float = TIMEOUT

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.base_url)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            is_address = False
        if not is_address:
            if self.base_url:
                raise UsageError(message("models.no-base-url", url=repr(shown_address(self.base_url))))
            raise UsageError(message("models.no-address"))
        if parts.username is not None or parts.query or parts.fragment:
            raise UsageError(
                "a base URL holds no user name, password, query or fragment: it is written into run folders. "
                f"Put the key into the environment variable {self.key_variable}."
            )
        check_address(self.base_url, what="base_url", variable=self.key_variable)
        if not 0 < self.timeout < math.inf:
            raise UsageError(f"a time-out is a positive number of seconds, got {self.timeout}.")
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))

    @property
    def machine(self) -> str:
        """Host and, where given, port of the server."""
        return urlsplit(self.base_url).netloc

    @property
    def about_audio(self) -> About:
        """Requirements of a part that sends recordings, and the machines that receive them."""
        return About(modules=ABOUT.modules, extra=ABOUT.extra, sends_audio_to=route_of(self.base_url).receivers)

    async def post_json(
        self, path: str, body: Mapping[str, Json], *, largest: int = LARGEST_JSON
    ) -> Mapping[str, Json]:
        """Send JSON, get a JSON object, in which the key does not occur.

        Args:
            largest: most bytes of the reply.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
            MissingExtraError: if httpx is not installed.
        """
        return await self._object(await self._post(path, json=dict(body), largest=largest))

    async def post_json_for_bytes(self, path: str, body: Mapping[str, Json]) -> bytes:
        """Send JSON, get bytes; errors as those of `post_json`."""
        return await self._post(path, json=dict(body))

    async def post_file(self, path: str, file: bytes, *, name: str, fields: Mapping[str, str]) -> Mapping[str, Json]:
        """Send a file and fields as a form, get a JSON object; errors as those of `post_json`."""
        body = await self._post(path, files={"file": (name, file)}, data=dict(fields), largest=LARGEST_JSON)
        return await self._object(body)

    async def post_file_for_bytes(
        self, path: str, file: bytes, *, name: str, field: str, fields: Mapping[str, str]
    ) -> bytes:
        """Send a file, under the name of its field, and fields as a form, get bytes; errors as above."""
        return await self._post(path, files={field: (name, file)}, data=dict(fields))

    async def _post(
        self,
        path: str,
        *,
        json: Mapping[str, Json] | None = None,
        files: Mapping[str, tuple[str, bytes]] | None = None,
        data: Mapping[str, str] | None = None,
        largest: int = LARGEST_REPLY,
    ) -> bytes:
        key = read_key(self.key_variable)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        limits = Limits(largest, self.timeout)
        try:
            reply = await post(f"{self.base_url}/{path}", limits, headers=headers, json=json, files=files, data=data)
        except TimeoutError as error:
            raise TransientError(
                message("models.no-reply-in-time", machine=self.machine, seconds=self.timeout)
            ) from error
        except LargeReplyError as error:
            raise UsageError(message("models.reply-too-large", machine=self.machine, size=largest >> 20)) from error
        except EncodedReplyError as error:
            raise UsageError(labelled(self.machine, message("run.reply-compressed"))) from error
        except ConnectionFailedError as error:
            problem = self._said(str(error), key)
            raise TransientError(message("models.connection-failed", machine=self.machine, why=problem)) from error
        if reply.status != 200:
            raise await asyncio.to_thread(self._refusal, reply, key)
        return reply.body

    def _refusal(self, reply: HttpReply, key: str) -> TransientError | UsageError:
        status, body = reply.status, reply.body
        said = self._said(_message(body), key)
        answered = message("models.server-answered", machine=self.machine, status=status)
        words = labelled(answered, said) if said else answered
        passes = status in _PASSING_CLIENT_ERRORS or (status >= 500 and status not in _PERMANENT_SERVER_ERRORS)
        if passes and not any(code.encode() in body for code in _OUT_OF_MONEY):
            return TransientError(words, retry_after=retry_after(reply.headers))
        advice = _ADVICE.get(status, "check the options of the engine").format(key=self.key_variable)
        return UsageError(f"{words}. Next: {advice}.")

    def _said(self, text: str, key: str) -> str:
        """Return a message of the server, short, on one line, without control characters, and without the key."""
        shown = " ".join(visible(hide_key(text, key)[:_LONGEST_MESSAGE]).split())
        return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"

    async def _object(self, body: bytes) -> Mapping[str, Json]:
        key = read_key(self.key_variable)
        try:
            data = await asyncio.to_thread(_decoded, body, key)  # a large one would hold up all other requests
        except (RecordError, UnicodeDecodeError) as error:
            raise TransientError(message("models.reply-breaks-off", machine=self.machine)) from error
        if not isinstance(data, Mapping):
            raise TransientError(message("models.reply-not-object", machine=self.machine, what=type(data).__name__))
        if data.get("error"):
            said = self._said(_error_text(data) or dumps(data), key)
            raise TransientError(message("models.answered-error", machine=self.machine, why=said))
        return data


def _decoded(body: bytes, key: str) -> Json:
    """Parse a reply and take the key out of it.

    Raises:
        RecordError: if it is no JSON, nested too deeply, or has too many parts: 16 MiB of ``[],`` take 360 MB.
        UnicodeDecodeError: if it is no text.
    """
    if body.count(b"[") + body.count(b"{") > MOST_PARTS:
        raise RecordError(message("models.reply-many-parts", count=MOST_PARTS))
    return without_key(loads(body), key)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait; ``None`` without a valid header.

    >>> retry_after({"retry-after": "2.5"})
    2.5
    >>> retry_after({"retry-after": "soon"}) is None
    True
    """
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            moment = email.utils.parsedate_to_datetime(value)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
            seconds = (moment - datetime.now(UTC)).total_seconds()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _message(body: bytes) -> str:
    """Return the text in the body of an error: its message if it has the usual form, else all of it."""
    with contextlib.suppress(RecordError, UnicodeDecodeError):
        if text := _error_text(_decoded(body, "")):
            return text
    return body.decode("utf-8", "replace")


def _error_text(data: Json) -> str:
    error = data.get("error") if isinstance(data, Mapping) else None
    if isinstance(error, Mapping):
        return str(error.get("message", ""))
    return error if isinstance(error, str) else ""


class EndpointOptions(TypedDict, total=False):
    """Options of a part that asks a server; defaults and meaning as `endpoint_of`."""

    model: str
    base_url: str
    key_variable: str
    timeout: float


def endpoint_of(
    part: str, *, model: str = "", base_url: str = "", key_variable: str = KEY_VARIABLE, timeout: float = TIMEOUT
) -> tuple[Endpoint, str]:
    """Return the server that the options of a part name, and the name of the model there.

    Args:
        part: part that asks the server; names the variable ``APTONE_<PART>_MODEL``.
        model: name of the model on the server; by default the value of that variable.
        base_url: address of the server; by default the value of ``OPENAI_BASE_URL``.
        key_variable: name of the environment variable that holds the key.
        timeout: limit of a call, in seconds.

    Raises:
        UsageError: if model or server is missing, or an option has a wrong type or value.
    """
    check_kinds(part, {"model": model, "base_url": base_url, "key_variable": key_variable, "timeout": timeout}, _KINDS)
    variable = f"APTONE_{part.upper()}_MODEL"
    model = model or os.environ.get(variable, "")
    base_url = base_url or os.environ.get("OPENAI_BASE_URL", "")
    if not model or not base_url:
        raise UsageError(message("models.which-model-where", what=part.replace("_", " "), part=part, variable=variable))
    return Endpoint(base_url, key_variable=key_variable, timeout=timeout), model
