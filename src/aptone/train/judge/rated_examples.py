"""Training examples from rated lines: the prompt of a judge, and the answer.

An answer is ``<score>3.5</score>``, or after a reasoning ``<think>…</think><score>3.5</score>``, as the public release
of CEAEval writes it and `aptone.judge.chat.verdict` parses it.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from aptone.errors import AptoneError, RecordError
from aptone.judge.chat.conversation import Briefing, asks_for_nothing
from aptone.judge.chat.verdict import RANGE
from aptone.models.omni.checkpoint import REASONING, SCORE
from aptone.planner import Planner
from aptone.rooms.aptness.api import plan_sample
from aptone.rooms.aptness.rated_lines import RatedSet
from aptone.train.judge.example import Example
from aptone.types import Audio, Json, Language, Plan, Sample, dumps, to_json

Planned = Callable[[Sample], Plan]


def score_reply(score: float, reasoning: str = "") -> str:
    """Return the answer of a judge.

    >>> score_reply(3.46), score_reply(4, "It is bright.")
    ('<score>3.5</score>', '<think>It is bright.</think><score>4.0</score>')

    Raises:
        ValueError: if the score is out of range.
    """
    if not RANGE[0] <= score <= RANGE[1]:
        raise ValueError(f"a score lies between {RANGE[0]:g} and {RANGE[1]:g}, got {score}.")
    thought = f"{REASONING[0]}{reasoning}{REASONING[1]}" if reasoning else ""
    return f"{thought}{SCORE[0]}{score:.1f}{SCORE[1]}"


def judge_example(
    sample: Sample, plan: Plan, *, score: float, briefing: Briefing, reasoning: str = "", answered: bool = True
) -> Example:
    """Return the training example of a line.

    Args:
        sample: the line and its recording, which is a file.
        plan: intended delivery.
        score: score by people.
        briefing: settings of the prompt; with ``reasoning``, the answer needs one.
        reasoning: reasoning before the score.
        answered: include the answer; examples without one are for GRPO.

    Raises:
        RecordError: if the recording is not a file, or the plan asks for nothing.
        ValueError: if the score is out of range, or the reasoning is missing.
    """
    if isinstance(sample.audio, Audio):
        raise RecordError(f"{sample.id}: expected the path of a recording.")
    if briefing.show == "plan" and asks_for_nothing(plan):
        raise RecordError(f"{sample.id}: the plan asks for nothing, so that nothing can be judged by it.")
    if answered and briefing.reasoning and not reasoning.strip():
        raise ValueError(f"{sample.id}: the judge is asked to reason, but there is no reasoning to learn.")
    kind, language = "reasoned" if briefing.reasoning else "score", briefing.prompt_language or sample.language
    return Example(
        id=f"{sample.id}-{kind}-{language}",
        audio=sample.audio,
        conversation=briefing.conversation(plan, sample),
        reply=score_reply(score, reasoning if briefing.reasoning else "") if answered else "",
        score=score,
        language=language,
        kind="reasoned" if briefing.reasoning else "score",
        ids=sample.ids,
    )


def score_examples(
    rated: RatedSet, planned: Planned, *, briefing: Briefing, languages: Iterable[Language] = ()
) -> Iterator[Example]:
    """Yield the rated lines of a set, answered by their scores alone.

    Args:
        rated: the set.
        planned: returns the plan of a line.
        briefing: settings of the prompt, without reasoning.
        languages: languages of the prompts, an example for each; empty for that of the story.

    Raises:
        RecordError: if no line is rated.
    """
    lines = rated.rated_lines
    if not lines:
        raise RecordError(f"{rated.source}: no line has a score to learn; give human_score or proxy_score.")
    asked = [replace(briefing, reasoning=False, prompt_language=one) for one in (*languages,)] or [
        replace(briefing, reasoning=False)
    ]
    for line in lines:
        plan = planned(line.sample)
        score = line.score(proxy=rated.is_proxy)
        for one in asked:
            yield judge_example(line.sample, plan, score=score, briefing=one)


def examples_fingerprint(
    rated: RatedSet, planner: Planner, *, briefing: Briefing, languages: Iterable[Language] = ()
) -> str:
    """Return a hash of everything that the examples of a set depend on; see `score_examples`."""
    made_of: dict[str, Json] = {
        "lines": [[to_json(line.sample), line.score(proxy=rated.is_proxy)] for line in rated.rated_lines],
        "planner": planner.signature,
        "show": briefing.show,
        "context_size": briefing.context_size,
        "prompts": briefing.texts.hash,
        "languages": [briefing.prompt_language, *languages],
    }
    return hashlib.sha256(dumps(made_of).encode()).hexdigest()


def plans_by(planner: Planner) -> Planned:
    """Return a function that gives a line its own plan, or else the planner's."""

    def planned(sample: Sample) -> Plan:
        if sample.plan is not None:
            return sample.plan
        try:
            return plan_sample(sample, planner).plan
        except AptoneError as error:
            raise RecordError(f"{sample.id}: no plan could be made ({error}); give one in the record.") from error

    return planned
