"""What the built-in text embedder is taught with: texts, lines, pairs that mean the same, descriptions of voices.

| what | where from | licence |
| --- | --- | --- |
| English texts | GoEmotions' comments, StyleTalk's dialogues (training parts) | Apache-2.0, MIT |
| Mandarin lines | CPED, the TV series that the planner is taught with | Apache-2.0 |
| Mandarin word vectors | the package ``synonyms`` 3.10.2, made from Wikimedia's texts | MIT |
| frequencies of Mandarin words | the package ``jieba`` 0.42.1 | MIT |
| pairs | ``words/bilingual.txt`` and our lexicons | ours |
| names of emoji in both languages | Unicode's CLDR: ``cldr-annotations-full`` 48.2.0 (npm) | Unicode-3.0 |
| descriptions of voices | our grammar (`aptone.ear.describe`) | ours |

MELD and EmoBank are left alone: their licences (GPL-3.0, CC BY-SA 4.0) are not permissive, and they are tested on.
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
from aptone.lexicon.plan_feelings import FEELINGS
from aptone.planner.labelled_dialogues import read_cped, read_table
from aptone.types import Language, loads
from recipes.text_embedder.labelled_texts import read_goemotions

LONGEST_TEXT = 300
"""Characters of an English text beyond which it is left out: the teacher reads 256 pieces."""
_TURN = re.compile(r"\b[AB] ?: ")
_TWICE_EACH: tuple[Language, ...] = ("en", "en", "zh", "zh")
_LENGTHS: tuple[Length, ...] = ("phrase", "sentence", "caption")


class Pair(NamedTuple):
    """What means the same in English and in Mandarin."""

    english: str
    mandarin: str


class LabelledText(NamedTuple):
    """A text and the emotion that people heard or read in it."""

    text: str
    set: str
    label: str


class Views(NamedTuple):
    """One style in four wordings."""

    style: Style
    english: tuple[str, str]
    mandarin: tuple[str, str]


def labelled_texts(data: Path, *, part: str) -> list[LabelledText]:
    """Comments and lines with one emotion, of GoEmotions (English) and CPED (Mandarin)."""
    return [
        LabelledText(labelled.line.text, dialogue.set, next(iter(labelled.labels)))
        for dialogue in (*read_goemotions(data), *read_cped(data))
        if dialogue.part == part
        for labelled in dialogue.lines
        if len(labelled.labels) == 1 and labelled.line.text.strip() and len(labelled.line.text) <= LONGEST_TEXT
    ]


def styletalk_texts(data: Path, *, part: str) -> list[str]:
    """The turns of StyleTalk's dialogues, each once.

    Raises:
        UsageError: if the file cannot be read.
        RecordError: if it lacks a column.
    """
    columns = ("context", "curr_text", "res_text")
    rows = read_table(data / "styletalk" / f"{part}.csv", columns=columns)
    turns = (turn.strip() for row in rows for column in columns for turn in _TURN.split(row[column]))
    return list(dict.fromkeys(turn for turn in turns if turn and len(turn) <= LONGEST_TEXT))


def written_pairs() -> list[Pair]:
    """The pairs of ``words/bilingual.txt``: every English wording with every Mandarin one of its line."""
    text = (files("recipes.text_embedder") / "words" / "bilingual.txt").read_text(encoding="utf-8")
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            english, mandarin = line.split(" = ")
            found += [Pair(one, other) for one in english.split(", ") for other in mandarin.split(", ")]
    return found


def lexicon_pairs() -> list[Pair]:
    """Words of the ear's and the judge's lexicons that name the same thing."""
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
    """Names of emoji in both languages, from CLDR's folder ``annotations``.

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
    """Words and their vectors from a file in word2vec's binary form, the most frequent first.

    Raises:
        UsageError: if it has another form.
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
    """Words and how often they occur, from jieba's ``dict.txt``.

    Raises:
        UsageError: if it has another form.
    """
    try:
        rows = [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines() if line]
        return Counter({row[0]: int(row[1]) for row in rows})
    except (OSError, ValueError, IndexError) as error:
        raise UsageError(f"{path}: expected a word, a number and a class on each line ({error}).") from error


def random_style(dice: random.Random) -> Style:
    """A style with two or more attributes judged; it need not be a likely one."""
    names = [name for name in ATTRIBUTES if name not in ("events", "intensity")]
    chosen = dice.sample(names, dice.randint(2, 7))
    values: dict[str, Any] = {name: dice.choice(values_of(name)) for name in chosen}
    if values.get("emotion", "neutral") != "neutral" and dice.random() < 0.5:
        values["intensity"] = dice.choice(values_of("intensity"))
    if dice.random() < 0.3:
        values["events"] = (dice.choice(list(VocalEvent)),)
    return Style(**values)


def described(count: int, *, seed: int) -> Iterator[Views]:
    """Styles in four wordings each: as a phrase, a sentence or a caption, twice in each language."""
    dice = random.Random(seed)
    for _ in range(count):
        length = dice.choice(_LENGTHS)
        style = excerpt(random_style(dice), length=length, seed=dice.getrandbits(32))
        worded = [
            describe(style, language=language, length=length, seed=dice.getrandbits(32), keep=attributes_of(style))
            for language in _TWICE_EACH
        ]
        yield Views(style, (worded[0], worded[1]), (worded[2], worded[3]))
