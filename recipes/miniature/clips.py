"""Recordings of the miniature judge: acted clips, cut to their speech and compressed, with measurements.

A clip becomes one sample of a shard (`aptone.run.sources.shards`): Ogg Opus at a low rate, a caption, and everything
that the grade of a pair needs: speaker, acted emotion, and the rhythms and intonations that the built-in ear measured.
The emotion is the label's, never the ear's.

Versions of a clip are made on demand, and not saved: a little faster or slower, all at one level, and in the recording
condition of a pair. The same key and number always give the same version.
"""

import functools
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.audio import encode_opus, find_speech, read, read_bytes, room_response
from aptone.audio.degrade.room import in_room
from aptone.audio.resample import change_speed
from aptone.ear import load_ear
from aptone.ear.describe import Intensity, Style, describe, style_of
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.ear.perceive import Ear
from aptone.errors import AptoneError, RecordError
from aptone.rooms.aptness.build.proxy import DEGRADED
from aptone.run.sources.shards import Caption, ShardSample, read_shards, write_shards
from aptone.types import Audio, Emotion, Intonation, Language, RecordingCondition, Rhythm, Sex
from recipes.ear.data import SPEECH_SETS
from recipes.miniature.frames import RATE, at_one_level, spoken
from recipes.style.rows import decode, encode

COMPRESSION = 0.98
"""Opus compression: about 13 kbit/s, still wide band, and half of the sets' rate."""
MOST_OF_A_SET: Mapping[str, int] = {"dev": 220, "test": 500}
"""Largest number of clips of one set in these parts, spread evenly over its table; the reported parts need not be
long."""
FASTER = 0.08
"""Largest change of speed, as a logarithm: the measured rhythm and intonation still hold."""
ROOMS = 12
"""Number of rooms for the training clips, and of others for the rest."""
MEASURED = ("pitch_variation", "texture", "rhythm", "intonation")
"""Attributes that the ear measures for a caption, besides the labels; pitch, rate and volume depend on the version."""


@dataclass(frozen=True, slots=True)
class MiniatureClip:
    """One acted clip.

    Args:
        key: unique key; set and file.
        set, split, speaker, sex, language: labels.
        emotion, intensity: acted emotion and intensity.
        rhythm, intonation: measured probabilities.
        style: true attributes as in `aptone.ear.describe`.
        seconds: length of the clip.
        recording: bytes of an Ogg Opus file.
    """

    key: str
    set: str
    split: str
    speaker: str
    sex: str
    language: str
    emotion: Emotion
    intensity: str
    rhythm: Mapping[Rhythm, float]
    intonation: Mapping[Intonation, float]
    style: Style
    seconds: float
    recording: bytes


def version_of(clip: MiniatureClip, condition: RecordingCondition, *, number: int) -> Audio:
    """Return a version of a clip (number 0 at its own speed, others at another) in a recording condition.

    Raises:
        AudioError: if the recording cannot be decoded, or is silent.
        UsageError: if a clip cannot get that condition.
    """
    generator = np.random.default_rng([zlib.crc32(clip.key.encode()), number, *condition.value.encode()])
    audio = read_bytes(clip.recording, rate=RATE, name=clip.key)
    if number:
        audio = change_speed(audio, float(np.exp(generator.uniform(-FASTER, FASTER))))
    audio = at_one_level(audio)
    if condition is RecordingCondition.NORMAL:
        return audio
    if condition is RecordingCondition.FAR_FIELD:  # as DEGRADED has it, but in one of a few rooms: each takes a second
        return in_room(audio, _room(int(generator.integers(ROOMS)) + (0 if clip.split == "train" else ROOMS)))
    if condition.value not in DEGRADED:
        raise RecordError(f"{clip.key}: cannot be given the condition {condition.value!r}.")
    return DEGRADED[condition.value](audio, generator)


@functools.cache
def _room(number: int) -> npt.NDArray[np.float64]:
    return room_response(rate=RATE, rt60=0.8, distance=4.0, seed=number)


def caption_of(clip: MiniatureClip, condition: RecordingCondition, *, language: Language, seed: int) -> str:
    """Return a teacher's caption of a version: emotion, voice, rhythm, intonation, recording."""
    plain = condition is RecordingCondition.NORMAL
    style = replace(clip.style, recording_condition=condition, texture=clip.style.texture if plain else None)
    return describe(style, language=language, length="caption", seed=seed)


