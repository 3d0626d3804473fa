"""Casting of questions: voices of a synthesiser with speaking instructions, or cloned voices.

A pair that differs in emotion or in sarcasm has one voice; one that differs in age or sex has two. Engines that have no
child among their voices raise the pitch and the formants of a woman's; only listeners can judge
whether that sounds like a child.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from aptone.audio import RECORDINGS
from aptone.errors import RecordError, UsageError
from aptone.models import About
from aptone.models.parts import Part
from aptone.models.speakers.delivery import Delivery, Strength, instruction, sampled_delivery, varied
from aptone.models.speakers.voices import CloningSpeaker, Reference, Voices
from aptone.rooms.answer.build.records import RAISED_MARK, Candidate
from aptone.rooms.answer.data import Dimension
from aptone.rooms.answer.judge.terms import INSTRUCTIONS
from aptone.types import Audio, AudioRef, Emotion, Json, Language, signature

ADULT, CHILD = "adult", "child"
_SEX_CODES = {"m": "male", "f": "female", "male": "male", "female": "female"}
_GROWN = frozenset({"twenties", "thirties", "fourties", "forties", "fifties", "sixties", "seventies", "eighties"})
_LIBRISPEECH_LINE = re.compile(r"(\S+) (.+)")
_LISTS = ("validated.tsv", "train.tsv", "dev.tsv", "test.tsv")
_FILE, _WORDS = ("file", "path", "audio", "file_name", "filename"), ("text", "transcription", "transcript", "sentence")


@dataclass(frozen=True, slots=True)
class PoolVoice:
    """Reference clip of a speaker whose voice may be cloned.

    Args:
        speaker: id, with the name of the collection before it.
        age: ``adult`` or ``child``.
        sex: ``male``, ``female``, or empty where it is not known.
    """

    speaker: str
    age: str
    sex: str
    reference: Reference


def read_pool(name: str, folder: Path) -> list[PoolVoice]:
    """The voices of a folder, one clip a speaker: the first by name, so that the same folder gives the same pool.

    Raises:
        UsageError: if there is no such layout or folder.
        RecordError: if there is no voice in it.
    """
    if name not in LAYOUTS:
        raise UsageError(f"there is no layout {name!r} of voices; choose one of {', '.join(LAYOUTS)}.")
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder; name one with the recordings of {name}.")
    voices: dict[str, PoolVoice] = {}
    for voice in LAYOUTS[name](folder):
        voices.setdefault(voice.speaker, voice)
    if not voices:
        raise RecordError(f"{folder}: no voice was found as {name} lays them out; see docs/answer-build.md.")
    return [voices[speaker] for speaker in sorted(voices)]


def _librispeech(folder: Path) -> Iterator[PoolVoice]:
    listed = folder / "SPEAKERS.TXT"
    sexes: dict[str, str] = {}
    for line in _lines(listed):
        cells = [cell.strip() for cell in line.split("|")]
        if not line.startswith(";") and len(cells) >= 2:
            sexes[cells[0]] = _SEX_CODES.get(cells[1].lower(), "")
    for transcripts in sorted(folder.rglob("*.trans.txt")):
        for line in _lines(transcripts):
            match = _LIBRISPEECH_LINE.fullmatch(line.strip())
            if match is None:
                continue
            clip = transcripts.with_name(f"{match[1]}.flac")
            speaker = match[1].partition("-")[0]
            if clip.is_file():
                reference = Reference(AudioRef(str(clip.absolute())), match[2].capitalize())
                yield PoolVoice(f"librispeech:{speaker}", ADULT, sexes.get(speaker, ""), reference)


def _common_voice(folder: Path) -> Iterator[PoolVoice]:
    listed = next((folder / name for name in _LISTS if (folder / name).is_file()), None)
    if listed is None:
        raise RecordError(f"{folder}: expected one of {', '.join(_LISTS)} beside clips/.")
    for row in csv.DictReader(_lines(listed), delimiter="\t", quoting=csv.QUOTE_NONE):
        clip = folder / "clips" / Path(row.get("path") or "-").name
        words, speaker = (row.get("sentence") or "").strip(), (row.get("client_id") or "").strip()
        if words and speaker and row.get("age") in _GROWN and clip.is_file():
            sex = _SEX_CODES.get((row.get("gender") or "").partition("_")[0], "")
            yield PoolVoice(f"common-voice:{speaker}", ADULT, sex, Reference(AudioRef(str(clip.absolute())), words))


def _nnces(folder: Path) -> Iterator[PoolVoice]:
    table = {_first(row, _FILE): row for path in sorted(folder.glob("*.csv")) for row in csv.DictReader(_lines(path))}
    for clip in sorted(path for path in folder.rglob("*") if path.suffix.lower() in RECORDINGS):
        row = table.get(clip.relative_to(folder).as_posix()) or table.get(clip.name) or {}
        beside = clip.with_suffix(".txt")
        words = _first(row, _WORDS) or (" ".join(_lines(beside)).strip() if beside.is_file() else "")
        speaker = row.get("speaker") or (clip.parent.name if clip.parent != folder else clip.stem.partition("_")[0])
        if words:
            sex = _SEX_CODES.get((row.get("sex") or row.get("gender") or "").lower(), "")
            yield PoolVoice(f"nnces:{speaker}", CHILD, sex, Reference(AudioRef(str(clip.absolute())), words))


LAYOUTS: Mapping[str, Callable[[Path], Iterator[PoolVoice]]] = {
    "librispeech": _librispeech,
    "common-voice": _common_voice,
    "nnces": _nnces,
}


def _first(row: Mapping[str, str], names: Sequence[str]) -> str:
    return next((row[name].strip() for name in names if row.get(name)), "")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read ({error}); expected a text file of the collection.") from error


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
"""Default voices."""
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
"""Factor by which another attempt is slower, where nothing else can be changed, to be understood more easily."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence as it was said; the reference is the clip whose voice was cloned, empty where none was."""

    audio: Audio
    speaker: str
    reference: str = ""


