"""Regions of a conversation for the attention bias, and the tokens that mark them; without torch."""

from dataclasses import dataclass
from enum import IntEnum


class Region(IntEnum):
    """Region of a key: the column of its gate."""

    INSTRUCTION = 0
    """Everything before the first audio token."""
    AUDIO = 1
    REST = 2
    """Suppressed keys: all that follow (the release), or the reasoning (the paper)."""
    BASE = 3
    """Keys with a factor of 1."""


@dataclass(frozen=True, slots=True)
class Markers:
    """Token ids that mark regions and active spans.

    Args:
        audio: ids of the audio region.
        spans: pairs of an opening and a closing id. The positions behind an opening one are active, up to and including
            the closing one; a span that is never closed runs to the end. Spans of different pairs may overlap.
        reasoning: pair around the reasoning, which belongs to it, where only the reasoning is suppressed (the paper).
            ``None``: everything that is neither instruction nor audio is suppressed (the release).
    """

    audio: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    reasoning: tuple[int, int] | None = None

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All pairs: the active spans, and the reasoning."""
        return self.spans if self.reasoning is None else (*self.spans, self.reasoning)


def release_markers(*, audio: int, score: tuple[int, int], focus: tuple[int, int]) -> Markers:
    """Return the form of the public release: audio tokens alone are the audio; score and focus are active.

    Args:
        audio: id of the token that stands for a frame of sound.
        score, focus: ids of the tokens around the score and around what was heard.
    """
    return Markers(audio=(audio,), spans=(score, focus))


def paper_markers(
    *, audio: int, audio_ends: tuple[int, int], reasoning: tuple[int, int], focus: tuple[int, int]
) -> Markers:
    """Return the form of the paper: the tokens around the audio belong to it; reasoning and focus are active.

    Args:
        audio: id of the token that stands for a frame of sound.
        audio_ends: ids of the tokens around the sound.
        reasoning, focus: ids of the tokens around the reasoning and around what was heard.
    """
    return Markers(audio=(audio_ends[0], audio, audio_ends[1]), spans=(reasoning, focus), reasoning=reasoning)
