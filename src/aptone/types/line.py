"""One line of a story."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a story: speech or narration.

    Args:
        text: its words.
        role: speaker; empty for narration, and where the speaker is not known.
        speech: whether somebody says it although the speaker is not known. A line with a role is speech anyway.
        continues: whether it goes on in the paragraph of the line before it, as a tag behind its quotation does.
        direction: stage direction in brackets in a script, for instance "whispering".
    """

    text: str
    role: str = ""
    speech: bool = False
    continues: bool = False
    direction: str = ""

    @property
    def is_speech(self) -> bool:
        """Check that the line is speech, by a known speaker or not."""
        return self.speech or bool(self.role)
