"""The voices of synthetic dialogues: any speaker, told how to say a line as far as it can be told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aptone.models import About
from aptone.models.delivery import TOLD_IN_WORDS, Delivery, engine_options, louder
from aptone.models.parts import make_part
from aptone.models.speaker import Speaker
from aptone.rooms.dialogue.records import Role
from aptone.types import Audio, Json, Language, signature

USUAL_VOICES: Mapping[str, Mapping[Language, Mapping[Role, str]]] = {
    "espeak-ng": {
        "en": {Role.USER: "en-us", Role.AGENT: "en-us+f3"},
        "zh": {Role.USER: "cmn", Role.AGENT: "cmn+f3"},
    },
    "flite": {"en": {Role.USER: "kal16", Role.AGENT: "slt"}},
}
"""Whose voices user and agent have where nobody says, so that they can be told apart."""
TEST_WORDS: Mapping[Language, str] = {"en": "One, two, three.", "zh": "一、二、三。"}


@dataclass(frozen=True, slots=True)
class Voices:
    """Who speaks for user and agent.

    Args:
        speaker: name of the synthesiser.
        settings: its options, as ``speaker.<option>``.
        voices: of user and agent, where others than the usual ones are wanted.

    Raises:
        RegistryError: if there is no such synthesiser.
        UsageError: if it has no such option.
    """

    speaker: str
    settings: Mapping[str, Json] = field(default_factory=dict)
    voices: Mapping[Role, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._made(())

    @property
    def about(self) -> About:
        """What the synthesiser needs."""
        return self._made(()).about

    @property
    def signature(self) -> str:
        """The synthesiser and its voices."""
        named: dict[str, Json] = {role.value: voice for role, voice in self.voices.items()}
        return signature("voices", {"speaker": self._made(()).signature, **named})

    def dials(self, role: Role, *, language: Language) -> tuple[str, ...]:
        """What can be set: of rate, pitch, range, loudness and instruction."""
        told = engine_options(self.speaker, Delivery(), voice=self._voice(role, language))
        return (*told.dials, "instruction") if self.speaker in TOLD_IN_WORDS else told.dials

    async def speak(
        self, text: str, *, role: Role, language: Language, delivery: Delivery, instruction: str = ""
    ) -> Audio:
        """A line as sound, said as it is to be as far as the synthesiser can.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will; for instance because the program is not installed.
        """
        voice = self._voice(role, language)
        told = engine_options(self.speaker, delivery, voice=voice)
        in_words = instruction if self.speaker in TOLD_IN_WORDS else ""
        audio = await self._made(told.options).speak(
            text, language=language, voice=voice, speed=delivery.rate, instruction=in_words
        )
        return louder(audio, delivery.decibels)

    async def try_out(self, language: Language) -> None:
        """See that it speaks at all, before anything is built.

        Raises:
            UsageError: if it does not; the message says what to install.
        """
        for role in Role:
            await self.speak(TEST_WORDS[language], role=role, language=language, delivery=Delivery())

    def _voice(self, role: Role, language: Language) -> str:
        return self.voices.get(role) or USUAL_VOICES.get(self.speaker, {}).get(language, {}).get(role, "")

    def _made(self, options: Sequence[str]) -> Speaker:
        given = dict(self.settings)
        if options:
            own = given.get("speaker.options", [])
            assert isinstance(own, Sequence)  # it was looked at when the voices were made
            given["speaker.options"] = [*own, *options]
        made: Speaker = make_part("speaker", self.speaker, given)
        return made
