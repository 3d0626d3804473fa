"""What the grammar of reasonings needs from a language."""

from collections.abc import Mapping
from dataclasses import dataclass

from aptone.train.cot.case import Relation

Choices = tuple[str, ...]
Graded = Mapping[str, Choices]
"""A choice of sentences for each grade of a score; see `aptone.judge.rationale.GRADES`."""


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences of one language. What stands between square brackets is something heard.

    Args:
        openings: how a reasoning may begin; an empty one for not at all.
        contrasts: for each aspect, sentences by what is known of it: ``both`` what was asked for and what was heard,
            only what was ``planned``, only what was ``heard``, or ``neither``; for sounds also ``missed`` (asked for,
            nothing heard) and ``silent`` (nothing asked for, nothing heard). Places: ``{planned}`` and ``{heard}``.
        verdicts: how far the two agree, by their relation and by the grade of the aspect's score.
        naturalness: the sentence on naturalness, by the grade of its score.
        closings: how it may end, by the grade of the overall score; never with a figure.
    """

    openings: Choices
    contrasts: Mapping[str, Mapping[str, Choices]]
    verdicts: Mapping[Relation, Graded]
    naturalness: Graded
    closings: Graded
