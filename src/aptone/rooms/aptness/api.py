"""``aptone.score``: a recording and the story around its line in, how well it fits out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.audio import from_array
from aptone.errors import UsageError
from aptone.models import Engine
from aptone.registry import Registry
from aptone.rooms.aptness.data import UNSPOKEN, read_plan
from aptone.rooms.aptness.planning import GivenStory, line_of_story
from aptone.rooms.aptness.step import make_step, score_sample
from aptone.rooms.aptness.story import language_of
from aptone.types import (
    Audio,
    AudioRef,
    Json,
    Language,
    Line,
    Outcome,
    Plan,
    Sample,
)


def score(
    audio: str | Path | Audio | npt.NDArray[np.floating[Any]],
    *,
    line: str,
    story: GivenStory = (),
    occurrence: int | None = None,
    role: str | None = None,
    plan: Plan | Mapping[str, Json] | None = None,
    rate: int | None = None,
    context: Sequence[str] = (),
    language: Language | None = None,
    engine: str = "built-in",
    planner: str | None = None,
    judge: str | None = None,
    settings: Mapping[str, Json] | None = None,
    lang: Language | None = None,
) -> Outcome:
    """Score one spoken line.

    Args:
        audio: a path, an `Audio`, or an array of samples (then with `rate`). Several channels are averaged.
        line: the words that are spoken.
        story: the story around it: a file, a `Story`, or its lines in order, the spoken one among them. A planner reads
            from it how the line should sound.
        occurrence: which one of several lines of the story that hold these words, from 1 on.
        role: who speaks; by default whom the story names.
        plan: how it should sound; needed by engines that cannot plan.
        rate: samples per second of an array.
        context: the lines before it, where there is no `story`.
        language: of the story; by default that of its characters.
        engine: what judges; ``aptone doctor`` lists them.
        planner: name of another planner than the engine's.
        judge: name of another judge than the engine's.
        settings: options of the parts, such as ``{"judge.model": "TianRW/CEAEval-Model"}``.
        lang: of the rationale, where the judge can choose; by default that of the story.

    Returns:
        The outcome. If its `state` is done, ``scores["aptness"].value`` lies between 0 and 5; else see its `reason`.

    Raises:
        AptoneError: if the recording, the plan or the engine cannot be used.
    """
    if story:
        if context:
            raise UsageError("give either the story or the lines before the line (context), not both.")
        found = line_of_story(story, line=line, occurrence=occurrence, role=role, language=language)
    else:
        before = tuple(Line(text) for text in context)
        spoken = Line(line, role or "")
        language = language or language_of([*before, spoken])
        found = Sample("line", AudioRef(UNSPOKEN), spoken, context=before, language=language)
    given = plan if plan is None or isinstance(plan, Plan) else read_plan(plan, where="plan")
    sample = replace(found, audio=_given_audio(audio, rate), plan=given if given is not None else found.plan)
    chosen = Registry("engines", Engine).load(engine)
    return score_sample(sample, make_step(chosen, planner=planner, judge=judge, settings=settings, lang=lang))


def _given_audio(audio: str | Path | Audio | npt.NDArray[np.floating[Any]], rate: int | None) -> Audio | AudioRef:
    if isinstance(audio, Audio):
        return audio
    if isinstance(audio, str | Path):
        if rate is not None:
            raise UsageError("a rate belongs to an array; a file states its own.")
        return AudioRef(str(audio))
    if rate is None:
        raise UsageError("an array needs its rate in samples per second: score(samples, rate=16000, ...).")
    return from_array(audio, rate=rate)
