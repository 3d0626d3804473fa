"""A system under test: what it is given is a recording, what it answers is one.

Three kinds, chosen by how the system is written:

- ``http://…`` or ``https://…``: every recording is posted as a wav file, the answer is the body of the reply;
- a command with ``{input}`` and ``{output}`` in it: a program that reads one file and writes another, started without a
  shell;
- a folder: answers that are there already, as ``<dialogue>/<turn>.wav``, or ``<dialogue>.wav`` for a single turn.

What comes back is a stranger's: it has to be a readable recording of limited length, and nothing else of it is used.
Nothing is tried again here. A time-out, a crash or a busy server is a `TransientError`, for which the runner tries
again; a recording that cannot be used is an `UnusableReplyError`, so that the item is unscored and says why.
"""

import contextlib
import hashlib
import math
import os
import re
import shlex
import shutil
import signal
import ssl
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit

from aptone.audio import RECORDINGS, read, write
from aptone.audio.wav import wav_bytes
from aptone.errors import AudioError, MissingExtraError, TransientError, UnusableReplyError, UsageError
from aptone.types import Audio, AudioRef, signature

TIMEOUT = 120.0
"""Seconds that a system may take for one answer unless told otherwise."""

LONGEST_ANSWER = 600.0
"""Seconds of sound beyond which an answer is not one turn of a talk."""

LARGEST_ANSWER = 128 << 20
"""Bytes of an answer beyond which it is not read."""

KEY_VARIABLE = "APTONE_SYSTEM_KEY"
"""Environment variable whose content is sent as a bearer token, where a system wants one."""

RECORDED = "recorded"
"""Name of the system whose answers came with the questions, where others are to be compared with it."""

_PLACES = ("input", "output", "dialogue", "turn")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_SHOWN = 300
_PASSING_CLIENT_ERRORS = (408, 409, 425, 429)


@dataclass(frozen=True, slots=True)
class Asked:
    """Which recording a system is given.

    Args:
        dialogue: id of the dialogue, or of the single question.
        turn: number of the turn, from 1 on.
        of: how many turns the dialogue has.
    """

    dialogue: str
    turn: int = 1
    of: int = 1

    @property
    def name(self) -> str:
        """A name for a file: letters, digits, dots and hyphens only, so that no id can lead elsewhere.

        >>> Asked("../évil id", turn=2).name
        'évil_id-2'
        """
        plain = re.sub(r"[^\w.-]+", "_", self.dialogue).strip("._")[:80]
        return f"{plain or 'dialogue'}-{self.turn}"


class System(Protocol):
    """What answers a recording with a recording."""

    @property
    def signature(self) -> str:
        """What it is, in the signature of scores."""
        ...

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        """Machines that receive recordings; empty when they stay on this one."""
        ...

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        """The answer to a recording.

        Raises:
            TransientError: if another try may succeed.
            UnusableReplyError: if it answered, but not with a usable recording.
            AptoneError: if no try will succeed.
        """
        ...


def make_system(text: str, *, timeout: float = TIMEOUT) -> System:
    """The system that a user names: an address, a command with ``{input}`` and ``{output}``, or a folder.

    Raises:
        UsageError: if it is none of these.
    """
    if not 0 < timeout < math.inf:
        raise UsageError(f"a time-out is a positive number of seconds, got {timeout}.")
    if re.match(r"https?://", text, re.IGNORECASE):
        return ServedSystem(text, timeout=timeout)
    if "{input}" in text or "{output}" in text:
        return CommandSystem(text, timeout=timeout)
    if Path(text).is_dir():
        return FolderSystem(Path(text))
    raise UsageError(
        f"{text[:80]!r} is no system: expected an address (http://…), a command with {{input}} and {{output}} in it, "
        "or a folder of answers, and there is no folder of that name."
    )


