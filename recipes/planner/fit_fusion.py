"""Fit and calibrate the fusion of the readers, on scenes and lines that no encoder was trained on.

    python -m recipes.planner.fit_fusion --data TEXTS

Writes ``src/aptone/planner/weights/fusion.json``. The loss is the cross-entropy of readers' shares; a small penalty
keeps weights near their initial values. The confidence from which an emotion is named is then the one at which naming
pays most on held-out modern lines and passages, and at which few held-out scenes get an answer that is clearly wrong.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from aptone.planner.encoder import load_encoder
from aptone.planner.fusion import GROUPS, UNSAID, Features, features_of, fusion_of, load_word_counts
from aptone.planner.reading.cues import feeling_cues
from aptone.types import Language
from recipes.planner.arrays import TRAINING_BOOKS, sampled
from recipes.planner.as_read import passage_at
from recipes.planner.examples import EMOTIONS, Example, visible
from recipes.planner.fiction import Fiction
from recipes.planner.labels import book_lines, passage_lines, scene_lines, scenes

FOLDER = Path(__file__).parents[2] / "src" / "aptone" / "planner" / "weights"
PENALTY = 0.002
WEIGHTS = {"books": 0.4, "tags": 0.4, "passages": 0.4}
"""Weights of rows, relative to a line of a modern text: those are nearer to users' texts."""
TAGGED = 500
"""Number of lines with visible tags."""
MODERN = ("scenes", "contrast", "pieces", "lines", "passages")
"""Sources on which naming has to pay, each as much."""
COST = 0.75
"""What a name that readers do not accept costs, where one that they accept gains 1 and none nothing."""
MOST_WRONG = 0.15
"""Largest share of held-out scenes that are read clearly wrong. Other writers' scenes are easier than these."""
LEAST = tuple(round(float(value), 2) for value in np.arange(0.0, 1.01, 0.02))
"""Candidate probabilities from which an emotion is named."""


class Row(NamedTuple):
    """An example with the readers' answers."""

    example: Example
    features: Features


def rows_of(examples: Iterable[Example], language: Language) -> list[Row]:
    """Return the readers' answers about some examples."""
    encoder = load_encoder(language)
    words = load_word_counts(language)
    found = []
    for example in examples:
        passage = passage_at(example, language)
        features = features_of(feeling_cues(passage, language), encoder.read(passage), words.log_shares(passage))
        found.append(Row(example, features))
    return found


def tagged(language: Language, fiction: Fiction) -> list[Example]:
    """Return lines of train books that the encoder was not trained on, with visible tags.

    Each four times: in its context, alone, alone with the words of another line, and so after a paragraph of another
    book, so that an explicit tag counts also against contrary evidence.
    """
    lines = list(fiction.lines(language))
    used = {line.book for line in sampled(lines, TRAINING_BOOKS[language], seed=1)}
    rest = [line for line in lines if line.split == "train" and line.book not in used and line.emotion]
    chosen = [visible(line, fiction) for line in random.Random(1).sample(rest, TAGGED)]
    whole = [
        replace(example, target={"calm" if name == "tender_calm" else name: 1.0 for name in example.target})
        for example in chosen
    ]
    alone = [_alone(example) for example in whole]
    words = [example.text[example.start : example.end] for example in alone]
    swapped = list(map(_with_words, alone, [*words[1:], words[0]]))
    return [*whole, *alone, *swapped, *map(_after, swapped, [*whole[2:], *whole[:2]])]


def staged(examples: Iterable[Example]) -> list[Example]:
    """Return scenes with stage directions, each with the words of another one: the direction states the delivery."""
    own = [example for example in examples if example.kind == "stage"]
    words = [example.text[example.start : example.end] for example in own]
    return [replace(one, source="tags") for one in map(_with_words, own, [*words[1:], *words[:1]])]


def _alone(example: Example) -> Example:
    """Return a line with its own paragraph only, like a user's first try."""
    first = example.text.rfind("\n", 0, example.start) + 1
    last = example.text.find("\n", example.end)
    text = example.text[first : last if last >= 0 else None]
    return replace(example, text=text, start=example.start - first, end=example.end - first)


def _with_words(example: Example, words: str) -> Example:
    """Return the same paragraph with other words: its tag states the delivery, whatever they are."""
    text = example.text[: example.start] + words + example.text[example.end :]
    return replace(example, text=text, end=example.start + len(words))


def _after(example: Example, other: Example) -> Example:
    """Return the same paragraph after the one that stands before another line."""
    before = other.text[: other.start].split("\n")[:-1][-1:]
    text = "".join(f"{paragraph}\n" for paragraph in before)
    return replace(example, text=text + example.text, start=example.start + len(text), end=example.end + len(text))


