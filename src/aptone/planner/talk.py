"""Talk without a story: turns of speakers, and nobody who tells anything about them.

In a transcript most lines are plain, and those that are not say so in their words. What a reader of stories expects of
them is therefore weighed anew: z = a · log p_story + b · log p_words + c, where p_words is what the encoder's head for
single comments (English) or TV talk (Mandarin) says of the line in its talk, and p = softmax(z). The few numbers were
fitted on lines of TV dialogues (``weights/talk.json``).
"""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.planner.encoder.network import Answers, load_encoder
from aptone.planner.fusion import EMOTIONS, UNSAID, Floats
from aptone.planner.label_sets import emotion_shares
from aptone.planner.line_reader import HEAD_OF
from aptone.types import Language, Sample

NEAREST = 8
"""Lines before the target that say whether this is talk."""
MOSTLY = 0.6
"""Share of them that must be turns of named speakers."""
FAINTEST = 0.002


@dataclass(frozen=True, slots=True)
class Talk:
    """The weights of a language: of the story's reading, of the head for talk, and of the outcomes."""

    story: float
    head: float
    offsets: tuple[float, ...]

    def probabilities(self, story: Floats, head: Floats) -> Floats:
        """The probability of every outcome, from two distributions."""
        scores = self.story * np.log(np.maximum(story, 1e-6)) + self.head * np.log(head) + np.array(self.offsets)
        raised = np.exp(scores - scores.max())
        shares: Floats = raised / raised.sum()
        return shares


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
    name = HEAD_OF[language]
    logits: npt.NDArray[np.float64] = answers.logits[name].astype(np.float64)
    raised = np.exp(logits - logits.max())
    known = emotion_shares(
        dict(zip(load_encoder(language).labels[name], (raised / raised.sum()).tolist(), strict=True))
    )
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
    return Talk(story=data["story"], head=data["head"], offsets=tuple(data["offsets"]))
