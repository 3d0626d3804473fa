"""Training texts of the text embedder.

Besides the dialogues of `aptone.planner.labelled_dialogues`:

| set | language | labels | files below the data folder |
| --- | --- | --- | --- |
| GoEmotions | English comments | MELD's 7, maybe several | ``goemotions/train.tsv``, ``dev.tsv``, ``test.tsv`` |
| EmoBank | English sentences | valence, arousal, dominance | ``emobank/emobank.csv`` |

Comments and sentences are dialogues of one line.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.ear.describe import (
    ATTRIBUTES,
    Length,
    Style,
    VocalEvent,
    attributes_of,
    describe,
    excerpt,
    lexicon,
    values_of,
)
from aptone.errors import UsageError
from aptone.lexicon.feelings import FEELINGS
from aptone.planner.labelled_dialogues import Dialogue, LabelledLine, read_cped, read_table, read_text
from aptone.types import Language, Line, loads

EMOBANK_SCALE = 2.5
"""Factor that widens EmoBank's means over readers, which stay near the middle of its scale from 1 to 5."""
LONGEST_TEXT = 300
"""Longest English text in characters: the teacher reads 256 pieces."""
_TURN = re.compile(r"\b[AB] ?: ")
_TWICE_EACH: tuple[Language, ...] = ("en", "en", "zh", "zh")
_LENGTHS: tuple[Length, ...] = ("phrase", "sentence", "caption")


def read_goemotions(folder: Path) -> list[Dialogue]:
    """Read GoEmotions' comments; a comment with several labels has an equal share of each."""
    names = read_text(folder / "goemotions" / "labels.txt").split()
    found = []
    for part in ("train", "dev", "test"):
        for row in read_text(folder / "goemotions" / f"{part}.tsv").splitlines():
            text, numbers, _ = row.split("\t")
            labels = [names[int(number)] for number in numbers.split(",")]
            line = LabelledLine(Line(text), dict.fromkeys(labels, 1 / len(labels)))
            found.append(Dialogue("goemotions", part, "en", (line,)))
    return found


def read_emobank(folder: Path) -> list[Dialogue]:
    """Read EmoBank's sentences, with their means over readers on a scale from -1 to 1."""
    found = []
    for row in read_table(folder / "emobank" / "emobank.csv"):
        valence, arousal, dominance = (
            min(max((float(row[name]) - 3) / 2 * EMOBANK_SCALE, -1.0), 1.0) for name in ("V", "A", "D")
        )
        line = LabelledLine(Line(row["text"]), vad=(valence, arousal, dominance))
        found.append(Dialogue("emobank", row["split"], "en", (line,)))
    return found


class Pair(NamedTuple):
    """Wordings of one meaning in English and in Mandarin."""

    english: str
    mandarin: str


class LabelledText(NamedTuple):
    """A text and its emotion."""

    text: str
    set: str
    label: str


class Views(NamedTuple):
    """One style in four wordings."""

    style: Style
    english: tuple[str, str]
    mandarin: tuple[str, str]


def labelled_texts(data: Path, *, part: str) -> list[LabelledText]:
    """Return comments and lines with one emotion, of GoEmotions (English) and CPED (Mandarin)."""
    return [
        LabelledText(labelled.line.text, dialogue.set, next(iter(labelled.labels)))
        for dialogue in (*read_goemotions(data), *read_cped(data))
        if dialogue.part == part
        for labelled in dialogue.lines
        if len(labelled.labels) == 1 and labelled.line.text.strip() and len(labelled.line.text) <= LONGEST_TEXT
    ]


def styletalk_texts(data: Path, *, part: str) -> list[str]:
    """Return the turns of StyleTalk's dialogues, each once.

    Raises:
        UsageError: if the file cannot be read.
        RecordError: if it lacks a column.
    """
    columns = ("context", "curr_text", "res_text")
    rows = read_table(data / "styletalk" / f"{part}.csv", columns=columns)
    turns = (turn.strip() for row in rows for column in columns for turn in _TURN.split(row[column]))
    return list(dict.fromkeys(turn for turn in turns if turn and len(turn) <= LONGEST_TEXT))


