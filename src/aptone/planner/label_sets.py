"""Emotion labels of the text datasets, and their mapping to ours.

Each dataset has its own label list, so the model answers in one list at a time. `emotion_shares` maps the answer to our
emotions.
"""

from collections.abc import Mapping

import numpy as np

from aptone.types import TYPICAL_VAD, Emotion, Vad

LABEL_SETS: Mapping[str, tuple[str, ...]] = {
    "meld": ("anger", "disgust", "fear", "joy", "neutral", "sadness", "surprise"),
    "goemotions": ("anger", "disgust", "fear", "joy", "neutral", "sadness", "surprise"),
    "cped": (
        "anger",
        "astonished",
        "depress",
        "disgust",
        "fear",
        "grateful",
        "happy",
        "negative-other",
        "neutral",
        "positive-other",
        "relaxed",
        "sadness",
        "worried",
    ),
}
OURS: Mapping[str, Emotion] = {
    "anger": Emotion.ANGRY,
    "astonished": Emotion.SURPRISE,
    "depress": Emotion.SAD,
    "disgust": Emotion.DISGUST,
    "fear": Emotion.FEAR,
    "grateful": Emotion.HAPPY,
    "happy": Emotion.HAPPY,
    "joy": Emotion.HAPPY,
    "neutral": Emotion.NEUTRAL,
    "relaxed": Emotion.CALM,
    "sadness": Emotion.SAD,
    "surprise": Emotion.SURPRISE,
    "worried": Emotion.FEAR,
}
"""Our emotion of each label; CPED's "positive-other" and "negative-other" have none."""
_PLEASANT = (Emotion.CALM, Emotion.HAPPY, Emotion.PLAYFUL)
_UNPLEASANT = (Emotion.SAD, Emotion.ANGRY, Emotion.FEAR, Emotion.DISGUST, Emotion.BOREDOM)


def typical_vad(label: str) -> Vad:
    """Return the place of a label: the typical point of its emotion, or the centre of all that is as (un)pleasant.

    >>> typical_vad("joy") == TYPICAL_VAD[Emotion.HAPPY]
    True
    """
    if label in OURS:
        return TYPICAL_VAD[OURS[label]]
    chosen = _PLEASANT if label == "positive-other" else _UNPLEASANT
    points = [TYPICAL_VAD[emotion] for emotion in chosen]
    mean = np.mean([(point.valence, point.arousal, point.dominance) for point in points], axis=0)
    return Vad(*(float(value) for value in mean))


def emotion_shares(shares: Mapping[str, float]) -> dict[Emotion, float]:
    """Return probabilities of our emotions from those of a set's labels; others are left out, the rest sums to 1.

    >>> emotion_shares({"sadness": 0.25, "depress": 0.25, "negative-other": 0.5})
    {<Emotion.SAD: 'sad'>: 1.0}
    """
    summed: dict[Emotion, float] = {}
    for label, share in shares.items():
        if label in OURS:
            summed[OURS[label]] = summed.get(OURS[label], 0.0) + share
    total = sum(summed.values())
    return {emotion: share / total for emotion, share in summed.items()} if total > 0 else {}
