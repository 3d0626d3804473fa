"""Clips that are tones, and an embedder that knows high from low by them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from aptone.audio import write
from aptone.errors import UsageError
from aptone.models import About
from aptone.models.parts import Vectors, checked_texts
from aptone.types import Audio

RATE = 16_000
WORDS = {"low": 100.0, "middle": 400.0, "high": 1600.0, "低": 100.0, "高": 1600.0}


class ToneEmbedder:
    """Places tones and the words low, middle and high on a quarter circle by their pitch; silence and ??? are NaN.

    The angle is log2(hertz / 100) / 4 of a right angle: 100 Hz at 0°, 400 Hz at 45°, 1600 Hz at 90°. So the cosine of
    a high tone and "low" is 0, that of neighbours 0.7071.
    """

    signature = "tones"
    size = 3

    def __init__(self) -> None:
        self.about = About(notes=("tones only",), licence="none")
        self.heard: list[int] = []

    def embed_audio(self, clips: Sequence[Audio]) -> Vectors:
        if not clips:
            raise UsageError("there is no clip.")
        self.heard.append(len(clips))
        return np.stack([self._place(clip) for clip in clips])

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        return np.stack(
            [
                np.full(3, np.nan, np.float32) if "???" in text else _vector(_pitch(text))
                for text in checked_texts(texts)
            ]
        )

    def _place(self, clip: Audio) -> Vectors:
        if not np.any(clip.samples):
            return np.full(self.size, np.nan, dtype=np.float32)
        spectrum = np.abs(np.fft.rfft(clip.samples))
        return _vector(float(np.argmax(spectrum)) / clip.seconds)


def _pitch(text: str) -> float:
    return next((hertz for word, hertz in WORDS.items() if word in text), 400.0)


def _vector(hertz: float) -> Vectors:
    angle = np.log2(hertz / 100.0) / 4.0 * np.pi / 2.0
    return np.array([np.cos(angle), np.sin(angle), 0.0], dtype=np.float32)


def tone(hertz: float, *, seconds: float = 0.5) -> Audio:
    times = np.arange(round(seconds * RATE)) / RATE
    return Audio((0.3 * np.sin(2 * np.pi * hertz * times)).astype(np.float32), rate=RATE, source=f"{hertz:g} Hz")


def write_tone(path: Path, hertz: float, *, seconds: float = 0.5) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    write(path, tone(hertz, seconds=seconds))
    return path


class LetterEmbedder:
    """Places texts by how often each letter occurs in them: other words, another place; the same letters, the same."""

    about = About()
    signature = "letters"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for letter in text:
                row[ord(letter) % 64] += 1.0
        return rows


def units(*angles: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Vectors of length 1 in a plane, by their angles."""
    return np.array([[np.cos(angle), np.sin(angle)] for angle in angles], dtype=np.float32)
