"""Labels of emotion models from elsewhere, by our names of emotions.

A label that is a spelling of `Emotion` ("happiness", "fearful", "生气") stands for that emotion. `ABBREVIATIONS` holds
the short forms of corpora. A label with a slash ("生气/angry") is read part by part. Whatever else a model can say
("other", "contempt", "LABEL_3") has no place among our emotions and is left out.
"""

from collections.abc import Mapping
from typing import NamedTuple

from aptone.errors import RecordError
from aptone.types import Emotion

ABBREVIATIONS: Mapping[str, Emotion] = {
    "ang": Emotion.ANGRY,
    "anx": Emotion.FEAR,
    "bor": Emotion.BOREDOM,
    "cal": Emotion.CALM,
    "dis": Emotion.DISGUST,
    "exc": Emotion.HAPPY,
    "excited": Emotion.HAPPY,
    "excitement": Emotion.HAPPY,
    "fea": Emotion.FEAR,
    "fear/anxiety": Emotion.FEAR,
    "hap": Emotion.HAPPY,
    "neu": Emotion.NEUTRAL,
    "no emotion": Emotion.NEUTRAL,
    "ps": Emotion.SURPRISE,
    "pleasant surprise": Emotion.SURPRISE,
    "sur": Emotion.SURPRISE,
}
"""Short forms and further words in the label sets of IEMOCAP, CREMA-D, EmoDB, MSP-Podcast, TESS and RAVDESS."""


class NamedShares(NamedTuple):
    """Shares by our names, and those that have none, by the model's own."""

    known: dict[str, float]
    unknown: dict[str, float]

    @property
    def known_share(self) -> float:
        """Part of the whole that has one of our names, 0 to 1; 0 where there is nothing at all."""
        total = sum(self.known.values()) + sum(self.unknown.values())
        return sum(self.known.values()) / total if total else 0.0

    @property
    def distribution(self) -> dict[str, float]:
        """Known shares, relative to their sum."""
        total = sum(self.known.values())
        return {name: share / total for name, share in self.known.items()} if total else {}


def emotion_of_label(label: str) -> Emotion | None:
    """Return the emotion that a label of a model stands for; ``None`` for one that has no name here.

    >>> [emotion_of_label(label) for label in ("hap", "生气/angry", "Fearful", "other")]
    [<Emotion.HAPPY: 'happy'>, <Emotion.ANGRY: 'angry'>, <Emotion.FEAR: 'fear'>, None]
    """
    for part in (label, *label.split("/")):
        plain = " ".join(part.replace("_", " ").casefold().split())
        if plain in ABBREVIATIONS:
            return ABBREVIATIONS[plain]
        try:
            return Emotion.parse(plain)
        except RecordError:
            continue
    return None


def by_our_names(labels: Mapping[str, float]) -> NamedShares:
    """Return the shares of a model's labels by our names; labels of one emotion are added up.

    >>> by_our_names({"happy": 0.5, "excited": 0.25, "other": 0.25}).distribution
    {'happy': 1.0}
    """
    known: dict[str, float] = {}
    unknown: dict[str, float] = {}
    for label, share in labels.items():
        emotion = emotion_of_label(label)
        if emotion is None:
            unknown[label] = share
        else:
            known[emotion.value] = known.get(emotion.value, 0.0) + share
    return NamedShares(known, unknown)
