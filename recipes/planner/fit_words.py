"""Fit the reader of word counts on scenes and lines of books with labels of careful readers.

    python -m recipes.planner.fit_words --data TEXTS

Writes ``src/aptone/planner/weights/words.LANGUAGE.npz``; weights are stored in eight bits. Run it before
`recipes.planner.fit_fusion`.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

from aptone.planner.fusion import PLACES, VIEWS, WordCounts, counts
from aptone.planner.passage import Passage
from aptone.types import Language
from recipes.planner.examples import EMOTIONS, Example
from recipes.planner.fiction import Fiction
from recipes.planner.labels import book_lines, passage_lines, scene_lines, scenes

FOLDER = Path(__file__).parents[2] / "src" / "aptone" / "planner" / "weights"
WEIGHTS = {"books": 0.5, "lines": 0.5, "passages": 0.3}
"""Weights of examples, relative to a scene."""
STRENGTH = 3.0
"""Inverse of the L2 penalty, chosen on dev among 1, 3 and 10."""


def fit(examples: list[Example], language: Language, *, strength: float = STRENGTH) -> WordCounts:
    """Fit the reader of a language. An example with several acceptable emotions counts by share for each."""
    counted = [counts(Passage(one.text, one.start, one.end, "", ()), language) for one in examples]
    rarity = np.ones((VIEWS, PLACES))
    for view in range(VIEWS):
        seen = np.zeros(PLACES)
        for row in counted:
            seen[list(row[view])] += 1
        rarity[view] = np.log((1.0 + len(examples)) / (1.0 + seen)) + 1.0
    matrix = _matrix(counted, rarity)
    numbers, labels, weights = [], [], []
    for number, one in enumerate(examples):
        for name, share in one.target.items():
            numbers.append(number)
            labels.append(EMOTIONS.index(name))
            weights.append(share * WEIGHTS.get(one.source, 1.0))
    model = LogisticRegression(C=strength, max_iter=150, class_weight="balanced")
    model.fit(matrix[numbers], labels, sample_weight=weights)
    found = np.zeros((len(EMOTIONS), VIEWS * PLACES))
    found[model.classes_] = model.coef_
    offsets = np.full(len(EMOTIONS), -6.0)
    offsets[model.classes_] = model.intercept_
    by_view = np.ascontiguousarray(found.reshape(len(EMOTIONS), VIEWS, PLACES).transpose(1, 2, 0))
    return WordCounts(rarity.astype(np.float32), by_view.astype(np.float32), offsets.astype(np.float32), language)


def _matrix(counted: Sequence[Sequence[Mapping[int, int]]], rarity: npt.NDArray[np.float64]) -> csr_matrix:
    columns, values, ends = [], [], [0]
    for row in counted:
        for view, found in enumerate(row):
            places = np.array(list(found), dtype=np.int64)
            own = (1.0 + np.log(np.array(list(found.values()), dtype=np.float64))) * rarity[view, places]
            columns.append(places + view * PLACES)
            values.append(own / np.sqrt(max(1e-12, float(own @ own))))
        ends.append(ends[-1] + sum(len(found) for found in row))
    return csr_matrix((np.concatenate(values), np.concatenate(columns), ends), shape=(len(counted), VIEWS * PLACES))


def save(reader: WordCounts, path: Path) -> None:
    """Write a reader, its weights in eight bits with a scale for each view and outcome."""
    scales = np.abs(reader.weights).max(axis=1, keepdims=True) / 127.0
    np.savez_compressed(
        path,
        weights=np.round(reader.weights / np.maximum(scales, 1e-9)).astype(np.int8),
        scales=scales.astype(np.float32),
        rarity=reader.rarity.astype(np.float16),
        offsets=reader.offsets,
    )


def main() -> None:
    """Fit both languages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    fiction = Fiction(options.data / "fiction")
    languages: tuple[Language, ...] = ("en", "zh")
    for language in languages:
        own = [one for name in ("scenes", "contrast", "pieces") for one in scenes(language, name=name)]
        own += [*scene_lines(language), *book_lines(language, fiction), *passage_lines(language, fiction)]
        reader = fit([one for one in own if one.split == "train"], language)
        save(reader, options.out / f"words.{language}.npz")
        for source in ("scenes", "contrast", "pieces", "lines", "books", "passages"):
            held_out = [one for one in own if one.split == "dev" and one.source == source]
            right = [
                EMOTIONS[int(reader.log_shares(Passage(one.text, one.start, one.end, "", ())).argmax())] in one.target
                for one in held_out
            ]
            print(language, source, len(held_out), "acceptable", round(float(np.mean(right)), 3))


if __name__ == "__main__":
    main()
