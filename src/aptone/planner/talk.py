"""Dialogue without a story: turns of speakers, without narration.

In a transcript most lines are neutral, and those that are not say so in their words. The story's distribution is
therefore recalibrated: z = A · log p_story + B · log p_head + c, where p_head is the output of the encoder's head for
single comments (English) or TV dialogue (Mandarin) on the line in its dialogue, and p = softmax(z). Two matrices and an
offset for each outcome were fitted on labelled lines of dialogues (``weights/talk.json``). A line whose own text names
the emotion, by a direction such as "(sobbing)", is not recalibrated.
"""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from aptone.planner.encoder import Answers, load_encoder
from aptone.planner.fusion import EMOTIONS, UNSAID, Floats
from aptone.planner.label_sets import emotion_shares
from aptone.planner.passage import passage_around
from aptone.stats.logits import softmax
from aptone.types import TYPICAL_VAD, Emotion, Language, Line, Sample, Vad

KEPT_LINES = 4096
HEAD_OF: dict[Language, str] = {"en": "goemotions", "zh": "cped"}
"""Head of the encoder for single lines, by language."""


@functools.lru_cache(maxsize=KEPT_LINES)
def line_emotions(text: str, language: Language) -> dict[Emotion, float]:
    """Return probabilities of emotions that sum to 1, from the words of a line alone."""
    return head_emotions(load_encoder(language).read(passage_around((), Line(text), ())), language)


def head_emotions(answers: Answers, language: Language) -> dict[Emotion, float]:
    """Return the output of that head as probabilities of our emotions."""
    head = HEAD_OF[language]
    shares = softmax(answers.logits[head].astype(np.float64))
    return emotion_shares(dict(zip(load_encoder(language).labels[head], shares.tolist(), strict=True)))


def expected_vad(emotions: dict[Emotion, float]) -> Vad:
    """Return the mean of the emotions' typical places, weighted by probability."""
    points = [(share, TYPICAL_VAD[emotion]) for emotion, share in emotions.items()]
    return Vad(
        sum(share * point.valence for share, point in points),
        sum(share * point.arousal for share, point in points),
        sum(share * point.dominance for share, point in points),
    )


NEAREST = 8
"""Lines before the target that talk is detected from."""
MOSTLY = 0.6
"""Least share of them that must be turns of named speakers."""
FAINTEST = 0.002


@dataclass(frozen=True, slots=True)
class Talk:
    """Recalibration weights of a language.

    Args:
        story: matrix from outcomes of the story's reading (rows) to outcomes (columns).
        head: the same for the head for talk.
        offsets: offset of each outcome.
    """

    story: Floats
    head: Floats
    offsets: Floats

    def probabilities(self, story: Floats, head: Floats) -> Floats:
        """Return the probability of every outcome, from two distributions."""
        return softmax(np.log(np.maximum(story, 1e-6)) @ self.story + np.log(head) @ self.head + self.offsets)


def is_talk(sample: Sample) -> bool:
    """Return true for a line among turns that were given with their speakers, or alone; scripts are stories."""
    target = sample.target
    if target.direction or target.speech or target.continues:
        return False
    if any(line.continues for line in sample.following[:1]):
        return False
    near = sample.context[-NEAREST:]
    turns = [bool(line.role) and not line.speech and not line.direction for line in near]
    return sum(turns) >= MOSTLY * len(turns)


def talk_shares(answers: Answers, language: Language) -> Floats:
    """Return the output of the head for talk over our outcomes; unknown ones have a small probability."""
    known = head_emotions(answers, language)
    shares = np.full(UNSAID + 1, FAINTEST)
    for number, emotion in enumerate(EMOTIONS):
        shares[number] = max(FAINTEST, known.get(emotion, 0.0))
    found: Floats = shares / shares.sum()
    return found


@functools.cache
def load_talk(language: Language) -> Talk:
    """Load the built-in weights of a language."""
    text = (files("aptone.planner") / "weights" / "talk.json").read_text(encoding="utf-8")
    return talk_of(json.loads(text)[language])


def talk_of(data: Mapping[str, Any]) -> Talk:
    """Return the weights from the fields of their file."""
    return Talk(*(np.array(data[name], dtype=np.float64) for name in ("story", "head", "offsets")))
