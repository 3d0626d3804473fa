"""The text sets that the planner is trained on, as dialogues of labelled lines.

| set | language | labels | files below the data folder |
| --- | --- | --- | --- |
| MELD | English TV dialogues | 7 emotions | ``meld/train.csv``, ``dev.csv``, ``test.csv`` |
| CPED | Mandarin TV dialogues | 13 emotions | ``cped/valid.csv``, ``test.csv`` |
| GoEmotions | English comments | the same 7, maybe several | ``goemotions/train.tsv``, ``dev.tsv``, ``test.tsv`` |
| EmoBank | English sentences | valence, arousal, dominance | ``emobank/emobank.csv`` |

CPED comes here without its own training part: its ``valid`` and half of its ``test``, by TV series, are trained on, and
the other half is reported on. Comments and sentences are dialogues of one line.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aptone.errors import UsageError
from aptone.types import Language, Line

CPED_TAUGHT = ("32", "39", "40", "44", "27", "30", "34", "36")
"""TV series that are trained on: four of ``valid`` and about half of the lines of ``test``."""
CPED_DEV = ("45",)
"""The series of ``valid`` that is chosen by, and never trained on while choosing."""
CPED_REPORTED = ("28", "29", "31", "35", "37")
"""The other half of ``test``."""
EMOBANK_SCALE = 2.5
"""EmoBank's means over readers stay near the middle of its scale from 1 to 5: their distance from it is widened so."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A line and what people said about it.

    Args:
        line: text and speaker.
        labels: each label's share; empty when it has none.
        vad: valence, arousal, dominance from -1 to 1; ``None`` when it has none.
    """

    line: Line
    labels: Mapping[str, float] = field(default_factory=dict)
    vad: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Labelled lines in order.

    Args:
        set: where it comes from: meld, cped, goemotions or emobank.
        part: train, dev or test.
        language: of all its lines.
        lines: in order.
    """

    set: str
    part: str
    language: Language
    lines: tuple[Labelled, ...]


def read_meld(folder: Path) -> list[Dialogue]:
    """MELD's dialogues; its own three parts."""
    found = []
    for part in ("train", "dev", "test"):
        rows = sorted(
            _table(folder / "meld" / f"{part}.csv"), key=lambda row: (int(row["Dialogue_ID"]), int(row["Utterance_ID"]))
        )
        for lines in _grouped(rows, "Dialogue_ID"):
            labelled = tuple(Labelled(Line(row["Utterance"], row["Speaker"]), {row["Emotion"]: 1.0}) for row in lines)
            found.append(Dialogue("meld", part, "en", labelled))
    return found


def read_cped(folder: Path) -> list[Dialogue]:
    """CPED's dialogues; parts by TV series."""
    part_of = (
        dict.fromkeys(CPED_TAUGHT, "train") | dict.fromkeys(CPED_DEV, "dev") | dict.fromkeys(CPED_REPORTED, "test")
    )
    found = []
    for name in ("valid", "test"):
        for lines in _grouped(_table(folder / "cped" / f"{name}.csv"), "Dialogue_ID"):
            labelled = tuple(Labelled(Line(row["Utterance"], row["Speaker"]), {row["Emotion"]: 1.0}) for row in lines)
            found.append(Dialogue("cped", part_of[lines[0]["TV_ID"]], "zh", labelled))
    return found


def read_goemotions(folder: Path) -> list[Dialogue]:
    """GoEmotions' comments; a comment with several labels has an equal share of each."""
    names = _text(folder / "goemotions" / "labels.txt").split()
    found = []
    for part in ("train", "dev", "test"):
        for row in _text(folder / "goemotions" / f"{part}.tsv").splitlines():
            text, numbers, _ = row.split("\t")
            labels = [names[int(number)] for number in numbers.split(",")]
            line = Labelled(Line(text), dict.fromkeys(labels, 1 / len(labels)))
            found.append(Dialogue("goemotions", part, "en", (line,)))
    return found


def read_emobank(folder: Path) -> list[Dialogue]:
    """EmoBank's sentences, their means over readers on a scale from -1 to 1."""
    found = []
    for row in _table(folder / "emobank" / "emobank.csv"):
        valence, arousal, dominance = (
            min(max((float(row[name]) - 3) / 2 * EMOBANK_SCALE, -1.0), 1.0) for name in ("V", "A", "D")
        )
        line = Labelled(Line(row["text"]), vad=(valence, arousal, dominance))
        found.append(Dialogue("emobank", row["split"], "en", (line,)))
    return found


def _table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(_text(path).splitlines(keepends=True)))


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read ({error.strerror}); --data names the folder with meld/, cped/, …"
        ) from error


def _grouped(rows: list[dict[str, str]], key: str) -> Iterator[list[dict[str, str]]]:
    kept: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        kept.setdefault(row[key], []).append(row)
    yield from kept.values()
