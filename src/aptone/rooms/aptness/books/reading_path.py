"""Way of a reader through a text: forward, back to the beginning of a line for a new take, past a line, or beside it.

A text and what was heard are compared by sounds, as a misheard word sounds like the one that was said. The way is the
likeliest one in a model of reading (Viterbi 1967): whoever reads goes on; now and then goes back, leaves something out,
or says something that is not in the text. Its score says how far what was heard speaks for each line.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import numpy.typing as npt

from aptone.models.pronunciation import spell
from aptone.rooms.aptness.books.alignment import Pair

Scores = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

SAME, ALIKE, OTHER = 1.0, 0.0, -1.2
"""Score of a sound that was heard as it stands, as a similar one, and as another one."""
LEFT_OUT = -0.9
"""Score of a sound that was not heard, and of one that was heard in addition."""
CHARACTER = 2.0
"""Factor on the score of a character of Mandarin that was heard as it stands, which is more than a sound."""

AGAIN, ELSEWHERE, AMID = -3.0, -5.0, -8.0
"""Score of going back to the beginning of the line; of going to the beginning of any other; to a word within a line."""
BESIDE, BACK, BACK_AMID = -2.5, -2.5, -6.0
"""Score of beginning to say something beside the text; of going on from there with a line, or within one."""

_ROUNDING = 1e-6

REACH = 320
"""Sounds of the text on either side of where the words say the reader is, in which the way is looked for."""
BLOCK, LAG = 1000, 1000
"""Heard sounds that are decided at once; sounds behind them that are heard before that."""

_ALIKE = (
    "P B", "T D TH DH", "K G", "F V", "S Z TH", "SH ZH CH JH", "M N NG", "L R W", "Y IY", "HH",
    "AA AE AH AO AW AY EH ER EY IH IY OW OY UH UW",
)  # fmt: skip
_PHONES = tuple(dict.fromkeys(" ".join(_ALIKE).split()))
_FIRST_CHARACTER = len(_PHONES)


def _phone_scores() -> Scores:
    scores = np.full((len(_PHONES), len(_PHONES) + 1), OTHER)  # the last column is for characters
    for group in _ALIKE:
        own = [_PHONES.index(phone) for phone in group.split()]
        scores[np.ix_(own, own)] = ALIKE
    np.fill_diagonal(scores[:, :-1], SAME)
    return scores


_SCORES = _phone_scores()


@cache
def _sounds(token: str) -> tuple[int, ...]:
    """The sounds of a token: phones of a word in Latin letters, else a code for each character."""
    if any("a" <= letter <= "z" for letter in token):
        return tuple(_PHONES.index(phone) for phone in spell(token).split())
    return tuple(_FIRST_CHARACTER + ord(letter) for letter in token)


@dataclass(frozen=True, slots=True)
class _Units:
    """Sounds of some words; `word` says of which word each is, `begins` where each word begins."""

    codes: Places
    word: Places
    begins: Places

    @classmethod
    def of(cls, tokens: Sequence[str]) -> "_Units":
        sounds = [_sounds(token) for token in tokens]
        counts = np.array([len(one) for one in sounds], dtype=np.int64)
        codes = np.array([code for one in sounds for code in one], dtype=np.int64)
        begins = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(codes, np.repeat(np.arange(len(tokens)), counts), begins)


@dataclass(frozen=True, slots=True)
class Step:
    """A heard sound on the way.

    Args:
        text: sound of the text that it stands for; -1 for one that is beside the text, or in addition.
        heard: the heard sound.
        score: what it adds, with the sounds that were left out before it.
        is_jump: whether the reader came here from elsewhere.
    """

    text: int
    heard: int
    score: float
    is_jump: bool = False


@dataclass(frozen=True, slots=True)
class Way:
    """A way through a text.

    Args:
        text_word: of which word each sound of the text is.
        heard_word: of which word each heard sound is.
    """

    steps: tuple[Step, ...]
    text_word: Places
    heard_word: Places


def reading_path(text: Sequence[str], starts: Sequence[int], heard: Sequence[str], pairs: Sequence[Pair]) -> Way:
    """Return the likeliest way through a text by what was heard.

    Args:
        starts: words with which lines begin, and behind them the number of words.
        pairs: words that were heard as they stand, in order; the way is looked for around them.
    """
    own, other = _Units.of(text), _Units.of(heard)
    if not own.codes.size or not other.codes.size:
        return Way((), own.word, other.word)
    begins = np.unique(own.begins[np.asarray(starts[:-1], dtype=np.int64)])
    search = _Search(own, other, begins[begins < own.codes.size], _centres(own, other, pairs))
    return Way(tuple(search.steps()), own.word, other.word)


def _centres(own: _Units, other: _Units, pairs: Sequence[Pair]) -> Places:
    """Where in the text each heard sound is looked for: where the last pair of the same words says."""
    centres = np.zeros(other.codes.size, dtype=np.int64)
    places = np.array([other.begins[pair.heard] for pair in pairs], dtype=np.int64)
    targets = np.array([own.begins[pair.text] for pair in pairs], dtype=np.int64)
    if places.size:
        last = np.searchsorted(places, np.arange(other.codes.size), side="right") - 1
        following = np.minimum(last + 1, places.size - 1)
        gap = np.arange(other.codes.size) - places[np.maximum(last, 0)]
        behind = targets[np.maximum(last, 0)] + gap
        centres = np.where(last < 0, targets[0] - (places[0] - np.arange(other.codes.size)), behind)
        # half-way to the next pair, what was heard is looked for about that one
        nearer = (last >= 0) & (places[following] - np.arange(other.codes.size) < gap)
        centres = np.where(nearer, targets[following] - (places[following] - np.arange(other.codes.size)), centres)
    return np.clip(centres, 0, own.codes.size)


class _Search:
    """The likeliest way, block by block, so that memory does not grow with the text.

    A row holds the best score of all ways on which so many sounds were heard, by how many sounds of the text lie behind
    the reader: `before` and `after` jumps; and `beside`, of ways that are beside the text.
    """

    def __init__(self, own: _Units, other: _Units, starts: Places, centres: Places) -> None:
        self.own, self.other, self.starts = own, other, starts
        self.width = min(2 * REACH, own.codes.size) + 1
        lows = np.clip(centres - REACH, 0, own.codes.size + 1 - self.width)
        self.lows = np.concatenate([lows[:1], lows])  # first place of each row
        self.drops = LEFT_OUT * np.arange(own.codes.size + 1)
        self.heard_begins = frozenset(other.begins.tolist())
        self.before: list[Scores] = []
        self.after: list[Scores] = []
        self.beside: list[float] = []

    def steps(self) -> Iterator[Step]:
        """Yield the steps in order."""
        row = np.full(self.width, -np.inf)
        row[0] = 0.0
        row[self._inside(self.starts, 0)] = 0.0
        self._append(self._left_out(row, 0), BESIDE, 0)
        base = 0  # row of the text at which the block begins
        for at in range(1, self.other.codes.size + 1):
            self._advance(at)
            if at - base == BLOCK + LAG:
                yield from (step for step in self._traced(base) if step.heard < base + BLOCK)
                for rows in (self.before, self.after, self.beside):
                    del rows[:BLOCK]
                base += BLOCK
        yield from self._traced(base)

    def _append(self, row: Scores, beside: float, at: int) -> None:
        self.before.append(row)
        self.after.append(self._jumped(row, beside, at) if at in self.heard_begins else row)
        self.beside.append(beside)

    def _inside(self, places: Places, at: int) -> Places:
        """Those of some places that lie in the band of a row, as places of the band."""
        low = self.lows[at]
        first, last = np.searchsorted(places, [low, low + self.width])
        inside: Places = places[first:last] - low
        return inside

    def _left_out(self, row: Scores, at: int) -> Scores:
        """The row with sounds of the text left out."""
        drops = self.drops[self.lows[at] : self.lows[at] + self.width]
        reached: Scores = np.maximum.accumulate(row - drops) + drops
        return reached

    def _last(self, at: int, base: int = 0) -> Scores:
        """The row before, as places of the band of this one."""
        row, moved = self.after[at - 1 - base], int(self.lows[at] - self.lows[at - 1])
        if not moved:
            return row
        shifted = np.full_like(row, -np.inf)
        if 0 < moved < self.width:
            shifted[:-moved] = row[moved:]
        elif 0 < -moved < self.width:
            shifted[-moved:] = row[:moved]
        return shifted

    def _matched(self, at: int) -> Scores:
        """Score of each sound of the band for the sound that was heard last."""
        low, code = self.lows[at], self.other.codes[at - 1]
        codes = self.own.codes[low : low + self.width - 1]
        if code >= _FIRST_CHARACTER:
            return np.where(codes == code, SAME * CHARACTER, OTHER)
        scores: Scores = _SCORES[code, np.minimum(codes, _FIRST_CHARACTER)]
        return scores

    def _advance(self, at: int) -> None:
        """Add the row in which one more sound was heard."""
        last = self._last(at, at - len(self.after))
        row = last + LEFT_OUT
        row[1:] = np.maximum(row[1:], last[:-1] + self._matched(at))
        beside = max(self.beside[-1], float(self.after[-1].max()) + BESIDE)
        self._append(self._left_out(row, at), beside, at)

    def _jumped(self, row: Scores, beside: float, at: int) -> Scores:
        """The row with those who go elsewhere, or come back from beside the text."""
        best, jumped = float(row.max()), row.copy()
        words, lines = self._inside(self.own.begins[:-1], at), self._inside(self.starts, at)
        jumped[words] = np.maximum(jumped[words], max(best + AMID, beside + BACK_AMID))
        jumped[lines] = np.maximum(jumped[lines], max(best + ELSEWHERE, beside + BACK))
        if lines.size:
            jumped[lines] = np.maximum(jumped[lines], np.maximum.reduceat(row, lines) + AGAIN)
        return self._left_out(jumped, at)

    def _traced(self, base: int) -> list[Step]:
        """The steps of the rows at hand, from the best end back."""
        at = base + len(self.after) - 1
        steps: list[Step] = []
        place = int(np.argmax(self.after[-1]))
        is_beside = self.beside[-1] > self.after[-1][place]
        while at > base:
            row, jumped = self.before[at - base], self.after[at - base]
            lost, is_jump = 0.0, False
            if not is_beside:
                place, lost = self._undropped(jumped, row, place, at)
                if jumped[place] > row[place]:
                    is_jump = True
                    is_beside, place = self._origin(row, self.beside[at - base], place, at)
            if steps and (lost or is_jump):
                steps[-1] = replace(steps[-1], score=steps[-1].score + lost, is_jump=is_jump)
            if is_beside:
                steps.append(Step(-1, at - 1, 0.0))
                place = int(np.argmax(self.after[at - 1 - base]))
                is_beside = self.beside[at - 1 - base] >= self.after[at - 1 - base][place] + BESIDE
            else:
                last, matched = self._last(at, base), self._matched(at)
                place, lost = self._unlost(last, matched, row, place, at)
                if steps and lost:
                    steps[-1] = replace(steps[-1], score=steps[-1].score + lost)
                stay = float(last[place]) + LEFT_OUT
                match = float(last[place - 1] + matched[place - 1]) if place else -np.inf
                if match >= stay:
                    place -= 1
                    steps.append(Step(int(self.lows[at]) + place, at - 1, float(matched[place])))
                else:
                    steps.append(Step(-1, at - 1, LEFT_OUT))
                place += int(self.lows[at] - self.lows[at - 1])
            at -= 1
        return steps[::-1]

    def _drop(self, at: int, place: int) -> float:
        """Score of leaving out the sound before a place of the band."""
        reached = int(self.lows[at]) + place
        return float(self.drops[reached] - self.drops[reached - 1])

    def _undropped(self, jumped: Scores, row: Scores, place: int, at: int) -> tuple[int, float]:
        """Where a way went after a jump before it left sounds out, and their score."""
        lost = 0.0
        while place and jumped[place] > row[place] + _ROUNDING:
            drop = self._drop(at, place)
            if jumped[place - 1] + drop < jumped[place] - _ROUNDING:
                break
            lost, place = lost + drop, place - 1
        return place, lost

    def _unlost(self, last: Scores, matched: Scores, row: Scores, place: int, at: int) -> tuple[int, float]:
        """Where a way was when the last sound was heard, before it left sounds out, and their score."""
        lost = 0.0
        while place:
            reached = max(float(last[place]) + LEFT_OUT, float(last[place - 1] + matched[place - 1]))
            if reached >= row[place] - _ROUNDING:
                break
            lost, place = lost + self._drop(at, place), place - 1
        return place, lost

    def _origin(self, row: Scores, beside: float, place: int, at: int) -> tuple[bool, int]:
        """Whether a jump to a place came from beside the text, and else from which place of the band."""
        lines = self._inside(self.starts, at)
        number = int(np.searchsorted(lines, place))
        best = int(np.argmax(row))
        if number == lines.size or lines[number] != place:
            return beside + BACK_AMID >= row[best] + AMID, best
        end = int(lines[number + 1]) if number + 1 < lines.size else self.width
        own = place + int(np.argmax(row[place:end]))
        again, elsewhere, back = row[own] + AGAIN, row[best] + ELSEWHERE, beside + BACK
        return bool(back > max(again, elsewhere)), own if again >= elsewhere else best
