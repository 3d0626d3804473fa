"""Operations of the room: score a spoken line, rank takes of it, plan how it should sound.

What a verb prints with ``--json`` and what an operation replies are made here, by the same functions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aptone.errors import UsageError
from aptone.messages import message
from aptone.models import About, Engine
from aptone.planner import Planner
from aptone.registry import Registry
from aptone.report.clips import ClipEmbedder
from aptone.report.people_agreement import number_or_nan
from aptone.report.plan_text import plan_json
from aptone.rooms.aptness.api import PlanResult, line_of_story, make_planner, plan_sample
from aptone.rooms.aptness.data import line_sample, make_items, read_plan
from aptone.rooms.aptness.report import LEAST_LEAD_SETTING, ranking_figure, ranking_json
from aptone.rooms.aptness.step import (
    JUDGED_RATE,
    LONGEST_LINE,
    AptnessStep,
    in_language,
    judge_sample,
    make_step,
)
from aptone.rooms.aptness.story import LineContext, Story, story_from_text
from aptone.rooms.aptness.takes.rank import (
    MIN_LEAD,
    RankedLine,
    judge_takes,
    plan_once,
    rank_line,
    takes_in_memory,
)
from aptone.rooms.aptness.takes.ranking import LEAST_LEAD
from aptone.rooms.operation import (
    LANGUAGE_OF_REASONS,
    LANGUAGE_OF_TEXTS,
    LONGEST_STORY,
    Answer,
    ClipFile,
    Field,
    Operation,
    OperationSettings,
    Request,
    served_config,
)
from aptone.run import RunConfig
from aptone.run.step import now
from aptone.types import Entry, Item, Json, Line, Outcome, Plan, Sample, Score, State, to_json

ENGINE = "built-in"
ONLY_LINE = message("aptness.only-line-read")


def score_about(step: AptnessStep, sample: Sample) -> About:
    """Requirements and notices for the score of one clip."""
    about = step.about_scoring([sample])
    only_line = sample.plan is None and not sample.context and not sample.following
    return replace(about, notes=(*about.notes, ONLY_LINE)) if only_line else about


def score_reply(sample: Sample, outcome: Outcome, about: About) -> dict[str, Json]:
    """The score of one clip as JSON."""
    given = None if sample.plan is None else to_json(sample.plan)
    return {
        "id": sample.id,
        "outcome": to_json(outcome),
        "plan": outcome.evidence.get("plan", given),
        "notes": about.notes,
        "licence": about.licence,
    }


def rank_reply(ranked: RankedLine, about: About) -> dict[str, Json]:
    """The ranking of takes as JSON."""
    return {**ranking_json(ranked), "notes": about.notes, "licence": about.licence}


def plan_reply(sample: Sample, planned: PlanResult) -> dict[str, Json]:
    """The plan of a line as JSON."""
    return {
        "line": to_json(sample.target),
        "language": sample.language,
        "plan": to_json(planned.plan),
        "stability": plan_json(planned.plan),
        "cost": planned.cost,
        "seconds": planned.seconds,
    }


def context_of(
    line: str,
    *,
    story: Story | None,
    occurrence: int | None = None,
    context: Sequence[str] = (),
    following: Sequence[str] = (),
) -> LineContext:
    """A line with what stands around it, in a story or in the lines before and after it.

    Raises:
        UsageError: if the line cannot be found, there are both, or it is counted in no story.
    """
    if story is None:
        if occurrence is not None:
            raise UsageError(message("aptness.occurrence-without-story"))
        before, after = (tuple(Line(text) for text in texts) for texts in (context, following))
        return LineContext(before, Line(line), after)
    if context or following:
        raise UsageError(message("aptness.story-and-context"))
    return story.around_words(story.find(line, occurrence=occurrence), line)


def _built_in(settings: OperationSettings) -> AptnessStep:
    ear: dict[str, Json] = {} if settings.ear is None else {"judge.ear": settings.ear}
    return make_step(Registry("engines", Engine).load(ENGINE), settings=ear)


def _plan(request: Request) -> Plan | None:
    return None if request["plan"] is None else read_plan(request["plan"], where="plan")


class ScoreOperation:
    """Score of one clip, with planner and judge kept."""

    def __init__(self, settings: OperationSettings) -> None:
        self._step = _built_in(settings)

    @property
    def config(self) -> RunConfig:
        """Configuration of a run that keeps its answers."""
        return served_config("score", engine=ENGINE, settings=self._step.settings(), about=self._step.about)

    def __call__(self, request: Request, /, *, figures: bool = False) -> Answer:
        """Answer a request."""
        clip: ClipFile = request["audio"]
        around = context_of(
            request["line"],
            story=_story(request),
            occurrence=request["occurrence"],
            context=request["context"],
            following=request["following"],
        )
        sample = line_sample(
            around,
            id=clip.name,
            audio=clip.name,
            role=request["role"] or None,
            language=request["language"],
            plan=_plan(request),
        )
        audio = clip.read(rate=JUDGED_RATE, max_seconds=LONGEST_LINE)
        step = in_language(self._step, request["lang"])
        entry = judge_sample(replace(sample, audio=audio), step)
        (item,) = make_items([sample], hashes={Path(clip.name): clip.sha256})
        return Answer(
            score_reply(sample, entry.outcome, score_about(step, sample)),
            entries=(replace(entry, item=item),),
            audio_seconds=audio.seconds,
        )


def _story(request: Request) -> Story | None:
    return story_from_text(request["story"]) if request["story"] else None


class RankOperation:
    """Ranking of takes of a line, with planner and judge kept."""

    def __init__(self, settings: OperationSettings) -> None:
        self._step = _built_in(settings)

    @property
    def config(self) -> RunConfig:
        """Configuration of a run that keeps its answers."""
        settings = {**self._step.settings(), LEAST_LEAD_SETTING: LEAST_LEAD}
        return served_config("rank", engine=ENGINE, settings=settings, about=self._step.about)

    def __call__(self, request: Request, /, *, figures: bool = False) -> Answer:
        """Answer a request."""
        clips: Sequence[ClipFile] = request["clips"]
        lang, least_lead = request["lang"], request["min_lead"]
        sample = line_of_story(
            _story(request) or (request["line"],),
            line=request["line"],
            occurrence=request["occurrence"],
            role=request["role"] or None,
            language=request["language"],
        )
        lead = {} if least_lead is None else {MIN_LEAD: str(least_lead)}
        held = _named(clips)
        group = takes_in_memory(replace(sample, plan=_plan(request), ids=lead), held)
        step = in_language(self._step, lang)
        planned = plan_once(group, step.planner)
        entries = judge_takes(planned, step, clips=held)
        ranked = rank_line(planned, entries, least_lead=LEAST_LEAD if least_lead is None else least_lead, lang=lang)
        shown = replace(ranked, recordings={})  # a page has the recordings already
        return Answer(
            rank_reply(ranked, step.about_scoring(group.samples)),
            entries=tuple(entries),
            figures=(ranking_figure(shown, ClipEmbedder(room=0), language=lang or ranked.language),) if figures else (),
            audio_seconds=math.fsum(_seconds(entry) for entry in entries),
        )


def _named(clips: Sequence[ClipFile]) -> dict[str, ClipFile]:
    """Recordings by names that differ.

    >>> list(_named([ClipFile("a.wav", b""), ClipFile("a.wav", b""), ClipFile("b.wav", b"")]))
    ['a.wav', '2 a.wav', 'b.wav']
    """
    named: dict[str, ClipFile] = {}
    for number, clip in enumerate(clips, start=1):
        name = clip.name if clip.name not in named else f"{number} {clip.name}"
        while name in named:
            name = f"{number} {name}"
        named[name] = replace(clip, name=name)
    return named


def _seconds(entry: Entry) -> float:
    """Seconds of the recording that an entry judges; 0 where it was not heard."""
    heard = entry.outcome.evidence.get("perception")
    return number_or_nan(heard.get("seconds")) if isinstance(heard, Mapping) else 0.0


class PlanOperation:
    """Plan of a line, with the planner kept."""

    def __init__(self, settings: OperationSettings) -> None:
        self._planner: Planner = make_planner(ENGINE, planner=None, settings={})

    @property
    def config(self) -> RunConfig:
        """Configuration of a run that keeps its answers."""
        settings: dict[str, Json] = {"planner": self._planner.signature}
        return served_config("plan", engine=ENGINE, settings=settings, about=self._planner.about)

    def __call__(self, request: Request, /, *, figures: bool = False) -> Answer:
        """Answer a request."""
        sample = line_of_story(
            story_from_text(request["story"]),
            line=request["line"],
            occurrence=request["occurrence"],
            role=request["role"] or None,
            language=request["language"],
        )
        planned = plan_sample(sample, self._planner)
        return Answer(plan_reply(sample, planned), entries=(_planned_entry(sample, planned),))


def _planned_entry(sample: Sample, planned: PlanResult) -> Entry:
    """A plan as the outcome of an item: how sure it is, by the planner itself or by the votes of windows."""
    plan = planned.plan
    is_sure, voted = not math.isnan(plan.confidence), bool(plan.votes)
    scores = {
        "confidence": Score(
            plan.confidence,
            range=(0.0, 1.0),
            reason="" if is_sure else message("aptness.no-confidence"),
            signature=plan.signature,
        ),
        "vote share": Score(
            plan.vote_share,
            range=(0.0, 1.0),
            reason="" if voted else message("aptness.nobody-voted"),
            signature=plan.signature,
        ),
    }
    outcome = Outcome(
        State.DONE,
        scores,
        main_score="vote share" if voted and not is_sure else "confidence",
        evidence={"plan": to_json(plan)},
        signature=plan.signature,
    )
    payload = {name: value for name, value in to_json(sample).items() if name != "audio"}  # nobody speaks
    return Entry(Item.make(sample.id, payload), outcome, seconds=planned.seconds, cost=planned.cost, finished=now())


_LINE = Field("line", "line", "The words that are spoken, as they stand in the story.", required=True, longest=2_000)
_STORY = Field(
    "story",
    "story",
    "Text of the story around the line, a line of it on each line: prose, a script, a chat or subtitles (SubRip).",
    longest=LONGEST_STORY,
)
_PLAN = Field(
    "plan",
    "plan",
    "Plan of how the line should sound, in place of one read from the story: an object with emotion, rhythm, "
    "intonation and recording_condition, each a text.",
)
_ROLE = Field("role", "text", "Speaker of the line; by default the one that the story names.", longest=200)
_OCCURRENCE = Field(
    "occurrence",
    "whole",
    "Number of the line among several of the story that hold these words, from 1 on.",
    lowest=1,
    highest=100_000,
)
_EXAMPLE: Mapping[str, Json] = {
    "line": "Is anybody there?",
    "story": "The lamp went out. Something moved on the stairs.\n“Is anybody there?” she whispered, trembling.",
}

OPERATIONS = (
    Operation(
        "score",
        "Score how well a spoken line fits the story around it.",
        (
            Field("audio", "clip", "Recording of the line, at most 300 seconds.", required=True),
            _LINE,
            _STORY,
            Field("context", "texts", "Lines before the line, in order, where there is no story.", most=200),
            Field("following", "texts", "Lines after the line, in order, where there is no story.", most=200),
            _PLAN,
            _ROLE,
            LANGUAGE_OF_TEXTS,
            _OCCURRENCE,
            LANGUAGE_OF_REASONS,
        ),
        prepare="aptone.rooms.aptness.operations:ScoreOperation",
        example=_EXAMPLE,
    ),
    Operation(
        "rank",
        "Find the best of several takes of a line.",
        (
            Field("clips", "clips", "Recordings of the line, each at most 300 seconds.", required=True),
            _LINE,
            _STORY,
            _PLAN,
            _ROLE,
            LANGUAGE_OF_TEXTS,
            _OCCURRENCE,
            Field(
                "min_lead",
                "number",
                "Points of the scale from 0 to 5 by which a take must lead to be called better; by default 0.5.",
                lowest=0.0,
                highest=5.0,
            ),
            LANGUAGE_OF_REASONS,
        ),
        prepare="aptone.rooms.aptness.operations:RankOperation",
        example=_EXAMPLE,
    ),
    Operation(
        "plan",
        "Plan how a line of a story should sound.",
        (replace(_STORY, required=True), _LINE, _ROLE, LANGUAGE_OF_TEXTS, _OCCURRENCE),
        prepare="aptone.rooms.aptness.operations:PlanOperation",
        example=_EXAMPLE,
    ),
)
"""What can be asked of the room."""
