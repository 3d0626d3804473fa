"""The tokens of the miniature judge, without a library: byte-level BPE in the manner of GPT-2, a token for each digit.

A text is cut into words, runs of marks and runs of space; the bytes of each become tokens, of which neighbours are
merged, those first that were learned first. Control tokens are no text: whatever a text holds, its tokens are those of
plain bytes, so that nobody can write ``<score>`` into a prompt.
"""

import itertools
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from aptone.errors import RecordError

_PIECES = re.compile(
    r"D|'s|'t|'re|'ve|'m|'ll|'d| ?[Lstrevmld]+| ?N+| ?['O]+|[ _]+(?![^ _D])|[ _]+",
)
"""GPT-2's pattern over kinds of characters (`_kind`): contractions, words, numerals, marks, space; a digit is alone."""
_SPACES = frozenset("\t\n\x0b\x0c\r\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | frozenset(
    map(chr, range(0x2000, 0x200B))
)
_KEPT = frozenset(" 'strevmld")
"""Characters that the pattern names."""
LONGEST_PIECE = 2_000
"""Characters that are merged together: of a longer run of letters, nobody waits for all merges."""


class Merge(NamedTuple):
    """What two neighbours become, and how early that was learned."""

    rank: int
    made: int


class Tokens:
    """A vocabulary.

    Args:
        control: id of each control token.
        single: ids of the 256 bytes.
        merges: triples of two ids and the id of both together, those first that were learned first.

    Raises:
        RecordError: if they do not make a vocabulary.
    """

    def __init__(self, control: Mapping[str, int], single: Sequence[int], merges: Sequence[Sequence[int]]) -> None:
        self.control = dict(control)
        self._single = tuple(single)
        self._merges = {(left, right): Merge(rank, made) for rank, (left, right, made) in enumerate(merges)}
        self._bytes = {number: token.encode() for token, number in self.control.items()}
        self._bytes |= {number: bytes([byte]) for byte, number in enumerate(self._single)}
        for left, right, made in merges:
            if left not in self._bytes or right not in self._bytes:
                raise RecordError(f"the tokens {left} and {right} are merged before there are such tokens.")
            self._bytes[made] = self._bytes[left] + self._bytes[right]
        self._longest = max(map(len, self._bytes.values()), default=0)
        if len(self._single) != 256 or sorted(self._bytes) != list(range(len(self._bytes))):
            raise RecordError("a vocabulary has an id for each byte, and no gaps.")

    def __len__(self) -> int:
        return len(self._bytes)

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> "Tokens":
        """The vocabulary that `kept` was made of.

        Raises:
            RecordError: if there is none in it.
        """
        try:
            return cls(kept["control"], kept["bytes"], kept["merges"])
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"these are no tokens ({error!r}).") from error

    def kept(self) -> dict[str, Any]:
        """The vocabulary as JSON holds it."""
        merges = [[left, right, merge.made] for (left, right), merge in self._merges.items()]
        return {"control": self.control, "bytes": list(self._single), "merges": merges}

    def encode(self, text: str) -> list[int]:
        """The tokens of a text, none of which is a control token; lone halves of characters become question marks."""
        clean = text.encode("utf-8", "replace").decode("utf-8") if any(map(_is_half, text)) else text
        kinds = "".join(map(_kind, clean))
        return [
            token
            for piece in _PIECES.finditer(kinds)
            for begin in range(piece.start(), piece.end(), LONGEST_PIECE)
            for token in self._merged(clean[begin : min(begin + LONGEST_PIECE, piece.end())].encode())
        ]

    def beginning(self, text: str, most: int) -> str:
        """As much of a text as so many of its tokens hold, in whole characters."""
        short = text[: most * self._longest]
        ids = self.encode(short)
        return short if len(ids) <= most else b"".join(self._bytes[one] for one in ids[:most]).decode("utf-8", "ignore")

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens, control tokens among it by their names; half a character is �."""
        return b"".join(self._bytes[number] for number in ids).decode("utf-8", "replace")

    def _merged(self, piece: bytes) -> list[int]:
        ids = [self._single[byte] for byte in piece]
        while len(ids) > 1:
            found = [self._merges.get(pair) for pair in itertools.pairwise(ids)]
            best = min((merge for merge in found if merge is not None), default=None)
            if best is None:
                break
            merged: list[int] = []
            place = 0
            while place < len(ids):
                is_pair = place < len(found) and found[place] == best
                merged.append(best.made if is_pair else ids[place])
                place += 2 if is_pair else 1
            ids = merged
        return ids


def _is_half(character: str) -> bool:
    return "\ud800" <= character <= "\udfff"


@cache
def _kind(character: str) -> str:
    """What the pattern takes a character for: itself, a letter, a digit, another numeral, space, or a mark."""
    if character in _KEPT:
        return character
    if character in _SPACES:
        return "_"
    category = unicodedata.category(character)
    if category == "Nd":
        return "D"
    return {"L": "L", "N": "N"}.get(category[0], "O")
