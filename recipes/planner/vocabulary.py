"""Vocabularies of the encoders.

English: pieces of MiniLM's vocabulary that stories and talk use. Mandarin: characters and words of up to four
characters, with the frequencies by which the most probable segmentation is found.
"""

import functools
import json
from pathlib import Path

from aptone.planner.encoder import EnglishPieces, MandarinPieces, Pieces
from aptone.types import Language

FOLDER = Path(__file__).parent / "vocabulary"


@functools.cache
def vocabulary(language: Language) -> list[str]:
    """Return the pieces of a language by number."""
    return (FOLDER / f"{language}.txt").read_text(encoding="utf-8").split("\n")


@functools.cache
def costs() -> list[float]:
    """Return the cost of every Mandarin piece: -log of its frequency."""
    found: list[float] = json.loads((FOLDER / "zh.costs.json").read_text(encoding="utf-8"))
    return found


def pieces_of(language: Language) -> Pieces:
    """Return the segmenter of a language."""
    return EnglishPieces(vocabulary("en")) if language == "en" else MandarinPieces(vocabulary("zh"), costs())
