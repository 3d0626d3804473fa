"""Our pitch tracker against swift-f0, Praat and WORLD: errors where the pitch is known exactly, and processor time.

Two kinds of sound have a pitch that is known exactly. (a) Synthetic ones: glides, vibrato, noise, and traps for octave
errors. (b) Real speech, taken apart by the WORLD vocoder and put together again with its own melody, moved by up to
three semitones, so that no tracker can have the answer; then also in noise (white, pink, pink without rumble, and
coloured like speech, in turn) and over a telephone (300 to 3,400 Hz, 8 bits).

- gross error: of the frames that are voiced and found so, the share that is more than 20 % off.
- voicing error: of all frames, the share taken for voiced or unvoiced wrongly.
- frame error: of all frames, the share with one or the other.
- fine error: mean of the absolute error in cents, of the frames that are not grossly wrong.

A tracker that calls fewer frames voiced makes fewer gross errors; so swift-f0 stands in the table twice, with its own
threshold of confidence (0.5) and with one (0.1) at which it misses about as many frames as ours.

Needs recordings with labels.csv (columns file, sex, split), and the packages pyworld and praat-parselmouth, which
Aptone does not depend on (Praat is under the GPL); what is missing is left out. WORLD's Harvest is slow and hears the
clean speech only.

    python -m benchmarks.pitch
    python -m benchmarks.pitch --data FOLDER     # with FOLDER/emodb/labels.csv, FOLDER/nemo/…, FOLDER/ravdess/…
"""

import argparse
import csv
import functools
import importlib
import importlib.util
import json
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from swift_f0 import SwiftF0

from aptone.audio import read
from aptone.ear.measures.frames import HOP, RATE, STEP
from aptone.ear.measures.pitch import HIGHEST, LOWEST, track_pitch
from benchmarks.made_with import with_revisions

Floats = npt.NDArray[np.float64]
Samples = npt.NDArray[np.float32]
Tracker = Callable[[Samples], Floats]

SETS = ("ravdess", "emodb", "nemo")
OURS = "ours"
SLOW = "WORLD Harvest"


@dataclass
class Tally:
    """Counts of frames, over any number of clips."""

    frames: int = 0
    voiced: int = 0
    missed: int = 0
    false: int = 0
    found: int = 0
    gross: int = 0
    cents: float = 0.0
    seconds: float = 0.0
    audio_seconds: float = 0.0

    def add(self, truth: Floats, heard: Floats, *, seconds: float) -> None:
        """Count one clip: the true F0 and the one heard, for every 10 ms, 0 where unvoiced."""
        is_voiced, is_heard = truth > 0.0, heard > 0.0
        both = is_voiced & is_heard
        ratio = heard[both] / truth[both]
        gross = np.abs(ratio - 1.0) > 0.2
        self.frames += truth.size
        self.voiced += int(is_voiced.sum())
        self.missed += int((is_voiced & ~is_heard).sum())
        self.false += int((~is_voiced & is_heard).sum())
        self.found += int(both.sum())
        self.gross += int(gross.sum())
        self.cents += float(np.abs(1200.0 * np.log2(ratio[~gross])).sum())
        self.seconds += seconds
        self.audio_seconds += truth.size * STEP

    def summary(self) -> dict[str, float]:
        """The errors in percent and cents, and milliseconds of processor time for a second of audio."""
        return {
            "gross_error_percent": round(100.0 * self.gross / max(self.found, 1), 2),
            "voicing_error_percent": round(100.0 * (self.missed + self.false) / max(self.frames, 1), 2),
            "missed_percent_of_voiced": round(100.0 * self.missed / max(self.voiced, 1), 2),
            "false_percent_of_unvoiced": round(100.0 * self.false / max(self.frames - self.voiced, 1), 2),
            "frame_error_percent": round(100.0 * (self.missed + self.false + self.gross) / max(self.frames, 1), 2),
            "fine_error_cents": round(self.cents / max(self.found - self.gross, 1), 1),
            "milliseconds_per_second": round(1000.0 * self.seconds / max(self.audio_seconds, STEP), 2),
        }


@dataclass
class Clip:
    """Sounds with one true F0 every 10 ms, 0 where unvoiced."""

    sex: str
    truth: Floats
    sounds: dict[str, Samples] = field(default_factory=dict)


def rival(name: str) -> Any:
    """A package that may be missing."""
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


