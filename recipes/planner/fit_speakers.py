"""Train the scorer of speakers on novels with hidden tags, and write its weights.

    python -m recipes.planner.fit_speakers --data FOLDER --out src/aptone/planner/reading/weights

`FOLDER` holds `books.*.tar.xz` and `index.csv`. Books with lines of the part "test" in `benchmarks/book_speakers` are
left out, and so are English ones with lines by which anything was chosen. Mandarin novels in the public domain name
the speaker before nearly every line; what is said where they do not, and in stories of today, is in labels
(`labelled_speakers`), from which half of each batch is drawn in both languages. The loss is the chain's: minus the log
of the probability of all ways to give speakers that the author's words and the labels allow.
"""

import argparse
import csv
import json
import random
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from aptone.planner.reading.speaker_chain import LINKS
from aptone.planner.reading.speaker_features import FEATURES
from aptone.types import Language
from recipes.planner.labelled_speakers import labelled_examples
from recipes.planner.speaker_examples import SCALE, WINDOW, Examples, book_examples, joined

LABELS = Path(__file__).parents[2] / "benchmarks" / "book_speakers" / "labels.jsonl"
SURE = {"en": 0.28, "zh": 0.28}
"""Least probabilities of a speaker who is given, chosen on the lines of the part "choose"."""

LANGUAGES: Sequence[Language] = ("en", "zh")
SEEDS = (0, 1)
"""Scorers that are averaged."""
HIDDEN, BATCH, RATE, DECAY = 24, 48, 3e-3, 1e-4
STEPS: Mapping[Language, int] = {"en": 1500, "zh": 1200}
MOST_BOOKS: Mapping[Language, int] = {"en": 90, "zh": 40}
LONGEST: Mapping[Language, int] = {"en": 150_000, "zh": 90_000}
"""Books, and characters of each, that are read."""


