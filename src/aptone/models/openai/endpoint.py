"""One call to an OpenAI-compatible server, and the errors that its failures become.

Nothing is retried here. A time-out, a dropped connection, a rate limit, a server error or a truncated reply is a
`TransientError`, with the time that the server asks to wait; a wrong key, model or request is a `UsageError` that says
what to check.

The key is read from the environment at each call. It is stored nowhere, and removed from messages of the server before
they are shown. Redirects are not followed: they could carry the key and the recording elsewhere.
"""

import asyncio
import email.utils
import math
import os
import ssl
import weakref
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias, TypedDict
from urllib.parse import urlsplit

from aptone.errors import MissingExtraError, RecordError, TransientError, UsageError
from aptone.messages import labelled, message
from aptone.models.asking.guard import visible
from aptone.models.parts import About, Kinds, check_kinds
from aptone.types import Json, loads

if TYPE_CHECKING:
    import httpx

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
"""Most bytes of a reply."""

_SHOWN = 300
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
                raise UsageError(message("models.no-base-url", url=repr(self.base_url)))
            raise UsageError(message("models.no-address"))
        if parts.username is not None or parts.query or parts.fragment:
            raise UsageError(
                "a base URL holds no user name, password, query or fragment: it is written into run folders. "
                f"Put the key into the environment variable {self.key_variable}."
            )
        if not 0 < self.timeout < math.inf:
            raise UsageError(f"a time-out is a positive number of seconds, got {self.timeout}.")
        object.__setattr__(self, "base_url", self.base_url.rstrip("/"))

    @property
    def machine(self) -> str:
        """Host and, where given, port of the server."""
        return urlsplit(self.base_url).netloc

    @property
    def is_here(self) -> bool:
        """True if the server is this machine."""
        return urlsplit(self.base_url).hostname in ("localhost", "127.0.0.1", "::1")

    @property
    def about_audio(self) -> About:
        """Requirements of a part that sends recordings, and the machine that receives them."""
        machines = () if self.is_here else (self.machine,)
        return About(modules=ABOUT.modules, extra=ABOUT.extra, sends_audio_to=machines)

    async def post_json(self, path: str, body: Mapping[str, Json]) -> Mapping[str, Json]:
        """Send JSON, get a JSON object.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
            MissingExtraError: if httpx is not installed.
        """
        return self._object(await self._post(path, json=dict(body)))

    async def post_json_for_bytes(self, path: str, body: Mapping[str, Json]) -> bytes:
        """Send JSON, get bytes; errors as those of `post_json`."""
        return await self._post(path, json=dict(body))

    async def post_file(self, path: str, file: bytes, *, name: str, fields: Mapping[str, str]) -> Mapping[str, Json]:
        """Send a file and fields as a form, get a JSON object; errors as those of `post_json`."""
        return self._object(await self._post(path, files={"file": (name, file)}, data=dict(fields)))

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
    ) -> bytes:
        httpx = _httpx()
        client = await _client()
        key = self._key()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        url = f"{self.base_url}/{path}"
        try:
            async with (
                asyncio.timeout(self.timeout),
                client.stream("POST", url, json=json, files=files, data=data, headers=headers) as response,
            ):
                body = bytearray()
                async for block in response.aiter_bytes():
                    body += block
                    if len(body) > LARGEST_REPLY:
                        raise UsageError(f"{self.machine}: the reply is longer than {LARGEST_REPLY >> 20} MiB.")
        except TimeoutError as error:
            raise TransientError(
                message("models.no-reply-in-time", machine=self.machine, seconds=self.timeout)
            ) from error
        except httpx.DecodingError as error:
            raise TransientError(message("models.reply-not-unpacked", machine=self.machine)) from error
        except httpx.TransportError as error:
            problem = self._said(f"{type(error).__name__}: {error}", key)
            raise TransientError(message("models.connection-failed", machine=self.machine, why=problem)) from error
        except (httpx.InvalidURL, httpx.HTTPError) as error:
            raise UsageError(f"{url}: cannot be asked ({self._said(str(error), key)}).") from error
        if response.status_code != 200:
            raise self._refusal(response.status_code, response.headers, bytes(body), key)
        return bytes(body)

    def _key(self) -> str:
        key = os.environ.get(self.key_variable, "").strip()
        if not (key.isascii() and key.isprintable()):
            raise UsageError(f"the environment variable {self.key_variable} holds no key: expected plain characters.")
        return key

    def _refusal(self, status: int, headers: Mapping[str, str], body: bytes, key: str) -> TransientError | UsageError:
        said = self._said(_message(body), key)
        answered = message("models.server-answered", machine=self.machine, status=status)
        words = labelled(answered, said) if said else answered
        passes = status in _PASSING_CLIENT_ERRORS or (status >= 500 and status not in _PERMANENT_SERVER_ERRORS)
        if passes and not any(code.encode() in body for code in _OUT_OF_MONEY):
            return TransientError(words, retry_after=retry_after(headers))
        advice = _ADVICE.get(status, "check the options of the engine").format(key=self.key_variable)
        return UsageError(f"{words}. Next: {advice}.")

    def _said(self, text: str, key: str) -> str:
        """Return a message of the server, short, on one line, without control characters, and without the key."""
        shown = " ".join(visible(text.replace(key, "(key)") if key else text).split())
        return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"

    def _object(self, body: bytes) -> Mapping[str, Json]:
        try:
            data = loads(body, what=f"the reply of {self.machine}")
        except (RecordError, UnicodeDecodeError) as error:
            raise TransientError(message("models.reply-breaks-off", machine=self.machine)) from error
        if not isinstance(data, Mapping):
            raise TransientError(message("models.reply-not-object", machine=self.machine, what=type(data).__name__))
        if data.get("error"):
            raise TransientError(
                message("models.answered-error", machine=self.machine, why=self._said(_message(body), self._key()))
            )
        return data


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
    text = body[: 8 * _SHOWN].decode("utf-8", "replace")
    try:
        data = loads(body)
    except (RecordError, UnicodeDecodeError):
        return text
    error = data.get("error") if isinstance(data, Mapping) else None
    if isinstance(error, Mapping):
        return str(error.get("message", text))
    return error if isinstance(error, str) else text