def read_miniature_clips(folder: Path) -> list[MiniatureClip]:
    """Read the clips of `write_miniature_clips`.

    Raises:
        RecordError: if the shards hold something else.
    """
    return [_clip(sample, folder) for sample in read_shards(folder)]


def _clip(sample: ShardSample, folder: Path) -> MiniatureClip:
    about: Any = sample.about
    try:
        return MiniatureClip(
            key=sample.key,
            set=about["set"],
            split=about["split"],
            speaker=about["speaker"],
            sex=about["sex"],
            language=about["language"],
            emotion=Emotion.parse(about["emotion"]),
            intensity=about["intensity"],
            rhythm={rhythm: float(about["rhythm"][rhythm.value]) for rhythm in Rhythm},
            intonation={intonation: float(about["intonation"][intonation.value]) for intonation in Intonation},
            style=decode(about["style"]),
            seconds=sample.seconds,
            recording=sample.recording,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(
            f"{folder}: {sample.key} is no clip of the miniature ({error!r}); make them: "
            "python -m recipes.miniature rows"
        ) from error


def write_miniature_clips(data: Path, out: Path, *, workers: int, most: int | None = None) -> int:
    """Cut, encode and measure the clips of the speech sets; existing ones are kept.

    Args:
        data: folder with a folder for each set, with clips and labels.csv.
        out: folder for the shards.
        workers: processes.
        most: clips of each part of a set; None for all of train, and as many of the others as are reported.

    Returns:
        The number of clips written.
    """
    chosen = [(name, clip) for name in SPEECH_SETS for clip in _chosen(read_labels(data / name), most)]
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_begin) as pool:
        samples = (sample for sample in pool.map(_work, chosen, chunksize=16) if sample is not None)
        return write_shards(out, samples)


def _chosen(clips: Sequence[LabelledClip], most: int | None) -> Iterator[LabelledClip]:
    for split in ("train", "dev", "test"):
        part = [clip for clip in clips if clip.split == split]
        count = min(len(part), MOST_OF_A_SET.get(split, len(part)) if most is None else most)
        yield from (part[place] for place in np.linspace(0, len(part) - 1, count, dtype=int).tolist() if part)


_EAR: Ear


def _begin() -> None:
    global _EAR
    _EAR = load_ear("full")


def _work(task: tuple[str, LabelledClip]) -> ShardSample | None:
    name, clip = task
    try:
        return heard_clip(name, clip, _EAR)
    except AptoneError as error:
        sys.stderr.write(f"{clip.path}: left out: {error}\n")
        return None


def heard_clip(name: str, clip: LabelledClip, ear: Ear) -> ShardSample:
    """Return one clip, cut and measured, as a sample of a shard.

    Raises:
        AudioError: if it cannot be read.
        RecordError: if it has no emotion of ours, or the ear can judge neither rhythm nor intonation.
    """
    emotion = Emotion.parse(clip.emotion)
    whole = read(clip.path, rate=RATE, channel="mix")
    audio = spoken(whole, find_speech(whole))
    heard = ear.perceive(audio, language=clip.language)
    if not heard.rhythm or not heard.intonation:
        raise RecordError(f"{clip.path.name}: rhythm and intonation cannot be judged.")
    measured = style_of(heard, language=clip.language)
    style = Style(
        emotion=emotion,
        intensity=_strength(clip.intensity, emotion),
        sex=Sex.parse(clip.sex) if clip.sex else None,
        recording_condition=RecordingCondition.NORMAL,
        **{attribute: getattr(measured, attribute) for attribute in MEASURED},
    )
    return ShardSample(
        f"{name}-{clip.path.stem}",
        encode_opus(audio, compression=COMPRESSION),
        "ogg",
        seconds=audio.seconds,
        captions=(Caption(describe(style, length="caption"), "en", "full"),),
        about={
            "set": name,
            "split": clip.split,
            "speaker": clip.speaker,
            "sex": clip.sex,
            "language": clip.language,
            "emotion": emotion.value,
            "intensity": clip.intensity,
            "rhythm": _rounded(heard.rhythm.items()),
            "intonation": _rounded(heard.intonation.items()),
            "style": list(encode(style)),
        },
    )


def _strength(intensity: str, emotion: Emotion) -> Intensity | None:
    if emotion is Emotion.NEUTRAL:
        return None
    return {"normal": Intensity.CLEAR, "strong": Intensity.STRONG}.get(intensity)


def _rounded(shares: Iterable[tuple[Rhythm | Intonation, float]]) -> dict[str, Any]:
    return {name.value: round(share, 4) for name, share in shares}
