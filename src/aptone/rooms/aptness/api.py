"""``aptone.score``: a recording and the story around its line in, how well it fits out."""

import inspect
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from aptone.audio import AudioSource, read_audio
from aptone.ear.reference import References
from aptone.ear.referenced import with_reference
from aptone.errors import UnusableReplyError, UsageError
from aptone.messages import message
from aptone.models import Engine
from aptone.models.parts import make_part
from aptone.planner import Planner
from aptone.registry import Registry
from aptone.rooms.aptness.data import UNSPOKEN, is_manifest, line_sample, read_manifest, read_plan
from aptone.rooms.aptness.step import JUDGED_RATE, LONGEST_LINE, make_step, score_sample
from aptone.rooms.aptness.story import (
    Story,
    holds_words,
    language_of,
    load_story,
    looks_like_prose,
    make_story,
    story_from_text,
)
from aptone.run import Call, ReplyStore
from aptone.run.attempts import perform_once
from aptone.run.consent import ALLOW_REMOTE, ask_consent
from aptone.types import Audio, AudioRef, Json, Language, Line, Outcome, Plan, Sample, Score, State, from_json, to_json

StoryInput: TypeAlias = str | Path | Story | Sequence[str | Line]
"""A file (see `aptone.rooms.aptness.story`), a manifest, a `Story`, its lines in order, or its text."""


@dataclass(frozen=True, slots=True)
class PlanResult:
    """A plan, and what it took."""

    plan: Plan
    cost: float
    seconds: float


def plan(
    story: StoryInput,
    *,
    line: str,
    occurrence: int | None = None,
    role: str | None = None,
    language: Language | None = None,
    engine: str = "built-in",
    planner: str | None = None,
    settings: Mapping[str, Json] | None = None,
) -> Plan:
    """Plan how a line of a story should sound.

    Args:
        story: a file (see `aptone.rooms.aptness.story`), a manifest, a `Story`, its lines in order, or its text (one
            that has line breaks, holds the words of the line, or ends like a sentence).
        line: words of the line, as they stand in the story; they are what is to be spoken.
        occurrence: number of the line among several that hold these words, from 1 on.
        role: speaker; by default the one that the story names.
        language: language of the story; by default that of its characters.
        engine: engine whose planner is used; ``aptone doctor`` lists them.
        planner: name of another planner than the engine's.
        settings: its options, as ``planner.<option>``.

    Raises:
        AptoneError: if the story, the line or the planner cannot be used, or no plan could be made.
    """
    sample = line_of_story(story, line=line, occurrence=occurrence, role=role, language=language)
    return plan_sample(sample, make_planner(engine, planner=planner, settings=settings or {})).plan


