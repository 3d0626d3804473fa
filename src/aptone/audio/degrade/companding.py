"""The two companding laws of ITU-T G.711, sample by sample: 16-bit in, 8-bit code, 16-bit out."""

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

_MU_BIAS = 132
_MU_LARGEST = 32_635


def mu_law(samples: Integers) -> Integers:
    """Encode and decode with μ-law (G.711, table 2; North America and Japan).

    With m = min(|x|, 32635) + 132 and e = floor(log2 m) - 7, four bits of m below its highest one are kept, and the
    middle of their interval comes out.

    On the boundary of two intervals, which G.711 leaves open, libsndfile is followed, sample for sample; the reference
    code of ITU-T G.191 takes the other interval at 127 of the 65,536 values.

    >>> mu_law(np.array([0, 3, 1000, -1000, 32767])).tolist()
    [0, 0, 988, -988, 32124]
    """
    magnitude = np.minimum(np.abs(samples), _MU_LARGEST) + _MU_BIAS
    exponent = _floor_log2(magnitude) - 7
    mantissa = magnitude >> (exponent + 3) & 0x0F
    decoded = ((mantissa << 3) + _MU_BIAS << exponent) - _MU_BIAS
    return np.where(samples < 0, -decoded, decoded)


def a_law(samples: Integers) -> Integers:
    """Encode and decode with A-law (G.711, table 1; Europe and elsewhere): like μ-law, linear below 256, no zero.

    On the boundary of two intervals, which G.711 leaves open, the reference code of ITU-T G.191 is followed.

    >>> a_law(np.array([0, 20, 1000, -1000, 32767])).tolist()
    [8, 24, 1008, -1008, 32256]
    """
    # Negative numbers are complemented, so that -1 falls into the first negative interval as 0 does into the first
    # positive one.
    magnitude = np.where(samples < 0, ~samples, samples)
    exponent = np.maximum(_floor_log2(np.maximum(magnitude, 1)) - 7, 0)
    mantissa = magnitude >> (np.maximum(exponent, 1) + 3) & 0x0F
    decoded = np.where(exponent == 0, (mantissa << 4) + 8, (mantissa << 4) + 0x108 << np.maximum(exponent - 1, 0))
    signed: Integers = np.where(samples < 0, -decoded, decoded)
    return signed


def _floor_log2(values: Integers) -> Integers:
    """Exact for integers below 2^53, where the binary exponent of a float tells."""
    exponents: Integers = np.frexp(values.astype(np.float64))[1].astype(np.int64)
    return exponents - 1
