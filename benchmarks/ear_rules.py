"""The rules for intonation and rhythm, on real speech whose pitch and pace were changed by a vocoder.

Clips are taken apart by WORLD (pyworld: harvest, cheaptrick, d4c) and put together again with another F0 contour, pace
or pitch. What the ear hears in the result must be what was done. Everything goes through the waveform: the changed clip
is tracked and measured like any other.

- *bare*: the clip's own melody is reduced to a tenth and laid on a new line: level, 6 semitones up, 6 down, an arch of
  6, a dip of 6;
- *whole*: the same with the clip's whole melody, accents and lexical tones included. There the fall is one of
  6 semitones below the ordinary line of the language, since that line sinks by itself, and there is no flat one;
- *pace*: 0.65 or 1.5 times as long; *pitch*: 4 semitones up or down. Compared with the clip put together unchanged:
  the lively rhythms (brisk, tense, high-energy) or the grave ones (heavy, low-paced, relaxed) must become likelier.

Beside that, what is heard in clips as they are: the share of the lively rhythms in each emotion, and the intonation of
neutral clips, whose sinking line must not count as falling by itself.

Clips are drawn with equal shares for every language from the speakers of the splits ``dev`` (on which the rules were
tuned; CSEMOTIONS has no such speakers, so its training speakers stand in) and ``test``.

pyworld is not a dependency of ours, and asks for setuptools below 81:

    pip install pyworld "setuptools<81"
    python -m benchmarks.ear_rules --data FOLDER_WITH_THE_SETS
"""

import argparse
import csv
import json
import platform
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.audio import find_speech, read
from aptone.ear.measures.intonation import intonation, while_speaking
from aptone.ear.measures.norms import WEAKEST, line_norm
from aptone.ear.measures.pitch import track_pitch
from aptone.ear.measures.rhythm import rhythm
from aptone.ear.measures.voice import measure
from aptone.types import Audio, Intonation, Rhythm, Sex
from benchmarks.made_with import with_revisions
from recipes.claims.vocoder import Parts, analyse, load_world, stretched, synthesise, transposed

RATE = 16_000
SETS = ("csemotions", "ravdess", "emodb", "nemo")
STEP = 6.0  # semitones
LIVELY = (Rhythm.BRISK, Rhythm.TENSE, Rhythm.HIGH_ENERGY)
GRAVE = (Rhythm.HEAVY, Rhythm.LOW_PACED, Rhythm.RELAXED)
GOALS = {
    "bare flat": 0.90,
    "bare rising": 0.90,
    "bare falling": 0.90,
    "bare arch": 0.85,
    "bare dip": 0.85,
    "faster is livelier": 0.95,
    "slower is graver": 0.95,
}

Floats = npt.NDArray[np.float64]
Line = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Clip:
    """One clip of a set."""

    path: Path
    sex: Sex | None
    language: str
    emotion: str


def sampled_clips(data: Path, *, split: str, count: int, seed: int = 20) -> list[Clip]:
    """So many clips of each set, from one split; from ``train`` where a set has no ``dev``."""
    chosen = []
    for name in SETS:
        with (data / name / "labels.csv").open(encoding="utf-8", newline="") as labels:
            rows = list(csv.DictReader(labels))
        found = [row for row in rows if row["split"] == split] or [row for row in rows if row["split"] == "train"]
        for index in np.random.default_rng(seed).permutation(len(found))[:count]:
            row = found[index]
            sex = Sex.parse(row["sex"]) if row["sex"] else None
            chosen.append(Clip(data / name / row["file"], sex, row["language"], row["emotion"]))
    return chosen


def places(audio: Audio, parts: Parts) -> Floats:
    """For each frame its place, from -1 where the speech is first voiced to 1 where it is last, and no further.

    The vocoder finds voice in breaths and creaks, too; a line across these would be cut off at its ends.
    """
    contour = track_pitch(audio.samples)
    spoken = np.isfinite(while_speaking(contour.step, contour.hz, find_speech(audio))) & (contour.strength >= WEAKEST)
    voiced = contour.step * np.flatnonzero(spoken)
    found: Floats = np.interp(parts.times, [voiced[0], voiced[-1]], [-1.0, 1.0])
    return found


def on_line(parts: Parts, all_places: Floats, line: Line, *, melody: float) -> Parts:
    """The clip with a share of its melody on a new line, a function of the place in the clip from -1 to 1."""
    voiced = parts.f0 > 0
    semitones, place = 12.0 * np.log2(parts.f0[voiced]), all_places[voiced]
    own = np.polynomial.legendre.legval(place, np.polynomial.legendre.legfit(place, semitones, 3))
    f0 = np.zeros_like(parts.f0)
    f0[voiced] = 2.0 ** ((np.median(semitones) + melody * (semitones - own) + line(place)) / 12.0)
    return replace(parts, f0=f0)


def sloped(height: float) -> Line:
    """A straight line that moves by so many semitones."""
    return lambda place: height * place / 2.0


def bowed(height: float) -> Line:
    """An arch of so many semitones; below 0 a dip."""
    return lambda place: height * (1.0 - place**2)


