"""Single comments with emotions: GoEmotions, mapped to six emotions and neutral."""

import csv
from collections.abc import Iterator
from pathlib import Path

from recipes.planner.examples import Example

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
    """The comments of the train and dev parts; one that has several emotions shares itself among them."""
    folder = data / "goemotions"
    labels = (folder / "labels.txt").read_text(encoding="utf-8").split()
    for part in ("train", "dev"):
        with (folder / f"{part}.tsv").open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                named = [NAMES[labels[int(number)]] for number in row[1].split(",")]
                text = f"“{row[0].strip()}”"
                shares = dict.fromkeys(named, 1.0 / len(named))
                yield Example("goemotions", part, text, 1, len(text) - 1, target=shares)
