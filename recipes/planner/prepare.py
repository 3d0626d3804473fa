"""Write all training data of a language's encoder as one file of arrays.

    python -m recipes.planner.prepare en --data TEXTS --out ARRAYS.npz [--books 90] [--with meld]

`TEXTS` holds ``fiction/``, ``goemotions/``, ``cped/`` and ``meld/``; labels of careful readers come from ``labels/``.
"""

import argparse
import csv
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.planner.encoder import Pieces
from aptone.planner.labelled_dialogues import Dialogue, read_cped, read_meld
from aptone.planner.passage import passage_around
from aptone.types import Language
from recipes.planner.arrays import sampled, table_of, tag_table
from recipes.planner.examples import Example
from recipes.planner.fiction import Fiction
from recipes.planner.labels import TURNS, book_lines, scenes, talk
from recipes.planner.narrated import narrated_examples
from recipes.planner.vocabulary import pieces_of

NAMES = {
    "anger": "anger",
    "disgust": "disgust",
    "fear": "fear",
    "joy": "joy",
    "neutral": "neutral",
    "sadness": "sadness",
    "surprise": "surprise",
}


def read_goemotions(data: Path) -> Iterator[Example]:
    """Yield GoEmotions' comments of the train and dev parts; one with several emotions has a share of each."""
    folder = data / "goemotions"
    labels = (folder / "labels.txt").read_text(encoding="utf-8").split()
    for part in ("train", "dev"):
        with (folder / f"{part}.tsv").open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                named = [NAMES[labels[int(number)]] for number in row[1].split(",")]
                text = f"“{row[0].strip()}”"
                shares = dict.fromkeys(named, 1.0 / len(named))
                yield Example("goemotions", part, text, 1, len(text) - 1, target=shares)


def dialogue_examples(dialogues: list[Dialogue]) -> Iterator[Example]:
    """Yield every labelled line of some dialogues, with the lines before it."""
    for dialogue in dialogues:
        lines = [labelled.line for labelled in dialogue.lines]
        for place, labelled in enumerate(dialogue.lines):
            if labelled.labels:
                passage = passage_around(lines[max(0, place - TURNS) : place], lines[place], ())
                yield Example(
                    dialogue.set,
                    dialogue.part,
                    passage.text,
                    passage.start,
                    passage.end,
                    target=labelled.labels,
                    id=lines[place].role,
                )


def prepare(
    language: Language, data: Path, *, books: int, corpora: tuple[str, ...], seed: int = 1
) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of a language."""
    pieces: Pieces = pieces_of(language)
    fiction = Fiction(data / "fiction")
    arrays: dict[str, npt.NDArray[Any]] = {}
    lines = list(fiction.lines(language))
    kept = [line for line in sampled(lines, books, seed=seed) if line.said.get("strong")]
    print(f"{len(lines)} tagged lines, {len(kept)} kept", flush=True)
    arrays |= tag_table(kept, fiction, pieces).arrays("tags")
    arrays |= table_of(scenes(language), pieces).arrays("scenes")
    arrays |= table_of(scenes(language, name="contrast"), pieces).arrays("contrast")
    arrays |= table_of(talk(language), pieces).arrays("talk")
    arrays |= table_of(book_lines(language, fiction), pieces).arrays("books")
    plain = [line for line in lines if line.split == "train"]
    arrays |= table_of(narrated_examples(plain, fiction), pieces).arrays("narrated")
    corpus: dict[str, list[Example]] = {}
    if language == "en":
        corpus["goemotions"] = list(read_goemotions(data))
        if "meld" in corpora:
            corpus["meld"] = list(dialogue_examples(read_meld(data, parts=("train", "dev"))))
    else:
        corpus["cped"] = list(dialogue_examples(read_cped(data, parts=("train", "dev"))))
    for name, examples in corpus.items():
        arrays |= table_of(examples, pieces).arrays(name)
    for name, values in arrays.items():
        if name.endswith((".stream", ".places")):
            print(name, values.shape, flush=True)
    return arrays


def main() -> None:
    """Prepare a language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=("en", "zh"))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--books", type=int, default=90, help="Books for training besides those for dev.")
    parser.add_argument("--with", dest="corpora", nargs="*", default=())
    options = parser.parse_args()
    begun = time.monotonic()
    arrays = prepare(options.language, options.data, books=options.books, corpora=tuple(options.corpora))
    np.savez_compressed(options.out, **arrays)  # type: ignore[arg-type]
    print(f"{options.out}: {options.out.stat().st_size / 2**20:.1f} MiB in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