def kept_answer(system: System, question: Audio, asked: Asked, *, folder: Path) -> AudioRef:
    """The answer of a system as a file: from the folder where it is kept already, else asked for and kept there.

    So a run that is resumed asks only for what is missing. Answers that lie in a folder of their own stay there.

    Raises:
        TransientError: as `System.respond`, and its other errors.
    """
    if isinstance(system, FolderSystem):
        return AudioRef(str(system.find(asked)))
    asked_for = "\n".join((system.signature, question.hash, asked.dialogue, str(asked.turn)))
    path = folder / f"{asked.name}-{hashlib.sha256(asked_for.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}.wav"
    if not path.exists():
        answer = system.respond(question, asked)
        folder.mkdir(parents=True, exist_ok=True)
        write(path, answer, bits=32)  # what a system says may lie beyond full scale, and is kept as it came
    return AudioRef(str(path.absolute()))


@dataclass(frozen=True, slots=True)
class CommandSystem:
    """A program on this machine.

    Args:
        command: as typed, with ``{input}`` and ``{output}`` for the two files, and ``{dialogue}`` and ``{turn}`` where
            the program wants to know them.
        timeout: seconds for one answer.

    Raises:
        UsageError: if a placeholder is missing or unknown, or the program is not there.
    """

    command: str
    timeout: float = TIMEOUT

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise UsageError(f"--system {self.command[:80]!r}: cannot be split into words ({error}).") from error
        found = set(_PLACEHOLDER.findall(self.command))
        if missing := {"input", "output"} - found:
            raise UsageError(f"--system: where does {{{sorted(missing)[0]}}} stand in {self.command[:80]!r}?")
        if unknown := found - set(_PLACES):
            known = ", ".join(f"{{{name}}}" for name in _PLACES)
            raise UsageError(f"--system: {{{sorted(unknown)[0]}}} means nothing; known are {known}.")
        if shutil.which(words[0]) is None:
            raise UsageError(f"--system: there is no program {words[0]!r} on this machine; check the name or the path.")

    @property
    def signature(self) -> str:
        """The command as typed."""
        return signature("system", {"command": self.command})

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        """None that we know of: what the program does is its own business."""
        return ()

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        """The file that the program writes; see `System.respond`."""
        with tempfile.TemporaryDirectory(prefix="aptone-") as folder:
            paths = {"input": Path(folder) / "question.wav", "output": Path(folder) / "answer.wav"}
            paths["input"].write_bytes(wav_bytes(question))
            filled = {
                **{name: str(path) for name, path in paths.items()},
                "dialogue": asked.name,
                "turn": str(asked.turn),
            }
            words = [_PLACEHOLDER.sub(lambda match: filled[match[1]], word) for word in shlex.split(self.command)]
            said = self._run(words, Path(folder))
            if not paths["output"].exists():
                raise UnusableReplyError("the system wrote no answer", raw_reply=said)
            return _checked(paths["output"], source="the system's answer", said=said)

    def _run(self, words: list[str], folder: Path) -> str:
        """Run the program to its end; gives the last of what it said. Its own children end with it."""
        with (folder / "said.txt").open("w+b") as said:
            process = subprocess.Popen(  # noqa: S603  (a list of arguments that the user typed, and no shell)
                words, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True
            )
            try:
                code = process.wait(self.timeout)
            except subprocess.TimeoutExpired as error:
                raise TransientError(f"the system was not done after {self.timeout:g} s") from error
            finally:
                _end(process)
            said.seek(max(0, (folder / "said.txt").stat().st_size - 4 * _SHOWN))
            words_said = _one_line(said.read(4 * _SHOWN))
        if code:
            raise TransientError(f"the system failed with {code}: {words_said or 'it did not say why'}")
        return words_said


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a program and whatever it has started, if it is still there."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        process.kill()
    process.wait()


