"""Times of words from the pauses alone, for any language: people pause between lines, and letters take time.

A transcriber that times phrases, or nothing, leaves open when a word is said. Each stretch of speech between two pauses
holds some whole words in a row; which ones is found exactly, by dynamic programming: a stretch should be as long as its
letters take at the pace of the piece, and pauses should fall where lines begin.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np
import numpy.typing as npt

from aptone.rooms.aptness.books.line_times import HeardWord, TextAlignment, Timed
from aptone.rooms.aptness.books.transcription import Piece, Pieces
from aptone.types import Segment

SPREAD = 0.4
"""Standard deviation of the length of a stretch beside what its letters take, in seconds, for one of a second."""

AT_A_LINE, WITHIN_A_LINE = 1.5, 0.5
"""Cost, in nats, of a line that begins without a pause; of a pause within a line."""

DRIFT: Mapping[Timed, float] = {"word": 0.1, "phrase": 0.3, "nothing": 3.0}
"""Standard deviation, in seconds, of when a word is said, by what the transcriber timed. These five numbers were chosen
on read English of Mandarin speakers (SpeechOcean762, not its test part) strung together, and one character of uqm."""

Costs = npt.NDArray[np.float64]


def retime(alignment: TextAlignment, pieces: Pieces) -> TextAlignment:
    """Return the alignment with heard words moved onto the speech; those that were timed one by one stay."""
    starts = [(piece.recording, piece.start) for piece in pieces.pieces]
    begins = _heard_begins(alignment)
    heard: list[HeardWord] = []
    place = 0
    for number, run in groupby(
        alignment.heard, key=lambda word: max(0, bisect_right(starts, (word.recording, word.time.start + 1e-6)) - 1)
    ):
        words = list(run)
        is_begin = [place + step in begins for step in range(len(words))]
        place += len(words)
        timed = sum(word.timed == "word" for word in words)
        if number < len(pieces.pieces) and 2 * timed < len(words):
            heard += _on_speech(words, is_begin, pieces.pieces[number])
        else:
            heard += words
    return replace(alignment, heard=tuple(heard))


def _heard_begins(alignment: TextAlignment) -> set[int]:
    """The heard words with which lines begin."""
    partner = {pair.text: pair.heard for pair in alignment.pairs}
    return {partner[start] for start in alignment.starts if start in partner}


def _on_speech(words: Sequence[HeardWord], begins: Sequence[bool], piece: Piece) -> list[HeardWord]:
    """The words of a piece in the stretches of its speech."""
    stretches = [part for part in piece.speech if part.seconds > 0]
    if not stretches:
        return list(words)
    lengths = np.array([0, *(len(word.token) + 1 for word in words)], dtype=float).cumsum()
    cuts = share_out(lengths, [part.seconds for part in stretches], begins, _drift(words, stretches))
    placed: list[HeardWord] = []
    for part, low, high in zip(stretches, [0, *cuts], [*cuts, len(words)], strict=True):
        scale = part.seconds / (lengths[high] - lengths[low]) if high > low else 0.0
        for number in range(low, high):
            start, end = (part.start + scale * float(lengths[at] - lengths[low]) for at in (number, number + 1))
            placed.append(replace(words[number], time=Segment(start, max(start, end))))
    return placed


def _drift(words: Sequence[HeardWord], stretches: Sequence[Segment]) -> Costs:
    """[pauses, words + 1]: cost of each word behind each pause, by when the transcriber's phrases say it."""
    moments = np.array([*(word.time.start for word in words), words[-1].time.end])
    starts = np.array([part.start for part in stretches[1:]])
    drift = np.array([*(DRIFT[word.timed] for word in words), DRIFT[words[-1].timed]])
    costs: Costs = (moments[np.newaxis, :] - starts[:, np.newaxis]) ** 2 / (2 * drift**2)
    return costs


def share_out(
    lengths: npt.NDArray[np.float64],
    seconds: Sequence[float],
    begins: Sequence[bool],
    drift: Costs | None = None,
) -> list[int]:
    """Share some words out to stretches of speech; return for each pause the word that comes behind it.

    The cost of a stretch of D seconds whose letters take E at the usual pace is (D - E)² / (2 · SPREAD² · max(D, E)).
    A stretch may hold no word, since somebody may laugh there, at the cost that follows from E = 0.

    Args:
        lengths: letters before each word, and behind them all letters.
        begins: which words begin a line.
        drift: [pauses, words + 1], further cost of each word behind each pause.

    >>> share_out(np.arange(5.0), [1.0, 3.0], [True, False, False, False])
    [1]
    """
    words, total = len(lengths) - 1, float(sum(seconds))
    takes = lengths * (total / lengths[-1])
    expected = takes[np.newaxis, :] - takes[:, np.newaxis]  # [from, to]
    behind = np.where([*begins, False], -AT_A_LINE, WITHIN_A_LINE)
    best: Costs = np.where(np.arange(words + 1) == 0, 0.0, np.inf)
    ways: list[npt.NDArray[np.intp]] = []
    for number, duration in enumerate(seconds):
        spread = 2 * SPREAD**2 * np.maximum(np.maximum(duration, expected), 0.1)
        cost = np.where(expected >= -1e-9, (duration - expected) ** 2 / spread, np.inf)
        reached = best[:, np.newaxis] + cost
        ways.append(reached.argmin(axis=0))
        best = reached.min(axis=0)
        if number < len(seconds) - 1:
            best = best + behind + (drift[number] if drift is not None else 0.0)
    cuts = []
    at = words
    for way in reversed(ways[1:]):
        at = int(way[at])
        cuts.append(at)
    return cuts[::-1]
