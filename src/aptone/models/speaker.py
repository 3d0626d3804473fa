"""Words to sound: text-to-speech systems."""

from typing import Protocol

from aptone.models.about import About
from aptone.types import Audio, Language


class Speaker(Protocol):
    """Says a text. It makes one call and does not try again, as `aptone.models.chat.Chat`."""

    @property
    def about(self) -> About:
        """What a user must know before it runs."""
        ...

    @property
    def signature(self) -> str:
        """Everything that the sound depends on besides the arguments of `speak`; never a key."""
        ...

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        """A text as sound, at the speaker's own rate.

        Args:
            text: what to say.
            language: of the text.
            voice: whose; empty for the speaker's usual one.
            speed: how many times faster than usual.
            instruction: how to say it, in words, for speakers that take such.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will, for instance because it cannot do what is asked: nothing is left out silently.
        """
        ...
