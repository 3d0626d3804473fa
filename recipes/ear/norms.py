"""Measure ordinary speech, and print the two tables of `aptone.ear.measures.norms`.

    python -m recipes.ear.norms DATA

`DATA` holds a folder for each set, and in it clips and a `labels.csv` with the columns file, speaker, sex, language,
emotion and split. Only clips of the ``train`` split count. Within a language and a sex every emotion has equal weight,
for both sexes together each sex has, and for ``other`` each language has. A speaker of unknown sex is taken as male if
the median pitch of all their clips lies below 200 Hz: the clips are acted, so pitches are high.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np

from aptone.audio import find_speech, read
from aptone.ear.labelled_clips import read_labels
from aptone.ear.measures.intonation import Shape, line_shapes, while_speaking
from aptone.ear.measures.norms import OTHER, Norm
from aptone.ear.measures.pitch import track_pitch
from aptone.ear.measures.voice import measure
from aptone.errors import RecordError

RATE = 16_000
SETS = ("csemotions", "ravdess", "emodb", "nemo")
PLAIN = frozenset({"neutral", "calm"})
LOWEST_SPREADS = {
    "pitch level": 1.5,
    "pitch range": 1.5,
    "articulation rate": 0.5,
    "spectral tilt": 1.0,
    "loudness": 3.0,
    "pause share": 0.08,
    "longest pause": 0.2,
    "jitter": 0.3,
    "shimmer": 1.5,
    "HNR": 1.5,
    "voiced share": 0.05,
}
"""Measures that have norms, and the smallest allowed spread of each."""
SHARED = frozenset({"loudness", "pause share", "longest pause", "jitter", "shimmer", "HNR", "voiced share"})
"""Measures that differ between the sets because of how these were made, not because of their languages."""
ONLY_ABOVE_ZERO = frozenset({"pause share", "longest pause"})
"""Measures with norms over clips above zero: the sets hold single sentences, and most have no pause at all."""
MALE_BELOW = 12.0 * float(np.log2(200.0 / 100.0))
"""Pitch limit in semitones above 100 Hz."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One training clip."""

    speaker: str
    sex: str
    language: str
    emotion: str
    values: dict[str, float]
    shapes: tuple[Shape, ...]


Value = Callable[[Measured], float]


def measure_sets(data: Path, sets: Iterable[str] = SETS) -> Iterator[Measured]:
    """Measure every training clip of some sets; one with too little voice has fewer values.

    Raises:
        UsageError: if a set is missing.
    """
    for name in sets:
        for clip in read_labels(data / name):
            if clip.split != "train":
                continue
            audio = read(clip.path, rate=RATE)
            contour = track_pitch(audio.samples)
            speech = find_speech(audio)
            scores = measure(audio.samples, contour, speech)
            spoken = while_speaking(contour.step, contour.hz, speech)
            yield Measured(
                speaker=clip.speaker,
                sex=clip.sex,
                language=clip.language,
                emotion=clip.emotion,
                values={key: scores[key].value for key in LOWEST_SPREADS if scores[key].is_defined},
                shapes=tuple(line_shapes(contour.step, spoken, strength=contour.strength)),
            )


def with_sex(clips: Sequence[Measured]) -> list[Measured]:
    """Return the clips with the sex of every speaker, by pitch if it is unknown."""
    levels = defaultdict(list)
    for clip in clips:
        if "pitch level" in clip.values:
            levels[clip.speaker].append(clip.values["pitch level"])
    by_pitch = {speaker: "male" if median(values) < MALE_BELOW else "female" for speaker, values in levels.items()}
    return [clip if clip.sex else replace(clip, sex=by_pitch.get(clip.speaker, "")) for clip in clips]


def weighted_norm(pairs: Iterable[tuple[float, float]], *, lowest_spread: float) -> Norm:
    """Return the median and half the distance between the 16th and the 84th percentiles of (value, weight) pairs.

    Raises:
        RecordError: if there is no pair.

    >>> weighted_norm([(1.0, 1.0), (2.0, 1.0), (9.0, 1.0)], lowest_spread=0.5).centre
    2.0
    """
    ordered = sorted(pairs)
    if not ordered:
        raise RecordError("no training clip has the measure; give sets with more clips.")
    values, weights = (np.array(column) for column in zip(*ordered, strict=True))
    ranks = (np.cumsum(weights) - weights / 2.0) / weights.sum()
    low, centre, high = np.interp([0.16, 0.5, 0.84], ranks, values)
    return Norm(float(centre), max(lowest_spread, float(high - low) / 2.0))


