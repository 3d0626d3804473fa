"""Dialogue without a story: turns of speakers, without narration.

In a transcript most lines are neutral, and those that are not say so in their words. The story's distribution is
therefore recalibrated: z = A · log p_story + B · log p_head + c, where p_head is what the encoder's head for single
comments (English) or TV dialogue (Mandarin) says of the line in its dialogue, and p = softmax(z). Two matrices and an
offset for each outcome were fitted on labelled lines of dialogues (``weights/talk.json``). A line whose own text says
the emotion outright, by a direction such as "(sobbing)", is left as it was read.
"""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from aptone.planner.encoder.network import Answers, load_encoder
from aptone.planner.fusion import EMOTIONS, UNSAID, Floats
from aptone.planner.label_sets import emotion_shares
from aptone.planner.passage import laid_out
from aptone.stats.logits import softmax
from aptone.types import TYPICAL_VAD, Emotion, Language, Line, Sample, Vad

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


NEAREST = 8
"""Lines before the target that say whether this is talk."""
MOSTLY = 0.6
"""Share of them that must be turns of named speakers."""
FAINTEST = 0.002


@dataclass(frozen=True, slots=True)
class Talk:
    """The weights of a language.

    Args:
        story: how much each outcome of the story's reading (rows) speaks for each outcome (columns).
        head: the same for the head for talk.
        offsets: one for each outcome.
    """

    story: Floats
    head: Floats
    offsets: Floats

    def probabilities(self, story: Floats, head: Floats) -> Floats:
        """The probability of every outcome, from two distributions."""
        return softmax(np.log(np.maximum(story, 1e-6)) @ self.story + np.log(head) @ self.head + self.offsets)


def is_talk(sample: Sample) -> bool:
    """Whether a line stands among turns that were given with their speakers, or all alone; scripts are stories."""
    target = sample.target
    if target.direction or target.speech or target.continues:
        return False
    if any(line.continues for line in sample.following[:1]):
        return False
    near = sample.context[-NEAREST:]
    turns = [bool(line.role) and not line.speech and not line.direction for line in near]
    return sum(turns) >= MOSTLY * len(turns)


def talk_shares(answers: Answers, language: Language) -> Floats:
    """What the head for talk says, among our outcomes; those that it does not know are faint."""
    known = head_emotions(answers, language)
    shares = np.full(UNSAID + 1, FAINTEST)
    for number, emotion in enumerate(EMOTIONS):
        shares[number] = max(FAINTEST, known.get(emotion, 0.0))
    found: Floats = shares / shares.sum()
    return found


@functools.cache
def load_talk(language: Language) -> Talk:
    """The weights of a language that come with Aptone."""
    text = (files("aptone.planner") / "weights" / "talk.json").read_text(encoding="utf-8")
    return talk_of(json.loads(text)[language])


def talk_of(data: Mapping[str, Any]) -> Talk:
    """Weights as their file holds them."""
    return Talk(*(np.array(data[name], dtype=np.float64) for name in ("story", "head", "offsets")))
