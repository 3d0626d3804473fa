"""Fit the reader of talk: two matrices and an offset for each outcome, per language.

    python -m recipes.planner.fit_talk --data TEXTS

Writes ``src/aptone/planner/weights/talk.json``. Lines of TV dialogues give the frequencies of feelings and the usage of
their names: MELD's train part (English), which nothing else was trained on, and CPED's dev series (Mandarin), since its
train part was used for the head. They have eight emotions at most; held-out turns of our own talk
(``labels/talk.*.jsonl``) have all outcomes. Run it after `recipes.planner.fit_fusion`.
"""

import argparse
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from aptone.planner.encoder import load_encoder
from aptone.planner.fusion import Floats, features_of, load_fusion, load_word_counts, talk_shares
from aptone.planner.labelled_dialogues import OURS, Dialogue, read_cped, read_meld
from aptone.planner.passage import Passage, passage_around
from aptone.planner.reading.cues import feeling_cues
from aptone.types import Language
from recipes.planner.examples import EMOTIONS as OUTCOMES
from recipes.planner.labels import talk

FOLDER = Path(__file__).parents[2] / "src" / "aptone" / "planner" / "weights"
LINES = 6000
CONTEXTS = (0, 5, 15)
"""Candidate numbers of lines before the target."""
OWN = 0.3
"""Weight of all turns of our own talk, relative to all lines of a corpus."""
PENALTY = 0.01
START = 0.5


class Row(NamedTuple):
    """Answers of story and head about a line, and the shares of a reader's label."""

    story: Floats
    head: Floats
    shares: list[float]


class Reader:
    """The readers of a language, combined as for stories."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._encoder, self._words = load_encoder(language), load_word_counts(language)
        self._fusion = load_fusion(language)

    def row(self, passage: Passage, target: Mapping[str, float]) -> Row:
        """Return their answers about a passage, with its label."""
        answers = self._encoder.read(passage)
        features = features_of(feeling_cues(passage, self._language), answers, self._words.log_shares(passage))
        shares = [target.get(name, 0.0) for name in OUTCOMES]
        return Row(self._fusion.probabilities(features), talk_shares(answers, self._language), shares)


def corpus_rows(dialogues: list[Dialogue], language: Language, *, count: int, seed: int) -> list[Row]:
    """Return some lines of a corpus."""
    generator = random.Random(seed)
    places = [
        (one, place)
        for one in dialogues
        for place, labelled in enumerate(one.lines)
        if next(iter(labelled.labels), "") in OURS
    ]
    reader = Reader(language)
    found = []
    for one, place in generator.sample(places, min(count, len(places))):
        lines = [labelled.line for labelled in one.lines]
        size = generator.choice(CONTEXTS)
        passage = passage_around(lines[max(0, place - size) : place], lines[place], ())
        found.append(reader.row(passage, {str(OURS[next(iter(one.lines[place].labels))]): 1.0}))
    return found


def own_rows(language: Language) -> list[Row]:
    """Return held-out turns of our own talk."""
    reader = Reader(language)
    held_out = [one for one in talk(language) if one.split == "dev"]
    return [reader.row(Passage(one.text, one.start, one.end, "", ()), one.target) for one in held_out]


def fit(corpus: list[Row], own: list[Row]) -> dict[str, Any]:
    """Fit the weights of a language: by cross-entropy, near a half of both distributions."""
    rows = [*corpus, *own]
    story = torch.tensor(np.log(np.maximum([row.story for row in rows], 1e-6)))
    head = torch.tensor(np.log([row.head for row in rows]))
    shares = torch.tensor([row.shares for row in rows], dtype=torch.float64)
    weight = torch.tensor([1 / len(corpus)] * len(corpus) + [OWN / len(own)] * len(own), dtype=torch.float64)[:, None]
    start = START * torch.eye(len(OUTCOMES), dtype=torch.float64)
    by_story, by_head = start.clone().requires_grad_(), start.clone().requires_grad_()
    offsets = torch.zeros(len(OUTCOMES), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([by_story, by_head, offsets], max_iter=400, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        scores = torch.log_softmax(story @ by_story + head @ by_head + offsets, dim=1)
        total = -(weight * shares * scores).sum() / weight.sum()
        total = total + PENALTY * (((by_story - start) ** 2).sum() + ((by_head - start) ** 2).sum())
        total = total + 0.1 * PENALTY * (offsets**2).sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    return {
        "story": by_story.detach().numpy().round(4).tolist(),
        "head": by_head.detach().numpy().round(4).tolist(),
        "offsets": offsets.detach().numpy().round(4).tolist(),
    }


def main() -> None:
    """Fit both languages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=FOLDER / "talk.json")
    options = parser.parse_args()
    weights = {}
    languages: tuple[Language, ...] = ("en", "zh")
    for language in languages:
        read, part = (read_meld, "train") if language == "en" else (read_cped, "dev")
        dialogues = list(read(options.data, parts=(part,)))
        corpus = corpus_rows(dialogues, language, count=LINES, seed=1)
        weights[language] = fit(corpus, own_rows(language))
        print(language, len(corpus), "lines, offsets", weights[language]["offsets"])
    options.out.write_text(json.dumps(weights) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
