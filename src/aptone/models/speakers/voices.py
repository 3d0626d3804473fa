"""Voices for building a benchmark: any synthesiser, with as much control of the delivery as it offers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from aptone.audio import read_ref
from aptone.audio.resample import shift_pitch
from aptone.models.parts import About, Speaker, make_part
from aptone.models.speakers.delivery import INSTRUCTED_SPEAKERS, Delivery, engine_options, louder
from aptone.types import Audio, AudioRef, Json, Language, signature

LONGEST_REFERENCE = 30.0
"""Longest reference clip in seconds; engines of this kind take no more."""


@dataclass(frozen=True, slots=True)
class Reference:
    """Clip of a voice to be cloned; raises `ValueError` if the text is empty: such engines need it."""

    audio: AudioRef
    text: str

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError(f"{self.audio.path}: a reference clip needs the words that are said in it.")

    def read(self) -> Audio:
        """Read the clip; raises `AudioError` if it cannot be read, or is too long."""
        return read_ref(self.audio, rate=None, channel="mix", max_seconds=LONGEST_REFERENCE)


@runtime_checkable
class CloningSpeaker(Protocol):
    """Synthesiser in the voice of a reference clip. It makes one call, as `aptone.models.parts.Speaker`."""

    @property
    def cloning_about(self) -> About:
        """Requirements, and the machines that receive reference clips."""

    @property
    def signature(self) -> str:
        """Everything that the sound depends on besides the arguments of `clone`; never a key."""

    async def clone(self, text: str, *, reference: Reference, language: Language, speed: float = 1.0) -> Audio:
        """Return a text as speech, at the synthesiser's own rate.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
            AudioError: if the reference clip cannot be read.
        """


TEST_WORDS: Mapping[Language, str] = {"en": "One, two, three.", "zh": "一、二、三。"}


@dataclass(frozen=True, slots=True)
class Voices:
    """Voices by role: user and agent, man and woman.

    Args:
        settings: options of the synthesiser, as ``speaker.<option>``.
        usual: default voices by speaker, language and role, so that roles sound different.

    Raises:
        RegistryError: if there is no such synthesiser.
        UsageError: if it has no such option.
    """

    speaker: str
    settings: Mapping[str, Json] = field(default_factory=dict)
    voices: Mapping[str, str] = field(default_factory=dict)
    usual: Mapping[str, Mapping[Language, Mapping[str, str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._made(())

    @property
    def about(self) -> About:
        """Requirements of the synthesiser."""
        return self._made(()).about

    @property
    def signature(self) -> str:
        """The synthesiser and its voices."""
        named: dict[str, Json] = {str(who): voice for who, voice in self.voices.items()}
        return signature("voices", {"speaker": self._made(()).signature, **named})

    def voice(self, who: str, *, language: Language) -> str:
        """Return the voice of a role; empty for the synthesiser's default."""
        return self.voices.get(who) or self.usual.get(self.speaker, {}).get(language, {}).get(who, "")

    def dials(self, who: str, *, language: Language) -> tuple[str, ...]:
        """Return the controls that it offers, of rate, pitch, range, loudness and instruction."""
        controls = engine_options(self.speaker, Delivery(), voice=self.voice(who, language=language))
        return (*controls.dials, "instruction") if self.speaker in INSTRUCTED_SPEAKERS else controls.dials

    async def speak(
        self,
        text: str,
        *,
        who: str,
        language: Language,
        delivery: Delivery,
        instruction: str = "",
        semitones: float = 0.0,
    ) -> Audio:
        """Return a line as speech, in the intended delivery as far as the synthesiser can.

        Args:
            instruction: intended delivery in words, for synthesisers that take it; others ignore it.
            semitones: shift of pitch and formants afterwards, as for a smaller person.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will; for instance because the program is not installed.
        """
        voice = self.voice(who, language=language)
        controls = engine_options(self.speaker, delivery, voice=voice)
        in_words = instruction if self.speaker in INSTRUCTED_SPEAKERS else ""
        audio = await self._made(controls.options).speak(
            text, language=language, voice=voice, speed=delivery.rate, instruction=in_words
        )
        return louder(shift_pitch(audio, semitones) if semitones else audio, delivery.decibels)

    async def try_out(self, language: Language, everybody: Iterable[str]) -> None:
        """Check that it speaks at all, before anything is built.

        Raises:
            UsageError: if it does not; the message says what to install.
        """
        for who in everybody:
            await self.speak(TEST_WORDS[language], who=who, language=language, delivery=Delivery())

    def _made(self, options: Sequence[str]) -> Speaker:
        given = dict(self.settings)
        if options:
            own = given.get("speaker.options", [])
            assert isinstance(own, Sequence)  # it was looked at when the voices were made
            given["speaker.options"] = [*own, *options]
        made: Speaker = make_part("speaker", self.speaker, given)
        return made
