"""The learned part of the ear: two ONNX files, what they say about a clip, and how sure they may be of it.

The first file holds the stem, which is the same for every ear; the second the trained layers, which differ.
What the heads' numbers mean (names, temperatures, thresholds) and under which licence they stand lies in the second
file's metadata. Every window of a clip is listened to on its own, with one thread, so that neighbours, batch sizes and
machines with more cores change nothing.

What the network says about every frame becomes sounds besides words: stretches with a name (`sound_events`).
"""

import functools
import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import onnxruntime

from aptone.ear import LICENCES
from aptone.ear.network.filter_bank import (
    BANK_SPAN,
    BANK_STEP,
    FRAME_SECONDS,
    RATE,
    STEP,
    centred,
    frame_centres,
    frame_count,
    log_energies,
    statistics,
)
from aptone.errors import UsageError
from aptone.stats.logits import sigmoid, softmax
from aptone.types import SoundEvent

WINDOW_SECONDS = 12.0
"""Longest stretch that is listened to at once."""
LEVEL = 0.07
"""Root mean square that the speech of a window is brought to."""
EARS = tuple(LICENCES)

STEM_NUMBERS = 256
"""Dimension of the stem's features of a frame."""
FRAME_NUMBERS = STEM_NUMBERS + 6
"""The same with valence, arousal and dominance of the frame and of the window around it."""

Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Meaning:
    """Metadata of an ear's outputs.

    Args:
        emotions: names in the order of the network's numbers.
        conditions: names of recording conditions, likewise.
        events: likewise, with the probability above which each is reported; empty when the ear hears none.
        temperatures: by head, what its logits are divided by before they become probabilities; a head that was never
            trained is missing.
        naturalness: one weight for each number of the hidden layers, and a last one that is added; empty when the ear
            does not judge it.
        natural_measures: by measure of the voice, its mean and a weight that naturalness changes by; empty for none.
        prosody: by measure of the voice, a scale and a weight for each emotion, and under ``bias`` a bias for each:
            emotion by how a voice departs from its own habits (`aptone.ear.reference`); empty for none.
    """

    name: str
    revision: str
    licence: str
    emotions: tuple[str, ...]
    conditions: tuple[str, ...]
    events: Mapping[str, float]
    temperatures: Mapping[str, float]
    naturalness: tuple[float, ...]
    natural_measures: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    prosody: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


class Window(NamedTuple):
    """Network output for one window: logits where a probability is meant."""

    emotion: Floats
    vad: Floats
    intensity: Floats
    sex: Floats
    adult: Floats
    condition: Floats
    music: Floats
    frame_vad: Floats
    frame_events: Floats
    hidden: Floats


@dataclass(frozen=True, slots=True)
class Listening:
    """Network output for a whole clip, as probabilities and plain values.

    Each is the mean over the clip's windows, weighted by the speech in them (by their length where it does not concern
    speech). Without speech, what concerns speech is NaN.

    Args:
        emotion: [emotions], sums to 1.
        vad: valence, arousal, dominance, -1 to 1.
        intensity: 0 to 1; NaN when the ear does not judge it.
        female: probability that the voice is a woman's.
        adult: probability that the voice is like the adult voices of the training data.
        condition: [conditions], sums to 1.
        naturalness: by the network alone, on a scale of 0 to 5 but not limited to it; NaN if it is not judged.
        frame_vad: [frames, 3], -1 to 1; in every window, their mean over speech is what the window says as a whole.
        frame_events: [frames, events], probabilities.
    """

    emotion: Floats
    vad: Floats
    intensity: float
    female: float
    adult: float
    condition: Floats
    music: float
    naturalness: float
    frame_vad: Floats
    frame_events: Floats
    hidden: Floats


class Stem:
    """The first ONNX file, loaded: its features of frames do not depend on the training of an ear."""

    def __init__(self, folder: Path) -> None:
        self._session = one_thread_session(folder / "stem.onnx")

    def __call__(self, energies: Floats, spoken: Flags) -> Floats:
        """Return the features of every second frame, [frames, `STEM_NUMBERS`].

        Args:
            energies: log energies of one window (`aptone.ear.network.filter_bank.log_energies`).
        """
        heard: Floats = self._session.run(None, {"energies": centred(energies, spoken)[np.newaxis]})[0][0]
        return heard


