"""Forced alignment: when each word of a known text is said in a recording.

A recording may depart from its text: a word is misread, left out, said twice, or something is added. What a transcriber
heard shows where, so an aligner is given both (`ExpectedWords`) and chooses by what it hears.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from aptone.models.parts import Part
from aptone.types import Audio, Language, Segment


@dataclass(frozen=True, slots=True)
class ExpectedWords:
    """Words of a text that come next, and what a transcriber heard in their place.

    Words that are the same in both are said. One word for another is either of them. All else may be left out, word by
    word, and what was heard may come before the text or behind it.
    """

    text: tuple[str, ...] = ()
    heard: tuple[str, ...] = ()

    @property
    def is_certain(self) -> bool:
        """Return true where the transcriber heard what the text says."""
        return self.text == self.heard


@dataclass(frozen=True, slots=True)
class AlignedWord:
    """A word of the text in the sound.

    Args:
        score: log likelihood of its sounds less that of the likeliest sounds at each moment, in nats, averaged over its
            time; 0 at best. Words of one recording can be compared by it.
    """

    time: Segment
    score: float = 0.0


class WordAligner(Part, Protocol):
    """Forced aligner. Equal recordings and words give equal times, whatever was aligned before."""

    @property
    def languages(self) -> tuple[Language, ...]:
        """Languages that it knows."""

    def align_words(self, audio: Audio, words: Sequence[ExpectedWords]) -> tuple[AlignedWord | None, ...]:
        """Return each word of the text in the sound, in order; ``None`` for a word that is not said.

        Where the words do not fit the recording at all, every one is ``None``.
        """
