"""A system that is a server: a recording is posted, and the reply is the answer."""

import os
import re
import ssl
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import quote, urlsplit

from aptone.audio.write import wav_bytes
from aptone.errors import MissingExtraError, TransientError, UsageError
from aptone.messages import message
from aptone.run.system.protocol import MOST_BYTES_SHOWN, TIMEOUT, Asked, checked_answer, one_line, refuse_large
from aptone.types import Audio, signature

KEY_VARIABLE = "APTONE_SYSTEM_KEY"
"""Environment variable whose content is sent as a bearer token, where a system wants one."""

_PASSING_CLIENT_ERRORS = (408, 409, 425, 429)


@dataclass(frozen=True, slots=True)
class ServedSystem:
    """A server: a wav file is posted, and the answer is the body of the reply, in any format that aptone reads.

    The headers ``X-Aptone-Dialogue``, ``X-Aptone-Turn`` and ``X-Aptone-Turns`` tell a server that remembers what was
    said before which dialogue goes on. Redirects are not followed.

    Args:
        timeout: seconds for one answer.

    Raises:
        UsageError: if it is no address, or holds a password.
    """

    url: str
    timeout: float = TIMEOUT

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            is_address = parts.scheme.lower() in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            is_address = False
        if not is_address:
            raise UsageError(
                f"--system {self.url[:80]!r} is no address; expected something like http://localhost:9000/."
            )
        if parts.username is not None:
            raise UsageError(
                "--system: an address holds no user name or password: it is written into run folders. "
                f"Put a key into the environment variable {KEY_VARIABLE}."
            )

    @property
    def signature(self) -> str:
        """The address."""
        return signature("system", {"url": self.url})

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        """The server, unless it is this machine."""
        parts = urlsplit(self.url)
        return () if parts.hostname in ("localhost", "127.0.0.1", "::1") else (parts.netloc,)

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        """The body of the reply; see `System.respond`."""
        try:
            import httpx
        except ImportError as error:
            raise MissingExtraError(message("run.asking-over-http"), extra="llm") from error
        headers = {
            "Content-Type": "audio/wav",
            "X-Aptone-Dialogue": quote(asked.dialogue, safe="", errors="replace"),
            "X-Aptone-Turn": str(asked.turn),
            "X-Aptone-Turns": str(asked.of),
        }
        if key := os.environ.get(KEY_VARIABLE, "").strip():
            headers["Authorization"] = f"Bearer {key}"
        deadline = time.monotonic() + self.timeout
        try:
            content, verify = wav_bytes(question), _certificates()
            with httpx.stream(
                "POST", self.url, content=content, headers=headers, timeout=self.timeout, verify=verify
            ) as response:
                body = bytearray()
                for block in response.iter_bytes():
                    body += block
                    refuse_large(len(body))
                    if time.monotonic() > deadline:
                        raise TransientError(message("run.not-done-in-time", seconds=self.timeout))
        except httpx.TimeoutException as error:
            raise TransientError(message("run.not-done-in-time", seconds=self.timeout)) from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise TransientError(message("run.connection-failed", error=type(error).__name__)) from error
        except (httpx.InvalidURL, httpx.HTTPError) as error:
            raise UsageError(f"--system {self.url}: cannot be asked ({type(error).__name__}).") from error
        if response.status_code != 200:
            raise _refusal(response.status_code, bytes(body), key, wait=response.headers.get("retry-after", ""))
        with tempfile.TemporaryDirectory(prefix="aptone-") as folder:
            path = Path(folder) / "answer.wav"
            path.write_bytes(body)
            return checked_answer(path, source="the system's answer")


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: it takes longer than everything else about a request."""
    import httpx

    return httpx.create_ssl_context()


def _refusal(status: int, body: bytes, key: str, *, wait: str) -> TransientError | UsageError:
    text = one_line(body[:MOST_BYTES_SHOWN])
    said = f"the system answered {status}: {text.replace(key, '(key)') if key else text}"
    if status in _PASSING_CLIENT_ERRORS or status >= 500:
        seconds = float(wait) if re.fullmatch(r"\d{1,6}(\.\d+)?", wait) else None
        return TransientError(said, retry_after=seconds)
    return UsageError(f"{said}. Next: check the address after --system, and what the server expects.")
