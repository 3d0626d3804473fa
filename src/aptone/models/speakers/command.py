"""Speech synthesisers that are programs on this machine: espeak-ng, flite, festival and piper.

A program is found on the path and started with a list of arguments, never through a shell. The text reaches it as a
file or by standard input, so no text can become an option or a command.
"""

import asyncio
import contextlib
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aptone.audio import read
from aptone.errors import AudioError, TransientError, UsageError
from aptone.messages import message, replaced
from aptone.models.asking.guard import visible
from aptone.models.parts import About, check_kinds
from aptone.run.system.limited import clean_environment
from aptone.types import Audio, Language, signature

LONGEST_SPEECH = 600.0
"""Longest speech that is accepted, in seconds."""
TIMEOUT = 60.0
"""Default limit for one text, in seconds."""

_VOICE = re.compile(r"[\w.+][\w.+-]*")


@dataclass(frozen=True, slots=True)
class Order:
    """Request to a program.

    Args:
        text: file with the text, on one line.
        voice: name of the voice; empty for the program's default.
        speed: factor on the speaking rate.
    """

    text: Path
    sound: Path
    voice: str
    speed: float
    language: Language


@dataclass(frozen=True, slots=True)
class Program:
    """Synthesiser program and its arguments.

    Args:
        reads_input: true if it takes the text by standard input.
        needs_voice: true if it has no default voice.
        voice_is_file: true if a voice is the path of a file.
    """

    command: str
    install: str
    languages: tuple[Language, ...]
    arguments: Callable[[Order], list[str]]
    reads_input: bool = False
    needs_voice: bool = False
    voice_is_file: bool = False


ESPEAK_WORDS_PER_MINUTE = 175
"""Default rate of espeak-ng."""
ESPEAK_VOICES: Mapping[Language, str] = {"en": "en-us", "zh": "cmn"}


def _espeak(order: Order) -> list[str]:
    voice = order.voice or ESPEAK_VOICES[order.language]
    words_per_minute = round(ESPEAK_WORDS_PER_MINUTE * order.speed)
    return ["-v", voice, "-s", str(words_per_minute), "-b", "1", "-w", str(order.sound), "--stdin"]


def _flite(order: Order) -> list[str]:
    voice = ["-voice", order.voice] if order.voice else []
    stretch = ["--setf", f"duration_stretch={1 / order.speed:.4f}"]
    return [*voice, *stretch, "-f", str(order.text), "-o", str(order.sound)]


def _festival(order: Order) -> list[str]:
    voice = ["-eval", f"(voice_{order.voice})"] if order.voice else []
    stretch = ["-eval", f"(Parameter.set 'Duration_Stretch {1 / order.speed:.4f})"]
    return [*voice, *stretch, "-o", str(order.sound), str(order.text)]


def _piper(order: Order) -> list[str]:
    stretch = ["--length_scale", f"{1 / order.speed:.4f}"]
    return ["--model", order.voice, *stretch, "--output_file", str(order.sound)]


PROGRAMS: Mapping[str, Program] = {
    "espeak-ng": Program(
        "espeak-ng", "apt install espeak-ng (brew install espeak-ng)", ("en", "zh"), _espeak, reads_input=True
    ),
    "flite": Program("flite", "apt install flite (brew install flite)", ("en",), _flite),
    "festival": Program("text2wave", "apt install festival festvox-us-slt-hts", ("en",), _festival),
    "piper": Program(
        "piper",
        "pip install piper-tts, and download a voice",
        ("en", "zh"),
        _piper,
        reads_input=True,
        needs_voice=True,
        voice_is_file=True,
    ),
}


