"""Clips with a known pitch, pitch variation, pace or level, set by resynthesis.

A rule that reads the pitch cannot be fitted or tested on what the same tracker calls high. So recordings are changed to
a target value, by means that are independent of the ear:

- *pitch* and *pitch variation*: WORLD's own tracker reads the clip, and WORLD moves its median, or widens its melody,
  to a number of spreads from the norm of that sex and language;
- *rate*: WORLD makes the clip last as long as the same sentence takes the training speakers, divided by a pace. A
  sentence lasts from the first to the last frame within 20 dB of the loudest: farther below lie breaths and clicks;
- *volume*: a gain brings the frames within 35 dB of the loudest to a level. Values beyond full scale are clipped, as
  they would be in a file.
"""

import functools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from aptone.audio import read
from aptone.ear.describe import Attribute, Pitch, PitchVariation, Rate, Volume
from aptone.ear.labelled_clips import LabelledClip
from aptone.ear.measures.frames import RATE, STEP, loudness_track
from aptone.ear.measures.norms import FARTHEST, norm
from aptone.types import Audio, ClosedSet, Sex
from recipes.claims.vocoder import Parts, analyse, pitch, stretched, synthesise, transposed, with_melody
from recipes.ear.norms import MALE_BELOW

PITCHES: Mapping[ClosedSet, float] = dict(zip(Pitch, (-2.0, -1.0, 0.0, 1.0, 2.0), strict=True))
"""Target pitches, in spreads from the norm of that sex and language."""
VARIATIONS: Mapping[ClosedSet, float] = dict(zip(PitchVariation, (-1.5, 0.0, 1.5), strict=True))
"""Target pitch variations, in spreads from the norm."""
PACES: Mapping[ClosedSet, float] = dict(zip(Rate, (0.65, 0.8, 1.0, 1.25, 1.54), strict=True))
"""Target paces, relative to the ordinary pace of that sentence."""
LEVELS: Mapping[ClosedSet, float] = dict(zip(Volume, (-42.0, -31.0, -20.0, -12.0, -7.0), strict=True))
"""Target levels in dBFS. Speech without a limiter ends around -16: what is louder is clipped."""
PLACES: Mapping[Attribute, Mapping[ClosedSet, float]] = {
    "pitch": PITCHES,
    "pitch_variation": VARIATIONS,
    "rate": PACES,
    "volume": LEVELS,
}
LOWEST, HIGHEST = -6.0, 27.0
"""Lowest and highest target pitch, in semitones above 100 Hz: 71 to 476 Hz."""
NARROWEST = 2.0
"""Smallest target pitch range in semitones."""
SPOKEN, ACTIVE = 20.0, 35.0
"""Levels below the loudest frame, in dB, of the limits of a sentence and of active frames."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownClip:
    """A clip with one known value.

    Args:
        clip: source clip.
        attribute: attribute that was changed.
        value: its value.
        audio: resulting audio.
    """

    clip: LabelledClip
    attribute: Attribute
    value: ClosedSet
    audio: Audio


@dataclass(frozen=True, slots=True)
class Speakers:
    """Speakers and sentences of a set.

    Args:
        sexes: sex of each speaker.
        seconds: mean duration of each sentence by the training speakers.
    """

    sexes: Mapping[str, Sex]
    seconds: Mapping[str, float]


def spread_over(clips: Sequence[LabelledClip], *, count: int, seed: int) -> list[LabelledClip]:
    """Return `count` clips, one of each speaker and emotion in turn."""
    groups: dict[tuple[str, str], list[LabelledClip]] = defaultdict(list)
    for place in np.random.default_rng(seed).permutation(len(clips)):
        groups[clips[place].speaker, clips[place].emotion].append(clips[place])
    turns = max(map(len, groups.values()), default=0)
    ordered = (groups[key][turn] for turn in range(turns) for key in sorted(groups) if turn < len(groups[key]))
    return list(ordered)[:count]


def sentence_of(clip: LabelledClip) -> str:
    """Return the text of a clip, or, in a set without texts, the file's name without its speaker.

    CSEMOTIONS calls its files ``Speaker001_Angry_0``, and every voice says the same sentence under the same name.
    """
    return clip.text or clip.path.stem.partition("_")[2]


def spoken_seconds(audio: Audio) -> float:
    """Return the seconds from the first to the last frame within 20 dB of the loudest."""
    levels = loudness_track(audio.samples)
    spoken = np.flatnonzero(levels >= levels.max() - SPOKEN)
    return float(spoken[-1] - spoken[0] + 1) * STEP


def active_level(audio: Audio) -> float:
    """Return the level of the frames within 35 dB of the loudest, in dBFS."""
    levels = loudness_track(audio.samples)
    return 10.0 * math.log10(float(np.mean(10.0 ** (levels[levels >= levels.max() - ACTIVE] / 10.0))))


def know_speakers(world: Any, clips: Sequence[LabelledClip], *, heard: int = 12) -> Speakers:
    """Return the sexes of the speakers of a set and, from the training split alone, the durations of its sentences.

    Args:
        world: pyworld.
        clips: clips of a set, all splits.
        heard: clips of a speaker, spread over all of theirs, that determine an unlabelled sex.
    """
    seconds: dict[str, list[float]] = defaultdict(list)
    for clip in clips:
        if clip.split == "train":
            seconds[sentence_of(clip)].append(spoken_seconds(read(clip.path, rate=RATE)))
    sexes = {clip.speaker: Sex.parse(clip.sex) for clip in clips if clip.sex}
    for speaker in dict.fromkeys(clip.speaker for clip in clips if clip.speaker not in sexes):
        own = [clip for clip in clips if clip.speaker == speaker]
        heights = [float(np.median(pitch(world, read(clip.path, rate=RATE)))) for clip in own[:: -(-len(own) // heard)]]
        sexes[speaker] = Sex.MALE if median(heights) < MALE_BELOW else Sex.FEMALE
    return Speakers(sexes, {sentence: median(times) for sentence, times in seconds.items()})


def known_clips(
    world: Any, clip: LabelledClip, speakers: Speakers, wanted: Iterable[tuple[Attribute, ClosedSet]]
) -> Iterator[KnownClip]:
    """Yield the clip changed once for every value; impossible ones (no voice, no such sentence) are left out."""
    audio = read(clip.path, rate=RATE)
    taken_apart = functools.cache(lambda exact: analyse(world, audio, exact=exact))
    for attribute, value in wanted:
        place = PLACES[attribute][value]
        if attribute == "volume":
            yield KnownClip(clip, attribute, value, at_level(audio, place))
        elif attribute == "rate":
            if usual := speakers.seconds.get(sentence_of(clip)):
                longer = stretched(taken_apart(False), usual / place / spoken_seconds(audio))
                yield KnownClip(clip, attribute, value, synthesise(world, longer))
        elif taken_apart(True).semitones.size >= 2:
            sex = speakers.sexes[clip.speaker]
            moved = _moved(taken_apart(True), attribute, place, sex=sex, language=clip.language)
            yield KnownClip(clip, attribute, value, synthesise(world, moved))


def at_level(audio: Audio, level: float) -> Audio:
    """Return the clip with its active frames at a level in dBFS, clipped at full scale."""
    gain = 10.0 ** ((level - active_level(audio)) / 20.0)
    return Audio(np.clip(audio.samples * np.float32(gain), -1.0, 1.0), audio.rate, source=audio.source)


def _moved(parts: Parts, attribute: Attribute, place: float, *, sex: Sex, language: str) -> Parts:
    """Return the clip with its pitch, or pitch range, a number of spreads from the norm."""
    heights = parts.semitones
    if attribute == "pitch":
        centre, spread = norm("pitch level", sex=sex, language=language)
        wanted = min(max(centre + place * spread, LOWEST), HIGHEST)
        return transposed(parts, wanted - float(np.median(heights)))
    centre, spread = norm("pitch range", sex=sex, language=language)
    tracked = heights[np.abs(heights - np.median(heights)) <= FARTHEST]
    low, high = np.percentile(tracked, (5.0, 95.0))
    return with_melody(parts, max(centre + place * spread, NARROWEST) / max(float(high - low), NARROWEST))