def line_of_story(
    story: StoryInput,
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
    if isinstance(story, str) and _is_text(story, line):
        story = story_from_text(story, language=language)
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


def _is_text(story: str, line: str) -> bool:
    """Return true for the words of a story, false for the path of its file."""
    if "\n" in story or not story.strip():
        return True
    try:
        return not Path(story).exists() and (holds_words(story, line) or looks_like_prose(story))
    except OSError:  # too long for a path
        return True


def line_to_plan(
    story: Story, *, line: str, occurrence: int | None = None, role: str | None = None, language: Language | None = None
) -> Sample:
    """A line of a story as a sample without a recording.

    Raises:
        UsageError: if it is not clear which line is meant.
    """
    around = story.around_words(story.find(line, occurrence=occurrence), line)
    return line_sample(around, id="line", audio=UNSPOKEN, role=role, language=language or story.language)


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


def plan_sample(sample: Sample, planner: Planner, *, seed: int = 0, store: ReplyStore | None = None) -> PlanResult:
    """The plan of one sample, with the runner's care for retries and unreadable replies.

    Raises:
        UnusableReplyError: if no reply of the model could be read.
        AptoneError: if it failed.
    """

    async def once(call: Call) -> Outcome:
        made: Plan | Awaitable[Plan] = planner.plan(sample, call)
        plan = await made if inspect.isawaitable(made) else made
        reason = "" if plan.votes else message("aptness.nobody-voted")
        share = Score(plan.vote_share, range=(0.0, 1.0), reason=reason, signature=plan.signature)
        return Outcome(State.DONE, scores={"vote share": share}, evidence={"plan": to_json(plan)})

    entry = perform_once(once, id=sample.id, seed=seed, store=store)
    if (outcome := entry.outcome).state is State.UNSCORED:
        raise UnusableReplyError(outcome.reason, raw_reply=outcome.raw_reply)
    return PlanResult(from_json(Plan, outcome.evidence["plan"]), cost=entry.cost, seconds=entry.seconds)


def score(
    audio: AudioSource,
    *,
    line: str,
    story: StoryInput = (),
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
    reference: References | str | Path | None = None,
    lang: Language | None = None,
    allow_remote: bool = False,
) -> Outcome:
    """Score one spoken line.

    Args:
        audio: a path, bytes, an `Audio`, an array of samples (then with `rate`) or what else `aptone.read_audio` takes.
            Several channels are averaged.
        line: the words that are spoken.
        story: the story around it: a file, a `Story`, its lines in order or its text, the spoken one
            among them. A planner reads from it how the line should sound.
        occurrence: number of the line among several of the story that hold these words, from 1 on.
        role: speaker; by default the one that the story names.
        plan: plan of the line; needed by engines that cannot plan.
        rate: samples per second of an array.
        context: the lines before it, where there is no `story`.
        language: language of the story; by default that of its characters.
        engine: engine that judges; ``aptone doctor`` lists them.
        planner, judge: names of others than the engine's.
        settings: options of the parts, such as ``{"judge.model": "TianRW/CEAEval-Model"}``.
        reference: what the voice usually sounds like (`aptone.reference`), or a folder of at least 8 clips of it.
        lang: language of the rationale, where the judge can choose; by default that of the story.
        allow_remote: whether recordings may be sent to another machine, where a part does that; else you are asked.

    Returns:
        The outcome. If its `state` is done, ``scores["aptness"].value`` lies between 0 and 5; else see its `reason`.

    Raises:
        AptoneError: if the recording, the plan or the engine cannot be used.
    """
    if story:
        if context:
            raise UsageError(message("aptness.story-and-context"))
        found = line_of_story(story, line=line, occurrence=occurrence, role=role, language=language)
    else:
        before = tuple(Line(text) for text in context)
        spoken = Line(line, role or "")
        language = language or language_of([*before, spoken])
        found = Sample("line", AudioRef(UNSPOKEN), spoken, context=before, language=language)
    given = plan if plan is None or isinstance(plan, Plan) else read_plan(plan, where="plan")
    sample = replace(found, audio=given_audio(audio, rate), plan=given if given is not None else found.plan)
    chosen = Registry("engines", Engine).load(engine)
    step = make_step(chosen, planner=planner, judge=judge, settings=settings, lang=lang)
    ask_consent(
        step.about_scoring([sample]).sends_audio_to, clips=1, folder=None, agreed=allow_remote, option=ALLOW_REMOTE
    )
    return score_sample(sample, replace(step, judge=with_reference(step.judge, reference)))


def given_audio(audio: AudioSource, rate: int | None = None) -> Audio | AudioRef:
    """The recording of a line: a file by its path, all else as judges hear it; `rate` is that of an array.

    Raises:
        AptoneError: if what is in memory cannot be used. A file is read when it is judged.
    """
    if isinstance(audio, str | Path) and rate is None:
        return AudioRef(str(audio))
    if rate is not None or isinstance(audio, Audio):
        return read_audio(audio, rate=None, sample_rate=rate, channel="mix")
    return read_audio(audio, rate=JUDGED_RATE, channel="mix", max_seconds=LONGEST_LINE)
