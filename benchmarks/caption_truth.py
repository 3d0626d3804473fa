"""Ground truth of test clips, found without the ear's own measures: for benchmarks of captions.

Emotion, intensity and sex are the labels. Pitch and its variation are those of two other trackers (swift-f0 and Praat),
where both say the same; the rate is syllables of the written text over the time that is not silent, and the volume is
the root mean square level of the file. Each is compared with the training speakers of the same language and sex (the
volume with those of all sets, since levels depend on the recording), measured in the same way: a value is named where
it lies clearly to one side of their middle, or close to it, and left out in between.
"""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from swift_f0 import SwiftF0

from aptone.audio import read
from aptone.ear.describe import Pitch, PitchVariation, Rate, Style, Volume
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.rooms.caption.bench.four_captions import TrueClip, label_style
from aptone.types import ClosedSet
from benchmarks.measures import syllables

parselmouth: Any = importlib.import_module("parselmouth")  # pip install praat-parselmouth

SETS = ("ravdess", "nemo", "emodb", "csemotions")
LEVELLED = ("emodb", "csemotions")
"""Sets whose recordings were brought to one peak: their volume says nothing."""
RATE = 16_000
LOWEST, HIGHEST, VOICED, FEWEST_FRAMES = 60.0, 600.0, 0.5, 10
"""Of the trackers: Hertz, the confidence from which on a frame of swift-f0 is voiced, and how many must be."""
FRAMES = 100
"""In a second."""
QUIET = 30.0
"""Decibels below the loudest frame from which on a frame counts as silent."""
CLEARLY: Mapping[str, float] = {"pitch": 1.0, "pitch_variation": 1.25, "rate": 1.5, "volume": 1.0}
MIDDLE: Mapping[str, float] = {"pitch": 0.25, "pitch_variation": 0.25, "volume": 0.25}
VERY = 2.0
"""Spreads from the middle of the training speakers: from where on a value is high, until where medium, and very high.

How fast somebody speaks is least certain in two seconds of speech: texts and syllables heard agree at 0.6 to 0.7 on the
dev speakers. So a rate is named only where it is far out, and never as moderate.
"""
LONGEST_GAP = 0.15
"""Seconds of silence that belong to speech; longer ones are pauses and do not count for the rate."""
DRAWN = 400
"""Levels drawn from each set, so that each weighs the same."""
TRAINING_CLIPS = 60
"""Of each speaker, at most."""
ENGLISH_SYLLABLES = 7
"""Of both sentences of RAVDESS."""

Steps = tuple[ClosedSet | None, ClosedSet, ClosedSet, ClosedSet, ClosedSet | None]
STEPS: Mapping[str, Steps] = {
    "pitch": (Pitch.VERY_LOW, Pitch.LOW, Pitch.MEDIUM, Pitch.HIGH, Pitch.VERY_HIGH),
    "pitch_variation": (
        PitchVariation.MONOTONE,
        PitchVariation.MONOTONE,
        PitchVariation.MODERATE,
        PitchVariation.LIVELY,
        PitchVariation.LIVELY,
    ),
    "rate": (Rate.VERY_SLOW, Rate.SLOW, Rate.MODERATE, Rate.FAST, Rate.VERY_FAST),
    "volume": (Volume.VERY_SOFT, Volume.SOFT, Volume.MEDIUM, Volume.LOUD, Volume.VERY_LOUD),
}


def measured(clip: LabelledClip, tracker: Any) -> dict[str, float]:
    """Pitch and its range in semitones by both trackers, syllables in a second, decibels; as far as can be told."""
    samples = read(clip.path, rate=RATE).samples.astype(np.float32)
    found: dict[str, float] = {}
    contour = tracker.detect(samples, RATE, fmin=LOWEST, fmax=HIGHEST)
    praat = parselmouth.Sound(samples.astype(np.float64), RATE).to_pitch(0.01, LOWEST, HIGHEST)
    by_praat = praat.selected_array["frequency"]
    for name, hz in (
        ("swift-f0", np.asarray(contour.pitch_hz)[np.asarray(contour.confidence) >= VOICED]),
        ("Praat", by_praat[by_praat > 0.0]),
    ):
        if hz.size >= FEWEST_FRAMES:
            semitones = 12.0 * np.log2(hz / 100.0)
            found[f"pitch {name}"] = float(np.median(semitones))
            found[f"pitch_variation {name}"] = float(np.subtract(*np.percentile(semitones, [95, 5])))
    levels = frame_levels(samples)
    loud = np.flatnonzero(levels > levels.max() - QUIET)
    found["volume"] = float(10.0 * np.log10(np.mean(10.0 ** (levels[loud[0] : loud[-1] + 1] / 10.0))))
    if clip.text:
        count = ENGLISH_SYLLABLES if clip.language == "en" else syllables(clip.text, clip.language)
        gaps = np.diff(loud)
        pauses = gaps[gaps > LONGEST_GAP * FRAMES] - 1
        found["rate"] = count / ((loud[-1] - loud[0] + 1 - pauses.sum()) / FRAMES)
    return found


