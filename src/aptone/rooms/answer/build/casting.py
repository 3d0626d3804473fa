"""Who asks a question, and how: voices of a synthesiser that are told how to speak, or voices that are cloned.

A pair that differs in feeling or in sarcasm has one voice; one that differs in age or sex has two. Engines that have no
child among their voices raise the pitch and the formants of a woman's; whether that sounds like a child, nobody but
people can tell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from aptone.errors import UsageError
from aptone.models import About
from aptone.models.speakers.delivery import Delivery, wandering
from aptone.models.speakers.feeling_delivery import Strength, drawn_delivery, instruction
from aptone.models.speakers.voices import CloningSpeaker, Voices
from aptone.rooms.answer.build.records import RAISED_MARK, Candidate
from aptone.rooms.answer.build.voice_pools import ADULT, CHILD, PoolVoice
from aptone.rooms.answer.judge.terms import INSTRUCTIONS
from aptone.rooms.answer.records import Dimension
from aptone.types import Audio, Emotion, Json, Language, signature

MALE, FEMALE = "male", "female"
PARTS = (MALE, FEMALE, CHILD)

USUAL_VOICES: Mapping[str, Mapping[Language, Mapping[str, str]]] = {
    "espeak-ng": {
        "en": {MALE: "en-us", FEMALE: "en-us+f3", CHILD: "en-us+f2"},
        "zh": {MALE: "cmn", FEMALE: "cmn+f3", CHILD: "cmn+f2"},
    },
    "flite": {"en": {MALE: "kal16", FEMALE: "slt", CHILD: "slt"}},
    "festival": {"en": {MALE: "kal_diphone", FEMALE: "cmu_us_slt_arctic_hts", CHILD: "cmu_us_slt_arctic_hts"}},
    "api": {language: {MALE: "onyx", FEMALE: "nova", CHILD: "nova"} for language in ("en", "zh")},
}
"""Whose voices are used where nobody says."""
RAISED: Mapping[str, float] = {"espeak-ng": 3.0, "flite": 3.0, "festival": 4.0}
"""Semitones by which voice and formants of the usual child are raised."""

SARCASM: Mapping[str, Delivery] = {
    "sincere": Delivery(rate=1.0, pitch=1.08, range=1.3, decibels=1.0),
    "sarcastic": Delivery(rate=0.82, pitch=0.94, range=0.7, decibels=-1.0),
}
"""Sarcasm is slower, lower and flatter than what is meant (Cheang & Pell 2008, *The sound of sarcasm*); the sizes are
ours."""
CHILDLIKE = Delivery(rate=0.94, pitch=1.2, range=1.2)
SLOWER = 0.94
"""By how much another attempt is slower where nothing else can be changed: it is understood more easily."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence as it was said.

    Args:
        audio: the sound.
        speaker: whose voice.
        reference: clip whose voice was cloned; empty where none was.
    """

    audio: Audio
    speaker: str
    reference: str = ""


class Cast(Protocol):
    """Says a sentence in one of its ways."""

    @property
    def signature(self) -> str:
        """Everything that the sound depends on besides sentence, way and attempt."""
        ...

    @property
    def about(self) -> About:
        """What it needs, and where reference clips go."""
        ...

    async def say(self, candidate: Candidate, category: str, *, attempt: int) -> Said:
        """The sentence in one of its ways; later attempts differ a little.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
        """
        ...

    async def say_plainly(self, candidate: Candidate) -> Said:
        """The sentence in the voice of its pair, without any feeling; errors as those of `say`."""
        ...


def drawn(candidate: Candidate, count: int, *, what: str) -> int:
    """A number below `count` that depends on the pair alone, so that it is the same in every run."""
    return int(np.random.default_rng([*f"{what} {candidate.id} {candidate.content}".encode()]).integers(count))


@dataclass(frozen=True, slots=True)
class VoiceCast:
    """Voices of a synthesiser.

    Args:
        voices: of a man, a woman and a child.
    """

    voices: Voices

    @property
    def signature(self) -> str:
        """Voices and how they are told to speak."""
        told: dict[str, Json] = {name: repr(one) for name, one in (*SARCASM.items(), ("child", CHILDLIKE))}
        return signature("cast:voices", {"voices": self.voices.signature, "raised": dict(RAISED), **told})

    @property
    def about(self) -> About:
        """What the synthesiser needs."""
        return self.voices.about

    async def say(self, candidate: Candidate, category: str, *, attempt: int) -> Said:
        """See `Cast.say`."""
        language, name = candidate.language, f"{candidate.id}-{category}"
        who = self._who(candidate, category)
        words = INSTRUCTIONS[language].get(category, "")
        if candidate.dimension is Dimension.EMOTION:
            feeling = Emotion.parse(category)
            words = instruction(feeling, Strength.NORMAL, language=language)
            delivery = drawn_delivery(feeling, Strength.NORMAL, attempt=attempt, name=name)
        elif candidate.dimension is Dimension.SARCASM:
            delivery = wandering(SARCASM[category], attempt=attempt, name=name)
        else:
            usual = CHILDLIKE if who == CHILD and self._raised else Delivery()
            delivery = replace(usual, rate=usual.rate * SLOWER ** (attempt - 1))
        return await self._said(candidate, who, delivery, words)

    async def say_plainly(self, candidate: Candidate) -> Said:
        """See `Cast.say_plainly`."""
        return await self._said(candidate, self._who(candidate, candidate.categories[0]), Delivery(), "")

    async def _said(self, candidate: Candidate, who: str, delivery: Delivery, words: str) -> Said:
        language = candidate.language
        audio = await self.voices.speak(
            candidate.content,
            who=who,
            language=language,
            delivery=delivery,
            instruction=words,
            semitones=self._raised if who == CHILD else 0.0,
        )
        voice = self.voices.voice(who, language=language) or "usual"
        return Said(audio, f"{self.voices.speaker}:{voice}" + (RAISED_MARK if who == CHILD and self._raised else ""))

    @property
    def _raised(self) -> float:
        """A voice that somebody chose for the child is left as it is."""
        return 0.0 if self.voices.voices.get(CHILD) else RAISED.get(self.voices.speaker, 0.0)

    def _who(self, candidate: Candidate, category: str) -> str:
        if category in PARTS:
            return category
        return (MALE, FEMALE)[drawn(candidate, 2, what="sex")]


@dataclass(frozen=True, slots=True)
class CloneCast:
    """Voices of people, cloned; for age and sex, where nothing but the voice differs.

    Args:
        speaker: that clones.
        pool: whose voices there are.

    Raises:
        UsageError: if a voice is missing that a question needs.
    """

    speaker: CloningSpeaker
    pool: Sequence[PoolVoice]

    @property
    def signature(self) -> str:
        """The speaker, and who is in the pool."""
        return signature("cast:clones", {"speaker": self.speaker.signature, "pool": [one.speaker for one in self.pool]})

    @property
    def about(self) -> About:
        """What the speaker needs, and where reference clips go."""
        return self.speaker.cloning_about

    def require(self, dimensions: Sequence[Dimension]) -> None:
        """See that there is a voice for every way of asking.

        Raises:
            UsageError: if there is none; the message says which.
        """
        for dimension, category in ((Dimension.AGE, ADULT), (Dimension.AGE, CHILD), *_SEXES):
            if dimension in dimensions and not self._fitting(category):
                raise UsageError(
                    f"the voice pools have nobody who is {category}; add a folder that has (--pool nnces=DIR has "
                    "children, --pool librispeech=DIR and --pool common-voice=DIR adults of both sexes)."
                )

    async def say(self, candidate: Candidate, category: str, *, attempt: int) -> Said:
        """See `Cast.say`; another attempt takes another clip."""
        fitting = self._fitting(category)
        voice = fitting[(drawn(candidate, len(fitting), what=category) + attempt - 1) % len(fitting)]
        audio = await self.speaker.clone(candidate.content, reference=voice.reference, language=candidate.language)
        return Said(audio, voice.speaker, _clip_name(voice))

    async def say_plainly(self, candidate: Candidate) -> Said:
        """See `Cast.say_plainly`; a clone has no other way."""
        return await self.say(candidate, candidate.categories[0], attempt=1)

    def _fitting(self, category: str) -> list[PoolVoice]:
        if category in (ADULT, CHILD):
            return [one for one in self.pool if one.age == category]
        return [one for one in self.pool if one.age == ADULT and one.sex == category]


@dataclass(frozen=True, slots=True)
class CastByDimension:
    """One cast for feelings and sarcasm, another for age and sex, as the paper has it.

    Args:
        told: that can be told how to speak.
        cloned: that lends voices.
    """

    told: Cast
    cloned: Cast

    @property
    def signature(self) -> str:
        """Both casts."""
        return f"{self.told.signature} + {self.cloned.signature}"

    @property
    def about(self) -> About:
        """What both need."""
        return self.told.about + self.cloned.about

    async def say(self, candidate: Candidate, category: str, *, attempt: int) -> Said:
        """See `Cast.say`."""
        return await self._of(candidate).say(candidate, category, attempt=attempt)

    async def say_plainly(self, candidate: Candidate) -> Said:
        """See `Cast.say_plainly`."""
        return await self._of(candidate).say_plainly(candidate)

    def _of(self, candidate: Candidate) -> Cast:
        return self.cloned if candidate.dimension in (Dimension.AGE, Dimension.GENDER) else self.told


def _clip_name(voice: PoolVoice) -> str:
    """The clip by its own name: where the folder lies is nobody's business."""
    return voice.reference.audio.path.replace("\\", "/").rpartition("/")[2]


_SEXES = ((Dimension.GENDER, MALE), (Dimension.GENDER, FEMALE))