def lines(language: str) -> dict[str, tuple[Intonation, Line, float]]:
    """Each new line: what it should be heard as, its shape, and the share of the melody on it."""
    found = {"bare flat": (Intonation.FLAT, sloped(0.0), 0.1)}
    for kind, melody, sinking in (("bare", 0.1, 0.0), ("whole", 1.0, line_norm(language).movement)):
        found |= {
            f"{kind} rising": (Intonation.RISING, sloped(STEP), melody),
            f"{kind} falling": (Intonation.FALLING, sloped(sinking - STEP), melody),
            f"{kind} arch": (Intonation.CURVED, bowed(STEP), melody),
            f"{kind} dip": (Intonation.CURVED, bowed(-STEP), melody),
        }
    return found


def heard_intonation(audio: Audio, clip: Clip) -> Intonation | None:
    """Return the intonation by the rules; ``None`` when they give none."""
    contour = track_pitch(audio.samples)
    spoken = while_speaking(contour.step, contour.hz, find_speech(audio))
    return intonation(contour.step, spoken, strength=contour.strength, language=clip.language).best


def heard_rhythm(audio: Audio, clip: Clip) -> Mapping[Rhythm, float]:
    """Return the rhythm by the rules; empty when they give none."""
    contour = track_pitch(audio.samples)
    scores = measure(audio.samples, contour, find_speech(audio))
    return rhythm(scores, sex=clip.sex, language=clip.language).distribution


def share(distribution: Mapping[Rhythm, float], names: Iterable[Rhythm]) -> float:
    """Probability of some rhythms together."""
    return sum(distribution[name] for name in names)


def check(world: Any, clip: Clip) -> dict[str, bool]:
    """For one clip, whether each change was heard as it should be; without those that could not be judged."""
    audio = read(clip.path, rate=RATE)
    parts = analyse(world, audio)
    all_places = places(audio, parts)
    found = {}
    for name, (expected, line, melody) in lines(clip.language).items():
        heard = heard_intonation(synthesise(world, on_line(parts, all_places, line, melody=melody)), clip)
        if heard is not None:
            found[name] = heard is expected
    before = heard_rhythm(synthesise(world, parts), clip)
    changes = {
        "faster is livelier": (stretched(parts, 0.65), LIVELY),
        "slower is graver": (stretched(parts, 1.5), GRAVE),
        "higher is livelier": (transposed(parts, 4.0), LIVELY),
        "lower is graver": (transposed(parts, -4.0), GRAVE),
    }
    for name, (changed, group) in changes.items():
        after = heard_rhythm(synthesise(world, changed), clip)
        if before and after:
            found[name] = share(after, group) > share(before, group)
            found[f"{name}: now the likelier half"] = share(after, group) > 0.5
    return found


def summed(clips: Iterable[Clip], world: Any) -> dict[str, object]:
    """The share of clips heard as intended, for each change, over all and by language."""
    rows: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    count = 0
    for clip in clips:
        count += 1
        for name, right in check(world, clip).items():
            rows[name]["all"].append(right)
            rows[name][clip.language].append(right)
    shares = {
        name: {group: round(float(np.mean(hits)), 3) for group, hits in groups.items()} | {"judged": len(groups["all"])}
        for name, groups in rows.items()
    }
    return {"clips": count, "heard_as_intended": shares}


def unchanged(clips: Iterable[Clip]) -> dict[str, object]:
    """Return the mean probabilities for unchanged clips, by emotion, of the lively rhythms together."""
    lively: dict[str, list[float]] = defaultdict(list)
    melodies: dict[str, list[Intonation]] = defaultdict(list)
    for clip in clips:
        audio = read(clip.path, rate=RATE)
        if heard := heard_rhythm(audio, clip):
            lively[clip.emotion].append(share(heard, LIVELY))
        if melody := heard_intonation(audio, clip):
            melodies[clip.emotion].append(melody)
    return {
        "lively_rhythms": {name: round(float(np.mean(shares)), 2) for name, shares in sorted(lively.items())},
        "intonation": {
            name: {kind.value: round(found.count(kind) / len(found), 2) for kind in Intonation}
            for name, found in sorted(melodies.items())
        },
    }


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="The rules for intonation and rhythm, on vocoded speech.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with the sets, each with a labels.csv.")
    parser.add_argument("--clips", type=int, default=15, help="Number of clips of each set and split.")
    parser.add_argument("--splits", nargs="+", default=["dev", "test"], choices=["dev", "test"])
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "ear_rules.json")
    options = parser.parse_args()
    world = load_world()
    record: dict[str, Any] = {
        "what": "share of vocoded clips in which the rules hear what was done",
        "goals": GOALS,
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("aptone", "numpy", "pyworld")},
    }
    for split in options.splits:
        record[split] = summed(sampled_clips(options.data, split=split, count=options.clips), world)
        print(f"{split}: {record[split]['clips']} clips")
        for name, shares in record[split]["heard_as_intended"].items():
            goal = f"   goal {GOALS[name]:.0%}" if name in GOALS else ""
            print(f"  {name:42}", "  ".join(f"{group} {value}" for group, value in shares.items()), goal)
        record[split]["unchanged"] = unchanged(sampled_clips(options.data, split=split, count=4 * options.clips))
        print("  unchanged, probability of the lively rhythms:", record[split]["unchanged"]["lively_rhythms"])
        print("  unchanged, neutral clips:", record[split]["unchanged"]["intonation"]["neutral"])
    options.output.write_text(
        json.dumps(with_revisions(record, "ear"), indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
