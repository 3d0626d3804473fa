"""Verdict on one aspect of a line: a score with the measures behind it, or the reason why there is none."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from aptone.judge.chat.verdict import RANGE
from aptone.judge.parameters import Parameters, on_curve
from aptone.messages import Message, message, translate
from aptone.types import Language, Perception, Score

OPEN = message("judge.plan-leaves-open")


@dataclass(frozen=True, slots=True)
class AspectVerdict:
    """Verdict on one aspect.

    Args:
        score: 0 to 5, or NaN with a reason.
        planned: request of the plan, in the language of the story; empty when it leaves the aspect open.
        heard: perception of the ear, in the same language; empty when it could not judge.
        measured: measures behind the score, by name.
        agrees: true if the likeliest label that was heard is the one that was asked for.
        asked: true if the plan, or the line, asks for something here.
        why: reason for a missing score, in the language of the story.
        alternatives: probability and score of each possible request, where the plan is not sure.
    """

    score: Score
    planned: str = ""
    heard: str = ""
    measured: Mapping[str, float] = field(default_factory=dict)
    agrees: bool = False
    asked: bool = True
    why: str = ""
    alternatives: tuple[tuple[float, float], ...] = ()


def scored(aspect: str, fit: float, parameters: Parameters) -> Score:
    """Return the verdict for a fit, on the curve of its aspect."""
    return Score(on_curve(parameters.curves[aspect], fit), range=RANGE)


def unjudged(why: str, language: Language, *, planned: str = "", heard: str = "", asked: bool = True) -> AspectVerdict:
    """Return a verdict without a score; the reason is in the language of the story."""
    score = Score(math.nan, range=RANGE, reason=why)
    return AspectVerdict(score, planned=planned, heard=heard, asked=asked, why=translate(why, language))


def unheard(topic: str, perception: Perception, language: Language, *, planned: str = "") -> AspectVerdict:
    """Return the verdict for what the ear could not judge, with its reason.

    For a Mandarin story, an English reason of a plugin's ear is replaced by "the ear did not judge".
    """
    reason = perception.unjudged.get(topic) or message("judge.ear-did-not-judge")
    found = unjudged(reason, language, planned=planned)
    ours = language == "en" or isinstance(reason, Message)
    return found if ours else replace(found, why=translate(message("judge.ear-did-not-judge"), language))


def joined(names: Sequence[str], language: Language) -> str:
    """Join several names into one text."""
    return ("、" if language == "zh" else ", ").join(names)
