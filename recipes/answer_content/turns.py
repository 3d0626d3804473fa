"""Turns of dialogues, for the question whether a reply follows a line: novels, and CPED's TV dialogues.

A dialogue of a novel is a run of paragraphs that begin with a quotation (English), or of quotations behind a colon
(Mandarin), without a longer stretch of narration between.
"""

import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.planner.encoder import load_encoder
from aptone.planner.labelled_dialogues import read_cped
from aptone.planner.pairs import shortened
from aptone.types import Language
from recipes.planner.fiction import Fiction

LONGEST_TURN = 72
"""Most pieces of a turn."""
MOST_TURNS = 24
"""Most turns of one dialogue."""
NARRATION = 60
"""Characters of a paragraph without speech that end a Mandarin dialogue."""
_QUOTED = {"en": re.compile(r'[“"]([^“”"]+)[”"]'), "zh": re.compile(r"[“「]([^“”「」]+)[”」]")}


class Turns(NamedTuple):
    """Turns as pieces: a stream, the offsets of the turns in it, and the dialogue of each turn."""

    stream: npt.NDArray[np.uint16]
    offsets: npt.NDArray[np.int32]
    dialogue: npt.NDArray[np.int32]


def dialogues_of_book(paragraphs: Iterable[str], language: Language) -> Iterator[list[str]]:
    """Yield the dialogues of a book, each as its turns.

    >>> list(dialogues_of_book(["“Who is it?” he asked.", "“Me. ” She laughed. “Open!”", "It was cold."], "en"))
    [['Who is it?', 'Me. Open!']]
    """
    turns: list[str] = []
    for paragraph in map(str.strip, paragraphs):
        found = _english_turns(paragraph) if language == "en" else _mandarin_turns(paragraph)
        turns += found
        is_over = bool(paragraph) and not found and (language == "en" or len(paragraph) > NARRATION)
        if is_over or len(turns) >= MOST_TURNS:
            if len(turns) > 1:
                yield turns[:MOST_TURNS]
            turns = []
    if len(turns) > 1:
        yield turns


def _english_turns(paragraph: str) -> list[str]:
    if not paragraph.startswith(("“", '"')):
        return []
    return [" ".join(part.strip() for part in _QUOTED["en"].findall(paragraph))]


def _mandarin_turns(paragraph: str) -> list[str]:
    """Return the quotations behind a colon; others go on with the turn before."""
    turns: list[str] = []
    for match in _QUOTED["zh"].finditer(paragraph):
        if not turns or paragraph[match.start() - 1 : match.start()] in ("：", ":"):
            turns.append(match[1])
        else:
            turns[-1] += match[1]
    return turns


def all_dialogues(data: Path, language: Language) -> Iterator[list[str]]:
    """Yield the dialogues of a language; lines of CPED that one speaker says behind one another are one turn."""
    fiction = Fiction(data / "fiction")
    for book in fiction.books(language):
        yield from dialogues_of_book(fiction.paragraphs(book), language)
    if language == "zh":
        for dialogue in read_cped(data, parts=("train", "dev")):
            turns: list[str] = []
            speaker = ""
            for labelled in dialogue.lines:
                if turns and labelled.line.role == speaker:
                    turns[-1] += labelled.line.text
                else:
                    turns.append(labelled.line.text)
                speaker = labelled.line.role
            if len(turns) > 1:
                yield turns[:MOST_TURNS]


def turns_of(data: Path, language: Language, *, count: int, seed: int) -> Turns:
    """Return turns of a random choice of dialogues, about so many."""
    dialogues = list(all_dialogues(data, language))
    random.Random(seed).shuffle(dialogues)
    cut = load_encoder(language).pieces.cut
    stream: list[int] = []
    offsets: list[int] = [0]
    dialogue_of: list[int] = []
    for number, turns in enumerate(dialogues):
        if len(dialogue_of) >= count:
            break
        for turn in turns:
            stream += shortened([piece.number for piece in cut(turn)], LONGEST_TURN)
            offsets.append(len(stream))
            dialogue_of.append(number)
    return Turns(np.array(stream, np.uint16), np.array(offsets, np.int32), np.array(dialogue_of, np.int32))
