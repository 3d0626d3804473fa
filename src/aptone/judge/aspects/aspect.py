"""What is said about one aspect of a line: a score with the numbers behind it, or the reason why there is none."""

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
    """What is said about one aspect.

    Args:
        score: 0 to 5, or why there is none.
        planned: what the plan asks for, in the language of the story; empty when it leaves the aspect open.
        heard: what the ear heard, in the same language; empty when it could not judge.
        measured: the numbers behind the score, by name.
        agrees: whether the likeliest of what was heard is what was asked for.
        asked: whether the plan, or the line, asks for something here.
        why: why there is no score, in the language of the story.
        alternatives: probability and score of each thing that may have been asked for, where the plan is not sure.
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
    """The score of a fit, on the curve of its aspect."""
    return Score(on_curve(parameters.curves[aspect], fit), range=RANGE)


def unjudged(
    why: str,
    language: Language,
    *,
    planned: str = "",
    heard: str = "",
    asked: bool = True,
) -> AspectVerdict:
    """Return a verdict without a score; why is told in the language of the story."""
    score = Score(math.nan, range=RANGE, reason=why)
    return AspectVerdict(score, planned=planned, heard=heard, asked=asked, why=translate(why, language))


def unheard(topic: str, perception: Perception, language: Language, *, planned: str = "") -> AspectVerdict:
    """Return the verdict for what the ear could not judge, with its reason.

    A Mandarin story is not told the English reason of somebody else's ear, but that the ear did not judge.
    """
    reason = perception.unjudged.get(topic) or message("judge.ear-did-not-judge")
    found = unjudged(reason, language, planned=planned)
    ours = language == "en" or isinstance(reason, Message)
    return found if ours else replace(found, why=translate(message("judge.ear-did-not-judge"), language))


def joined(names: Sequence[str], language: Language) -> str:
    """Several names as one text."""
    return ("、" if language == "zh" else ", ").join(names)