def on_grid(times: Floats, hz: Floats, count: int) -> Floats:
    """Another tracker's contour in the middle of our frames: between two voiced values of its own, the line."""
    middle = (np.arange(count) + 0.5) * STEP
    later = np.clip(np.searchsorted(times, middle), 1, times.size - 1)
    before, after = hz[later - 1], hz[later]
    along = np.clip((middle - times[later - 1]) / (times[later] - times[later - 1]), 0.0, 1.0)
    nearest = np.where(along < 0.5, before, after)
    close = (before > 0.0) & (after > 0.0) & (np.abs(before - after) < 0.2 * before)
    return np.where(close, before * (1.0 - along) + after * along, nearest)


def trackers() -> dict[str, Tracker]:
    """Every tracker that is installed, by name: samples in, F0 every 10 ms out, 0 where unvoiced."""
    swift = SwiftF0(threads=1, spin=False)

    def by_swift(samples: Samples, *, threshold: float) -> Floats:
        found = swift.detect(samples, RATE, fmin=LOWEST, fmax=HIGHEST)
        hz = np.where(np.asarray(found.confidence) >= threshold, found.pitch_hz, 0.0)
        return on_grid(np.asarray(found.timestamps, dtype=np.float64), hz, samples.size // HOP)

    known: dict[str, Tracker] = {
        OURS: lambda samples: np.nan_to_num(track_pitch(samples).hz),
        "swift-f0": functools.partial(by_swift, threshold=0.5),
        "swift-f0, 0.1": functools.partial(by_swift, threshold=0.1),
    }
    if parselmouth := rival("parselmouth"):

        def by_praat(samples: Samples, *, floor: float, ceiling: float) -> Floats:
            sound = parselmouth.Sound(samples.astype(np.float64), RATE)
            found = sound.to_pitch_ac(time_step=STEP, pitch_floor=floor, pitch_ceiling=ceiling)
            return on_grid(found.xs(), found.selected_array["frequency"], samples.size // HOP)

        known["Praat, 75-600 Hz"] = functools.partial(by_praat, floor=75.0, ceiling=600.0)
        known["Praat, 50-800 Hz"] = functools.partial(by_praat, floor=LOWEST, ceiling=HIGHEST)
    if world := rival("pyworld"):

        def by_world(samples: Samples, *, harvest: bool) -> Floats:
            wave = samples.astype(np.float64)
            search = world.harvest if harvest else world.dio
            hz, times = search(wave, RATE, f0_floor=LOWEST, f0_ceil=HIGHEST, frame_period=1000.0 * STEP)
            return on_grid(times, hz if harvest else world.stonemask(wave, hz, times, RATE), samples.size // HOP)

        known["WORLD DIO"] = functools.partial(by_world, harvest=False)
        known[SLOW] = functools.partial(by_world, harvest=True)
    return known


def harmonics(path: Floats, amplitude: Callable[[int], float]) -> Floats:
    """Harmonics of a pitch that is given for every sample, up to 7.8 kHz, with a mean square of 1."""
    phase = 2.0 * np.pi * np.cumsum(path) / RATE
    sound = np.zeros(path.size)
    for number in range(1, int(7_800.0 / path.min()) + 1):
        sound += amplitude(number) * np.sin(number * phase + number**2) * (number * path < 7_800.0)
    scaled: Floats = sound / np.sqrt(np.mean(sound**2))
    return scaled


def synthetic(generator: np.random.Generator) -> Iterator[tuple[str, Clip]]:
    """Two seconds each of sounds with a known pitch, by the name of what is hard about them."""
    time = np.arange(2 * RATE) / RATE
    glides = [np.geomspace(start, end, time.size) for start, end in ((80, 400), (400, 80), (150, 750), (60, 120))]
    vibrato = [hz * 2.0 ** (np.sin(2.0 * np.pi * 5.5 * time) / 12.0) for hz in (110.0, 220.0, 440.0)]
    steady = [np.full(time.size, hz) for hz in (70.0, 90.0, 130.0, 190.0, 280.0, 400.0)]

    def sawtooth(number: int) -> float:
        return 1.0 / number

    def clips(
        paths: list[Floats], amplitude: Callable[[int], float], signal_to_noise: float = np.inf
    ) -> Iterator[Clip]:
        for path in paths:
            noise = generator.standard_normal(path.size) * 10.0 ** (-signal_to_noise / 20.0)
            sound = (0.1 * (harmonics(path, amplitude) + noise)).astype(np.float32)
            yield Clip("", path[HOP // 2 :: HOP].copy(), {"clean": sound})

    yield from (("glides", clip) for clip in clips(glides, sawtooth))
    yield from (("vibrato", clip) for clip in clips(vibrato, sawtooth))
    for level in (20.0, 10.0, 5.0, 0.0):
        yield from ((f"glides, white noise at {level:g} dB", clip) for clip in clips(glides, sawtooth, level))
    second = clips(steady, lambda number: 8.0 if number == 2 else 1.0 / number)
    yield from (("second harmonic 18 dB above the first", clip) for clip in second)
    missing = clips(steady, lambda number: 1.0 if 3 <= number <= 8 else 0.0)
    yield from (("harmonics 3 to 8 only", clip) for clip in missing)


def coloured(speech: Floats, generator: np.random.Generator) -> Floats:
    """Noise of one of four colours, as strong as the speech."""
    frequency = np.maximum(np.fft.rfftfreq(speech.size, 1.0 / RATE), 5.0)
    colour = generator.integers(4)
    if colour == 0:
        shape = np.ones(frequency.size)
    elif colour < 3:
        shape = 1.0 / np.sqrt(frequency) / (1.0 + (70.0 / frequency) ** 4 if colour == 2 else 1.0)
    else:
        width = max(1, speech.size // 160)  # 100 Hz
        power = np.convolve(np.abs(np.fft.rfft(speech)) ** 2, np.ones(width) / width, mode="same")
        shape = np.sqrt(power) / (1.0 + (60.0 / frequency) ** 4)
    noise = np.fft.irfft(np.fft.rfft(generator.standard_normal(speech.size)) * shape, speech.size)
    scaled: Floats = noise * np.sqrt(np.mean(speech**2) / np.mean(noise**2))
    return scaled


def telephone(speech: Floats) -> Floats:
    """300 to 3,400 Hz in 8 bits, μ-law."""
    frequency = np.maximum(np.fft.rfftfreq(speech.size, 1.0 / RATE), 1.0)
    gain = 1.0 / (1.0 + (250.0 / frequency) ** 8) / (1.0 + (frequency / 3_500.0) ** 16)
    narrow = np.fft.irfft(np.fft.rfft(speech) * gain, speech.size)
    narrow *= 0.5 / np.abs(narrow).max()
    steps = np.round(127.0 * np.sign(narrow) * np.log1p(255.0 * np.abs(narrow)) / np.log(256.0)) / 127.0
    heard: Floats = np.sign(steps) * (256.0 ** np.abs(steps) - 1.0) / 255.0
    return heard


def vocoded(world: Any, samples: Samples, *, semitones: float) -> tuple[Floats, Floats]:
    """Speech taken apart by WORLD and put together with its melody moved, and the F0 it then has every 10 ms."""
    wave = samples.astype(np.float64)
    hz, times = world.harvest(wave, RATE, f0_floor=LOWEST, f0_ceil=HIGHEST, frame_period=5.0)
    hz = world.stonemask(wave, hz, times, RATE)
    envelope, noise = world.cheaptrick(wave, hz, times, RATE), world.d4c(wave, hz, times, RATE)
    hz = np.where(noise[:, 0] > 0.999, 0.0, hz) * 2.0 ** (semitones / 12.0)  # all noise: WORLD makes it unvoiced
    around = np.pad(wave, 320)
    level = np.array([np.mean(around[place : place + 640] ** 2) for place in (times * RATE).astype(int)])
    hz[(hz < LOWEST) | (hz > HIGHEST) | (level < 1e-4 * level.max())] = 0.0  # no voice 40 dB below the loudest
    edges = np.flatnonzero(np.diff(np.concatenate([[0], (hz > 0.0).astype(int), [0]])))
    for begin, end in edges.reshape(-1, 2):
        if end - begin < 6:  # 30 ms
            hz[begin:end] = 0.0
    speech = world.synthesize(hz, envelope, noise, RATE, 5.0)[: wave.size]
    speech = np.pad(speech, (0, wave.size - speech.size))
    return speech, on_grid(times, hz, wave.size // HOP)


def spoken(data: Path, world: Any, generator: np.random.Generator, *, clips: int) -> Iterator[Clip]:
    """Vocoded clips of both sexes from each set, clean and made worse."""
    for name in SETS:
        with (data / name / "labels.csv").open(encoding="utf-8", newline="") as lines:
            rows = [row for row in csv.DictReader(lines) if row["split"] in ("train", "dev")]
        for sex in ("male", "female"):
            these = [row for row in rows if row["sex"] == sex]
            for place in generator.choice(len(these), clips, replace=False):
                samples = read(data / name / these[place]["file"], rate=RATE).samples
                speech, truth = vocoded(world, samples, semitones=generator.uniform(-3.0, 3.0))
                sounds = {"clean": speech}
                for level in (20, 10, 0):
                    sounds[f"noise at {level} dB"] = speech + coloured(speech, generator) * 10.0 ** (-level / 20.0)
                sounds["telephone"] = telephone(speech)
                yield Clip(sex, truth, {name: sound.astype(np.float32) for name, sound in sounds.items()})


def timed(tracker: Tracker, samples: Samples) -> tuple[Floats, float]:
    """Return the contour, and the seconds of processor time it takes."""
    begin = time.process_time()
    heard = tracker(samples)
    return heard, time.process_time() - begin


def compare(clips: list[tuple[str, Clip]], known: dict[str, Tracker]) -> dict[str, dict[str, dict[str, float]]]:
    """Errors by kind of sound and tracker; every tracker hears a sound before the next sound comes."""
    tallies: dict[str, dict[str, Tally]] = {}
    for group, clip in clips:
        for condition, samples in clip.sounds.items():
            for name, tracker in known.items():
                if name == SLOW and clip.sex and condition != "clean":
                    continue
                heard, seconds = timed(tracker, samples)
                whole = f"{group}{condition}" if clip.sex else group
                for kind in (whole, f"{whole}, {clip.sex}")[: 2 if clip.sex else 1]:
                    tallies.setdefault(kind, {}).setdefault(name, Tally()).add(clip.truth, heard, seconds=seconds)
    return {kind: {name: tally.summary() for name, tally in row.items()} for kind, row in tallies.items()}


def speed(known: dict[str, Tracker], sound: Samples, *, seconds: float) -> dict[str, float]:
    """Return each tracker's time over ours for a clip of so many seconds: the least of several runs."""
    clip = np.resize(sound, round(seconds * RATE))
    repetitions = 25 if seconds < 10.0 else 5
    names = [name for name in known if name != SLOW]
    rounds = [{name: timed(known[name], clip)[1] for name in names} for _ in range(repetitions)]
    least = {name: min(times[name] for times in rounds) for name in names}
    ours = least[OURS]
    return {name: round(value / ours, 2) for name, value in least.items()} | {
        "our_milliseconds_per_second": round(1000.0 * ours / seconds, 2)
    }


def show(title: str, errors: dict[str, dict[str, dict[str, float]]]) -> None:
    """Print a table."""
    print(f"\n{title}\n{'':38} {'tracker':18} gross  voicing (missed, false)  frame   cents   ms/s")
    for kind, row in errors.items():
        for name, result in row.items():
            print(
                f"{kind:38} {name:18} {result['gross_error_percent']:5.2f}  {result['voicing_error_percent']:7.2f} "
                f"({result['missed_percent_of_voiced']:6.2f}, {result['false_percent_of_unvoiced']:5.2f}) "
                f"{result['frame_error_percent']:6.2f} {result['fine_error_cents']:7.1f} "
                f"{result['milliseconds_per_second']:6.2f}"
            )


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Our pitch tracker against others.")
    parser.add_argument("--data", type=Path, help="Folder with the sets ravdess, emodb and nemo, each with labels.csv.")
    parser.add_argument("--clips", type=int, default=10, help="Number of clips of each set and sex.")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "pitch.json")
    options = parser.parse_args()
    known = trackers()
    made = list(synthetic(np.random.default_rng(options.seed)))
    record: dict[str, object] = {
        "what": "pitch trackers on sounds of known pitch; errors in percent of frames, processor time on one thread",
        "seed": options.seed,
        "synthetic": (errors := compare(made, {name: known[name] for name in known if name != SLOW})),
    }
    show("synthetic", errors)
    sound = made[0][1].sounds["clean"]
    world = rival("pyworld")
    if options.data is not None and world is not None:
        generator = np.random.default_rng(options.seed)
        clips = list(spoken(options.data, world, generator, clips=options.clips))
        record["vocoded_speech"] = (errors := compare([("", clip) for clip in clips], known))
        record["vocoded_clips"] = len(clips)
        show(f"vocoded speech, {len(clips)} clips", errors)
        sound = np.concatenate([clip.sounds["clean"] for clip in clips])
    record["times_our_processor_time"] = {
        f"{length:g} s": speed(known, sound, seconds=length) for length in (3.0, 60.0)
    }
    print("\ntimes our processor time:", json.dumps(record["times_our_processor_time"], indent=2))
    packages = ("aptone", "numpy", "scipy", "swift-f0", "praat-parselmouth", "pyworld")
    installed = {"praat-parselmouth": "parselmouth", "pyworld": "pyworld"}
    record["versions"] = {"python": platform.python_version()} | {
        name: version(name) for name in packages if name not in installed or rival(installed[name])
    }
    options.output.write_text(
        json.dumps(with_revisions(record, "ear"), indent=2, sort_keys=True) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
