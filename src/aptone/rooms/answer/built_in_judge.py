"""The judge of answers that comes with Aptone: a table of what fits which way of asking, and text similarity."""

import asyncio
import math

import numpy as np

from aptone.models import About
from aptone.models.built_in_text_embedder import BuiltInTextEmbedder, load_static_vectors
from aptone.rooms.answer.records import HIGHEST, LOWEST, Fields, Fitness
from aptone.run import Call
from aptone.types import Language, signature

REVISION = 0


class BuiltInAnswerJudge:
    """Scores answers from 1 to 5 without a model or a network."""

    def __init__(self) -> None:
        self._embedder = BuiltInTextEmbedder()

    @property
    def about(self) -> About:
        """That of the text embedder."""
        return self._embedder.about

    @property
    def signature(self) -> str:
        """The rules, and the text embedder."""
        return signature("answer-judge:built-in", {"revision": REVISION, "text_embedder": self._embedder.signature})

    async def judge(self, fields: Fields, call: Call, /, *, language: Language) -> Fitness:
        """How well an answer fits; see `aptone.rooms.answer.judge.AnswerJudge`."""
        return await asyncio.to_thread(judge_fields, fields, language=language)


def judge_fields(fields: Fields, *, language: Language) -> Fitness:
    """The same, at once."""
    if not any(character.isalnum() for character in fields.output_content):
        return Fitness(math.nan, reason="the answer has no words that could be judged")
    question, answer = load_static_vectors().embed([fields.input_content, fields.output_content])
    content = LOWEST + (HIGHEST - LOWEST) * min(1.0, max(0.0, float(np.dot(question, answer)) + 0.3))
    return Fitness(content, parts={"content": content})
