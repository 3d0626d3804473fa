"""One line of a story."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a story: what a role says, or narration when the role is empty."""

    text: str
    role: str = ""
