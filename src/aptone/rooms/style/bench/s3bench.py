"""S3Bench: how pairs flow through models to correlations with people, retrieval, and classification by prompts.

Rows of the paper's Table 3: random (ratings shuffled, and uniform numbers), text-only (what is said against how it is
described, by a text embedder), and any number of style embedders. An ablation is more rows: the same command with
several checkpoints, each under its own name.
"""

import functools
import hashlib
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import numpy as np

from aptone.errors import UsageError
from aptone.files import make_folder
from aptone.messages import message, with_messages
from aptone.models import About, StyleEmbedder, TextEmbedder
from aptone.rooms.style.bench.class_prompts import LabelledSet
from aptone.rooms.style.data import HIGHEST, LOWEST, StylePair
from aptone.rooms.style.embedding.vectors import (
    VectorFile,
    clip_keys,
    embed_clips,
    embed_descriptions,
    embed_texts,
    text_vectors_size,
)
from aptone.rooms.style.score import (
    TRIM,
    Agreement,
    Classification,
    Correlations,
    Flags,
    Floats,
    classify,
    correlations,
    mean_of_repeats,
    rater_agreement,
    recall_at,
    reference_scores,
    standardised,
)
from aptone.rooms.style.step import NOTHING_HEARD, NOTHING_UNDERSTOOD
from aptone.run import Display, write_whole
from aptone.types import Estimate, dumps, to_json

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
    """Retrieval of a model: k to R@k, from a description to its clips and back; unscored pairs by reason."""

    name: str
    to_clip: Mapping[str, Estimate]
    to_description: Mapping[str, Estimate]
    unscored: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClassificationRow:
    """Zero-shot classification results of a model, each clip on its own and standardised among all clips."""

    name: str
    labelled: str
    classes: int
    found: Classification
    together: Classification


