"""Stage 2: three filters, by a chat model or by built-in rules.

Neutrality: the words alone must not give away in which way they are asked, or a system that reads a transcript could
answer well. (The document says "plausibly voiced in one of the contrastive styles and not the other", which would keep
the opposite; it can be had with ``literal``.) Reasonability: content and way go together. Relevance: the two ways call
for different answers. A reply that cannot be read never lets a sentence through.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from aptone.errors import UnusableReplyError
from aptone.models import About, guard
from aptone.models.asking.chat import ask_chat, ask_each
from aptone.models.asking.json_objects import one_object
from aptone.models.asking.model_part import WritingPart
from aptone.models.asking.writers import Writing, placed_writing, served_writing, writer_by_kind
from aptone.models.chat import Chat, Message
from aptone.models.local.chat import LocalChat
from aptone.models.openai.chat import OpenAiChat
from aptone.rooms.answer.build.candidates import FOLDER, TOPIC_NAMES
from aptone.rooms.answer.build.filter_rules import NEUTRALITY, REASONABILITY, RELEVANCE, RuleFilter
from aptone.rooms.answer.build.records import Candidate, FilterVerdict
from aptone.rooms.answer.judge.terms import described
from aptone.run import Ask, Call
from aptone.types import Item, Json, Outcome, Score, State, from_json, to_json

FILTERS = ("rules", "api", "local")
TEMPERATURE = 0.0
MAX_TOKENS = 1024
LONGEST_REASON = 300
_RULE = re.compile("={2,}")
"""What could pass for the line that a prompt ends a sentence with."""


class SentenceFilter(Protocol):
    """Says which sentences go on."""

    @property
    def signature(self) -> str:
        """Everything that a verdict depends on besides the candidate."""
        ...

    @property
    def about(self) -> About:
        """What it needs."""
        ...

    async def check(self, candidate: Candidate, call: Call, /) -> tuple[FilterVerdict, ...]:
        """What the filters say, in order.

        Raises:
            TransientError: if another try may succeed.
        """
        ...


@dataclass(frozen=True, slots=True)
class FilterStep:
    """Candidate → verdicts; a step of a run. One that is rejected is unscored, with all reasons."""

    filter: SentenceFilter

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The outcome of one item whose payload is a `Candidate`."""
        verdicts = await self.filter.check(from_json(Candidate, item.payload), call)
        evidence: dict[str, Json] = {"verdicts": [to_json(one) for one in verdicts]}
        if refused := [one for one in verdicts if not one.passed]:
            reason = "; ".join(f"{one.name}: {one.reason}" for one in refused)
            return Outcome.unscored(reason, evidence=evidence, signature=self.filter.signature)
        passed = Score(float(len(verdicts)), range=(0.0, float(len(verdicts))), signature=self.filter.signature)
        return Outcome(State.DONE, {"passed": passed}, evidence=evidence, signature=self.filter.signature)


class ChatFilter(WritingPart[Chat]):
    """A chat model, asked one question for each filter.

    Args:
        writing: the model, and how it writes.
        literal: see `aptone.rooms.answer.build.filter_rules.RuleFilter`.
    """

    def __init__(self, writing: Writing[Chat], *, literal: bool = False) -> None:
        places = {
            NEUTRALITY: ("sentence", "first", "second"),
            REASONABILITY: ("sentence", "first", "second", "topic"),
            RELEVANCE: ("sentence", "first", "second"),
        }
        super().__init__("filters:chat", writing, places, ours=FOLDER / "prompts", options={"literal": literal})
        self._literal = literal

    async def check(self, candidate: Candidate, call: Call, /) -> tuple[FilterVerdict, ...]:
        """See `SentenceFilter.check`."""
        names = (NEUTRALITY, REASONABILITY, RELEVANCE)
        answers = await ask_each([self._ask(name, candidate) for name in names], call)
        return tuple(
            FilterVerdict(name, False, f"no reply could be read: {answer}")
            if isinstance(answer, UnusableReplyError)
            else answer
            for name, answer in zip(names, answers, strict=True)
        )

    def _ask(self, name: str, candidate: Candidate) -> Ask[FilterVerdict]:
        language = candidate.language
        first, second = (described(candidate.dimension, way, language=language) for way in candidate.categories)
        material = {
            "sentence": _RULE.sub("=", guard(candidate.content)),
            "first": first,
            "second": second,
            "topic": TOPIC_NAMES[language][candidate.topic],
        }
        return ask_chat(
            self._model,
            [Message("user", self._prompts.fill(name, language, material))],
            sampling=self._sampling,
            read=lambda reply: read_verdict(reply, name, literal=self._literal),
            json_schema=verdict_schema(name),
        )


def verdict_schema(name: str) -> dict[str, Json]:
    """The JSON schema of a reply to a filter's question."""
    asked = _ASKED[name]
    properties: dict[str, Json] = {**{field: {"type": "boolean"} for field in asked}, "reason": {"type": "string"}}
    return {
        "type": "object",
        "properties": properties,
        "required": [*asked, "reason"],
        "additionalProperties": False,
    }


def read_verdict(reply: str, name: str, *, literal: bool) -> FilterVerdict:
    """What a reply says.

    >>> read_verdict('{"first_plausible": true, "second_plausible": false, "reason": "x"}', "neutrality", literal=True)
    FilterVerdict(name='neutrality', passed=True, reason='x')

    Raises:
        UnusableReplyError: if it does not say so.
    """
    asked = _ASKED[name]
    said = one_object(
        reply, holds=lambda one: all(isinstance(one.get(field), bool) for field in asked), what="a verdict"
    )
    values = [bool(said[field]) for field in asked]
    passed = sum(values) == 1 if literal and name == NEUTRALITY else all(values)
    remark = guard(str(said.get("reason", "")))[:LONGEST_REASON]
    if not passed and not remark:
        remark = ", ".join(f"{field}: {str(value).lower()}" for field, value in zip(asked, values, strict=True))
    return FilterVerdict(name, passed, remark)


_ASKED: Mapping[str, tuple[str, ...]] = {
    NEUTRALITY: ("first_plausible", "second_plausible"),
    REASONABILITY: ("passes",),
    RELEVANCE: ("passes",),
}


def make_filter(kind: str, settings: Mapping[str, Json], *, literal: bool = False) -> SentenceFilter:
    """What filters, by its kind.

    Args:
        kind: one of `FILTERS`.
        settings: options as ``filter.<option>``: those of `aptone.models.asking.writers`.
        literal: whether neutrality is meant literally.

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such kind or option, or an option is not one.
    """
    return writer_by_kind(
        kind,
        settings,
        built_in={"rules": lambda: RuleFilter(literal=literal)},
        by_chat=lambda writing: ChatFilter(writing, literal=literal),
        what="filters",
        part="filter",
        chats={
            "api": served_writing(OpenAiChat, part="filter", temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
            "local": placed_writing(LocalChat, temperature=TEMPERATURE, max_tokens=MAX_TOKENS),
        },
    )