class Cast(Part, Protocol):
    """Says a sentence in one of its styles."""

    async def say(self, candidate: Candidate, category: str, *, attempt: int) -> Utterance:
        """The sentence in one of its styles; later attempts differ a little.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
        """
        ...

    async def say_plainly(self, candidate: Candidate) -> Utterance:
        """The sentence in the voice of its pair, without any emotion; errors as those of `say`."""
        ...


def stable_choice(candidate: Candidate, count: int, *, what: str) -> int:
    """A number below `count` that depends on the pair alone, so that it is the same in every run."""
    return int(np.random.default_rng([*f"{what} {candidate.id} {candidate.content}".encode()]).integers(count))


@dataclass(frozen=True, slots=True)
class VoiceCast:
    """Voices of a synthesiser."""

    voices: Voices

    @property
    def signature(self) -> str:
        """Voices and their speaking instructions."""
        deliveries: dict[str, Json] = {name: repr(one) for name, one in (*SARCASM.items(), ("child", CHILDLIKE))}
        return signature("cast:voices", {"voices": self.voices.signature, "raised": dict(RAISED), **deliveries})

    @property
    def about(self) -> About:
        """Requirements of the synthesiser."""
        return self.voices.about

    async def say(self, candidate: Candidate, category: str, *, attempt: int) -> Utterance:
        """See `Cast.say`."""
        language, name = candidate.language, f"{candidate.id}-{category}"
        who = self._who(candidate, category)
        words = INSTRUCTIONS[language].get(category, "")
        if candidate.dimension is Dimension.EMOTION:
            feeling = Emotion.parse(category)
            words = instruction(feeling, Strength.NORMAL, language=language)
            delivery = sampled_delivery(feeling, Strength.NORMAL, attempt=attempt, name=name)
        elif candidate.dimension is Dimension.SARCASM:
            delivery = varied(SARCASM[category], attempt=attempt, name=name)
        else:
            usual = CHILDLIKE if who == CHILD and self._raised else Delivery()
            delivery = replace(usual, rate=usual.rate * SLOWER ** (attempt - 1))
        return await self._said(candidate, who, delivery, words)

    async def say_plainly(self, candidate: Candidate) -> Utterance:
        """See `Cast.say_plainly`."""
        return await self._said(candidate, self._who(candidate, candidate.categories[0]), Delivery(), "")

    async def _said(self, candidate: Candidate, who: str, delivery: Delivery, words: str) -> Utterance:
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
        return Utterance(
            audio, f"{self.voices.speaker}:{voice}" + (RAISED_MARK if who == CHILD and self._raised else "")
        )

    @property
    def _raised(self) -> float:
        """Return a raised voice for the child; a voice that the user chose stays as it is."""
        return 0.0 if self.voices.voices.get(CHILD) else RAISED.get(self.voices.speaker, 0.0)

    def _who(self, candidate: Candidate, category: str) -> str:
        return category if category in PARTS else (MALE, FEMALE)[stable_choice(candidate, 2, what="sex")]


