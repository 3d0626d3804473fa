"""Behaviour of the ear on input that it cannot judge, or not fully: it says so, or an error of ours does; nothing else.

Silence, music alone, two people at once, a fifth of a second, two hours, clipped speech, and rates of 8 and 192 kHz;
besides them a constant, a click, white noise and one sample.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aptone.audio import clip as clipped
from aptone.audio import mix_in, read, resample
from aptone.ear.perceive import Ear
from aptone.errors import AptoneError
from aptone.types import Audio, Perception
from benchmarks.ear_conditions import RATE
from benchmarks.ear_data import Clip
from benchmarks.ear_sounds import EXCERPT_SECONDS, excerpt, tracks_for_test

TWO_HOURS = 7200.0


@dataclass(frozen=True, slots=True)
class Case:
    """One awkward input: what was judged in it, what was not and why, or the error that it gave."""

    name: str
    seconds: float
    judged: tuple[str, ...]
    unjudged: dict[str, str]
    error: str


def awkward_inputs(clips: Sequence[Clip], *, music: Path | None) -> Iterator[tuple[str, Audio]]:
    """The inputs, from clips of at least two speakers."""
    first = read(clips[0].path, rate=RATE)
    other = read(next(clip.path for clip in clips if clip.speaker != clips[0].speaker), rate=RATE)
    peak = float(np.abs(first.samples).max())
    generator = np.random.default_rng(1)
    yield "silence, 5 s", Audio(np.zeros(5 * RATE, np.float32), rate=RATE)
    yield "a constant, 5 s", Audio(np.full(5 * RATE, 0.3, np.float32), rate=RATE)
    yield "white noise, 5 s", Audio(0.1 * generator.standard_normal(5 * RATE).astype(np.float32), rate=RATE)
    yield "one click in silence, 2 s", Audio(np.eye(1, 2 * RATE, RATE, dtype=np.float32)[0], rate=RATE)
    yield "one sample", Audio(np.ones(1, np.float32), rate=RATE)
    if music is not None:
        track = tracks_for_test(music)[0]
        yield "music alone, 10 s", excerpt(track, seconds=EXCERPT_SECONDS, generator=generator)
    yield "two people at once", mix_in(first, other, level_db=0.0)
    middle = first.samples.size // 2
    yield "0.2 s of speech", Audio(first.samples[middle : middle + RATE // 5], rate=RATE)
    yield "speech clipped at a twentieth of its peak", clipped(first, level=peak / 20)
    yield "speech at 8 kHz", resample(first, rate=8_000)
    yield "speech at 192 kHz", resample(first, rate=192_000)
    row = np.concatenate([first.samples, other.samples])
    times = math.ceil(TWO_HOURS * RATE / row.size)
    yield "two hours of speech", Audio(np.tile(row, times)[: round(TWO_HOURS * RATE)], rate=RATE)


def heard(ear: Ear, name: str, audio: Audio) -> Case:
    """Hear an input; any error but ours passes through."""
    try:
        perception = ear.perceive(audio)
    except AptoneError as error:
        return Case(name, audio.seconds, (), {}, str(error))
    return Case(name, audio.seconds, judged_parts(perception), dict(perception.unjudged), "")


def judged_parts(perception: Perception) -> tuple[str, ...]:
    """The parts of a Perception that hold an answer."""
    numbers = {name: getattr(perception, name) for name in ("intensity", "music", "naturalness")}
    spreads = {
        name: getattr(perception, name)
        for name in ("emotion", "rhythm", "intonation", "recording_condition", "sex", "age")
    }
    found = [name for name, spread in spreads.items() if spread]
    found += [name for name, value in numbers.items() if not math.isnan(value)]
    if perception.vad is not None:
        found.append("vad")
    found += [name for name, score in perception.measures.items() if score.is_defined]
    return tuple(found)
