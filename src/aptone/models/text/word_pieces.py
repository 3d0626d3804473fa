"""English words as pieces of a fixed vocabulary, as BERT cuts them (Devlin et al. 2019), without a dependency.

Lower case, no accents, punctuation apart; then of each word the longest piece that the vocabulary knows, again and
again. The vocabulary holds every letter, so that no ordinary word is lost.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence

UNKNOWN, BEGIN, END = "[UNK]", "[CLS]", "[SEP]"
CONTINUED = "##"
LONGEST_WORD = 40
_APOSTROPHES = str.maketrans({"\x92": "'", "\x91": "'", "’": "'", "‘": "'", "“": '"', "”": '"', "…": "..."})
_WORD = re.compile(r"[^\W_]+|[^\s\w]|_")


def words(text: str) -> list[str]:
    """Words and marks of a text, in lower case and without accents.

    >>> words("Why’d you do THAT?!")
    ['why', "'", 'd', 'you', 'do', 'that', '?', '!']
    """
    plain = unicodedata.normalize("NFD", text.translate(_APOSTROPHES).lower())
    return _WORD.findall("".join(letter for letter in plain if unicodedata.category(letter) != "Mn"))


def longest_pieces(word: str, number: Mapping[str, int]) -> list[int] | None:
    """A word as the longest pieces that a vocabulary knows, one after the other; ``None`` where a part is unknown.

    >>> longest_pieces("trembling", {"tremble": 0, "trembl": 1, "##ing": 2, "##i": 3})
    [1, 2]
    """
    if len(word) > LONGEST_WORD:
        return None
    found: list[int] = []
    start = 0
    while start < len(word):
        prefix = CONTINUED if start else ""
        for end in range(len(word), start, -1):
            known = number.get(prefix + word[start:end])
            if known is not None:
                found.append(known)
                start = end
                break
        else:
            return None
    return found


class WordPieces:
    """A vocabulary of pieces; a piece's number is its place in it.

    Raises:
        ValueError: if the vocabulary lacks one of the three marks.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._number = {piece: number for number, piece in enumerate(vocabulary)}
        lacking = [mark for mark in (UNKNOWN, BEGIN, END) if mark not in self._number]
        if lacking:
            raise ValueError(f"a vocabulary holds {UNKNOWN}, {BEGIN} and {END}; {lacking[0]} is not in it.")

    def numbers(self, text: str, *, most: int) -> tuple[int, ...]:
        """The pieces of a text as numbers, between the mark of its beginning and that of its end.

        Args:
            text: in a language with spaces between words.
            most: how many numbers at most; the end of a longer text is left out.
        """
        inside: list[int] = []
        for word in words(text):
            if len(inside) >= most - 2:
                break
            found = longest_pieces(word, self._number)
            inside += [self._number[UNKNOWN]] if found is None else found
        return (self._number[BEGIN], *inside[: most - 2], self._number[END])
