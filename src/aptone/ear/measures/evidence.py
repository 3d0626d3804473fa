"""From a few named terms to a probability for each class, in a way that can be told in words.

A class's evidence is a sum: ``bias + sum(weight * term)``. Probabilities are the softmax of the evidence. So every
probability can be traced back to the terms that made it, and a report can say "fast (+1.4), high (+0.9)".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from aptone.types import ClosedSet, Language

Class = TypeVar("Class", bound=ClosedSet)


@dataclass(frozen=True, slots=True)
class Rule:
    """What speaks for a class and against it.

    Args:
        bias: evidence before anything was heard: how ordinary the class is.
        weights: evidence for each unit of a term; terms that are not named do not matter to the class.
    """

    bias: float
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Judgement(Generic[Class]):
    """Probabilities that sum to 1, or none and the reason why."""

    distribution: Mapping[Class, float] = field(default_factory=dict)
    reason: str = ""

    def __post_init__(self) -> None:
        if bool(self.distribution) == bool(self.reason):
            raise ValueError("a judgement holds either a distribution or the reason why there is none.")

    @property
    def best(self) -> Class | None:
        """The most probable class; ``None`` when there is no distribution."""
        return max(self.distribution, key=self.distribution.__getitem__) if self.distribution else None


@dataclass(frozen=True, slots=True)
class Term:
    """One reason for a class, or against it.

    Args:
        name: of the term, for instance ``tempo``.
        value: how far from ordinary it is, in the unit of the term.
        contribution: what it adds to the evidence of the class; below 0 it speaks against it.
        words: what the value sounds like, by language, for instance ``{"en": "fast", "zh": "快"}``.
    """

    name: str
    value: float
    contribution: float
    words: Mapping[Language, str]

    def __str__(self) -> str:
        return f"{self.words['en']} ({self.contribution:+.1f})"


Wording = Mapping[str, tuple[Mapping[Language, str], ...]]
"""For each term, its words above ordinary and, where it can lie below, those below."""


def weigh(terms: Mapping[str, float], rules: Mapping[Class, Rule]) -> dict[Class, float]:
    """Probability of each class: softmax of ``bias + sum(weight * term)``.

    A term that was not measured is left out of `terms`, which says that it is ordinary: it adds nothing to any class.
    """
    evidence = np.array(
        [
            rule.bias + sum(weight * terms[name] for name, weight in rule.weights.items() if name in terms)
            for rule in rules.values()
        ]
    )
    raised = np.exp(evidence - evidence.max())
    return {name: float(share) for name, share in zip(rules, raised / raised.sum(), strict=True)}


def explain(terms: Mapping[str, float], rules: Mapping[Class, Rule], wording: Wording) -> dict[Class, tuple[Term, ...]]:
    """The terms behind each class, those that move it most first, without those that add nothing.

    With the bias they sum to the class's evidence.
    """
    told: dict[Class, tuple[Term, ...]] = {}
    for name, rule in rules.items():
        reasons = [
            Term(term, terms[term], weight * terms[term], wording[term][0 if terms[term] > 0 else -1])
            for term, weight in rule.weights.items()
            if weight * terms.get(term, 0.0) != 0.0
        ]
        told[name] = tuple(sorted(reasons, key=lambda reason: -abs(reason.contribution)))
    return told
