"""Write the training data of a language's encoder as files of arrays.

    python -m recipes.planner.prepare texts en --data TEXTS --out JOB [--with meld]
    python -m recipes.planner.prepare labels en --data TEXTS --out JOB

`TEXTS` holds ``fiction/``, ``goemotions/``, ``cped/`` and ``meld/``; labels of careful readers come from ``labels/``.
"""

import argparse
import csv
import random
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from aptone.planner.encoder import Pieces
from aptone.planner.labelled_dialogues import Dialogue, read_cped, read_meld
from aptone.planner.passage import passage_around
from aptone.types import Language
from recipes.planner.arrays import TRAINING_BOOKS, Table, sampled, speaker_of, table_of, tag_table
from recipes.planner.as_read import in_both_texts
from recipes.planner.examples import Example
from recipes.planner.fiction import Fiction, TaggedLine
from recipes.planner.labels import (
    TURNS,
    book_lines,
    is_of_piece,
    passage_lines,
    reported_books,
    scene_lines,
    scenes,
    talk,
)
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


SPOKEN: dict[Language, int] = {"en": 30_000, "zh": 20_000}
"""Lines whose tag names the speaker and is hidden, to learn who speaks."""
PLAIN = 3
"""One in so many training lines whose tag names a delivery and no emotion is kept."""


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


def texts(language: Language, data: Path, *, books: int, corpora: tuple[str, ...]) -> dict[str, Table]:
    """Return what others wrote: tagged lines of books, narrated feelings, comments and dialogues."""
    pieces: Pieces = pieces_of(language)
    fiction = Fiction(data / "fiction")
    lines = list(fiction.lines(language))
    kept = kept_lines(language, fiction, books=books)
    print(f"{len(lines)} tagged lines, {len(kept)} kept", flush=True)
    plain = [line for line in lines if line.split == "train"]
    reported = reported_books()
    named = [line for line in plain if line.book not in reported and speaker_of(line)]
    spoken = random.Random(1).sample(named, min(SPOKEN[language], len(named)))
    found = {
        "tags": tag_table(kept, fiction, pieces, kept_from=reported),
        "spoken": tag_table(sorted(spoken, key=lambda line: line.number), fiction, pieces),
        "narrated": table_of(narrated_examples(plain, fiction), pieces, language),
    }
    if language == "en":
        found["goemotions"] = table_of(read_goemotions(data), pieces, language)
        if "meld" in corpora:
            dialogues = read_meld(data, parts=("train", "dev"))
            found["meld"] = table_of(dialogue_examples(dialogues), pieces, language)
    else:
        dialogues = read_cped(data, parts=("train", "dev"))
        found["cped"] = table_of(dialogue_examples(dialogues), pieces, language)
    return found


def labelled(language: Language, data: Path) -> dict[str, list[Example]]:
    """Return what careful readers labelled, by source."""
    fiction = Fiction(data / "fiction")
    others = {True: list[Example](), False: list[Example]()}
    for line in scene_lines(language):
        others[is_of_piece(line)].append(line)
    sources: dict[str, Iterable[Example]] = {
        "scenes": in_both_texts(scenes(language), language),
        "contrast": in_both_texts(scenes(language, name="contrast"), language),
        "pieces": in_both_texts([*scenes(language, name="pieces"), *others[True]], language),
        "lines": in_both_texts(others[False], language),
        "talk": talk(language),
        "books": book_lines(language, fiction),
        "passages": passage_lines(language, fiction, kept_from=reported_books()),
    }
    return {name: list(examples) for name, examples in sources.items()}


def labels(language: Language, data: Path) -> dict[str, Table]:
    """Return tables of what careful readers labelled."""
    pieces = pieces_of(language)
    return {name: table_of(examples, pieces, language) for name, examples in labelled(language, data).items()}


def kept_lines(language: Language, fiction: Fiction, *, books: int) -> list[TaggedLine]:
    """Return the lines of novels whose tags the encoder learns."""
    strong = [line for line in sampled(list(fiction.lines(language)), books, seed=1) if line.said.get("strong")]
    return [line for line in strong if line.emotion or line.split == "dev" or line.number % PLAIN == 0]


def main() -> None:
    """Prepare a language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("texts", "labels"))
    parser.add_argument("language", choices=get_args(Language))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="Folder for the file PART.LANGUAGE.npz.")
    parser.add_argument("--with", dest="corpora", nargs="*", default=())
    options = parser.parse_args()
    begun = time.monotonic()
    language: Language = options.language
    if options.part == "texts":
        tables = texts(language, options.data, books=TRAINING_BOOKS[language], corpora=tuple(options.corpora))
    else:
        tables = labels(language, options.data)
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, table in tables.items():
        print(f"{name}: {len(table.places)} rows, {table.length} pieces", flush=True)
        arrays |= table.arrays(name)
    path = options.out / f"{options.part}.{language}.npz"
    np.savez_compressed(path, **arrays)  # type: ignore[arg-type]
    print(f"{path}: {path.stat().st_size / 2**20:.1f} MiB in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
