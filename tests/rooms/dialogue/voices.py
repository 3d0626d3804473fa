"""Sound and trajectories to score: made here, heard by a listener that needs no ear."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile

from aptone.models import About
from aptone.rooms.dialogue.hearing.turns import Heard
from aptone.types import Audio, Trajectory

RATE = 16_000


def tone(path: Path, *, seconds: float = 1.0, hertz: float = 200.0, channels: int = 1) -> Path:
    """A file with a tone on every channel."""
    wave = 0.3 * np.sin(2 * np.pi * hertz * np.arange(int(seconds * RATE)) / RATE + 0.1)
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.stack([wave] * channels, axis=1), RATE)
    return path


def trajectory(*points: tuple[float, float, float], step: float = 1.0) -> Trajectory:
    """A trajectory from its points."""
    columns = zip(*points, strict=True)
    return Trajectory(step, *columns)


def write_csv(path: Path, *points: tuple[float, float, float]) -> Path:
    """A trajectory as the authors' scripts write it: arousal first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [f"{number},{a},{v},{d}" for number, (v, a, d) in enumerate(points)]
    path.write_text("\n".join(["time,arousal,valence,dominance", *rows]) + "\n", encoding="utf-8")
    return path


@dataclass(frozen=True)
class PitchListener:
    """Hears a high tone as angry, a low one as neutral, and nothing in a silence."""

    step: float = 1.0
    signature: str = "pitch-listener"

    @property
    def about(self) -> About:
        return About(licence="none")

    def hear(self, audio: Audio, /, *, labels: Collection[str], voice: str = "") -> Heard:
        if not np.any(audio.samples):
            return Heard(no_trajectory="no speech found", no_emotion="no speech found")
        crossings = np.count_nonzero(np.diff(np.sign(audio.samples))) / audio.seconds / 2
        count = max(1, round(audio.seconds / self.step))
        point = (-0.4, 0.5, 0.3) if crossings > 300 else (0.2, 0.1, 0.4)
        return Heard(trajectory(*[point] * count, step=self.step), "angry" if crossings > 300 else "neutral")
