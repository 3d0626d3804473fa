import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from aptone.errors import RecordError, UsageError
from aptone.models import About
from aptone.models.speakers.delivery import Delivery
from aptone.models.speakers.voices import Reference, Voices
from aptone.rooms.answer.build.casting import (
    PARTS,
    USUAL_VOICES,
    CastByDimension,
    CloneCast,
    PoolVoice,
    VoiceCast,
    read_pool,
)
from aptone.rooms.answer.build.records import Candidate
from aptone.rooms.answer.data import CATEGORIES, Dimension
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


def touch(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_librispeech_gives_one_clip_a_speaker_with_sex_and_words(tmp_path: Path) -> None:
    touch(
        tmp_path / "SPEAKERS.TXT",
        "; ID | SEX | SUBSET\n14 | F | dev-clean | 25.03 | Kristin\n26 | M | dev-clean | 8 | Den\n",
    )
    for speaker in ("14", "26"):
        chapter = tmp_path / "dev-clean" / speaker / "208"
        for number in ("0000", "0001"):
            touch(chapter / f"{speaker}-208-{number}.flac")
        touch(chapter / f"{speaker}-208.trans.txt", f"{speaker}-208-0000 HELLO THERE\n{speaker}-208-0001 GOOD DAY\n")
    woman, man = read_pool("librispeech", tmp_path)
    assert (woman.speaker, woman.sex, woman.age, woman.reference.text) == (
        "librispeech:14",
        "female",
        "adult",
        "Hello there",
    )
    assert (man.speaker, man.sex) == ("librispeech:26", "male")
    assert Path(man.reference.audio.path).name == "26-208-0000.flac"


def test_common_voice_gives_adults_only(tmp_path: Path) -> None:
    rows = [
        "client_id\tpath\tsentence\tage\tgender",
        'a\ta.mp3\tHe said "no.\ttwenties\tmale_masculine',
        "b\tb.mp3\tShe said yes.\tthirties\tfemale",
        "c\tc.mp3\tToo young.\tteens\tmale",
        "d\td.mp3\tNobody knows how old.\t\tmale",
        "e\t../../e.mp3\tOutside.\tforties\tmale",
        "f\tgone.mp3\tNot there.\ttwenties\tmale",
    ]
    touch(tmp_path / "validated.tsv", "\n".join(rows))
    for name in "abcde":
        touch(tmp_path / "clips" / f"{name}.mp3")
    voices = read_pool("common-voice", tmp_path)
    assert [(one.speaker, one.sex) for one in voices] == [
        ("common-voice:a", "male"),
        ("common-voice:b", "female"),
        ("common-voice:e", "male"),
    ]
    assert all(Path(one.reference.audio.path).parent == tmp_path / "clips" for one in voices)


def test_nnces_gives_children_by_folder_or_table(tmp_path: Path) -> None:
    touch(tmp_path / "kid1" / "one.wav")
    touch(tmp_path / "kid1" / "one.txt", "The cat sat.")
    touch(tmp_path / "kid2" / "two.wav")
    touch(tmp_path / "kid3" / "silent.wav")
    touch(tmp_path / "metadata.csv", "file,transcription,gender\nkid2/two.wav,I like trees.,F\n")
    voices = read_pool("nnces", tmp_path)
    assert [(one.speaker, one.age, one.sex, one.reference.text) for one in voices] == [
        ("nnces:kid1", "child", "", "The cat sat."),
        ("nnces:kid2", "child", "female", "I like trees."),
    ]


def test_what_cannot_be_a_pool_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose one of librispeech, common-voice, nnces"):
        read_pool("timit", tmp_path)
    with pytest.raises(UsageError, match="no such folder"):
        read_pool("nnces", tmp_path / "gone")
    with pytest.raises(RecordError, match="no voice was found"):
        read_pool("nnces", tmp_path)
    with pytest.raises(RecordError, match=r"SPEAKERS\.TXT: cannot be read"):
        read_pool("librispeech", tmp_path)
    with pytest.raises(RecordError, match=r"expected one of validated\.tsv"):
        read_pool("common-voice", tmp_path)