def balanced(clips: Sequence[Measured], value: Value, *keys: Callable[[Measured], str]) -> list[tuple[float, float]]:
    """Return each clip's value with a weight, so that at every level of `keys`, outer first, all groups weigh the same.

    The weight is ``1 / (n_1 * n_2 * ...)``: groups at the first level, groups within the clip's group at the second, …,
    and in the end clips within the innermost group.
    """
    places = [tuple(key(clip) for key in keys) for clip in clips]
    inside = Counter(places)
    groups: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for place in places:
        for depth in range(len(keys)):
            groups[place[:depth]].add(place[depth])
    weights = [
        1.0 / (inside[place] * float(np.prod([len(groups[place[:depth]]) for depth in range(len(keys))])))
        for place in places
    ]
    return [(value(clip), weight) for clip, weight in zip(clips, weights, strict=True)]


def _language(clip: Measured) -> str:
    return clip.language


def _sex(clip: Measured) -> str:
    return clip.sex


def _emotion(clip: Measured) -> str:
    return clip.emotion


def measure_norm(clips: Sequence[Measured], name: str, *, sex: str, language: str) -> Norm:
    """Return the norm of a measure; ``""`` is both sexes."""
    chosen = [
        clip
        for clip in clips
        if name in clip.values
        and (clip.values[name] > 0 or name not in ONLY_ABOVE_ZERO)
        and clip.sex
        and sex in ("", clip.sex)
        and language in (OTHER, clip.language)
    ]
    pairs = balanced(chosen, lambda clip: clip.values[name], _language, _sex, _emotion)
    return weighted_norm(pairs, lowest_spread=LOWEST_SPREADS[name])


def line_numbers(clips: Sequence[Measured], *, language: str) -> tuple[float, ...]:
    """Return the fields of a `LineNorm`, in order."""
    spoken = [clip for clip in clips if clip.shapes and language in (OTHER, clip.language)]
    plain = [clip for clip in spoken if clip.emotion in PLAIN]

    def found(chosen: Sequence[Measured], name: str) -> Norm:
        def value(clip: Measured) -> float:
            return float(np.mean([getattr(shape, name) for shape in clip.shapes]))

        return weighted_norm(balanced(chosen, value, _language, _sex, _emotion), lowest_spread=1.0)

    ending, melody = found(plain, "ending"), found(spoken, "melody")
    return (
        found(plain, "movement").centre,
        found(plain, "turn").centre,
        *ending,
        found(plain, "melody").centre,
        *melody,
    )


def tables(clips: Sequence[Measured]) -> str:
    """Return the two tables as Python, for `aptone.ear.measures.norms`."""
    known = with_sex(clips)
    languages = [*dict.fromkeys(clip.language for clip in known), OTHER]
    lines = ["MEASURES: dict[str, dict[str, BySex]] = {"]
    for name in LOWEST_SPREADS:
        lines.append(f'    "{name}": {{')
        for language in [OTHER] if name in SHARED else languages:
            norms = [measure_norm(known, name, sex=sex, language=language) for sex in ("female", "male", "")]
            listed = ", ".join(f"Norm({centre:.2f}, {spread:.2f})" for centre, spread in norms)
            lines.append(f'        "{language}": BySex({listed}),')
        lines.append("    },")
    lines += ["}", "LINES: dict[str, LineNorm] = {"]
    for language in languages:
        numbers = ", ".join(f"{number:.2f}" for number in line_numbers(known, language=language))
        lines.append(f'    "{language}": LineNorm({numbers}),')
    return "\n".join([*lines, "}", ""])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the norms of aptone.ear.measures.norms.")
    parser.add_argument("data", type=Path, help="Folder with a folder for each set.")
    sys.stdout.write(tables(list(measure_sets(parser.parse_args().data))))


if __name__ == "__main__":
    main()
