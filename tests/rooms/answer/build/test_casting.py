import asyncio
from dataclasses import dataclass, field

import pytest

from aptone.errors import UsageError
from aptone.models import About
from aptone.models.speakers.delivery import Delivery
from aptone.models.speakers.voices import Reference, Voices
from aptone.rooms.answer.build.casting import PARTS, USUAL_VOICES, CastByDimension, CloneCast, VoiceCast
from aptone.rooms.answer.build.records import Candidate
from aptone.rooms.answer.build.voice_pools import PoolVoice
from aptone.rooms.answer.records import CATEGORIES, Dimension
from aptone.types import Audio, AudioRef, Language
from tests.rooms.answer.casts import tone


def candidate(dimension: Dimension, name: str = "c") -> Candidate:
    first, second = CATEGORIES[dimension][:2]
    return Candidate(name, f"What should I wear to {name}?", dimension, (first, second), "fashion")


class NotedVoices(Voices):
    """Voices that say nothing, but tell how they were asked."""

    __slots__ = ()

    def __post_init__(self) -> None: ...

    @property
    def signature(self) -> str:
        return "noted"

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
        return tone(f"{who}|{delivery.rate:.3f}|{delivery.pitch:.3f}|{semitones}|{instruction}")


def said(
    dimension: Dimension, category: str, *, attempt: int = 1, voices: Voices | None = None
) -> tuple[list[str], str]:
    cast = VoiceCast(voices or NotedVoices("flite", usual=USUAL_VOICES))
    one = asyncio.run(cast.say(candidate(dimension), category, attempt=attempt))
    return one.audio.source.split("|"), one.speaker


def test_a_pair_that_differs_in_feeling_or_meaning_has_one_voice() -> None:
    for dimension in (Dimension.EMOTION, Dimension.SARCASM):
        first, second = (said(dimension, way)[1] for way in candidate(dimension).categories)
        assert first == second
    names = [candidate(Dimension.EMOTION, f"place {number}") for number in range(20)]
    cast = VoiceCast(NotedVoices("flite", usual=USUAL_VOICES))
    assert len({asyncio.run(cast.say(one, "happy", attempt=1)).speaker for one in names}) == 2, "men and women"


def test_sarcasm_is_slower_lower_and_told_in_words() -> None:
    (_, rate, pitch, _, words), _ = said(Dimension.SARCASM, "sarcastic")
    (_, sincere_rate, sincere_pitch, _, _), _ = said(Dimension.SARCASM, "sincere")
    assert float(rate) < float(sincere_rate)
    assert float(pitch) < float(sincere_pitch)
    assert "dry sarcasm" in words


def test_a_child_is_a_raised_voice_unless_somebody_names_one() -> None:
    (who, _, pitch, semitones, words), speaker = said(Dimension.AGE, "child")
    assert (who, pitch, semitones, speaker) == ("child", "1.200", "3.0", "flite:slt+raised")
    assert "child of about seven" in words
    named = NotedVoices("flite", voices={"child": "kid"}, usual=USUAL_VOICES)
    (_, _, pitch, semitones, _), speaker = said(Dimension.AGE, "child", voices=named)
    assert (pitch, semitones, speaker) == ("1.000", "0.0", "flite:kid")


def test_another_attempt_at_a_plain_line_is_slower() -> None:
    rates = [float(said(Dimension.GENDER, "male", attempt=attempt)[0][1]) for attempt in (1, 2, 3)]
    assert rates == [1.0, 0.94, 0.884]  # 0.94 * 0.94 = 0.8836


def test_every_known_speaker_has_voices_for_man_woman_and_child() -> None:
    assert all(set(voices) == set(PARTS) for by in USUAL_VOICES.values() for voices in by.values())


# --- clones ---


@dataclass
class NotedCloner:
    """Clones nothing, but notes whose voice was asked for."""

    signature: str = "cloner"
    asked: list[str] = field(default_factory=list)

    @property
    def cloning_about(self) -> About:
        return About(sends_audio_to=("clones.example",))

    async def clone(self, text: str, *, reference: Reference, language: Language, speed: float = 1.0) -> Audio:
        self.asked.append(reference.audio.path)
        return tone(text)


def voice(name: str, age: str, sex: str = "") -> PoolVoice:
    return PoolVoice(name, age, sex, Reference(AudioRef(f"/pool/{name}.wav"), "Hello."))


POOL = [
    voice("m1", "adult", "male"),
    voice("m2", "adult", "male"),
    voice("f1", "adult", "female"),
    voice("k1", "child"),
]


def test_clones_have_the_age_and_sex_that_is_asked_for() -> None:
    cast = CloneCast(NotedCloner(), POOL)
    cast.require(tuple(Dimension))
    child = asyncio.run(cast.say(candidate(Dimension.AGE), "child", attempt=1))
    woman = asyncio.run(cast.say(candidate(Dimension.GENDER), "female", attempt=1))
    assert (child.speaker, child.reference) == ("k1", "k1.wav")
    assert woman.speaker == "f1"
    men = [asyncio.run(cast.say(candidate(Dimension.GENDER), "male", attempt=number)).speaker for number in (1, 2)]
    assert sorted(men) == ["m1", "m2"], "another attempt takes another voice"


def test_a_pool_without_children_cannot_ask_as_a_child() -> None:
    cast = CloneCast(NotedCloner(), POOL[:3])
    cast.require((Dimension.GENDER,))
    with pytest.raises(UsageError, match="nobody who is child"):
        cast.require((Dimension.AGE,))


def test_feelings_are_told_and_ages_are_cloned() -> None:
    cloner = NotedCloner()
    cast = CastByDimension(VoiceCast(NotedVoices("flite", usual=USUAL_VOICES)), CloneCast(cloner, POOL))
    asyncio.run(cast.say(candidate(Dimension.EMOTION), "happy", attempt=1))
    assert cloner.asked == []
    asyncio.run(cast.say(candidate(Dimension.AGE), "child", attempt=1))
    assert cloner.asked == ["/pool/k1.wav"]
    assert cast.cloned.about.sends_audio_to == ("clones.example",)
