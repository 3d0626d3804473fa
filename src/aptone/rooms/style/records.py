"""A clip, a description, and what people say of how they fit."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from aptone.types import AudioRef, Language

LOWEST, HIGHEST = 0.0, 5.0
"""Ends of the scale on which people rate: nothing of the description is heard, all of it is."""

Confidence = Literal["high", "medium", "low"]
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")


@dataclass(frozen=True, slots=True)
class StylePair:
    """A clip and a description that may or may not fit it.

    Args:
        id: unique within a set.
        audio: the clip.
        description: of a style, in words.
        language: of the description; the clip is spoken in it, too, unless the set says otherwise.
        transcript: what is said in the clip; only the text-only baseline reads it.
        ratings: by rater, from 0 (nothing fits) to 5 (everything fits).
        confidences: by rater, how sure the rater was.
        human_score: the mean of the ratings, or what a set gives in its place; NaN without either.
        ids: what else is known of the pair, such as its source; never shown to raters.

    Raises:
        ValueError: if the id or the description is empty, or a rating, their mean or a confidence is none.
    """

    id: str
    audio: AudioRef
    description: str
    language: Language = "en"
    transcript: str = ""
    ratings: Mapping[str, float] = field(default_factory=dict)
    confidences: Mapping[str, str] = field(default_factory=dict)
    human_score: float = math.nan
    ids: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("the id of a pair is empty.")
        if not self.description.strip():
            raise ValueError("the description is empty: there is nothing that a voice could fit.")
        for rater, rating in self.ratings.items():
            if not LOWEST <= rating <= HIGHEST:
                raise ValueError(f"ratings go from {LOWEST:g} to {HIGHEST:g}; rater {rater!r} gave {rating:g}.")
        if not (math.isnan(self.human_score) or LOWEST <= self.human_score <= HIGHEST):
            raise ValueError(f"ratings go from {LOWEST:g} to {HIGHEST:g}; their mean cannot be {self.human_score:g}.")
        if unknown := [word for word in self.confidences.values() if word not in CONFIDENCES]:
            raise ValueError(f"a confidence is {', '.join(CONFIDENCES)}; got {unknown[0]!r}.")
        if math.isnan(self.human_score) and self.ratings:
            object.__setattr__(self, "human_score", math.fsum(self.ratings.values()) / len(self.ratings))
