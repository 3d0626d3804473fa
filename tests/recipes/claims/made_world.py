"""A vocoder for tests: it hears every clip at one pitch and hums what it is given."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass
class MadeWorld:
    """Has the functions of pyworld that we call; remembers the F0 that it was last given."""

    hertz: float = 200.0
    given: list[Floats] = field(default_factory=list)

    def harvest(self, samples: Floats, rate: int, *, frame_period: float, **_: float) -> tuple[Floats, Floats]:
        frames = int(samples.size / rate * 1000.0 / frame_period) + 1
        # a melody of four semitones between the 5th and the 95th percentile, three steps of equal length
        steps = np.repeat([-2.0, 0.0, 2.0], -(-frames // 3))[:frames]
        f0 = self.hertz * 2.0 ** (steps / 12.0)
        f0[:1] = 0.0
        return f0, np.arange(frames, dtype=np.float64) * (frame_period / 1000.0)

    def dio(self, samples: Floats, rate: int, *, frame_period: float, **_: float) -> tuple[Floats, Floats]:
        return self.harvest(samples, rate, frame_period=frame_period)

    def cheaptrick(self, samples: Floats, f0: Floats, times: Floats, rate: int) -> Floats:
        level = float(np.sqrt(np.mean(samples**2)))
        return np.full((f0.size, 3), level)

    def d4c(self, samples: Floats, f0: Floats, times: Floats, rate: int) -> Floats:
        return np.zeros((f0.size, 3))

    def synthesize(self, f0: Floats, envelope: Floats, aperiodicity: Floats, rate: int, frame_period: float) -> Floats:
        self.given.append(f0)
        each = round(rate * frame_period / 1000.0)
        phase = 2.0 * np.pi * np.cumsum(np.repeat(f0, each)) / rate
        hum: Floats = np.repeat(envelope[:, 0], each) * np.sin(phase)
        return hum
