"""One speaker or several: how often `rooms.style.build.speakers` is right about speakers that it was not fitted to.

    python -m benchmarks.style_speakers --data DATA [--fit]

`DATA` holds ``emodb``, ``csemotions``, ``ravdess`` and ``nemo`` with their ``labels.csv``; it comes not with Aptone.
Trials are three to five clips behind one another, 0.2 s apart, at most half a minute: of one speaker (in any emotions),
or of two speakers of one corpus in turn. So neither the recording nor the emotion tells how many they are.

With ``--fit`` the directions are fitted again on clips of the training speakers of EmoDB and CSEMOTIONS, whose licences
allow weights under any terms, and the threshold from trials with training and dev speakers of RAVDESS and nEMO (best
balanced accuracy); both are written into the package. Window, dimensions and shrinkage were chosen by the area under
the curve on trials with training and dev speakers. Test speakers were heard by the final setting only.
"""

import argparse
import json
import platform
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path

import numpy as np
import numpy.typing as npt

import aptone.rooms.style.build.speakers as counting
from aptone.audio import read
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.ear.network.filter_bank import RATE
from aptone.rooms.style.build.speakers import group_distance, load_axes, stem_frames, window_numbers
from aptone.stats.intervals import wilson_interval
from aptone.types import Audio
from benchmarks.ear_scores import area_under_curve
from benchmarks.made_with import with_revisions

Floats = npt.NDArray[np.float64]

FITTED, HELD_OUT = ("emodb", "csemotions"), ("ravdess", "nemo")
CLIPS_A_SPEAKER, TRIALS = 30, 60
DIRECTIONS, SHRINKAGE = 10, 1.0
PAUSE, LONGEST = 0.2, 30.0


def main() -> None:
    """Fit if asked, measure, print, and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "style_speakers.json")
    options = parser.parse_args()
    if options.fit:
        fit(options.data)
    rows = {}
    for corpus in (*HELD_OUT, *FITTED):
        rows[corpus] = measured(*trials(options.data / corpus, ("test",), seed=1))
        print(corpus, json.dumps(rows[corpus]))
    everything = [trials(options.data / corpus, ("test",), seed=1) for corpus in (*HELD_OUT, *FITTED)]
    rows["all"] = measured(
        np.concatenate([distances for distances, _ in everything]), np.concatenate([truth for _, truth in everything])
    )
    print("all", json.dumps(rows["all"]))
    result = {
        "threshold": load_axes().threshold,
        "test speakers": rows,
        "version": version("aptone"),
        "python": platform.python_version(),
    }
    options.output.write_text(json.dumps(with_revisions(result), indent=1) + "\n", encoding="utf-8")


def fit(data: Path) -> None:
    """Make directions and threshold, and write them into the package."""
    windows: list[Floats] = []
    owners: list[str] = []
    generator = np.random.default_rng(0)
    for corpus in FITTED:
        for speaker, clips in by_speaker(data / corpus, ("train",)).items():
            for place in generator.permutation(len(clips))[:CLIPS_A_SPEAKER]:
                found = window_numbers(stem_frames(heard(clips[place])))
                windows.append(found)
                owners += [speaker] * len(found)
    mean, directions = discriminants(np.concatenate(windows), np.array(owners))
    place = Path(counting.__file__).parent / "weights" / "speakers.npz"
    np.savez(place, mean=mean.astype("<f4"), directions=directions.astype("<f4"), threshold=np.float64(0.0))
    load_axes.cache_clear()
    chosen = [trials(data / corpus, splits, seed=0) for corpus in HELD_OUT for splits in (("train",), ("dev",))]
    distances, truth = (np.concatenate(parts) for parts in zip(*chosen, strict=True))
    steps = np.sort(distances)
    balanced = [((distances >= one)[truth].mean() + (distances < one)[~truth].mean()) / 2 for one in steps]
    threshold = float(steps[int(np.argmax(balanced))])
    area = area_under_curve(distances, truth)
    print(f"fitted: area {area:.3f}, balanced accuracy {max(balanced):.3f}, {threshold=:.3f}")
    np.savez(place, mean=mean.astype("<f4"), directions=directions.astype("<f4"), threshold=np.float64(threshold))
    load_axes.cache_clear()


def discriminants(windows: Floats, owners: npt.NDArray[np.str_]) -> tuple[Floats, Floats]:
    """Mean and linear discriminants (Fisher 1936), the spread within speakers shrunk towards a sphere."""
    mean = windows.mean(axis=0)
    centred = windows - mean
    within, between = np.zeros((2, centred.shape[1], centred.shape[1]))
    for speaker in np.unique(owners):
        own = centred[owners == speaker]
        middle = own.mean(axis=0)
        within += (own - middle).T @ (own - middle) / len(centred)
        between += len(own) / len(centred) * np.outer(middle, middle)
    within += SHRINKAGE * np.trace(within) / len(within) * np.eye(len(within))
    spread, axes = np.linalg.eigh(within)
    white = axes / np.sqrt(spread)
    _, turned = np.linalg.eigh(white.T @ between @ white)
    return mean, white @ turned[:, ::-1][:, :DIRECTIONS]


def trials(folder: Path, splits: tuple[str, ...], *, seed: int) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Distances of trials, and whether two people speak in them; half of them where there are two speakers."""
    clips = by_speaker(folder, splits)
    speakers = sorted(clips)
    generator = np.random.default_rng([seed, *folder.name.encode()])
    distances, truth = [], []
    axes = load_axes()
    for number in range(TRIALS):
        several = number % 2 == 1
        if several and len(speakers) < 2:
            continue
        chosen = generator.choice(speakers, 2 if several else 1, replace=False)
        count = int(generator.integers(3, 6))
        parts = []
        for place in range(count):
            own = clips[str(chosen[place % len(chosen)])]
            parts += [heard(own[int(generator.integers(len(own)))]).samples, np.zeros(round(PAUSE * RATE), np.float32)]
        joined = np.concatenate(parts)[: round(LONGEST * RATE)]
        windows = window_numbers(stem_frames(Audio(joined, RATE)))
        if len(windows) < counting.FEWEST_WINDOWS:
            continue
        distances.append(group_distance((windows - axes.mean) @ axes.directions))
        truth.append(several)
    return np.array(distances), np.array(truth, dtype=np.bool_)


def measured(distances: Floats, truth: npt.NDArray[np.bool_]) -> dict[str, float | int | list[float]]:
    """Accuracy with its interval, and the area under the curve."""
    right = (distances >= load_axes().threshold) == truth
    low, high = wilson_interval(int(right.sum()), len(right), confidence=0.95)
    return {
        "trials": len(truth),
        "accuracy": round(float(right.mean()), 3),
        "interval": [round(low, 3), round(high, 3)],
        "one speaker": round(float(right[~truth].mean()), 3),
        "two speakers": round(float(right[truth].mean()), 3),
        "area": round(area_under_curve(distances, truth), 3),
    }


def by_speaker(folder: Path, splits: tuple[str, ...]) -> dict[str, list[LabelledClip]]:
    """The clips of each speaker."""
    found: defaultdict[str, list[LabelledClip]] = defaultdict(list)
    for clip in read_labels(folder):
        if clip.split in splits:
            found[clip.speaker].append(clip)
    return dict(found)


def heard(clip: LabelledClip) -> Audio:
    """A clip as the ear hears it."""
    return read(clip.path, rate=RATE, channel="mix")


if __name__ == "__main__":
    main()
