"""A little material for the miniature: sounds that were made up, and dialogues of a few lines."""

import numpy as np

from aptone.audio import encode_opus
from aptone.ear.describe import Style
from aptone.planner.labelled_dialogues import Dialogue, LabelledLine
from aptone.types import Audio, Emotion, Intonation, Line, Rhythm
from recipes.miniature.clips import MiniatureClip
from recipes.miniature.pairs import Pair, make_pairs
from recipes.miniature.planner import LineClassifier, fit_line_classifier

FEELINGS = (("anger", Emotion.ANGRY), ("joy", Emotion.HAPPY), ("neutral", Emotion.NEUTRAL), ("sadness", Emotion.SAD))
LINES = ("Get out of here, now!", "This is wonderful!", "It is on the table.", "She is gone.")


def clip(key: str, *, split: str, emotion: Emotion, seed: int) -> MiniatureClip:
    """Half a second of noise that is called an acted clip."""
    noise = np.random.default_rng(seed).normal(0.0, 0.1, 8_000).astype(np.float32)
    rhythm = dict.fromkeys(Rhythm, 0.1) | {Rhythm.BRISK: 0.5}
    intonation = dict.fromkeys(Intonation, 0.2) | {Intonation.FLAT: 0.4}
    return MiniatureClip(
        key,
        "made",
        split,
        f"speaker-{split}-{seed % 2}",
        "female",
        "en",
        emotion,
        "",
        rhythm,
        intonation,
        Style(emotion=emotion),
        0.5,
        encode_opus(Audio(noise, rate=16_000)),
    )


def clips() -> list[MiniatureClip]:
    """Four clips of each split, one an emotion."""
    return [
        clip(f"{split}-{emotion.value}", split=split, emotion=emotion, seed=number)
        for split in ("train", "dev", "test")
        for number, (_, emotion) in enumerate(FEELINGS)
    ]


def dialogues(part: str) -> list[Dialogue]:
    """One dialogue of four lines."""
    lines = zip(LINES, FEELINGS, strict=True)
    return [
        Dialogue("meld", part, "en", tuple(LabelledLine(Line(text, "Ann"), {label: 1.0}) for text, (label, _) in lines))
    ]


def classifier() -> LineClassifier:
    """The other planner, fitted on four lines."""
    return fit_line_classifier(dialogues("train"))


def pairs(split: str, count: int, *, seed: int = 1) -> list[Pair]:
    """Pairs of a split."""
    return list(make_pairs(dialogues(split), clips(), split=split, count=count, seed=seed, other=classifier()))
