"""Fit how a line of talk is read, on lines of TV dialogues: thirteen numbers a language.

    python -m recipes.planner.fit_talk --data TEXTS

Writes ``src/aptone/planner/weights/talk.json``. MELD's train part (English), which nothing else was taught with,
and CPED's dev series (Mandarin), since its train part taught the head. Run it after `recipes.planner.fit_fusion`.
"""

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch

from aptone.planner.encoder.network import load_encoder
from aptone.planner.fusion import EMOTIONS, UNSAID, features_of, load_fusion
from aptone.planner.label_sets import OURS
from aptone.planner.labelled_dialogues import Dialogue, read_cped, read_meld
from aptone.planner.passage import laid_out
from aptone.planner.reading.felt import felt_cues
from aptone.planner.talk import talk_shares
from aptone.planner.word_counts import load_word_counts
from aptone.types import Language

FOLDER = Path(__file__).parents[2] / "src" / "aptone" / "planner" / "weights"
LINES = 3000
CONTEXTS = (0, 5, 15)
"""Lines before the target, by chance one of these."""
PENALTY = 0.002


def rows_of(dialogues: list[Dialogue], language: Language, *, count: int, seed: int) -> list[tuple[Any, Any, int]]:
    """What story and head say of some lines, and the number of what people said."""
    generator = random.Random(seed)
    places = [
        (one, place)
        for one in dialogues
        for place, labelled in enumerate(one.lines)
        if next(iter(labelled.labels), "") in OURS
    ]
    encoder, words, fusion = load_encoder(language), load_word_counts(language), load_fusion(language)
    found = []
    for one, place in generator.sample(places, min(count, len(places))):
        lines = [labelled.line for labelled in one.lines]
        size = generator.choice(CONTEXTS)
        passage = laid_out(lines[max(0, place - size) : place], lines[place], ())
        answers = encoder.read(passage)
        story = fusion.probabilities(features_of(felt_cues(passage, language), answers, words.log_shares(passage)))
        label = OURS[next(iter(one.lines[place].labels))]
        found.append((story, talk_shares(answers, language), EMOTIONS.index(label)))
    return found


def fit(rows: list[tuple[Any, Any, int]]) -> dict[str, Any]:
    """The weights of a language."""
    story = torch.tensor(np.log(np.maximum([row[0] for row in rows], 1e-6)))
    head = torch.tensor(np.log([row[1] for row in rows]))
    label = torch.tensor([row[2] for row in rows])
    start = torch.tensor([0.5, 0.5, *[0.0] * (UNSAID + 1)], dtype=torch.float64)
    values = start.clone().requires_grad_()
    optimizer = torch.optim.LBFGS([values], max_iter=300, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        scores = values[0] * story + values[1] * head + values[2:]
        total = torch.nn.functional.cross_entropy(scores, label) + PENALTY * ((values - start) ** 2).sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    found = [round(float(value), 4) for value in values.detach()]
    return {"story": found[0], "head": found[1], "offsets": found[2:]}


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
        weights[language] = fit(rows_of(dialogues, language, count=LINES, seed=1))
        print(language, json.dumps(weights[language]))
    options.out.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