def _httpx() -> ModuleType:
    try:
        import httpx
    except ImportError as error:
        raise MissingExtraError(message("models.talking-to-server"), extra="llm") from error
    return httpx


_Opened: TypeAlias = "tuple[httpx.AsyncClient, AsyncGenerator[httpx.AsyncClient]]"
"""Client, and the generator that closes it: without a reference to it the client would be closed at once."""
_opened: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Opened] = weakref.WeakKeyDictionary()
"""One client for each event loop: connections belong to the loop in which they were opened."""


async def _client() -> "httpx.AsyncClient":
    loop = asyncio.get_running_loop()
    if (opened := _opened.get(loop)) is None:
        closing = _open_until_the_loop_ends(loop)
        opened = _opened[loop] = (await anext(closing), closing)
    return opened[0]


@cache
def _certificates() -> ssl.SSLContext:
    """Load the certificates once: it takes longer than everything else about a client."""
    import httpx

    return httpx.create_ssl_context()


async def _open_until_the_loop_ends(loop: asyncio.AbstractEventLoop) -> "AsyncGenerator[httpx.AsyncClient]":
    """Yield a client that is closed with its loop: a loop that ends closes the generators that are still open in it."""
    import httpx

    # How many calls are under way at once is the runner's business.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
    async with httpx.AsyncClient(verify=_certificates(), timeout=None, limits=limits) as client:  # noqa: S113 (each call has its own)
        try:
            yield client
        finally:
            _opened.pop(loop, None)


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
