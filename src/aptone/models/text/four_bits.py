"""4-bit quantisation of matrices, so that a text encoder fits into the wheel.

Each row is cut into groups of 32 numbers that share a scale in half precision: 4.5 bits a number. All arithmetic is
done in single precision after unpacking.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

GROUP = 32
HIGHEST = 7
SHRINKINGS = tuple(float(share) for share in np.linspace(0.7, 1.0, 13))
"""Scales that are tried for a group, as shares of the one at which nothing is clipped."""

Floats = npt.NDArray[np.float32]


class Packed(NamedTuple):
    """Matrix of ``[rows, columns]`` in four bits.

    Args:
        nibbles: ``[rows, columns / 2]``, two numbers a byte, the first in the lower half.
        scales: ``[rows, columns / 32]``.
    """

    nibbles: npt.NDArray[np.uint8]
    scales: npt.NDArray[np.float16]


def pack(matrix: npt.ArrayLike) -> Packed:
    """Quantise a matrix to four bits, each group with the scale of the least squared error.

    Raises:
        ValueError: if the matrix does not consist of whole groups.
    """
    wide = np.asarray(matrix, dtype=np.float32)
    if wide.ndim != 2 or wide.shape[1] % GROUP:
        raise ValueError(f"a matrix whose columns are a multiple of {GROUP} is packed, got the shape {wide.shape}.")
    groups = wide.reshape(len(wide), -1, GROUP)
    full = np.maximum(np.abs(groups).max(axis=2), 1e-6) / HIGHEST
    best_scale = np.zeros_like(full)
    best_error = np.full_like(full, np.inf)
    for share in SHRINKINGS:
        scale = (full * share).astype(np.float16).astype(np.float32)
        error = np.square(_whole(groups, scale) * scale[..., np.newaxis] - groups).sum(axis=2)
        better = error < best_error
        best_error = np.where(better, error, best_error)
        best_scale = np.where(better, scale, best_scale)
    whole = (_whole(groups, best_scale) + 8).astype(np.uint8).reshape(wide.shape)
    nibbles = np.bitwise_or(whole[:, 0::2], np.left_shift(whole[:, 1::2], np.uint8(4)))
    return Packed(nibbles.astype(np.uint8), best_scale.astype(np.float16))


def unpack(packed: Packed) -> Floats:
    """Return the matrix that was packed, up to the error of quantisation.

    >>> ramp = np.arange(-16, 16, dtype=np.float32)[np.newaxis] / 16
    >>> bool(np.abs(unpack(pack(ramp)) - ramp).max() < 0.15)
    True
    """
    rows, half = packed.nibbles.shape
    whole = np.empty((rows, 2 * half), dtype=np.float32)
    whole[:, 0::2] = packed.nibbles & 15
    whole[:, 1::2] = packed.nibbles >> 4
    groups = (whole - 8).reshape(rows, -1, GROUP) * packed.scales.astype(np.float32)[..., np.newaxis]
    matrix: Floats = groups.reshape(rows, 2 * half)
    return matrix


def _whole(groups: Floats, scale: Floats) -> Floats:
    steps = groups / np.maximum(scale, 1e-8)[..., np.newaxis]
    rounded: Floats = np.clip(np.rint(steps), -HIGHEST, HIGHEST).astype(np.float32)
    return rounded