def fit(rows: list[Row]) -> dict[str, Any]:
    """Fit the weights of a language."""
    reader = torch.tensor(np.array([row.features.reader for row in rows]))
    tags = torch.tensor(np.array([row.features.tags for row in rows]))
    words = torch.tensor(np.array([row.features.words for row in rows]))
    groups = {name: torch.tensor(np.array([row.features.groups[name] for row in rows])) for name in GROUPS}
    told = torch.tensor([row.features.told for row in rows], dtype=torch.float64)[:, None]
    explicit = torch.tensor([row.features.explicit for row in rows], dtype=torch.float64)
    target = torch.tensor(
        [[row.example.target.get(name, 0.0) for name in EMOTIONS] for row in rows], dtype=torch.float64
    )
    counts = [WEIGHTS.get(row.example.source, 1.0) for row in rows]
    weight = torch.tensor(counts, dtype=torch.float64)
    start = torch.tensor([0.7, 0.1, 0.3, -0.5, *[1.0] * 5, -1.0, *[0.0] * (UNSAID + 1), 0.5, 0.5], dtype=torch.float64)
    values = start.clone().requires_grad_()
    optimizer = torch.optim.LBFGS([values], max_iter=300, line_search_fn="strong_wolfe")

    def scores() -> torch.Tensor:
        found = (1.0 - values[-2] * told) * values[0] * reader + (1.0 - values[-1] * told) * values[2] * words
        found = found + values[1] * tags + values[10:-2]
        for number, name in enumerate(GROUPS):
            found = found + values[4 + number] * groups[name]
        bonus = torch.zeros_like(found)
        bonus[:, UNSAID] = values[3] * explicit
        return found + bonus

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = -(target * torch.log_softmax(scores(), dim=1)).sum(1)
        total = (loss * weight).sum() / weight.sum() + PENALTY * ((values - start) ** 2).sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    found = [round(float(value), 4) for value in values.detach()]
    return {
        "reader": found[0],
        "tags": found[1],
        "words": found[2],
        "groups": dict(zip(GROUPS, found[4:10], strict=True)),
        "explicit": found[3],
        "told": found[-2:],
        "offsets": found[10:-2],
        "least": 0.0,
    }


def least_probability(rows: list[Row], weights: dict[str, Any]) -> float:
    """Return the least probability of a named emotion: where naming pays most, and few scenes are read clearly wrong.

    Every source counts as much, and every kind of scene. Scenes whose writers did not say what is near do not count for
    what is clearly wrong, and lines that readers left open not for what pays.
    """
    own = [row for row in rows if row.example.source in MODERN]
    shares = np.array([fusion_of(weights).probabilities(row.features) for row in own])
    best = shares[:, :UNSAID].argmax(axis=1)
    names = [EMOTIONS[number] for number in best]
    chance = np.where((top := shares[np.arange(len(own)), best]) > shares[:, UNSAID], top, -1.0)
    right = np.array([name in row.example.target for name, row in zip(names, own, strict=True)])
    near = np.array([name in (row.example.near or ()) for name, row in zip(names, own, strict=True)])
    said = np.array(["unsaid" not in row.example.target for row in own])
    graded = np.array([row.example.source == "scenes" and row.example.near is not None for row in own])
    by_source = _even([row.example.source for row in own], said)
    by_kind = _even([row.example.kind for row in own], graded)
    gain = np.where(right, 1.0, -COST)

    def pays(least: float) -> float:
        return float(by_source @ (gain * (chance >= least)))

    few_wrong = [least for least in LEAST if by_kind @ (~right & ~near & (chance >= least)) <= MOST_WRONG]
    return max(few_wrong, key=pays)


def _even(groups: Sequence[str], counted: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return weights of rows that sum to 1: each group as much, rows that are not counted nothing."""
    sizes = Counter(group for group, one in zip(groups, counted, strict=True) if one)
    return np.array(
        [one / (len(sizes) * sizes[group]) if one else 0.0 for group, one in zip(groups, counted, strict=True)]
    )


def calibration_error(chances: npt.NDArray[np.float64], right: npt.NDArray[np.bool_], bins: int = 10) -> float:
    """Return the mean distance of confidence from accuracy over equally wide bins, weighted by their sizes."""
    error = 0.0
    for low in np.linspace(0.0, 1.0, bins, endpoint=False):
        inside = (chances > low) & (chances <= low + 1.0 / bins)
        if inside.any():
            error += inside.mean() * abs(float(chances[inside].mean()) - float(right[inside].mean()))
    return error


def main() -> None:
    """Fit both languages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=FOLDER / "fusion.json")
    options = parser.parse_args()
    fiction = Fiction(options.data / "fiction")
    found = {}
    languages: tuple[Language, ...] = ("en", "zh")
    for language in languages:
        own = [one for name in ("scenes", "contrast", "pieces") for one in scenes(language, name=name)]
        own += [*scene_lines(language), *book_lines(language, fiction), *passage_lines(language, fiction)]
        held_out = [one for one in own if one.split == "dev"]
        held_out += [*staged(held_out), *tagged(language, fiction)]
        rows = rows_of(held_out, language)
        found[language] = fit(rows)
        found[language]["least"] = least_probability(rows, found[language])
        print(language, len(rows), json.dumps(found[language]))
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