@dataclass(frozen=True, slots=True)
class S3Result:
    """Everything that a benchmark found.

    Args:
        raters: number of raters, as far as they have names.
        levels: pairs by their mean rating, rounded.
        retrieval: results by model; empty if nothing belongs together.
        matching: least rating of a match; NaN where pairs are not rated and all count as matches.
        unreadable: clips that could not be read.
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
    unreadable: int = 0


REPEATS = 100
"""Repetitions of the random baselines."""
RECALLS = (1, 5, 10)
MATCHING = 4.0
"""Lowest rating of a pair that counts as a match in retrieval."""
SHUFFLE, UNIFORM = "random (shuffle)", "random (uniform)"
RESULT = "result.json"

Shows = Callable[[str], Display]
"""A display of progress for a step of that name."""


@dataclass(frozen=True, slots=True)
class Contestants:
    """Models that are compared.

    Raises:
        UsageError: if there is none, or one is called as the random rows are.
    """

    models: Mapping[str, StyleEmbedder]
    text_only: Mapping[str, TextEmbedder] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [*self.models, *self.text_only]
        if not names:
            raise UsageError("which models? Name one with --model.")
        if taken := {SHUFFLE, UNIFORM} & set(names) or {name for name in names if names.count(name) > 1}:
            raise UsageError(f"the name {taken.pop()!r} is taken; give each model its own with name=….")

    @property
    def about(self) -> About:
        """Requirements and licences, shown before they run."""
        parts = [one.about for one in self.models.values()] + [one.about for one in self.text_only.values()]
        return functools.reduce(operator.add, parts)


def bench_s3bench(
    pairs: Sequence[StylePair],
    contestants: Contestants,
    *,
    folder: Path,
    source: str,
    seed: int = 0,
    repeats: int = REPEATS,
    recalls: Sequence[int] = RECALLS,
    labelled: Sequence[LabelledSet] = (),
    shows: Shows | None = None,
) -> S3Result:
    """Run the benchmark; vectors are kept in the folder, so that the same call goes on where a kill stopped it.

    Raises:
        RunError: if the folder cannot be used.
        UsageError: if there is nothing to compare with: no pair is rated, and nothing labelled is given.
    """
    references = reference_scores(pairs), reference_scores(pairs, trim=TRIM)
    rated = ~np.isnan(references[0])
    make_folder(folder)
    rows = _random_rows(pairs, references, seed=seed, repeats=repeats) if rated.any() else []
    for name, text_embedder in contestants.text_only.items():
        if rated.any():
            rows.append(_text_only(name, text_embedder, pairs, references, folder=folder))
    retrieval: list[RetrievalRow] = []
    classification: list[ClassificationRow] = []
    # all of them are loaded first: one that cannot be is reported before hours of another's work
    models = [
        _Model(name, embedder, folder / _slug(name, embedder.signature), shows)
        for name, embedder in contestants.models.items()
    ]
    for (name, embedder), model in zip(contestants.models.items(), models, strict=True):
        similarities, problems = model.pairs(pairs)
        if rated.any():
            rows.append(_row(name, "model", similarities, pairs, references, model=embedder, problems=problems))
        if (found := model.retrieval(pairs, references[0], recalls)) is not None:
            retrieval.append(replace(found, unscored=problems))
        for one in labelled:
            similarities, owners = model.labelled(one)
            alone = classify(similarities, owners, one.classes, seed=seed)
            together = classify(standardised(similarities), owners, one.classes, seed=seed)
            classification.append(ClassificationRow(name, one.name, len(one.prompts), alone, together))
    result = S3Result(
        source=source,
        pairs=len(pairs),
        rated=int(rated.sum()),
        ratings=sum(len(pair.ratings) for pair in pairs),
        raters=len({rater for pair in pairs for rater in pair.ratings}),
        languages=dict(Counter(pair.language for pair in pairs)),
        levels=_levels(references[0]),
        agreement=tuple(rater_agreement(pairs, seed=seed)) if any(len(pair.ratings) > 1 for pair in pairs) else (),
        rows=tuple(rows),
        retrieval=tuple(retrieval),
        classification=tuple(classification),
        matching=MATCHING if rated.any() else math.nan,
        seed=seed,
        version=version("aptone"),
        unreadable=max(len(model.unreadable) for model in models) if models else 0,
    )
    write_whole(folder / RESULT, dumps(with_messages(to_json(result), of=result), indent=1) + "\n")
    return result


class _Model:
    """A style embedder in the benchmark, with its vectors."""

    def __init__(self, name: str, embedder: StyleEmbedder, folder: Path, shows: Shows | None) -> None:
        self._name = name
        self._embedder = embedder
        self._shows = shows
        self.unreadable: set[bytes] = set()
        self._clips, self._texts = (
            VectorFile(folder / f"{kind}.vectors", signature=embedder.signature, size=embedder.size)
            for kind in ("clips", "texts")
        )

    def pairs(self, pairs: Sequence[StylePair]) -> tuple[Floats, Counter[str]]:
        """The cosine of each pair, NaN where there is none, and why by how many."""
        keys = clip_keys([pair.audio for pair in pairs])
        clips = dict(zip(keys, (pair.audio for pair in pairs), strict=True))
        display = self._shows(self._name) if self._shows is not None else None
        problems = embed_clips(self._clips, clips, self._embedder, display=display)
        self.unreadable |= problems.keys()
        texts = embed_descriptions(self._texts, [pair.description for pair in pairs], self._embedder)
        cosines = np.einsum("ij,ij->i", self._clips.rows(keys).astype(np.float64), texts.astype(np.float64))
        silence = [NOTHING_UNDERSTOOD if np.isnan(text).any() else NOTHING_HEARD for text in texts]
        why = Counter(
            problems.get(key, otherwise)
            for key, one, otherwise in zip(keys, cosines, silence, strict=True)
            if math.isnan(one)
        )
        return cosines, why

    def retrieval(self, pairs: Sequence[StylePair], references: Floats, recalls: Sequence[int]) -> RetrievalRow | None:
        """R@k both ways among the pairs that fit; ``None`` if none does, or there is nothing to choose from."""
        relevant, keys, texts = matches(
            [pair.description for pair in pairs], clip_keys([pair.audio for pair in pairs]), references
        )
        if not relevant.any() or min(relevant.shape) < 2:
            return None
        similarities = (
            embed_descriptions(self._texts, texts, self._embedder).astype(np.float64)
            @ self._clips.rows(keys).astype(np.float64).T
        )
        return RetrievalRow(
            self._name,
            {f"R@{most}": recall_at(similarities, relevant, most=most) for most in recalls},
            {f"R@{most}": recall_at(similarities.T, relevant.T, most=most) for most in recalls},
        )

    def labelled(self, given: LabelledSet) -> tuple[Floats, list[str]]:
        """[clips, prompts] cosines, and the class of each prompt."""
        keys = clip_keys(given.clips)
        display = self._shows(f"{self._name}, {given.name}") if self._shows is not None else None
        clips = dict(zip(keys, given.clips, strict=True))
        self.unreadable |= embed_clips(self._clips, clips, self._embedder, display=display).keys()
        prompts = [(name, text) for name, texts in given.prompts.items() for text in texts]
        texts = embed_descriptions(self._texts, [text for _, text in prompts], self._embedder)
        return self._clips.rows(keys).astype(np.float64) @ texts.astype(np.float64).T, [name for name, _ in prompts]


def matches(
    descriptions: Sequence[str], clips: Sequence[bytes], references: Floats
) -> tuple[Flags, list[bytes], list[str]]:
    """Return which descriptions belong to which clips: those of pairs that people find to match.

    Where no pair is rated, each pair is a match. Pairs that are rated lower are no match; combinations that nobody
    rated count as none, too, although some may fit by chance: R@k is a floor.

    Returns:
        [descriptions, clips] flags, the clips, and the descriptions, each once.
    """
    texts, keys = list(dict.fromkeys(descriptions)), list(dict.fromkeys(clips))
    rows, columns = ({one: place for place, one in enumerate(listed)} for listed in (texts, keys))
    relevant = np.zeros((len(texts), len(keys)), dtype=np.bool_)
    unrated = bool(np.isnan(references).all())
    for text, key, reference in zip(descriptions, clips, references, strict=True):
        if unrated or reference >= MATCHING:
            relevant[rows[text], columns[key]] = True
    return relevant, keys, texts


def _random_rows(
    pairs: Sequence[StylePair], references: tuple[Floats, Floats], *, seed: int, repeats: int
) -> list[ModelRow]:
    """Random baselines: shuffled ratings, and numbers from 0 to 5; each repeated many times."""
    generator = np.random.default_rng(seed)
    known = np.flatnonzero(~np.isnan(references[0]))
    tries: dict[str, list[Floats]] = {SHUFFLE: [], UNIFORM: []}
    for _ in range(repeats):
        dealt = np.full(len(pairs), math.nan)
        dealt[known] = references[0][generator.permutation(known)]
        tries[SHUFFLE].append(dealt)
        tries[UNIFORM].append(generator.uniform(LOWEST, HIGHEST, size=len(pairs)))
    languages = [pair.language for pair in pairs]
    rows = []
    for name, drawn in tries.items():
        raw, trimmed = (
            tuple(mean_of_repeats([correlations(one, reference, languages) for one in drawn]))
            for reference in references
        )
        rows.append(ModelRow(name, "random", raw, trimmed))
    return rows


def _text_only(
    name: str, embedder: TextEmbedder, pairs: Sequence[StylePair], references: tuple[Floats, Floats], *, folder: Path
) -> ModelRow:
    """Compare the transcript with the description; pairs without a transcript have no similarity."""
    said = [place for place, pair in enumerate(pairs) if pair.transcript.strip()]
    similarities = np.full(len(pairs), math.nan)
    if said:
        place = folder / _slug(name, embedder.signature) / "texts.vectors"
        file = VectorFile(place, signature=embedder.signature, size=text_vectors_size(embedder))
        spoken = embed_texts(file, [pairs[one].transcript for one in said], embedder)
        described = embed_texts(file, [pairs[one].description for one in said], embedder)
        similarities[said] = np.einsum("ij,ij->i", spoken.astype(np.float64), described.astype(np.float64))
    missing: Counter[str] = Counter(
        {message("style.no-transcript"): len(pairs) - len(said)} if len(said) < len(pairs) else {}
    )
    return _row(name, "text-only", similarities, pairs, references, model=embedder, problems=missing)


def _row(
    name: str,
    kind: Kind,
    similarities: Floats,
    pairs: Sequence[StylePair],
    references: tuple[Floats, Floats],
    *,
    model: StyleEmbedder | TextEmbedder,
    problems: Mapping[str, int],
) -> ModelRow:
    languages = [pair.language for pair in pairs]
    raw, trimmed = (tuple(correlations(similarities, reference, languages)) for reference in references)
    about = model.about
    return ModelRow(name, kind, raw, trimmed, dict(problems), model.signature, about.notes, about.licence)


def _levels(references: Floats) -> dict[str, int]:
    """Pairs by their mean rating rounded to a whole number, halves upwards; all levels, in order."""
    rounded = Counter(math.floor(value + 0.5) for value in references if not math.isnan(value))
    return {str(level): rounded.get(level, 0) for level in range(int(LOWEST), int(HIGHEST) + 1)} if rounded else {}


def _slug(name: str, signature: str) -> str:
    """A folder for a model: its name as far as a file system takes it, and a mark of its signature."""
    readable = re.sub(r"[^\w.-]+", "-", name).strip("-.")[:60] or "model"
    return f"{readable}-{hashlib.sha256(signature.encode()).hexdigest()[:8]}"
