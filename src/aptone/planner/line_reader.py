"""What the words of a single line sound like they feel, without a story: the encoder's head for comments and talk."""

import functools

import numpy as np

from aptone.planner.encoder.network import Answers, load_encoder
from aptone.planner.label_sets import emotion_shares
from aptone.planner.passage import laid_out
from aptone.stats.logits import softmax
from aptone.types import TYPICAL_VAD, Emotion, Language, Line, Vad

KEPT_LINES = 4096
HEAD_OF: dict[Language, str] = {"en": "goemotions", "zh": "cped"}
"""Which head of the encoder reads single lines of a language."""


@functools.lru_cache(maxsize=KEPT_LINES)
def line_emotions(text: str, language: Language) -> dict[Emotion, float]:
    """Probabilities of emotions that sum to 1, from the words of a line alone.

    Args:
        text: of the line.
        language: of the text.
    """
    return head_emotions(load_encoder(language).read(laid_out((), Line(text), ())), language)


def head_emotions(answers: Answers, language: Language) -> dict[Emotion, float]:
    """What that head says of a target, as probabilities of our emotions."""
    head = HEAD_OF[language]
    shares = softmax(answers.logits[head].astype(np.float64))
    return emotion_shares(dict(zip(load_encoder(language).labels[head], shares.tolist(), strict=True)))


def expected_vad(emotions: dict[Emotion, float]) -> Vad:
    """The mean of the emotions' typical places, each with its probability."""
    points = [(share, TYPICAL_VAD[emotion]) for emotion, share in emotions.items()]
    return Vad(
        sum(share * point.valence for share, point in points),
        sum(share * point.arousal for share, point in points),
        sum(share * point.dominance for share, point in points),
    )
