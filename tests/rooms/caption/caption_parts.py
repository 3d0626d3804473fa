"""Sound and parts to judge captions with, that need no ear and no model."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from aptone.ear.claims.verification import Verdict
from aptone.models import About, Reply
from aptone.models.chat import AnyMessage, parts_of
from aptone.rooms.caption.data import CaptionSample, Unit
from aptone.rooms.caption.verify import VerifiedUnit
from aptone.run import Call
from aptone.types import Audio, Json, Language

TONE = Audio((0.1 * np.sin(np.arange(8_000) / 10.0)).astype(np.float32), rate=16_000)


def unit(attribute: str = "pitch", value: str = "low", *, denied: bool = False) -> Unit:
    return Unit(f"The {attribute} is {value}.", attribute, value, "words", 0, 5, is_denied=denied)  # type: ignore[arg-type]


class ListedVerifier:
    """Verifies the units whose words are on a list; of the others it is not sure, or says no to those on another."""

    about = About()
    signature = "listed"

    def __init__(self, true: Sequence[str], false: Sequence[str] = ()) -> None:
        self._true = true
        self._false = false

    async def verify(
        self, units: Sequence[Unit], audio: Audio, sample: CaptionSample, call: Call, *, language: Language
    ) -> list[VerifiedUnit]:
        def verdict(unit: Unit) -> Verdict:
            if unit.evidence in self._true:
                return Verdict.TRUE
            return Verdict.FALSE if unit.evidence in self._false else Verdict.UNDECIDED

        return [VerifiedUnit(verdict(unit), "by the list") for unit in units]


class AnsweringChat:
    """A chat model whose replies are a function of the user's turn: an echo, for instance."""

    about = About()
    signature = "answering"

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.asked: list[str] = []
        self._answer = answer

    async def complete(
        self,
        messages: Sequence[AnyMessage],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        text = " ".join(part for part in parts_of(messages[-1]) if isinstance(part, str))
        self.asked.append(text)
        return Reply(self._answer(text))
