"""Fusion of explicit cues, encoder and word counts into one calibrated distribution.

For emotion k, and "the story does not say" as one outcome more,

    z_k = (1 - e·o)·a · log p_reader(k) + (1 - f·o)·d · log p_words(k) + b·t · log p_tags(k) + Σ_g w_g · s_g(k) + c_k

and p = softmax(z).

p_reader and p_tags are two heads of the encoder, p_words comes from word counts; t is 1 where the line's own tag says
more than "said", else 0; s_g(k) in [-1, 1] is the support of the explicit cues of a region g for k. The weights were
fitted on scenes and lines of books that the encoder was not trained on (``weights/fusion.json``).
"""

import functools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.planner.encoder import Answers
from aptone.planner.reading.feeling_cues import FeelingCue
from aptone.stats.logits import log_softmax, softmax
from aptone.types import Emotion, Language

EMOTIONS: tuple[Emotion, ...] = (
    Emotion.NEUTRAL,
    Emotion.CALM,
    Emotion.HAPPY,
    Emotion.SAD,
    Emotion.ANGRY,
    Emotion.FEAR,
    Emotion.DISGUST,
    Emotion.SURPRISE,
    Emotion.BOREDOM,
    Emotion.PLAYFUL,
)
"""Outcomes in the order of the encoder's reader head; the last is "the story does not say"."""
UNSAID = len(EMOTIONS)
GROUPS = ("tag", "direction", "same", "before", "after", "denied")
"""Regions of explicit cues; denied cues of any region are a group of their own."""
_OF_TAGS = (0, 1, 2, 3, 4, 5, 6, 7, 0, 2)
"""Output of the tag head for each emotion: tags know no boredom (as neutral) and no play (as happy)."""
_STRENGTH = {1: 0.7, 2: 1.0, 3: 1.2}
_ANOTHER_LINE = 0.4
"""Weight of the tag of another line of the same speaker."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fusion:
    """Fusion weights of a language.

    Args:
        reader, tags: weights of the encoder's two heads.
        words: weight of word counts.
        told: reduction of reader and words where the line's own tag or direction names the feeling.
        groups: weights of the explicit cues, by region.
        explicit: penalty of explicit cues on "the story does not say".
        offsets: offsets of the outcomes, the last one for "the story does not say".
        least: probability below which the likeliest emotion is not named.
    """

    reader: float
    tags: float
    words: float
    told: tuple[float, float]
    groups: Mapping[str, float]
    explicit: float
    offsets: tuple[float, ...]
    least: float

    def probabilities(self, features: "Features") -> Floats:
        """Return the probability of every outcome."""
        reader, words = (1.0 - share * features.told for share in self.told)
        scores = reader * self.reader * features.reader + words * self.words * features.words
        scores = scores + self.tags * features.tags + np.array(self.offsets)
        for name, weight in self.groups.items():
            scores = scores + weight * features.groups[name]
        scores[UNSAID] += self.explicit * features.explicit
        return softmax(scores)


@dataclass(frozen=True, slots=True)
class Features:
    """Features from the readers: one number for each emotion and one for "the story does not say".

    Args:
        reader, tags, words: log probabilities; those of tags are 0 where the tag names no feeling.
        groups: support of the explicit cues, by region; 0 without cues.
        explicit: strength of the explicit cues, 0 to 1.
        told: the same for the line's own tag and direction alone.
    """

    reader: Floats
    tags: Floats
    words: Floats
    groups: Mapping[str, Floats]
    explicit: float
    told: float


def features_of(cues: Sequence[FeelingCue], answers: Answers, words: Floats) -> Features:
    """Return the features of a target; `words` are the log probabilities of `WordCounts`."""
    reader = log_softmax(answers.logits["reader"].astype(np.float64))
    tags = log_softmax(answers.logits["tags"].astype(np.float64))
    spread = np.zeros(UNSAID + 1)
    spread[:UNSAID] = tags[list(_OF_TAGS)]
    spread[UNSAID] = spread[:UNSAID].mean()
    if not any(cue.region == "tag" and (cue.meaning.emotions or cue.meaning.voice) for cue in cues):
        spread[:] = 0.0
    sums = {name: np.zeros(UNSAID + 1) for name in GROUPS}
    for cue in cues:
        weight = cue_weight(cue)
        group = "denied" if cue.denied else cue.region
        for emotion, share in cue.meaning.emotions.items():
            sums[group][EMOTIONS.index(emotion)] += weight * share
    explicit = sum(float(sums[name].sum()) for name in ("tag", "direction", "same"))
    groups = {name: np.tanh(values) for name, values in sums.items()}
    told = sum(float(sums[name].sum()) for name in ("tag", "direction"))
    return Features(reader, spread, words, groups, math.tanh(explicit), math.tanh(told))


def cue_weight(cue: FeelingCue) -> float:
    """Return the weight of an explicit cue within its region."""
    weight = _STRENGTH[cue.meaning.strength] * cue.sure / max(1, cue.distance)
    if cue.region in ("before", "after") and cue.meaning.kind in ("verb", "manner"):
        weight *= _ANOTHER_LINE
    return weight


@functools.cache
def load_fusion(language: Language) -> Fusion:
    """Load the built-in weights of a language."""
    return fusion_of(
        json.loads((files("aptone.planner") / "weights" / "fusion.json").read_text(encoding="utf-8"))[language]
    )


def fusion_of(data: Mapping[str, Any]) -> Fusion:
    """Return the weights from the fields of their file."""
    return Fusion(
        reader=data["reader"],
        tags=data["tags"],
        words=data["words"],
        told=(data["told"][0], data["told"][1]),
        groups=data["groups"],
        explicit=data["explicit"],
        offsets=tuple(data["offsets"]),
        least=data["least"],
    )