@dataclass(frozen=True, slots=True)
class CloneCast:
    """Voices of people, cloned; for age and sex, where nothing but the voice differs.

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
        """Requirements of the speaker, and where reference clips are sent."""
        return self.speaker.cloning_about

    def require(self, dimensions: Sequence[Dimension]) -> None:
        """See that there is a voice for every speaking style.

        Raises:
            UsageError: if there is none; the message says which.
        """
        for dimension, category in ((Dimension.AGE, ADULT), (Dimension.AGE, CHILD), *_SEXES):
            if dimension in dimensions and not self._fitting(category):
                raise UsageError(
                    f"the voice pools have nobody who is {category}; add a folder that has (--pool nnces=DIR has "
                    "children, --pool librispeech=DIR and --pool common-voice=DIR adults of both sexes)."
                )

    async def say(self, candidate: Candidate, category: str, *, attempt: int) -> Utterance:
        """See `Cast.say`; another attempt takes another clip."""
        fitting = self._fitting(category)
        voice = fitting[(stable_choice(candidate, len(fitting), what=category) + attempt - 1) % len(fitting)]
        audio = await self.speaker.clone(candidate.content, reference=voice.reference, language=candidate.language)
        return Utterance(audio, voice.speaker, _clip_name(voice))

    async def say_plainly(self, candidate: Candidate) -> Utterance:
        """See `Cast.say_plainly`; a clone has no other way."""
        return await self.say(candidate, candidate.categories[0], attempt=1)

    def _fitting(self, category: str) -> list[PoolVoice]:
        if category in (ADULT, CHILD):
            return [one for one in self.pool if one.age == category]
        return [one for one in self.pool if one.age == ADULT and one.sex == category]


@dataclass(frozen=True, slots=True)
class CastByDimension:
    """One cast for emotions and sarcasm, another for age and sex, as the paper has it."""

    instructed: Cast
    cloned: Cast

    @property
    def signature(self) -> str:
        """Both casts."""
        return f"{self.instructed.signature} + {self.cloned.signature}"

    @property
    def about(self) -> About:
        """Requirements of both."""
        return self.instructed.about + self.cloned.about

    async def say(self, candidate: Candidate, category: str, *, attempt: int) -> Utterance:
        """See `Cast.say`."""
        return await self._of(candidate).say(candidate, category, attempt=attempt)

    async def say_plainly(self, candidate: Candidate) -> Utterance:
        """See `Cast.say_plainly`."""
        return await self._of(candidate).say_plainly(candidate)

    def _of(self, candidate: Candidate) -> Cast:
        return self.cloned if candidate.dimension in (Dimension.AGE, Dimension.GENDER) else self.instructed


def _clip_name(voice: PoolVoice) -> str:
    """Name of the clip without its folder, which is private."""
    return voice.reference.audio.path.replace("\\", "/").rpartition("/")[2]


_SEXES = ((Dimension.GENDER, MALE), (Dimension.GENDER, FEMALE))