class CommandSpeaker:
    """Synthesiser program on this machine.

    Args:
        voice: default voice, as the program names it; for piper the path of an ``.onnx`` file.
        options: further arguments, for instance ``("--setf", "int_f0_target_mean=180")`` for a higher flite.
        timeout: limit for one text, in seconds.

    Raises:
        UsageError: if there is no such program, or the voice cannot be the name of one.
    """

    def __init__(
        self, program: str, *, voice: str = "", options: tuple[str, ...] = (), timeout: float = TIMEOUT
    ) -> None:
        if program not in PROGRAMS:
            raise UsageError(f"there is no synthesiser {program!r} here; known are {', '.join(PROGRAMS)}.")
        self._name = program
        self._program = PROGRAMS[program]
        self._voice = self._checked_voice(voice) if voice else ""
        self._options = options
        self._timeout = timeout

    @property
    def about(self) -> About:
        """Required program; nothing leaves this machine."""
        return About(programs=((self._program.command, self._program.install),))

    @property
    def signature(self) -> str:
        """Program, voice and options."""
        return signature("command-speaker", {"program": self._name, "voice": self._voice, "options": self._options})

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        """Return a text as speech, at the program's own rate; see `aptone.models.parts.Speaker`."""
        chosen = self._checked_voice(voice) if voice else self._voice
        self._check(language=language, voice=chosen, speed=speed, instruction=instruction)
        words = " ".join(visible(text).replace("[[", "[ [").split())  # espeak-ng takes [[…]] for phonemes
        if not words:
            raise UsageError("there is nothing to say: the text is empty.")
        self.about.require(f"speaker {self._name!r}")
        with tempfile.TemporaryDirectory(prefix="aptone-") as folder:
            order = Order(
                Path(folder) / "text.txt", Path(folder) / "speech.wav", voice=chosen, speed=speed, language=language
            )
            order.text.write_text(f"{words}\n", encoding="utf-8")
            command = [self._program.command, *self._options, *self._program.arguments(order)]
            said = await self._run(command, words, Path(folder))
            try:
                audio = read(order.sound, rate=None, channel="mix", max_seconds=LONGEST_SPEECH)
            except AudioError as error:
                problem = said or replaced(str(error), str(order.sound), message("models.its-file"))
                raise UsageError(
                    message("models.no-sound-made", name=self._name, text=repr(words[:40]), why=problem)
                ) from error
        return Audio(audio.samples, rate=audio.rate, source=f"{self._name} {chosen}".strip())

    async def _run(self, command: list[str], words: str, folder: Path) -> str:
        """Run the program to its end, with few environment variables and no keys, and return its messages.

        Raises:
            TransientError: if it does not end in time.
            UsageError: if it fails.
        """
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=pipe,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=pipe,
            env=clean_environment((), folder),
        )
        given = f"{words}\n".encode() if self._program.reads_input else b""
        try:
            async with asyncio.timeout(self._timeout):
                _, errors = await process.communicate(given)
        except TimeoutError as error:
            raise TransientError(message("models.program-not-done", name=self._name, seconds=self._timeout)) from error
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        said = " ".join(visible(errors.decode("utf-8", "replace")).split())[:300]
        if process.returncode:
            raise UsageError(f"{self._name} failed with {process.returncode}: {said or 'it did not say why'}.")
        return said

    def _check(self, *, language: Language, voice: str, speed: float, instruction: str) -> None:
        if language not in self._program.languages:
            raise UsageError(
                f"{self._name} does not speak {language!r}; it speaks {', '.join(self._program.languages)}."
            )
        if instruction:
            raise UsageError(f"{self._name} takes no instruction on how to speak; leave it out.")
        if not 0.25 <= speed <= 4.0:
            raise UsageError(f"the speed lies between 0.25 and 4, got {speed}.")
        if self._program.needs_voice and not voice:
            raise UsageError(f"{self._name} needs a voice: the path of its .onnx file.")

    def _checked_voice(self, voice: str) -> str:
        if self._program.voice_is_file:
            if not Path(voice).is_file():
                raise UsageError(f"{voice}: there is no such voice file.")
            return str(Path(voice).absolute())
        if not _VOICE.fullmatch(voice):
            raise UsageError(f"{voice!r} is not the name of a voice: expected letters, digits and . + - only.")
        return voice


def _by_options(program: str, what: str) -> Callable[..., CommandSpeaker]:
    """Return a function from options of a command line, whose types are checked, to a synthesiser."""
    kinds: dict[str, tuple[tuple[type, ...], str]] = {
        "voice": ((str,), "a name"),
        "options": ((list, tuple), "a list of texts"),
        "timeout": ((int, float), "a number of seconds"),
    }

    def make(*, voice: str = "", options: Sequence[str] = (), timeout: float = TIMEOUT) -> CommandSpeaker:
        check_kinds("speaker", {"voice": voice, "options": options, "timeout": timeout}, kinds)
        if not all(isinstance(option, str) for option in options):
            raise UsageError(f"the speaker's option options is a list of texts, got {options!r}.")
        return CommandSpeaker(program, voice=voice, options=tuple(options), timeout=timeout)

    make.__doc__ = f"The program {program}: {what}.\n\nOptions as those of `CommandSpeaker`."
    return make


espeak_ng = _by_options("espeak-ng", "English and Mandarin")
flite = _by_options("flite", "English")
festival = _by_options("festival", "English")
piper = _by_options("piper", "English and Mandarin, by a voice file")