class Network:
    """The two ONNX files of an ear, loaded."""

    def __init__(self, folder: Path, name: str) -> None:
        self._stem = Stem(folder)
        self._heads = one_thread_session(folder / f"{name}.onnx")
        self.meaning = _meaning(self._heads)

    def listen(self, samples: Floats, speech: Flags) -> Listening:
        """Listen to a clip.

        Args:
            samples: mono at 16 kHz.
            speech: which of the network's frames are speech; see `aptone.ear.network.filter_bank`.
        """
        heard = [(window, flags) for flags, window, _ in self._windows(samples, speech)]
        lengths = np.array([flags.size for _, flags in heard], dtype=np.float64)
        spoken = np.array([flags.sum() for _, flags in heard], dtype=np.float64)
        temperatures = self.meaning.temperatures
        kinds = len(self.meaning.events)  # a network without events still has a column

        def over_speech(values: list[Any]) -> Any:
            total = spoken.sum()
            return _weighted(spoken / total, values) if total else np.array(values[0]) * np.nan

        def over_all(values: list[Any]) -> Any:
            return _weighted(lengths / lengths.sum(), values)

        windows = [window for window, _ in heard]
        hidden = over_all([window.hidden for window in windows])
        return Listening(
            emotion=over_speech([softmax(window.emotion / temperatures["emotion"]) for window in windows]),
            vad=over_speech([window.vad for window in windows]),
            intensity=float(
                over_speech([sigmoid(window.intensity / temperatures.get("intensity", np.nan)) for window in windows])
            ),
            female=float(over_speech([sigmoid(window.sex / temperatures["sex"]) for window in windows])),
            adult=float(over_speech([sigmoid(window.adult / temperatures["adult"]) for window in windows])),
            condition=over_all([softmax(window.condition / temperatures["condition"]) for window in windows]),
            music=float(over_all([sigmoid(window.music / temperatures["music"]) for window in windows])),
            naturalness=self._naturalness(over_speech([window.hidden for window in windows])),
            frame_vad=np.concatenate([_around_the_whole(window, flags) for window, flags in heard]),
            frame_events=np.concatenate(
                [sigmoid(window.frame_events[:, :kinds] / temperatures.get("events", np.nan)) for window in windows]
            ),
            hidden=hidden,
        )

    def frames(self, samples: Floats, speech: Flags) -> Floats:
        """Return the features of each frame, [frames, `FRAME_NUMBERS`], for networks that are trained on top of an ear.

        The stem's numbers, then valence, arousal and dominance of the frame, then those of the window around it.
        Arguments as those of `listen`.
        """
        heard = [
            np.concatenate([frames[: flags.size], window.frame_vad, np.tile(window.vad, (flags.size, 1))], axis=1)
            for flags, window, frames in self._windows(samples, speech)
        ]
        return np.concatenate(heard)

    def _naturalness(self, hidden: Floats) -> float:
        weights = np.array(self.meaning.naturalness)
        if not weights.size:
            return float("nan")
        return float(hidden @ weights[:-1] + weights[-1])

    def _windows(self, samples: Floats, speech: Flags) -> Iterator[tuple[Flags, Window, Floats]]:
        """The clip in windows of the same length, whose frames follow one another without a gap.

        The same length, so that no sliver is left at the end which would be heard without what went before. With each
        window comes what the stem says of its frames.
        """
        most = frame_count(int(WINDOW_SECONDS * RATE))
        edges = np.linspace(0, speech.size, math.ceil(speech.size / most) + 1).round().astype(int).tolist()
        for first, behind in itertools.pairwise(edges):
            flags = speech[first:behind]
            begin = first * STEP
            piece = samples[begin : begin + (2 * flags.size - 1) * BANK_STEP + BANK_SPAN]
            piece = piece * np.float32(LEVEL / max(_level(piece, flags), 1e-5))
            logs = log_energies(piece)
            spoken = np.repeat(flags, 2)[: len(logs)]
            frames = self._stem(logs, spoken)
            given = {
                "frames": frames[np.newaxis],
                "statistics": statistics(logs, spoken)[np.newaxis],
                "speech": flags[np.newaxis].astype(np.float32),
            }
            yield flags, Window(*(out[0] for out in self._heads.run(None, given))), frames


def _weighted(shares: npt.NDArray[np.float64], values: list[Any]) -> Any:
    """Sum of the windows' values by their shares. Most clips have one window, whose share is 1."""
    return np.array(values[0], dtype=np.float64) if len(values) == 1 else np.tensordot(shares, np.array(values), 1)


def _around_the_whole(window: Window, flags: Flags) -> Floats:
    """The frames' valence, arousal and dominance, moved so that their mean over speech is that of the whole window.

    A frame knows when something changes; the whole window knows better how aroused a voice is.
    """
    if not flags.any():
        return window.frame_vad
    moved: Floats = np.clip(window.frame_vad + (window.vad - window.frame_vad[flags].mean(axis=0)), -1.0, 1.0)
    return moved


def frame_flags(samples: int, spans: list[tuple[float, float]]) -> Flags:
    """Flag the frames of a clip whose middle lies in one of the spans, given in seconds."""
    seconds = frame_centres(frame_count(samples)) / RATE
    flags = np.zeros(seconds.size, dtype=np.bool_)
    for start, end in spans:
        flags[np.searchsorted(seconds, start) : np.searchsorted(seconds, end)] = True
    return flags


def frame_times(count: int) -> npt.NDArray[np.float64]:
    """Return the time of each frame's middle, in seconds."""
    return frame_centres(count) / RATE


