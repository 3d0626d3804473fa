"""A system that is a server: a recording is posted, and the reply is the answer."""

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from aptone.audio.write import wav_bytes
from aptone.errors import TransientError, UsageError
from aptone.messages import message
from aptone.run.attempts import run_to_the_end
from aptone.run.http.keys import check_address, hide_key, read_key, shown_address
from aptone.run.http.post import ConnectionFailedError, HttpReply, post
from aptone.run.http.reading import EncodedReplyError, LargeReplyError, Limits
from aptone.run.http.route import route_of
from aptone.run.system import protocol
from aptone.run.system.protocol import MOST_BYTES_SHOWN, TIMEOUT, Asked, checked_answer, one_line
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
        UsageError: if it is no address, or holds a key.
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
                f"--system {shown_address(self.url)[:80]!r} is no address; expected something like "
                "http://localhost:9000/."
            )
        check_address(self.url, what="--system", variable=KEY_VARIABLE)

    @property
    def signature(self) -> str:
        """The address."""
        return signature("system", {"url": self.url})

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        """The server, unless it is this machine, and the proxy before it, if any."""
        return route_of(self.url).receivers

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        """The body of the reply; see `System.respond`."""
        headers = {
            "Content-Type": "audio/wav",
            "X-Aptone-Dialogue": quote(asked.dialogue, safe="", errors="replace"),
            "X-Aptone-Turn": str(asked.turn),
            "X-Aptone-Turns": str(asked.of),
        }
        if key := read_key(KEY_VARIABLE):
            headers["Authorization"] = f"Bearer {key}"
        limits = Limits(protocol.LARGEST_ANSWER, self.timeout)
        try:
            reply = run_to_the_end(post(self.url, limits, headers=headers, content=wav_bytes(question)))
        except TimeoutError as error:
            raise TransientError(message("run.not-done-in-time", seconds=self.timeout)) from error
        except LargeReplyError:
            protocol.refuse_large(limits.size + 1)
            raise
        except EncodedReplyError as error:
            raise UsageError(message("run.system-says", why=message("run.reply-compressed"))) from error
        except ConnectionFailedError as error:
            raise TransientError(message("run.connection-failed", error=str(error).partition(":")[0])) from error
        if reply.status != 200:
            raise _refusal(reply, key)
        with tempfile.TemporaryDirectory(prefix="aptone-") as folder:
            path = Path(folder) / "answer.wav"
            path.write_bytes(reply.body)
            return checked_answer(path, source="the system's answer")


def _refusal(reply: HttpReply, key: str) -> TransientError | UsageError:
    text = one_line(hide_key(reply.body.decode("utf-8", "replace"), key)[:MOST_BYTES_SHOWN].encode())
    said = f"the system answered {reply.status}: {text}"
    if reply.status in _PASSING_CLIENT_ERRORS or reply.status >= 500:
        wait = reply.headers.get("retry-after", "")
        seconds = float(wait) if re.fullmatch(r"\d{1,6}(\.\d+)?", wait) else None
        return TransientError(said, retry_after=seconds)
    return UsageError(f"{said}. Next: check the address after --system, and what the server expects.")
