"""Text sets besides dialogues, as dialogues of one labelled line each.

Besides the dialogues of `aptone.planner.labelled_dialogues`:

| set | language | labels | files below the data folder |
| --- | --- | --- | --- |
| GoEmotions | English comments | MELD's 7, maybe several | ``goemotions/train.tsv``, ``dev.tsv``, ``test.tsv`` |
| EmoBank | English sentences | valence, arousal, dominance | ``emobank/emobank.csv`` |

Comments and sentences are dialogues of one line.
"""

from pathlib import Path

from aptone.planner.labelled_dialogues import Dialogue, Labelled, read_table, read_text
from aptone.types import Line

EMOBANK_SCALE = 2.5
"""EmoBank's means over readers stay near the middle of its scale from 1 to 5: their distance from it is widened so."""


def read_goemotions(folder: Path) -> list[Dialogue]:
    """GoEmotions' comments; a comment with several labels has an equal share of each."""
    names = read_text(folder / "goemotions" / "labels.txt").split()
    found = []
    for part in ("train", "dev", "test"):
        for row in read_text(folder / "goemotions" / f"{part}.tsv").splitlines():
            text, numbers, _ = row.split("\t")
            labels = [names[int(number)] for number in numbers.split(",")]
            line = Labelled(Line(text), dict.fromkeys(labels, 1 / len(labels)))
            found.append(Dialogue("goemotions", part, "en", (line,)))
    return found


def read_emobank(folder: Path) -> list[Dialogue]:
    """EmoBank's sentences, their means over readers on a scale from -1 to 1."""
    found = []
    for row in read_table(folder / "emobank" / "emobank.csv"):
        valence, arousal, dominance = (
            min(max((float(row[name]) - 3) / 2 * EMOBANK_SCALE, -1.0), 1.0) for name in ("V", "A", "D")
        )
        line = Labelled(Line(row["text"]), vad=(valence, arousal, dominance))
        found.append(Dialogue("emobank", row["split"], "en", (line,)))
    return found