def _level(samples: Floats, flags: Flags) -> float:
    """Root mean square over the 20 ms of each speech frame, or over everything where none is speech."""
    padded = np.zeros(flags.size * STEP)
    padded[: samples.size] = samples[: padded.size]
    power = np.square(padded).reshape(flags.size, STEP).mean(axis=1)
    chosen = power[flags] if flags.any() else power
    return float(np.sqrt(chosen.mean()))


def one_thread_session(model: Path | bytes) -> onnxruntime.InferenceSession:
    """An ONNX file, loaded to run on one thread: so that nothing depends on how many there are."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.disable_quant_qdq", "1")  # eight bits are for storage only
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _meaning(session: onnxruntime.InferenceSession) -> Meaning:
    given = json.loads(session.get_modelmeta().custom_metadata_map["aptone.ear"])
    return Meaning(
        name=given["name"],
        revision=given["revision"],
        licence=given["licence"],
        emotions=tuple(given["emotions"]),
        conditions=tuple(given["conditions"]),
        events=dict(given["events"]),
        temperatures=dict(given["temperatures"]),
        naturalness=tuple(given["naturalness"]),
        natural_measures={name: (mean, weight) for name, (mean, weight) in given["natural_measures"].items()},
        prosody={name: tuple(numbers) for name, numbers in given["prosody"].items()},
    )


@functools.cache
def load_network(name: str) -> Network:
    """The network of a shipped ear, loaded once; raises `UsageError` if there is no ear of that name."""
    if name not in EARS:
        raise UsageError(f"there is no ear {name!r}; choose one of {', '.join(EARS)}.")
    return Network(_weights(), name)


@functools.cache
def load_stem() -> Stem:
    """The stem of the shipped ears, loaded once."""
    return Stem(_weights())


def _weights() -> Path:
    return Path(str(files("aptone.ear") / "weights"))


SHORTEST_EVENT = 0.15
EVENT_GAP = 0.25
"""Seconds: shorter events are left out, and events closer than this are one."""
EVENT_AROUND = 15
"""Frames over which it is decided which of several events is meant: 0.3 s."""

PEAK_FRAMES = 7
"""Frames over which the most that a sound is heard is averaged: 0.14 s, so that a click is no laugh."""


def sound_events(probabilities: npt.NDArray[np.floating], thresholds: Mapping[str, float]) -> tuple[SoundEvent, ...]:
    """Stretches in which an event stays above its threshold, and above it by more than any other event, by time.

    Args:
        probabilities: [frames, events].
        thresholds: threshold of each event, in the order of the columns.
    """
    if not thresholds:
        return ()
    times = frame_times(len(probabilities))
    excess = probabilities / np.array(list(thresholds.values()))
    foremost = _smoothed(excess, frames=EVENT_AROUND).argmax(axis=1)
    events = []
    for column, name in enumerate(thresholds):
        loud = np.flatnonzero((excess[:, column] >= 1.0) & (foremost == column))
        if not loud.size:
            continue
        breaks = np.flatnonzero(np.diff(loud) > EVENT_GAP / FRAME_SECONDS)
        for first, last in zip(loud[[0, *breaks + 1]], loud[[*breaks, -1]], strict=True):
            start, end = times[first] - FRAME_SECONDS / 2, times[last] + FRAME_SECONDS / 2
            if end - start >= SHORTEST_EVENT:
                confidence = float(probabilities[first : last + 1, column].max())
                events.append(SoundEvent(name, max(0.0, round(float(start), 3)), round(float(end), 3), confidence))
    return tuple(sorted(events, key=lambda event: (event.start, event.name)))


def sound_peaks(probabilities: npt.NDArray[np.floating], names: Iterable[str]) -> dict[str, float]:
    """The most that each sound is heard anywhere in a clip: the highest mean over 0.14 s.

    Args:
        probabilities: [frames, events].
        names: names of the columns, in their order.

    >>> sound_peaks(np.array([[0.0], [0.5], [1.0]]), ["laughing"])  # fewer frames than 0.14 s: their mean
    {'laughing': 0.5}
    """
    if not len(probabilities):
        return {}
    peaks = _smoothed(probabilities, frames=PEAK_FRAMES).max(axis=0)
    return {name: round(float(peak), 6) for name, peak in zip(names, peaks, strict=True)}


def _smoothed(values: npt.NDArray[np.floating], *, frames: int) -> npt.NDArray[np.float64]:
    """Means over some frames around each; over fewer at the ends."""
    sums = np.concatenate([np.zeros((1, values.shape[1])), values.cumsum(axis=0, dtype=np.float64)])
    place = np.arange(len(values))
    first, behind = np.maximum(place - frames // 2, 0), np.minimum(place + frames // 2 + 1, len(values))
    means: npt.NDArray[np.float64] = (sums[behind] - sums[first]) / (behind - first)[:, np.newaxis]
    return means
