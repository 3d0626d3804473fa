"""Doubts about the take of a line: what makes it unsure that it counts, so that the line is not judged by it."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from aptone.messages import message
from aptone.rooms.aptness.books.reading_path import Way, reading_path
from aptone.rooms.aptness.books.takes import Take

LEAST_AGAIN = 0.5
"""Share of a line's sounds that a later take must have heard as they stand for it to be one."""

LEAST_UNKNOWN, LARGEST_UNKNOWN = 0.6, 1.8
"""Sounds that nothing explains behind a take, beside those of its line, between which they may be another take."""

SURE_SHARE, SURE_SOUNDS = 0.8, 20
"""Share of a line's sounds that were heard as they stand, and number of its sounds, from which on its take was
understood so well that another one would have been, too, at least in part: what nothing explains behind it is something
else. Of ten such doubts on narrations of part `dev`, the two that were right were of eight and nine sounds, heard to a
half and to two thirds."""

NEAR, LEAST_APART = 3, 2.0
"""Lines on either side that may be meant in place of one; nats by which what was heard must speak against them."""


def doubts_of(
    way: Way,
    takes: Sequence[Take],
    chosen: Mapping[int, Take],
    text: Sequence[str],
    starts: Sequence[int],
    heard: Sequence[str],
) -> tuple[str, ...]:
    """Return of each line why it is not sure that its take counts; empty where it is, or where it has none.

    Args:
        takes: all takes, in order of the recording.
        chosen: the take of each line that counts, in order of the text.
    """
    sounds = np.diff(np.searchsorted(way.text_word, starts)).tolist()
    unknown = _unknown(way, takes)
    doubts = [""] * len(sounds)
    for line, take in chosen.items():
        doubts[line] = _quoted(take, chosen) or _like_another(take, chosen, way, text, starts, heard)
    for take, behind in pairwise(chosen.values()):
        doubts[take.line] = doubts[take.line] or _unknown_behind(take, behind, unknown, sounds[take.line])
    for take in takes:
        own = chosen.get(take.line)
        if own is not None and take.begin > own.end and take.is_joined and take.same >= LEAST_AGAIN * sounds[take.line]:
            doubts[take.line] = message("aptness.line-said-again")
    return tuple(doubts)


def _quoted(take: Take, chosen: Mapping[int, Take]) -> str:
    """A take that is joined to nothing, though all lines beside it were heard from end to end, is a quotation."""
    beside = [chosen.get(take.line - 1), chosen.get(take.line + 1)]
    is_quoted = not take.is_joined and all(one is not None and one.is_whole for one in beside)
    return message("aptness.line-only-quoted") if is_quoted else ""


def _like_another(
    take: Take,
    chosen: Mapping[int, Take],
    way: Way,
    text: Sequence[str],
    starts: Sequence[int],
    heard: Sequence[str],
) -> str:
    """What was heard may be a line nearby that is like this one, if only one of the two was read."""
    first, last = int(way.heard_word[take.begin]), int(way.heard_word[take.end])
    words = starts[take.line + 1] - starts[take.line]
    for other in range(max(0, take.line - NEAR), min(len(starts) - 1, take.line + NEAR + 1)):
        own = text[starts[other] : starts[other + 1]]
        if other in chosen or not words / 2 <= len(own) <= words * 2:
            continue
        steps = reading_path(own, [0, len(own)], heard[first : last + 1], []).steps
        if sum(step.score for step in steps) > take.score - LEAST_APART:
            return message("aptness.line-like-another", other=other + 1)
    return ""


def _unknown_behind(take: Take, behind: Take, unknown: Sequence[int], sounds: int) -> str:
    """Speech behind a take that is no other take may be one of it that was not understood, if it is about as long.

    A long line that was understood is sure: its other take would have been recognised.

    Args:
        unknown: up to each heard sound, how many belong to no take.
    """
    if sounds >= SURE_SOUNDS and take.same >= SURE_SHARE * sounds:
        return ""
    missing = max(0, behind.steps[0].text - take.steps[-1].text - 1)  # sounds of the text that it may stand for
    count = unknown[behind.reach[0]] - unknown[take.reach[1] + 1] - missing
    is_like = LEAST_UNKNOWN * sounds <= count <= LARGEST_UNKNOWN * sounds and behind.line == take.line + 1
    return message("aptness.speech-beside-line") if is_like else ""


def _unknown(way: Way, takes: Sequence[Take]) -> list[int]:
    """Up to each heard sound, how many are beside the text or belong to no take."""
    alone = np.zeros(len(way.heard_word) + 1, dtype=np.int64)
    for step in way.steps:
        alone[step.heard + 1] = step.text >= 0 or step.score == 0.0
    for take in takes:
        alone[take.reach[0] + 1 : take.reach[1] + 2] = 0
    return list(np.cumsum(alone).tolist())
