"""A dialogue as a record: turns of a user and an agent, each with a recording, a trajectory or a label."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from aptone.types import AudioRef, Language, Trajectory


class Role(StrEnum):
    """Role of a speaker."""

    USER = "user"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Turn:
    """Words of one speaker until the other one speaks.

    Args:
        channel: channel of the recording, from 0 on; ``None`` for the mean of all.
        trajectory: valence, arousal and dominance over time, where they are known beforehand.
        emotion: its label, where that is known beforehand.

    Raises:
        ValueError: if there is nothing to go by, or the channel is negative.
    """

    role: Role
    audio: AudioRef | None = None
    channel: int | None = None
    trajectory: Trajectory | None = None
    emotion: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        if self.audio is None and self.trajectory is None and not self.emotion:
            raise ValueError("a turn has a recording, a trajectory or the label of an emotion.")
        if self.channel is not None and self.channel < 0:
            raise ValueError(f"channels are counted from 0, got {self.channel}.")


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Turns in the order in which they were spoken.

    Args:
        id: unique within its source.
        turns: turns of both; of the user alone where a system is still to answer.
        human_score: people's score; NaN when nobody was asked.
        ratings: the ratings of the single raters behind `human_score`, rater to rating.
        ids: further identifiers: system, planned transition, source.

    Raises:
        ValueError: if the id is empty or the user says nothing.
    """

    id: str
    turns: tuple[Turn, ...]
    language: Language = "en"
    human_score: float = math.nan
    ratings: Mapping[str, float] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("the id of a dialogue is empty.")
        if not self.user_turns:
            raise ValueError(f"dialogue {self.id!r} has no turn of the user.")

    @property
    def user_turns(self) -> tuple[Turn, ...]:
        """The user's turns."""
        return tuple(turn for turn in self.turns if turn.role is Role.USER)

    @property
    def agent_turns(self) -> tuple[Turn, ...]:
        """The agent's turns."""
        return tuple(turn for turn in self.turns if turn.role is Role.AGENT)

    @property
    def exchanges(self) -> int:
        """Turns of the user that the agent has answered."""
        return min(len(self.user_turns), len(self.agent_turns))