def frame_levels(samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The level of every hundredth of a second, in decibels."""
    frame = RATE // FRAMES
    frames = samples[: samples.size // frame * frame].reshape(-1, frame).astype(np.float64)
    levels: npt.NDArray[np.float64] = 10.0 * np.log10(np.mean(frames**2, axis=1) + 1e-12)
    return levels


def norms(data: Path, tracker: Any, *, seed: int) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Middle and spread of the training speakers, by measure, language and sex; the volume for all together."""
    generator = np.random.default_rng(seed)
    values: dict[tuple[str, str, str], list[float]] = {}
    levels: list[float] = []
    for name in SETS:
        own_levels: list[float] = []
        clips = [clip for clip in read_labels(data / name) if clip.split == "train"]
        for speaker in sorted({clip.speaker for clip in clips}):
            own = [clip for clip in clips if clip.speaker == speaker]
            for place in generator.permutation(len(own))[:TRAINING_CLIPS]:
                clip = own[int(place)]
                for measure, value in measured(clip, tracker).items():
                    if measure == "volume":
                        own_levels.append(value)
                    else:
                        values.setdefault((measure, clip.language, clip.sex), []).append(value)
        levels += generator.choice(own_levels, DRAWN).tolist()
    values["volume", "", ""] = levels
    return {
        key: (float(np.median(numbers)), float(np.subtract(*np.percentile(numbers, [84, 16]))) / 2.0)
        for key, numbers in values.items()
    }


def step_of(measure: str, away: float) -> ClosedSet | None:
    """The value that a distance in spreads stands for; ``None`` where it is not clear."""
    if abs(away) <= MIDDLE.get(measure, -1.0):
        return STEPS[measure][2]
    if abs(away) < CLEARLY[measure]:
        return None
    place = (0 if away < 0 else 4) if abs(away) >= VERY else (1 if away < 0 else 3)
    return STEPS[measure][place]


def true_clips(data: Path, *, split: str, seed: int, most: int = 10**9, sets: Sequence[str] = SETS) -> list[TrueClip]:
    """The clips of a split with what is true of them.

    Args:
        data: folder of the sets.
        split: which speakers.
        seed: of what is drawn.
        most: clips of one set.
        sets: which sets.
    """
    tracker = SwiftF0(threads=1, spin=False)
    usual = norms(data, tracker, seed=seed)
    generator = np.random.default_rng(seed)
    found = []
    for name in sets:
        clips = [clip for clip in read_labels(data / name) if clip.split == split]
        for place in sorted(generator.permutation(len(clips))[:most]):
            clip = clips[int(place)]
            style = label_style(clip)
            if "volume" in (own := measured(clip, tracker)) and name in LEVELLED:
                del own["volume"]
            steps: dict[str, set[ClosedSet | None]] = {}
            for measure, value in own.items():
                key = ("volume", "", "") if measure == "volume" else (measure, clip.language, clip.sex)
                if key in usual:
                    attribute = measure.partition(" ")[0]
                    step = step_of(attribute, (value - usual[key][0]) / usual[key][1])
                    steps.setdefault(attribute, set()).add(step)
            values: dict[str, Any] = {name: told.pop() for name, told in steps.items() if len(told) == 1}
            found.append(TrueClip(f"{name}-{clip.path.stem}", clip.path, replace(style, **values), clip.language))
    return found


def attribute_counts(clips: Sequence[TrueClip]) -> dict[str, int]:
    """Count the clips with a value for each attribute."""
    names = [name for name in Style.__dataclass_fields__ if any(getattr(clip.style, name) for clip in clips)]
    return {name: sum(bool(getattr(clip.style, name)) for clip in clips) for name in names}
