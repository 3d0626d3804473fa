"""Text as numbered pieces of a vocabulary, each with its place in the text.

English is cut as BERT cuts it (Devlin et al. 2019): lower case, no accents, marks apart, then of each word the longest
piece that the vocabulary knows. Mandarin is cut into words by the most probable path through a list of words with
their frequencies; a character that is in no word of the list is a piece of its own.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from aptone.lexicon.phrases import SIMPLIFIED
from aptone.models.text.word_pieces import longest_pieces

PAD, UNKNOWN, BEGIN, END, OPEN, CLOSE, BREAK, MASK = (
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[OPEN]",
    "[CLOSE]",
    "[BREAK]",
    "[MASK]",
)
MARKS = (PAD, UNKNOWN, BEGIN, END, OPEN, CLOSE, BREAK, MASK)
"""The first pieces of every vocabulary, in this order. OPEN and CLOSE stand around the target, BREAK between
paragraphs."""
LONGEST_WORD = 4
"""Characters of a Mandarin word in the vocabulary."""

_ENGLISH = re.compile(r"\n|[^\W_]+|[^\s\w]|_")
_SAME = str.maketrans({"\x92": "'", "\x91": "'", "’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "—": "-", "–": "-"})
_MANDARIN_SAME = str.maketrans(
    {
        "「": "“",
        "」": "”",
        "『": "“",
        "』": "”",
        '"': "”",
        "＂": "”",
        ",": "，",
        "!": "！",
        "?": "？",
        ":": "：",
        ";": "；",
    }
    | {
        "(": "（",
        ")": "）",
        "[": "（",
        "]": "）",
        "【": "（",
        "】": "）",
        "［": "（",
        "］": "）",
        "〔": "（",
        "〕": "）",
        "–": "—",
    }
)


class Piece(NamedTuple):
    """A piece of a text: its number in the vocabulary and its characters in the text."""

    number: int
    start: int
    end: int


class Pieces(Protocol):
    """A way to cut text into numbered pieces."""

    def cut(self, text: str) -> list[Piece]:
        """The pieces of a text, in order; paragraphs are parted by the number of `BREAK`."""
        ...


class EnglishPieces:
    """Cut English by a vocabulary of word pieces.

    Args:
        vocabulary: pieces by number; the first are `MARKS`.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._number = {piece: number for number, piece in enumerate(vocabulary)}
        self._known: dict[str, tuple[int, ...]] = {}

    def cut(self, text: str) -> list[Piece]:
        """The pieces of a text.

        >>> [piece.number for piece in EnglishPieces([*MARKS, "go", "##ing", "!"]).cut("Going!")]
        [8, 9, 10]
        """
        found = []
        for match in _ENGLISH.finditer(text.translate(_SAME)):
            found += [Piece(number, match.start(), match.end()) for number in self._word(match.group())]
        return found

    def _word(self, word: str) -> tuple[int, ...]:
        numbers = self._known.get(word)
        if numbers is None:
            if len(self._known) > 200_000:
                self._known.clear()
            numbers = self._known[word] = self._looked_up(word)
        return numbers

    def _looked_up(self, word: str) -> tuple[int, ...]:
        if word == "\n":
            return (MARKS.index(BREAK),)
        if word == "…":
            return (self._number.get(".", MARKS.index(UNKNOWN)),) * 3
        plain = "".join(
            letter for letter in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(letter) != "Mn"
        )
        pieces = longest_pieces(plain, self._number) if plain not in MARKS else None
        return tuple(pieces) if pieces else (MARKS.index(UNKNOWN),)


class MandarinPieces:
    """Cut Mandarin into words by the most probable path.

    Args:
        vocabulary: pieces by number; the first are `MARKS`.
        costs: of each piece, -log of its frequency; a path's cost is their sum.
    """

    def __init__(self, vocabulary: Sequence[str], costs: Sequence[float]) -> None:
        self._number = {piece: number for number, piece in enumerate(vocabulary)}
        self._cost: Mapping[str, float] = dict(zip(vocabulary, costs, strict=True))
        self._dearest = max(costs, default=0.0) + 1.0

    def cut(self, text: str) -> list[Piece]:
        """The pieces of a text; traditional characters count as simplified ones.

        >>> words = MandarinPieces([*MARKS, "学", "生", "学生", "气"], [0.0] * 8 + [4.0, 4.0, 5.0, 4.0])
        >>> [piece.number for piece in words.cut("学生气")]
        [10, 11]
        """
        plain = text.translate(SIMPLIFIED).translate(_MANDARIN_SAME)
        found: list[Piece] = []
        for match in re.finditer(r"\n|[\u3400-\u9fff]+|[^\s\u3400-\u9fff]", plain):
            run = match.group()
            if run == "\n":
                found.append(Piece(MARKS.index(BREAK), match.start(), match.end()))
            elif "\u3400" <= run[0] <= "\u9fff":
                found += (
                    Piece(self._of(run[start:end]), match.start() + start, match.start() + end)
                    for start, end in self._path(run)
                )
            else:
                folded = unicodedata.normalize("NFKC", run).casefold()
                number = self._of(run) if run in self._number else self._of(folded)
                found.append(Piece(number, match.start(), match.end()))
        return found

    def _of(self, piece: str) -> int:
        return self._number.get(piece, MARKS.index(UNKNOWN))

    def _path(self, run: str) -> Iterator[tuple[int, int]]:
        best = [0.0] + [math.inf] * len(run)
        back = [0] * (len(run) + 1)
        for end in range(1, len(run) + 1):
            for start in range(max(0, end - LONGEST_WORD), end):
                word = run[start:end]
                cost = self._cost.get(word, self._dearest if end - start == 1 else math.inf)
                if best[start] + cost < best[end]:
                    best[end], back[end] = best[start] + cost, start
        cuts = []
        end = len(run)
        while end:
            cuts.append((back[end], end))
            end = back[end]
        return reversed(cuts)
