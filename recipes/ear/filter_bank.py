"""`aptone.ear.network.filter_bank` for batches of rows of different lengths, on any device."""

import functools

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from aptone.ear.network.filter_bank import BANK_SPAN, BANK_STEP, FFT, FLOOR, PRE_EMPHASIS, STEP, bands, window

WARPS = 21
"""Number of warped filter banks between the lowest and the highest factor."""
WARP_END = 0.6
"""Share of the bandwidth up to which a warp is a plain factor; beyond, it returns to the end of the band."""

LEVEL = 0.07
"""Root mean square to which speech is scaled, as in `aptone.ear.network.inference`."""


@functools.cache
def warped_bands(largest: float) -> Tensor:
    """Return filter banks whose frequencies are scaled by 1 - largest … 1 + largest, [WARPS, 257, 80].

    Vocal tract length perturbation (Jaitly & Hinton 2013): a voice that is higher and smaller, or lower and larger, at
    the same tempo.
    """
    plain = bands()
    lines = np.arange(len(plain), dtype=np.float64)
    last = lines[-1]
    banks = []
    for factor in np.linspace(1 - largest, 1 + largest, WARPS):
        turn = WARP_END * last / max(factor, 1.0)
        beyond = factor * turn + (lines - turn) * (last - factor * turn) / (last - turn)
        moved = np.where(lines <= turn, factor * lines, beyond)
        banks.append(np.stack([np.interp(moved, lines, plain[:, band]) for band in range(plain.shape[1])], axis=1))
    return torch.from_numpy(np.stack(banks).astype(np.float32))


def filter_bank(
    wave: Tensor, speech: Tensor, present: Tensor, *, warp: Tensor | None = None, largest_warp: float = 0.0
) -> tuple[Tensor, Tensor]:
    """Return centred log energies [rows, frames, 80] of a batch, and statistics [rows, 320].

    Args:
        wave: samples, [rows, samples].
        speech, present: 1 for a frame of speech, or of any sound, [rows, frames].
        warp: index of each row's filter bank in `warped_bands`; None for the plain one.
        largest_warp: the largest change of frequency among them.
    """
    frames = wave.unfold(1, BANK_SPAN, BANK_STEP)
    frames = frames - frames.mean(dim=2, keepdim=True)
    earlier = torch.cat([frames[..., :1], frames[..., :-1]], dim=2)
    hann = torch.from_numpy(window()).to(wave.device)
    spectrum = torch.fft.rfft((frames - PRE_EMPHASIS * earlier) * hann, FFT)
    plain = torch.from_numpy(bands()) if warp is None else warped_bands(largest_warp)
    filters = plain.to(wave.device) if warp is None else plain.to(wave.device)[warp]
    energies = (spectrum.real**2 + spectrum.imag**2) @ filters
    logs = energies.clamp_min(FLOOR).log()
    some = (speech.sum(dim=1, keepdim=True) > 0).float()
    chosen = (some * speech + (1 - some) * present).repeat_interleave(2, dim=1)[:, : logs.shape[1], None]
    count = chosen.sum(dim=1).clamp_min(1.0)
    mean = (logs * chosen).sum(dim=1) / count
    there = present.repeat_interleave(2, dim=1)[:, : logs.shape[1]]
    relative = logs - mean.mean(dim=1)[:, None, None]
    return (logs - mean[:, None]) * there[..., None], _statistics(relative, there)


def _statistics(relative: Tensor, there: Tensor) -> Tensor:
    """Return mean, deviation, 10th and 90th percentile of each band over the frames that are present."""
    weight = there[..., None]
    count = there.sum(dim=1).clamp_min(1.0)
    mean = (relative * weight).sum(dim=1) / count[:, None]
    spread = (((relative - mean[:, None]).square() * weight).sum(dim=1) / count[:, None]).sqrt()
    ordered = torch.where(weight > 0, relative, torch.inf).sort(dim=1).values
    places = [(share * (count - 1)).long()[:, None, None].expand(-1, 1, relative.shape[2]) for share in (0.1, 0.9)]
    low, high = (ordered.gather(1, place).squeeze(1) for place in places)
    return torch.cat([mean, spread, low, high], dim=1)


def speech_level(wave: Tensor, speech: Tensor, present: Tensor) -> Tensor:
    """Return the root mean square of the speech frames of each row, or of all its sound if there is no speech."""
    some = (speech.sum(dim=1, keepdim=True) > 0).float()
    chosen = some * speech + (1 - some) * present
    padded = functional.pad(wave.square(), (0, STEP))
    power = functional.avg_pool1d(padded[:, None], STEP, STEP).squeeze(1)[:, : speech.shape[1]]
    return ((power * chosen).sum(dim=1) / chosen.sum(dim=1).clamp_min(1.0)).sqrt().clamp_min(1e-5)
