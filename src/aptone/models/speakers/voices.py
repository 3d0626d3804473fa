"""The voices of a benchmark that is made: any speaker, told how to say a line as far as it can be told."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from aptone.audio import read_ref
from aptone.audio.retime import shift_pitch
from aptone.models.about import About
from aptone.models.parts import make_part
from aptone.models.speakers.delivery import TOLD_IN_WORDS, Delivery, engine_options, louder
from aptone.models.transcriber import Speaker
from aptone.types import Audio, AudioRef, Json, Language, signature

LONGEST_REFERENCE = 30.0
"""Seconds of a reference clip; engines of this kind take no more."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A clip of a voice that is to be cloned.

    Args:
        audio: the clip.
        text: what is said in it.

    Raises:
        ValueError: if the text is empty: such engines need it.
    """

    audio: AudioRef
    text: str

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError(f"{self.audio.path}: a reference clip needs the words that are said in it.")

    def read(self) -> Audio:
        """The clip.

        Raises:
            AudioError: if it cannot be read, or is too long.
        """
        return read_ref(self.audio, rate=None, channel="mix", max_seconds=LONGEST_REFERENCE)


@runtime_checkable
class CloningSpeaker(Protocol):
    """Says a text in the voice of a reference clip. It makes one call, as `aptone.models.transcriber.Speaker`."""

    @property
    def cloning_about(self) -> About:
        """What a user must know before it runs: above all, where reference clips go."""
        ...

    @property
    def signature(self) -> str:
        """Everything that the sound depends on besides the arguments of `clone`; never a key."""
        ...

    async def clone(self, text: str, *, reference: Reference, language: Language, speed: float = 1.0) -> Audio:
        """A text as sound, at the speaker's own rate.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
            AudioError: if the reference clip cannot be read.
        """
        ...


TEST_WORDS: Mapping[Language, str] = {"en": "One, two, three.", "zh": "一、二、三。"}


@dataclass(frozen=True, slots=True)
class Voices:
    """Who speaks, by the parts that there are: user and agent, man and woman.

    Args:
        speaker: name of the synthesiser.
        settings: its options, as ``speaker.<option>``.
        voices: by part, where others than the usual ones are wanted.
        usual: voices where nobody says, by speaker, language and part, so that they can be told apart.

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
        """What the synthesiser needs."""
        return self._made(()).about

    @property
    def signature(self) -> str:
        """The synthesiser and its voices."""
        named: dict[str, Json] = {str(who): voice for who, voice in self.voices.items()}
        return signature("voices", {"speaker": self._made(()).signature, **named})

    def voice(self, who: str, *, language: Language) -> str:
        """The name of somebody's voice; empty for the synthesiser's usual one."""
        return self.voices.get(who) or self.usual.get(self.speaker, {}).get(language, {}).get(who, "")

    def dials(self, who: str, *, language: Language) -> tuple[str, ...]:
        """What can be set: of rate, pitch, range, loudness and instruction."""
        told = engine_options(self.speaker, Delivery(), voice=self.voice(who, language=language))
        return (*told.dials, "instruction") if self.speaker in TOLD_IN_WORDS else told.dials

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
        """A line as sound, said as it is to be as far as the synthesiser can.

        Args:
            text: what is said.
            who: says it.
            language: of the text.
            delivery: how it is said.
            instruction: the same in words, for synthesisers that take such; others do not see it.
            semitones: by which voice and formants are raised afterwards, as for somebody smaller.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will; for instance because the program is not installed.
        """
        voice = self.voice(who, language=language)
        told = engine_options(self.speaker, delivery, voice=voice)
        in_words = instruction if self.speaker in TOLD_IN_WORDS else ""
        audio = await self._made(told.options).speak(
            text, language=language, voice=voice, speed=delivery.rate, instruction=in_words
        )
        return louder(shift_pitch(audio, semitones) if semitones else audio, delivery.decibels)

    async def try_out(self, language: Language, everybody: Iterable[str]) -> None:
        """See that it speaks at all, before anything is built.

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
