"""From labelled clips to training rows of the style model: features and attributes of every augmented clip.

Emotion, intensity and sex come from the labels; pitch, rate, volume, texture, rhythm and intonation are measured by the
ear; recording condition, music, sounds and whispering are known from the augmentation. The rows hold the answers of the
shipped ear, which is overconfident about the emotion of its training speakers: `recipes.style.examples` takes that from
ears that never heard them.
"""

import itertools
import sys
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.audio import read
from aptone.ear import load_ear
from aptone.ear.describe import ATTRIBUTES, Intensity, Style, VocalEvent, attributes_of, style_of, values_of
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.ear.perceive import Ear
from aptone.errors import AptoneError
from aptone.rooms.style.embedding.built_in import numbers_of
from aptone.types import AgeBand, Audio, Emotion, Sex
from recipes.ear.data import SOUND_SET, SPEECH_SETS
from recipes.style.variants import EVENTS, VARIANTS, Beside

RATE = 16_000
VERSIONS: tuple[tuple[str, float], ...] = (
    ("plain", 1.0),
    ("moved", 1.0),
    ("moved", 1.0),
    ("conditioned", 0.6),
    ("with-event", 0.3),
    ("whispered", 0.12),
)
"""Augmentations of a clip, and the share of clips that get each."""
ADULTS = range(20, 36)
MEASURED = ("pitch", "pitch_variation", "rate", "volume", "texture", "rhythm", "intonation")
VOICELESS = ("volume",)
"""Attributes that can be measured in a whisper: pitch is that of noise, and syllables are counted by their voice."""
NOT_KNOWN = -1


@dataclass(frozen=True, slots=True)
class Made:
    """One augmented clip."""

    name: str
    split: str
    speaker: str
    variant: str
    numbers: npt.NDArray[np.float32]
    style: Style


def make_versions(clip: LabelledClip, name: str, ear: Ear, beside: Beside) -> Iterator[Made]:
    """Return all augmentations of a clip; those without audible speech are left out."""
    audio = read(clip.path, rate=RATE)
    for number, (variant, share) in enumerate(VERSIONS):
        generator = np.random.default_rng([zlib.crc32(name.encode()), number])
        if generator.random() >= share:
            continue
        changed, known = VARIANTS[variant](audio, generator, beside)
        heard = ear.perceive(changed)
        if not heard.emotion:
            continue
        style = _style(clip, style_of(heard), known)
        yield Made(name, clip.split, clip.speaker, variant, numbers_of(heard), style)


def _style(clip: LabelledClip, heard: Style, known: Any) -> Style:
    """Return the attributes of an augmented clip: labels, augmentation, and measurements."""
    emotion = Emotion.parse(clip.emotion)
    strong = {"normal": Intensity.CLEAR, "strong": Intensity.STRONG}.get(clip.intensity)
    adult = not clip.age or int(clip.age) in ADULTS
    measured = {name: getattr(heard, name) for name in (MEASURED if known.get("texture") is None else VOICELESS)}
    if "recording_condition" not in known or known["recording_condition"] != "normal":
        measured["texture"] = None
    return replace(
        Style(
            emotion=emotion,
            intensity=strong if emotion is not Emotion.NEUTRAL else None,
            sex=Sex.parse(clip.sex) if clip.sex else None,
            age=AgeBand.YOUNG_ADULT if adult else None,
            **measured,
        ),
        **known,
    )


def encode(style: Style) -> list[int]:
    """Return a style as indices of its values, in the order of `ATTRIBUTES`; events as bits; -1 for unknown."""
    held = attributes_of(style)
    places = []
    for attribute in ATTRIBUTES:
        if attribute == "events":
            places.append(sum(1 << place for place, event in enumerate(VocalEvent) if event in style.events))
        else:
            value: Any = held.get(attribute)
            places.append(NOT_KNOWN if value is None else values_of(attribute).index(value))
    return places


def decode(places: Sequence[int]) -> Style:
    """Return the style that `encode` wrote.

    >>> style = Style(emotion=Emotion.SAD, sex=Sex.MALE, events=(VocalEvent.SIGH,))
    >>> decode(encode(style)) == style
    True
    """
    values: dict[str, Any] = {}
    for attribute, place in zip(ATTRIBUTES, places, strict=True):
        if attribute == "events":
            values[attribute] = tuple(event for bit, event in enumerate(VocalEvent) if place >> bit & 1)
        elif place != NOT_KNOWN:
            values[attribute] = values_of(attribute)[place]
    return Style(**values)


def beside_in(data: Path, music: Path | None) -> Beside:
    """Return the sounds of the training split, and music."""
    events: dict[VocalEvent, list[Audio]] = {}
    for clip in read_labels(data / SOUND_SET):
        if clip.split == "train" and clip.emotion in EVENTS:
            events.setdefault(EVENTS[clip.emotion], []).append(_trimmed(read(clip.path, rate=RATE)))
    pieces = sorted(path for path in music.iterdir() if path.suffix in {".ogg", ".wav", ".flac"}) if music else []
    return Beside([read(path, rate=RATE) for path in pieces], events)


def _trimmed(sound: Audio) -> Audio:
    """Trim leading silence; many sounds stand in long silences."""
    loud = np.flatnonzero(np.abs(sound.samples) > 0.1 * float(np.abs(sound.samples).max(initial=1e-9)))
    start = max(0, int(loud[0]) - RATE // 20) if loud.size else 0
    return Audio(sound.samples[start : start + 3 * RATE], rate=sound.rate, source=sound.source)


_EAR: Ear
_BESIDE: Beside


def _begin(data: Path, music: Path | None) -> None:
    global _EAR, _BESIDE
    _EAR, _BESIDE = load_ear("full"), beside_in(data, music)


def _work(task: tuple[LabelledClip, str]) -> list[Made]:
    clip, name = task
    try:
        return list(make_versions(clip, name, _EAR, _BESIDE))
    except AptoneError as error:
        sys.stderr.write(f"{name}: left out: {error}\n")
        return []


def make_rows(data: Path, music: Path | None, *, workers: int) -> list[Made]:
    """Return the augmentations of all clips of the speech sets."""
    tasks = [(clip, f"{name}/{clip.path.name}") for name in SPEECH_SETS for clip in read_labels(data / name)]
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=_begin, initargs=(data, music)) as pool:
        return list(itertools.chain.from_iterable(pool.map(_work, tasks, chunksize=16)))


def write_rows(made: Sequence[Made], output: Path) -> None:
    """Write rows as one compressed file of arrays."""
    np.savez_compressed(
        output,
        name=np.array([one.name for one in made]),
        split=np.array([one.split for one in made]),
        speaker=np.array([one.speaker for one in made]),
        variant=np.array([one.variant for one in made]),
        numbers=np.stack([one.numbers for one in made]),
        style=np.array([encode(one.style) for one in made], dtype=np.int16),
    )