def written_pairs() -> list[Pair]:
    """Return the pairs of ``words/bilingual.txt``: every English wording with every Mandarin one of its line."""
    text = (files("recipes.text_embedder") / "words" / "bilingual.txt").read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            english, mandarin = line.split(" = ")
            found += [Pair(one, other) for one in english.split(", ") for other in mandarin.split(", ")]
    return found


def lexicon_pairs() -> list[Pair]:
    """Return words of the ear's and the judge's lexicons with one meaning."""
    said: dict[tuple[object, ...], dict[Language, list[str]]] = {}
    languages: tuple[Language, ...] = ("en", "zh")
    for language in languages:
        for phrase, entry in lexicon(language).items():
            if entry.means and not entry.pronoun:
                said.setdefault(entry.means, {}).setdefault(language, []).append(phrase)
    found = [
        Pair(english, mandarin)
        for both in said.values()
        for english in both.get("en", ())
        for mandarin in both.get("zh", ())
    ]
    for _, english, mandarin in FEELINGS:
        found += [Pair(one, other) for one in english.split(", ") for other in mandarin.split("，")]
    return found


def emoji_pairs(annotations: Path) -> list[Pair]:
    """Return names of emoji in both languages, from CLDR's folder ``annotations``.

    Raises:
        UsageError: if a file cannot be read.
    """
    named: list[Mapping[str, Any]] = []
    for language in ("en", "zh"):
        path = annotations / language / "annotations.json"
        try:
            read: Any = loads(path.read_bytes(), what=str(path))
            named.append(read["annotations"]["annotations"])
        except (OSError, KeyError, TypeError) as error:
            raise UsageError(f"{path}: expected the annotations of CLDR, as its package holds them.") from error
    english, mandarin = named
    return [
        Pair(english[sign]["tts"][0], mandarin[sign]["tts"][0])
        for sign in english
        if "tts" in english[sign] and "tts" in mandarin.get(sign, {})
    ]


def word_vectors(path: Path) -> tuple[list[str], npt.NDArray[np.float32]]:
    """Read words and vectors from a file in word2vec's binary format, the most frequent first.

    Raises:
        UsageError: if it has another format.
    """
    try:
        data = path.read_bytes()
        head, _, body = data.partition(b"\n")
        count, size = map(int, head.split())
        words, rows, place = [], np.empty((count, size), dtype=np.float32), 0
        for row in range(count):
            end = body.index(b" ", place)
            words.append(body[place:end].lstrip(b"\n").decode("utf-8", "replace"))
            rows[row] = np.frombuffer(body, dtype="<f4", count=size, offset=end + 1)
            place = end + 1 + 4 * size
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: expected word vectors in word2vec's binary form ({error}).") from error
    return words, rows


def word_counts(path: Path) -> Counter[str]:
    """Read words and their frequencies from jieba's ``dict.txt``.

    Raises:
        UsageError: if it has another format.
    """
    try:
        rows = [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines() if line]
        return Counter({row[0]: int(row[1]) for row in rows})
    except (OSError, ValueError, IndexError) as error:
        raise UsageError(f"{path}: expected a word, a number and a class on each line ({error}).") from error


def random_style(dice: random.Random) -> Style:
    """Return a random style with two or more attributes; it need not be a likely one."""
    names = [name for name in ATTRIBUTES if name not in ("events", "intensity")]
    chosen = dice.sample(names, dice.randint(2, 7))
    values: dict[str, Any] = {name: dice.choice(values_of(name)) for name in chosen}
    if values.get("emotion", "neutral") != "neutral" and dice.random() < 0.5:
        values["intensity"] = dice.choice(values_of("intensity"))
    if dice.random() < 0.3:
        values["events"] = (dice.choice(list(VocalEvent)),)
    return Style(**values)


def described(count: int, *, seed: int) -> Iterator[Views]:
    """Yield styles in four wordings each: as a phrase, a sentence or a caption, twice in each language."""
    dice = random.Random(seed)
    for _ in range(count):
        length = dice.choice(_LENGTHS)
        style = excerpt(random_style(dice), length=length, seed=dice.getrandbits(32))
        worded = [
            describe(style, language=language, length=length, seed=dice.getrandbits(32), keep=attributes_of(style))
            for language in _TWICE_EACH
        ]
        yield Views(style, (worded[0], worded[1]), (worded[2], worded[3]))