@dataclass(frozen=True, slots=True)
class ServedSystem:
    """A server: a wav file is posted, and the answer is the body of the reply, in any format that aptone reads.

    The headers ``X-Aptone-Dialogue``, ``X-Aptone-Turn`` and ``X-Aptone-Turns`` tell a server that remembers what was
    said before which dialogue goes on. Redirects are not followed.

    Args:
        url: where to.
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
            raise MissingExtraError("Asking a system over HTTP", extra="llm") from error
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
            with httpx.stream(
                "POST",
                self.url,
                content=wav_bytes(question),
                headers=headers,
                timeout=self.timeout,
                verify=_certificates(),
            ) as response:
                body = bytearray()
                for block in response.iter_bytes():
                    body += block
                    if len(body) > LARGEST_ANSWER:
                        raise UnusableReplyError(f"the answer exceeds {LARGEST_ANSWER >> 20} MiB", raw_reply="")
                    if time.monotonic() > deadline:
                        raise TransientError(f"the system was not done after {self.timeout:g} s")
        except httpx.TimeoutException as error:
            raise TransientError(f"the system was not done after {self.timeout:g} s") from error
        except (httpx.TransportError, httpx.DecodingError) as error:
            raise TransientError(f"the connection to the system failed ({type(error).__name__})") from error
        except (httpx.InvalidURL, httpx.HTTPError) as error:
            raise UsageError(f"--system {self.url}: cannot be asked ({type(error).__name__}).") from error
        if response.status_code != 200:
            raise _refusal(response.status_code, bytes(body), key, wait=response.headers.get("retry-after", ""))
        with tempfile.TemporaryDirectory(prefix="aptone-") as folder:
            path = Path(folder) / "answer.wav"
            path.write_bytes(body)
            return _checked(path, source="the system's answer", said="")


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: it takes longer than everything else about a request."""
    import httpx

    return httpx.create_ssl_context()


def _refusal(status: int, body: bytes, key: str, *, wait: str) -> TransientError | UsageError:
    text = _one_line(body[: 4 * _SHOWN])
    said = f"the system answered {status}: {text.replace(key, '(key)') if key else text}"
    if status in _PASSING_CLIENT_ERRORS or status >= 500:
        seconds = float(wait) if re.fullmatch(r"\d{1,6}(\.\d+)?", wait) else None
        return TransientError(said, retry_after=seconds)
    return UsageError(f"{said}. Next: check the address after --system, and what the server expects.")


@dataclass(frozen=True, slots=True)
class FolderSystem:
    """Answers that are there already.

    Args:
        folder: with ``<dialogue>/<turn>.wav`` (or another format), or ``<dialogue>.wav`` where there is one turn.
    """

    folder: Path

    @property
    def signature(self) -> str:
        """The name of the folder."""
        return signature("system", {"answers": self.folder.resolve().name})

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        """None."""
        return ()

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        """The file of this turn; see `System.respond`."""
        path = self.find(asked)
        return _checked(path, source=str(path), said="")

    def find(self, asked: Asked) -> Path:
        """The file of this turn.

        Raises:
            AudioError: if there is none.
        """
        root = self.folder.resolve()
        stems = [root / asked.dialogue / str(asked.turn), root / f"{asked.dialogue}_{asked.turn}"]
        if asked.of == 1:
            stems.append(root / asked.dialogue)
        for stem in stems:
            for ending in RECORDINGS:
                path = stem.with_name(stem.name + ending)
                if path.is_file() and path.resolve().is_relative_to(root):
                    return path
        expected = f"{asked.dialogue}/{asked.turn}.wav" + (f", or {asked.dialogue}.wav" if asked.of == 1 else "")
        raise AudioError(
            f"{self.folder}: there is no answer to turn {asked.turn} of {asked.dialogue!r}; expected {expected}."
        )


def _checked(path: Path, *, source: str, said: str) -> Audio:
    """What a system answered, if it is a recording that can be used."""
    if path.stat().st_size > LARGEST_ANSWER:
        raise UnusableReplyError(f"the answer exceeds {LARGEST_ANSWER >> 20} MiB", raw_reply=said)
    try:
        audio = read(path, rate=None, channel="mix", max_seconds=LONGEST_ANSWER)
    except AudioError as error:
        problem = str(error).replace(str(path), "it")
        raise UnusableReplyError(f"the system's answer is no usable recording: {problem}", raw_reply=said) from error
    return Audio(audio.samples, rate=audio.rate, source=source)


def _one_line(data: bytes) -> str:
    """What a program or server said, short, on one line, without characters that steer a terminal."""
    text = data.decode("utf-8", "replace")
    shown = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return shown[-_SHOWN:]
