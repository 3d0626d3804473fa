"""How a line of a story should sound, before anybody has spoken it."""

import inspect
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from aptone.errors import AptoneError, UnusableReplyError, UsageError
from aptone.messages import message
from aptone.models import Engine
from aptone.models.parts import make_part
from aptone.planner import Planner
from aptone.registry import Registry
from aptone.rooms.aptness.data import UNSPOKEN, is_manifest, read_manifest
from aptone.rooms.aptness.story import Story, load_story, make_story
from aptone.run import Call, Performer, ReplyStore, Work
from aptone.run.event_loop import run_to_the_end
from aptone.types import AudioRef, Item, Json, Language, Line, Outcome, Plan, Sample, Score, State, from_json, to_json

GivenStory: TypeAlias = str | Path | Story | Sequence[str | Line]
"""A file (see `aptone.rooms.aptness.story`), a manifest, a `Story`, or its lines in order."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan, and what it took.

    Args:
        plan: how the line should sound.
        cost: of all calls.
        seconds: of work.
    """

    plan: Plan
    cost: float
    seconds: float


def plan(
    story: GivenStory,
    *,
    line: str,
    occurrence: int | None = None,
    role: str | None = None,
    language: Language | None = None,
    engine: str = "built-in",
    planner: str | None = None,
    settings: Mapping[str, Json] | None = None,
) -> Plan:
    """How a line of a story should sound.

    Args:
        story: a file (see `aptone.rooms.aptness.story`), a manifest, a `Story`, or its lines in order.
        line: words of the line, as they stand in the story; they are what is to be spoken.
        occurrence: which one of several lines that hold these words, from 1 on.
        role: who speaks; by default whom the story names.
        language: of the story; by default that of its characters.
        engine: whose planner to use; ``aptone doctor`` lists them.
        planner: name of another planner than the engine's.
        settings: its options, as ``planner.<option>``.

    Raises:
        AptoneError: if the story, the line or the planner cannot be used, or no plan could be made.
    """
    sample = line_of_story(story, line=line, occurrence=occurrence, role=role, language=language)
    return plan_sample(sample, make_planner(engine, planner=planner, settings=settings or {})).plan


def line_of_story(
    story: GivenStory,
    *,
    line: str,
    occurrence: int | None = None,
    role: str | None = None,
    language: Language | None = None,
) -> Sample:
    """A line of a story, however that was given, or of a record in a manifest, as a sample.

    Raises:
        RecordError: if its file cannot be understood.
        UsageError: if it is not clear which line is meant.
    """
    if isinstance(story, str | Path) and is_manifest(Path(story)):
        samples = read_manifest(Path(story), needs_audio=False)
        targets = Story(tuple(sample.target for sample in samples), samples[0].language, source=str(story))
        sample = samples[targets.find(line, occurrence=occurrence)]
        target = sample.target if role is None else replace(sample.target, role=role)
        return replace(sample, target=target, language=language or sample.language)
    if isinstance(story, str | Path):
        story = load_story(Path(story), language=language)
    elif not isinstance(story, Story):
        story = make_story(story, language=language)
    return line_to_plan(story, line=line, occurrence=occurrence, role=role, language=language)


def line_to_plan(
    story: Story,
    *,
    line: str,
    occurrence: int | None = None,
    role: str | None = None,
    language: Language | None = None,
) -> Sample:
    """A line of a story as a sample without a recording.

    Raises:
        UsageError: if it is not clear which line is meant.
    """
    place = story.find(line, occurrence=occurrence)
    around = story.around_words(place, line)
    return Sample(
        id="line",
        audio=AudioRef(UNSPOKEN),
        target=around.target if role is None else replace(around.target, role=role),
        context=around.before,
        following=around.after,
        language=language or story.language,
    )


def make_planner(engine: str, *, planner: str | None, settings: Mapping[str, Json]) -> Planner:
    """The planner of an engine, or another one.

    Raises:
        MissingExtraError: if it cannot run here.
        RegistryError: if a name is unknown.
        UsageError: if it has no such option.
    """
    if stray := [name for name in settings if not name.startswith("planner.")]:
        raise UsageError(f"{stray[0]!r} is no option of a planner; expected planner.<option>.")
    chosen = Registry("engines", Engine).load(engine)
    name = planner or chosen.planner
    own = chosen.settings if name == chosen.planner else {}
    made: Planner = make_part("planner", name, {**own, **settings})
    made.about.require(f"planner {name!r}")
    return made


def plan_sample(sample: Sample, planner: Planner, *, seed: int = 0, store: ReplyStore | None = None) -> Planned:
    """The plan of one sample, with the runner's care for retries and unreadable replies.

    Raises:
        UnusableReplyError: if no reply of the model could be read.
        AptoneError: if it failed.
    """

    async def once(item: Item, call: Call) -> Outcome:
        made: Plan | Awaitable[Plan] = planner.plan(sample, call)
        plan = await made if inspect.isawaitable(made) else made
        return Outcome(State.DONE, scores={"vote share": _vote_share(plan)}, evidence={"plan": to_json(plan)})

    (entry,) = run_to_the_end(Performer(once, seed=seed, store=store)([Work(Item.make(sample.id, {}))]))
    outcome = entry.outcome
    if outcome.state is State.UNSCORED:
        raise UnusableReplyError(outcome.reason, raw_reply=outcome.raw_reply)
    if outcome.state is not State.DONE:
        raise AptoneError(outcome.reason)
    return Planned(from_json(Plan, outcome.evidence["plan"]), cost=entry.cost, seconds=entry.seconds)


def _vote_share(plan: Plan) -> Score:
    reason = "" if plan.votes else message("aptness.nobody-voted")
    return Score(plan.vote_share, range=(0.0, 1.0), reason=reason, signature=plan.signature)