class Scorer(torch.nn.Module):
    """Network and links of the chain."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = torch.nn.Linear(len(FEATURES), HIDDEN)
        self.out = torch.nn.Linear(HIDDEN, 1, bias=False)
        self.direct = torch.nn.Linear(len(FEATURES), 1, bias=False)
        self.links = torch.nn.Parameter(torch.zeros(2, len(LINKS)))
        torch.nn.init.zeros_(self.direct.weight)

    def forward(self, features: Tensor) -> Tensor:
        """Return the scores of candidates."""
        found = self.out(torch.tanh(self.hidden(features))) + self.direct(features)
        return torch.as_tensor(found).squeeze(-1)


def log_total(scores: Tensor, first: Tensor, second: Tensor) -> Tensor:
    """Return the log of the sum over all ways through windows.

    Args:
        scores: windows × units × candidates.
        first: windows × units × candidates before × candidates, what the same speaker adds.
        second: the same for two units before.
    """
    ahead = scores[:, 0, None, :]
    for place in range(1, scores.shape[1]):
        if place == 1:
            ahead = scores[:, 0, :, None] + first[:, 1] + scores[:, 1, None, :]
            continue
        paths = torch.logsumexp(ahead[:, :, :, None] + second[:, place, :, None, :], dim=1)
        ahead = paths + first[:, place] + scores[:, place, None, :]
    return torch.logsumexp(ahead.flatten(1), dim=1)


def loss_of(scorer: Scorer, batch: dict[str, Tensor]) -> Tensor:
    """Return the mean loss of windows, by unit with an answer."""
    scores = scorer(batch["features"].float() / SCALE)
    scores = scores.masked_fill(~batch["present"], -1e4)
    first = batch["alike"][:, :, 0] * (batch["links"][:, :, 0] @ scorer.links[0])[:, :, None, None]
    second = batch["alike"][:, :, 1] * (batch["links"][:, :, 1] @ scorer.links[1])[:, :, None, None]
    free = log_total(scores, first, second)
    held = log_total(scores.masked_fill(~batch["allowed"], -1e4), first, second)
    answered = (batch["allowed"].sum(-1) < batch["present"].sum(-1)).sum().clamp(min=1)
    return torch.as_tensor((free - held).sum() / answered)


def windows(examples: Examples, starts: np.ndarray) -> dict[str, Tensor]:
    """Return the windows that begin at these units."""
    rows = starts[:, None] + np.arange(WINDOW)[None, :]
    return {
        "features": torch.from_numpy(examples.features[rows]),
        "present": torch.from_numpy(examples.present[rows]),
        "allowed": torch.from_numpy(examples.allowed[rows]),
        "alike": torch.from_numpy(np.moveaxis(examples.alike[:, rows], 0, 2)).float(),
        "links": torch.from_numpy(np.moveaxis(examples.links[:, rows], 0, 2)),
    }


def usable_starts(examples: Examples) -> np.ndarray:
    """Return the units at which a window begins that lies in one story."""
    ends = np.append(examples.starts[1:], len(examples.features))
    return np.concatenate(
        [
            np.arange(start, end - WINDOW + 1)
            for start, end in zip(examples.starts, ends, strict=True)
            if end - start >= WINDOW
        ]
    )


def train(examples: Examples, *, labelled: Examples | None = None, steps: int = STEPS["en"], seed: int = 0) -> Scorer:
    """Return a scorer trained on the windows of stories.

    Args:
        labelled: stories with labels; half of each batch is drawn from them.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    sources = [(one, usable_starts(one)) for one in (examples, labelled) if one is not None]
    scorer = Scorer()
    optimizer = torch.optim.AdamW(scorer.parameters(), lr=RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=RATE, total_steps=steps)
    total = 0.0
    for step in range(1, steps + 1):
        batches = [windows(one, rng.choice(usable, BATCH // len(sources))) for one, usable in sources]
        loss = torch.stack([loss_of(scorer, batch) for batch in batches]).mean()
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(scorer.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        total += float(loss.detach())
        if step % 250 == 0:
            print(f"step {step}: loss {total / 250:.3f}", flush=True)
            total = 0.0
    return scorer


def save(scorers: Sequence[Scorer], path: Path, *, sure: float) -> None:
    """Write the weights that `speaker_chain` reads, in half precision: the scores of all scorers are averaged."""
    parts = {
        "hidden": torch.cat([one.hidden.weight for one in scorers]).T,
        "bias": torch.cat([one.hidden.bias for one in scorers]),
        "out": torch.cat([one.out.weight[0] for one in scorers]) / len(scorers),
        "direct": torch.stack([one.direct.weight[0] for one in scorers]).mean(dim=0),
        "links": torch.stack([one.links for one in scorers]).mean(dim=0),
    }
    stored: dict[str, Any] = {name: part.detach().numpy().astype(np.float16) for name, part in parts.items()}
    path.parent.mkdir(exist_ok=True)
    np.savez_compressed(path, **stored, sure=sure, features=np.array(FEATURES), link_names=np.array(LINKS))


def training_books(folder: Path, language: str) -> Iterator[tuple[str, str]]:
    """Yield names and texts of the books to train on."""
    labels = [json.loads(row) for row in LABELS.read_text(encoding="utf-8").splitlines()]
    parts = ("test", "choose") if language == "en" else ("test",)
    kept = {one["book"] for one in labels if one["part"] in parts}
    with (folder / "index.csv").open(encoding="utf-8") as file:
        wanted = {row["id"] for row in csv.DictReader(file) if row["language"] == language} - kept
    with tarfile.open(folder / f"books.{language}.tar.xz") as files:
        for member in files:
            name = Path(member.name).stem
            if name in wanted and (read := files.extractfile(member)) is not None:
                yield name, read.read().decode()


def language_examples(folder: Path, language: Language, cache: Path | None) -> Examples:
    """Return the examples of a language: of the middle of each book, and not of all English ones."""
    path = cache / f"examples.{language}.npz" if cache is not None else None
    if path is not None and path.exists():
        with np.load(path) as stored:
            return Examples(**{name: stored[name] for name in stored.files})
    books = sorted(training_books(folder, language))
    random.Random(1).shuffle(books)
    found: list[Examples] = []
    for number, (_, text) in enumerate(books[: MOST_BOOKS[language]]):
        start = max(0, (len(text) - LONGEST[language]) // 2)
        found += book_examples(text[start : start + LONGEST[language]], language, number)
    examples = joined(found)
    if path is not None:
        np.savez(path, **{name: getattr(examples, name) for name in examples.__slots__})
    return examples


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with books.*.tar.xz and index.csv")
    parser.add_argument("--out", type=Path, required=True, help="folder for speakers.*.npz")
    parser.add_argument("--cache", type=Path, help="folder for the examples, to train again without reading the books")
    parser.add_argument("--language", choices=LANGUAGES, help="by default both")
    given = parser.parse_args()
    for language in LANGUAGES if given.language is None else (given.language,):
        novels = language_examples(given.data, language, given.cache)
        labelled = labelled_examples(given.data, language)
        scorers = [train(novels, labelled=labelled, steps=STEPS[language], seed=seed) for seed in SEEDS]
        save(scorers, given.out / f"speakers.{language}.npz", sure=SURE[language])


if __name__ == "__main__":
    main()
