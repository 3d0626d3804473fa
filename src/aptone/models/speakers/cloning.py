"""Speech in a voice that is given by a recording: zero-shot cloning."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from aptone.audio import read_ref
from aptone.models.about import About
from aptone.types import Audio, AudioRef, Language

LONGEST_REFERENCE = 30.0
"""Seconds of a reference clip; engines of this kind take no more."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A clip of a voice that is to be cloned.

    Args:
        audio: the clip.
        text: what is said in it.

    Raises:
        ValueError: if the text is empty: such engines need it.
    """

    audio: AudioRef
    text: str

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise ValueError(f"{self.audio.path}: a reference clip needs the words that are said in it.")

    def read(self) -> Audio:
        """The clip.

        Raises:
            AudioError: if it cannot be read, or is too long.
        """
        return read_ref(self.audio, rate=None, channel="mix", max_seconds=LONGEST_REFERENCE)


@runtime_checkable
class CloningSpeaker(Protocol):
    """Says a text in the voice of a reference clip. It makes one call, as `aptone.models.speaker.Speaker`."""

    @property
    def cloning_about(self) -> About:
        """What a user must know before it runs: above all, where reference clips go."""
        ...

    @property
    def signature(self) -> str:
        """Everything that the sound depends on besides the arguments of `clone`; never a key."""
        ...

    async def clone(self, text: str, *, reference: Reference, language: Language, speed: float = 1.0) -> Audio:
        """A text as sound, at the speaker's own rate.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
            AudioError: if the reference clip cannot be read.
        """
        ...
