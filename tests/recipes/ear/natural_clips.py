"""A tone, and the record of a clip, for the tests of naturalness."""

import math

import numpy as np

from aptone.types import Audio
from recipes.ear.naturalness_clips import HUMAN, RATE, Item


def tone(seconds: float = 0.5, hertz: float = 440.0, level: float = 0.5) -> Audio:
    times = np.arange(round(seconds * RATE)) / RATE
    return Audio((level * np.sin(2 * np.pi * hertz * times)).astype(np.float32), rate=RATE)


def item(name: str, kind: str = HUMAN, *, listeners: float = math.nan) -> Item:
    return Item(name, f"clips/{name}.ogg", "test", kind, "as it is", "emodb", listeners=listeners)
