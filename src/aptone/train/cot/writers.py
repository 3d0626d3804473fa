"""Writers of reasonings: the built-in grammar, or a chat model that is asked until its reply passes the checks."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from aptone.errors import UnusableReplyError
from aptone.messages import message
from aptone.models import About
from aptone.models.asking.guard import guard
from aptone.models.asking.json_objects import behind_thoughts
from aptone.models.asking.prompts import WritingPart
from aptone.models.asking.writers import Writing, writer_by_kind
from aptone.models.chat import Chat, Message
from aptone.models.omni.checkpoint import REASONING
from aptone.run import Call
from aptone.train.cot.case import Case
from aptone.train.cot.check import Reasoning, check_reasoning
from aptone.train.cot.grammar import REVISION, write_reasoning
from aptone.types import Json, Language, signature

PROMPTS = Path(__file__).parent / "prompts"
PLACES: Mapping[str, tuple[str, ...]] = {
    "reason_task": (),
    "reason_material": (
        "line",
        *(f"planned_{name}" for name in ("emotion", "rhythm", "intonation", "condition")),
        *(f"heard_{name}" for name in ("emotion", "rhythm", "intonation", "condition", "sounds")),
        "score",
    ),
}
WRITERS = ("grammar", "api", "local")
NOT_SAID = {"en": "(not said)", "zh": "（未说明）"}


class Reasoner(Protocol):
    """Writer of the reasoning of a judge who gives the score that people gave."""

    @property
    def signature(self) -> str:
        """Everything that the text depends on besides the case and the seed."""
        ...

    @property
    def about(self) -> About:
        """Requirements and notes."""
        ...

    async def write(self, case: Case, *, language: Language, name: str, call: Call) -> Reasoning:
        """Return a reasoning.

        Args:
            name: name of the case; equal cases of different names are worded differently.

        Raises:
            UnusableReplyError: if none passes the checks; the reason names the failed one.
        """
        ...


def make_reasoner(kind: str, settings: Mapping[str, Json]) -> Reasoner:
    """Return a writer by kind.

    Args:
        settings: options as ``writer.<option>``.

    Raises:
        MissingExtraError: if its library is missing.
        UsageError: if there is no such kind or option, or a value is invalid.
    """
    return writer_by_kind(
        kind, settings, built_in={"grammar": GrammarReasoner}, by_chat=ChatReasoner, what="reasonings"
    )


class GrammarReasoner:
    """Reasonings from the built-in grammar."""

    @property
    def signature(self) -> str:
        """Name and revision of the grammar."""
        return signature("reasoning:grammar", {"revision": REVISION})

    @property
    def about(self) -> About:
        """A note; the grammar has no requirements."""
        return About(notes=(message("train.note-grammar"),))

    async def write(self, case: Case, *, language: Language, name: str, call: Call) -> Reasoning:
        """Return a reasoning; see `Reasoner.write`."""
        digest = hashlib.sha256(f"{call.seed} {language} {name}".encode("utf-8", "backslashreplace")).digest()
        return write_reasoning(case, language=language, seed=int.from_bytes(digest[:8]))


class ChatReasoner(WritingPart[Chat]):
    """Reasonings from a chat model.

    Raises:
        UsageError: if the settings cannot be used.
    """

    def __init__(self, writing: Writing[Chat]) -> None:
        super().__init__("reasoning:chat", writing, PLACES, ours=PROMPTS)

    async def write(self, case: Case, *, language: Language, name: str, call: Call) -> Reasoning:
        """Return a reasoning, asking again for a reply that fails the checks; see `Reasoner.write`."""
        return await self._answer(
            Message("system", self._prompts.fill("reason_task", language, {})),
            Message("user", self._prompts.fill("reason_material", language, case_material(case, language))),
            read=lambda reply: read_reasoning(reply, score=case.score, language=language),
            call=call,
        )


def case_material(case: Case, language: Language) -> dict[str, str]:
    """Return the placeholders of the prompt, with foreign text neutralised."""
    plan, heard = case.plan, case.heard
    said = {
        "line": case.line,
        "planned_emotion": plan.emotion,
        "planned_rhythm": plan.rhythm.label(language) if plan.rhythm else "",
        "planned_intonation": plan.intonation.label(language) if plan.intonation else "",
        "planned_condition": plan.recording_condition,
        "heard_emotion": heard.emotion,
        "heard_rhythm": heard.rhythm.label(language) if heard.rhythm else "",
        "heard_intonation": heard.intonation.label(language) if heard.intonation else "",
        "heard_condition": heard.recording_condition,
        "heard_sounds": "; ".join(filter(None, (heard.vocalisations, heard.sound_events))),
        "score": f"{case.score:.1f}",
    }
    return {name: guard(text) or NOT_SAID[language] for name, text in said.items()}


def read_reasoning(reply: str, *, score: float, language: Language) -> Reasoning:
    """Return the reasoning in a reply of a chat model.

    Tags of reasoning around it are removed. Thoughts that the model wrote before it are not part of it.

    Raises:
        UnusableReplyError: if it fails the checks.
    """
    opening, closing = REASONING
    text = reply.strip()
    if text.startswith(opening) and text.endswith(closing) and text.count(opening) == text.count(closing) == 1:
        text = text[len(opening) : -len(closing)]
    try:
        return check_reasoning(behind_thoughts(text), score=score, language=language)
    except UnusableReplyError as error:
        raise UnusableReplyError(error.reason, raw_reply=reply) from error
