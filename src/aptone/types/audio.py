"""Sound as a record, and a pointer to sound that has not been read yet."""

import hashlib
import math
import operator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from aptone.messages import message


@dataclass(frozen=True, eq=False)
class Audio:
    """One channel of sound at a stated rate.

    Args:
        samples: one-dimensional, finite, at least one; kept as read-only 32-bit floats. Full scale is ±1.
        rate: samples per second. There is no default: a rate is never guessed.
        source: origin, for messages.

    Raises:
        ValueError: if the samples are not one-dimensional, not floating-point, empty or not finite, or the rate is not
            a positive whole number.
    """

    samples: npt.NDArray[np.float32]
    rate: int
    source: str = "array"

    def __post_init__(self) -> None:
        try:
            rate = operator.index(self.rate)
        except TypeError:
            raise ValueError(f"{self.source}: expected a whole number as sample rate, got {self.rate!r}.") from None
        if rate <= 0:
            raise ValueError(f"{self.source}: expected a positive sample rate, got {rate}.")
        samples = np.asarray(self.samples)
        if samples.ndim != 1 or samples.size == 0:
            raise ValueError(f"{self.source}: expected one channel with samples, got shape {samples.shape}.")
        if samples.dtype.kind != "f":
            raise ValueError(f"{self.source}: expected floating-point samples, got {samples.dtype}.")
        if samples.dtype != np.float32 or not isinstance(samples.base, bytes):
            # Bytes cannot change. A read-only flag would not do: a read-only view still shows what its owner writes.
            with np.errstate(over="ignore"):  # what does not fit into 32 bits becomes infinite and is refused below
                samples = np.frombuffer(samples.astype(np.float32).tobytes(), dtype=np.float32)
        if not np.isfinite(samples).all():
            raise ValueError(f"{self.source}: some samples are NaN or infinite.")
        object.__setattr__(self, "rate", rate)
        object.__setattr__(self, "samples", samples)

    def __reduce__(self) -> tuple[object, ...]:
        # By way of the constructor, since an unpickled array can be written to.
        return type(self), (self.samples, self.rate, self.source)

    @property
    def seconds(self) -> float:
        """Duration."""
        return self.samples.size / self.rate

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the rate and the samples: the same sound has the same hash, whatever file it came from."""
        digest = hashlib.sha256(f"{self.rate}:".encode())
        # Adding zero turns -0.0 into 0.0: they are equal, so their hash must be.
        digest.update((self.samples + np.float32(0)).astype("<f4", copy=False).tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Audio):
            return NotImplemented
        return self.rate == other.rate and self.source == other.source and np.array_equal(self.samples, other.samples)

    def __hash__(self) -> int:
        return hash((self.hash, self.source))


@dataclass(frozen=True, slots=True)
class AudioRef:
    """A recording by its path, read when it is needed.

    Args:
        start, end: seconds in the file; ``None`` for the end of the file.
        sha256: hash of the file's bytes, when it is known.

    Raises:
        ValueError: if the path is empty, or the clip does not end, at a finite time, after it starts.
    """

    path: str
    start: float = 0.0
    end: float | None = None
    sha256: str = ""

    def __post_init__(self) -> None:
        if not self.path:
            raise ValueError(message("types.path-recording-empty"))
        if not self.start >= 0 or math.isinf(self.start):
            raise ValueError(message("types.clip-cannot-start", name=self.path, start=self.start))
        if self.end is not None and not self.start < self.end < math.inf:
            raise ValueError(message("types.clip-starts-cannot-end", name=self.path, start=self.start, end=self.end))


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of time in a recording, in seconds.

    Raises:
        ValueError: if it ends before it starts, or one of the times is negative, infinite or NaN.
    """

    start: float
    end: float

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end < math.inf:
            raise ValueError(f"a segment cannot run from {self.start} s to {self.end} s.")

    @property
    def seconds(self) -> float:
        """Duration."""
        return self.end - self.start
