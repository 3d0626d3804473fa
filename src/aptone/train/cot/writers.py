"""Writers of reasonings: the built-in grammar, or a chat model that is asked until its reply passes the checks.

In the grammar a sentence compares plan and annotation for each aspect, a second one states their agreement, and the
figure follows in the form that judges are asked for. Figures come from `aspect_scores`: their weighted mean is the
score by people, and aspects that agree with the plan are above those that do not; known scores of aspects are used as
they are. The choice of the verdict depends on the printed figure, so that words and figures cannot contradict each
other. The sentences are in ``sentences/``, a file for each language; a seed varies them.
"""

import functools
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from aptone.ear.describe.attributes import Chooser
from aptone.errors import UnusableReplyError
from aptone.judge.chat.verdict import ASPECTS, RANGE
from aptone.judge.parameters import load_parameters
from aptone.judge.rationale import grade
from aptone.messages import message
from aptone.models import About
from aptone.models.asking.guard import guard
from aptone.models.asking.json_objects import behind_thoughts
from aptone.models.asking.prompts import WritingPart
from aptone.models.asking.writers import Writing, writer_by_kind
from aptone.models.chat import Chat, Message
from aptone.models.omni.checkpoint import FOCUS, REASONING
from aptone.run import Call
from aptone.train.cot.case import Aspect, Case, Relation, case_aspects
from aptone.train.cot.check import Reasoning, aspect_figure, check_reasoning
from aptone.types import Json, Language, signature

REVISION = 1
LIFTED: Mapping[Relation, float] = {Relation.SAME: 0.8, Relation.NEAR: 0.3, Relation.OPEN: 0.0, Relation.OTHER: -0.7}
"""Offset of an aspect from the overall score, before all of them are shifted to match it again."""
SPREAD = 0.3
"""Largest random offset."""
_STEPS = 60
"""Bisections of the interval of the common shift: more than a float has bits."""

Choices = Sequence[str]
Graded = Mapping[str, Choices]
"""Sentences to choose from, for each grade of a score; see `aptone.judge.rationale.GRADES`."""


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences of one language. Square brackets enclose something heard.

    Args:
        openings: first sentences of a reasoning; an empty one for none.
        contrasts: sentences of each aspect, by what is known of it: ``both`` plan and annotation, only what was
            ``planned``, only what was ``heard``, or ``neither``; for sounds also ``missed`` (planned, nothing heard)
            and ``silent`` (nothing planned, nothing heard). Placeholders: ``{planned}`` and ``{heard}``.
        verdicts: sentences on the agreement of the two, by their `Relation` and by the grade of the aspect's score.
        naturalness: sentences on naturalness, by the grade of its score.
        closings: last sentences, by the grade of the overall score; never with a number.
    """

    openings: Choices
    contrasts: Mapping[str, Mapping[str, Choices]]
    verdicts: Mapping[str, Graded]
    naturalness: Graded
    closings: Graded


@functools.cache
def load_sentences(language: Language) -> Sentences:
    """Return the sentences of a language."""
    path = Path(__file__).parent / "sentences" / f"{language}.json"
    return Sentences(**json.loads(path.read_text(encoding="utf-8")))


def write_reasoning(case: Case, *, language: Language, seed: int) -> Reasoning:
    """Return a reasoning for a rated line; `seed` varies the wording.

    Raises:
        UnusableReplyError: if it fails the checks, for instance because an annotator's words state the score.
    """
    choose = Chooser(seed)
    sentences = load_sentences(language)
    aspects = case_aspects(case, language)
    relations = {name: aspect.relation for name, aspect in aspects.items()}
    scores = case.aspects or aspect_scores(case.score, relations, seed=seed)
    spoken_of = tuple(name for name in ASPECTS if name in scores)
    lines = [_aspect_line(name, aspects[name], scores[name], sentences, choose, language) for name in spoken_of]
    opening = choose("opening", sentences.openings)
    closing = choose("closing", sentences.closings[grade(case.score)])
    text = "\n".join(line for line in (opening, *lines, closing) if line)
    marked = text.replace("[", FOCUS[0]).replace("]", FOCUS[1])  # foreign words hold no square brackets: guarded
    return check_reasoning(marked, score=case.score, language=language, aspects=spoken_of)


def aspect_scores(overall: float, relations: Mapping[str, Relation], *, seed: int) -> dict[str, float]:
    """Return scores of the aspects, to one decimal, that match an overall score.

    Each is min(5, max(0, overall + lift + noise + shift)), where the shift is the one for which the mean, with the
    weights of the built-in judge, is the overall score.
    """
    choose = Chooser(seed)
    weights = {name: load_parameters().weights[name] for name in relations}
    total = math.fsum(weights.values())
    wanted = {
        name: overall + LIFTED[relation] + SPREAD * (2.0 * (choose.number(f"noise {name}") / 2**64) - 1.0)
        for name, relation in relations.items()
    }
    low, high = RANGE[0] - max(wanted.values()), RANGE[1] - min(wanted.values())
    for _ in range(_STEPS):
        shift = (low + high) / 2.0
        mean = math.fsum(weight * _within(wanted[name] + shift) for name, weight in weights.items()) / total
        low, high = (shift, high) if mean < overall else (low, shift)
    return {name: round(_within(value + high), 1) for name, value in wanted.items()}


def _within(value: float) -> float:
    return min(RANGE[1], max(RANGE[0], value))


def _aspect_line(
    name: str, aspect: Aspect, value: float, sentences: Sentences, choose: Chooser, language: Language
) -> str:
    space = " " if language == "en" else ""
    figure = aspect_figure(name, value, language)
    graded = grade(value)
    if name == "naturalness":
        return f"{choose(name, sentences.naturalness[graded])}{space}{figure}"
    if aspect.silent:
        form = "missed" if aspect.planned else "silent"
    elif aspect.planned:
        form = "both" if aspect.heard else "planned"
    else:
        form = "heard" if aspect.heard else "neither"
    said = choose(f"{name} {form}", sentences.contrasts[name][form])
    said = said.format(planned=aspect.planned, heard=aspect.heard)
    judged = choose(f"{name} {aspect.relation} {graded}", sentences.verdicts[aspect.relation][graded])
    return f"{said}{space}{judged}{space}{figure}"


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

    @property
    def about(self) -> About:
        """Requirements and notes."""

    async def write(self, case: Case, *, language: Language, name: str, call: Call) -> Reasoning:
        """Return a reasoning.

        Args:
            name: name of the case; equal cases of different names are worded differently.

        Raises:
            UnusableReplyError: if none passes the checks; the reason names the failed one.
        """


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
    """Reasonings from a chat model; raises `UsageError` if the settings cannot be used."""

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
