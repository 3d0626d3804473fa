"""All clips of a corpus in one tensor, so that a GPU can cut any rows out of it at once."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
import torch
from torch import Tensor

from aptone.ear.network.filter_bank import RATE
from aptone.errors import RecordError

HOP = 320
"""Samples per activity flag: 20 ms."""


@dataclass(frozen=True, slots=True)
class Bank:
    """Many clips in one tensor.

    Args:
        samples: all clips in sequence, half precision, full scale 1.
        speech: speech flag (0 or 1) for every 20 ms of `samples`.
        start: first sample of each clip in `samples`; a multiple of the hop.
        length: samples of each clip.
        first, last: first and last sample of speech in the clip; the whole clip if there is none.
    """

    samples: Tensor
    speech: Tensor
    start: Tensor
    length: Tensor
    first: Tensor
    last: Tensor

    def to(self, device: torch.device) -> "Bank":
        """Return the bank on another device."""
        return Bank(*(getattr(self, name).to(device) for name in self.__slots__))


def load_bank(paths: Sequence[Path], speech: Sequence[Sequence[tuple[float, float]] | None], *, workers: int) -> Bank:
    """Decode clips in parallel.

    Args:
        paths: paths of the clips, mono and at the ear's rate.
        speech: speech segments of each clip; None marks as active what lies less than 35 dB below its loudest moment.
        workers: clips decoded at once.

    Raises:
        RecordError: if a clip is missing, is no recording, is empty, or has another rate or several channels.
    """
    with ThreadPoolExecutor(workers) as pool:
        waves = list(pool.map(_decode, paths))
    sizes = [-(-wave.size // HOP) * HOP + HOP for wave in waves]
    starts = np.cumsum([0, *sizes])[:-1]
    samples = np.zeros(sum(sizes), dtype=np.float16)
    active = np.zeros(sum(sizes) // HOP, dtype=np.uint8)
    first, last = [], []
    for wave, start, given in zip(waves, starts, speech, strict=True):
        samples[start : start + wave.size] = (wave / 32768.0).astype(np.float16)
        spans = _loud_spans(wave) if given is None else given
        for begin, end in spans:
            active[int(start // HOP + begin * RATE // HOP) : int(start // HOP + -(-end * RATE // HOP))] = 1
        first.append(int(spans[0][0] * RATE) if spans else 0)
        last.append(min(int(spans[-1][1] * RATE), wave.size) if spans else wave.size)
    return Bank(
        samples=torch.from_numpy(samples),
        speech=torch.from_numpy(active),
        start=torch.from_numpy(starts.astype(np.int64)),
        length=torch.tensor([wave.size for wave in waves], dtype=torch.int64),
        first=torch.tensor(first, dtype=torch.int64),
        last=torch.tensor(last, dtype=torch.int64),
    )


def _decode(path: Path) -> npt.NDArray[np.int16]:
    try:
        samples, rate = soundfile.read(path, dtype="int16")
    except (soundfile.LibsndfileError, OSError) as error:
        raise RecordError(
            f"{path}: cannot be read ({error}); the index names it, so prepare the pack again."
        ) from error
    if rate != RATE:
        raise RecordError(f"{path}: has {rate} Hz, the ear is trained on {RATE} Hz; resample it first.")
    if samples.ndim != 1 or not samples.size:
        raise RecordError(f"{path}: expected one channel with samples, got shape {samples.shape}; mix it down first.")
    decoded: npt.NDArray[np.int16] = samples
    return decoded


def _loud_spans(wave: npt.NDArray[np.int16]) -> list[tuple[float, float]]:
    count = wave.size // HOP
    if not count:
        return []
    whole = wave[: count * HOP].astype(np.float64).reshape(-1, HOP)
    power = np.convolve((whole**2).mean(axis=1), np.ones(3) / 3, mode="full")[1 : 1 + count]
    loud = np.flatnonzero(power > max(power.max() * 10**-3.5, 1.0))
    if not loud.size:
        return []
    breaks = np.flatnonzero(np.diff(loud) > 5)
    starts, ends = [loud[0], *loud[breaks + 1]], [*loud[breaks], loud[-1]]
    return [(start * HOP / RATE, (end + 1) * HOP / RATE) for start, end in zip(starts, ends, strict=True)]
