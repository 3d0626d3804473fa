"""The emotions that the text sets name, each in its own label set, and what they are among ours.

The sets were labelled by different people with different lists, so the model answers in the list of one set at a time:
labels that a set does not know get no probability. `emotion_shares` turns the answer into our emotions.
"""

from collections.abc import Mapping

import numpy as np

from aptone.types import TYPICAL_VAD, Emotion, Language, Vad

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
SET_OF_LANGUAGE: Mapping[Language, str] = {"en": "meld", "zh": "cped"}
"""Whose labels answer for a story: those of the dialogues in its language."""
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
"""CPED's "positive-other" and "negative-other" are no emotion of ours."""
_PLEASANT = (Emotion.CALM, Emotion.HAPPY, Emotion.PLAYFUL)
_UNPLEASANT = (Emotion.SAD, Emotion.ANGRY, Emotion.FEAR, Emotion.DISGUST, Emotion.BOREDOM)


def typical_vad(label: str) -> Vad:
    """Where a label of any set lies: its emotion's typical point, or the middle of all that is as (un)pleasant.

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
    """Probabilities of our emotions from those of a set's labels; what is none of ours is left out, the rest sums to 1.

    >>> emotion_shares({"sadness": 0.25, "depress": 0.25, "negative-other": 0.5})
    {<Emotion.SAD: 'sad'>: 1.0}
    """
    summed: dict[Emotion, float] = {}
    for label, share in shares.items():
        if label in OURS:
            summed[OURS[label]] = summed.get(OURS[label], 0.0) + share
    total = sum(summed.values())
    return {emotion: share / total for emotion, share in summed.items()} if total > 0 else {}
