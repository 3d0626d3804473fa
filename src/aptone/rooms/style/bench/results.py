"""What the benchmark S3Bench found, as records."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from aptone.rooms.style.score import Agreement, Classification, Correlations
from aptone.types import Estimate

Kind = Literal["random", "text-only", "model"]


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A row of the main table.

    Args:
        raw: correlations with the mean of all ratings, for all pairs and each language.
        trimmed: the same with the mean without the highest and the lowest rating.
        unscored: pairs without a similarity, and why, by how many.
    """

    name: str
    kind: Kind
    raw: tuple[Correlations, ...]
    trimmed: tuple[Correlations, ...]
    unscored: Mapping[str, int] = field(default_factory=dict)
    signature: str = ""
    notes: tuple[str, ...] = ()
    licence: str = ""


@dataclass(frozen=True, slots=True)
class RetrievalRow:
    """How often a model finds what belongs together.

    Args:
        to_clip: k to R@k, from a description to its clips.
        to_description: the same from a clip to its descriptions.
    """

    name: str
    to_clip: Mapping[str, Estimate]
    to_description: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class ClassificationRow:
    """How well a model tells classes apart by prompts.

    Args:
        found: each clip judged on its own.
        together: each clip judged by where it stands among all clips (`aptone.rooms.style.score.standardised`).
    """

    name: str
    labelled: str
    classes: int
    found: Classification
    together: Classification


@dataclass(frozen=True, slots=True)
class S3Result:
    """Everything that a benchmark found.

    Args:
        rated: how many of them people rated.
        raters: how many people gave them, as far as they have names.
        levels: pairs by their mean rating, rounded.
        retrieval: by model; empty if nothing belongs together.
        matching: least rating of a match; NaN where pairs are not rated and all count as matches.
    """

    source: str
    pairs: int
    rated: int
    ratings: int
    raters: int
    languages: Mapping[str, int]
    levels: Mapping[str, int]
    agreement: tuple[Agreement, ...]
    rows: tuple[ModelRow, ...]
    retrieval: tuple[RetrievalRow, ...]
    classification: tuple[ClassificationRow, ...]
    matching: float
    seed: int
    version: str
