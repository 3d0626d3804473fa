"""Judges of answers: four fields in, a fitness of 1 to 5 out."""

from typing import Protocol

from aptone.models import About
from aptone.rooms.answer.data import Fields, Fitness
from aptone.run import Call
from aptone.types import Language


class AnswerJudge(Protocol):
    """Judges answers, one at a time."""

    @property
    def signature(self) -> str:
        """Everything that a fitness depends on besides the four fields."""
        ...

    @property
    def about(self) -> About:
        """Requirements, and where texts are sent."""
        ...

    async def judge(self, fields: Fields, call: Call, /, *, language: Language) -> Fitness:
        """Score how well an answer fits the style of its question.

        Raises:
            UnusableReplyError: if a model did not answer with a score.
        """
        ...
