"""What the attention bias of a judge tells apart: regions of a conversation, and the tokens by which they are found.

See `aptone.models.omni.attention` for what is done with them; nothing here needs torch.
"""

from dataclasses import dataclass
from enum import IntEnum


class Region(IntEnum):
    """What a key belongs to: the column of its gate."""

    INSTRUCTION = 0
    """Everything before the first audio token."""
    AUDIO = 1
    REST = 2
    """What is suppressed: all that follows (the release), or the reasoning (the paper)."""
    BASE = 3
    """What keeps its factor of 1."""


@dataclass(frozen=True, slots=True)
class Markers:
    """Token ids by which regions and active spans are found.

    Args:
        audio: ids of the audio region.
        spans: pairs of an opening and a closing id. The positions behind an opening one are active, up to and including
            the closing one; a span that is never closed runs to the end. Spans of different pairs may overlap.
        reasoning: the pair around the reasoning, both of which belong to it, where only the reasoning is suppressed and
            everything else keeps its factor of 1 (the paper). ``None``: whatever is neither instruction nor audio is
            suppressed (the release).
    """

    audio: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    reasoning: tuple[int, int] | None = None

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All pairs that are followed: the active spans, and the reasoning."""
        return self.spans if self.reasoning is None else (*self.spans, self.reasoning)


def release_markers(*, audio: int, score: tuple[int, int], focus: tuple[int, int]) -> Markers:
    """The form of the public release: audio tokens alone are the audio; score and focus are active.

    Args:
        audio: id of the token that stands for a frame of sound.
        score, focus: ids of the tokens around the score and around what was heard.
    """
    return Markers(audio=(audio,), spans=(score, focus))


def paper_markers(
    *, audio: int, audio_ends: tuple[int, int], reasoning: tuple[int, int], focus: tuple[int, int]
) -> Markers:
    """The form of the paper: the tokens around the audio belong to it; reasoning and focus are active.

    Args:
        audio: id of the token that stands for a frame of sound.
        audio_ends: ids of the tokens around the sound.
        reasoning, focus: ids of the tokens around the reasoning and around what was heard.
    """
    return Markers(audio=(audio_ends[0], audio, audio_ends[1]), spans=(reasoning, focus), reasoning=reasoning)
