"""Several takes of a line, from recordings to a ranking: one plan for all of them, one verdict each."""

import os
from collections import Counter, defaultdict
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from aptone.audio import RECORDINGS, AudioSource
from aptone.ear.reference import References
from aptone.ear.referenced import with_reference
from aptone.errors import AptoneError, RecordError, UsageError
from aptone.messages import message
from aptone.models import Engine
from aptone.planner import ByHand, Planner
from aptone.registry import Registry
from aptone.report.people_agreement import number_or_nan
from aptone.rooms.aptness.api import StoryInput, given_audio, line_of_story, plan_sample
from aptone.rooms.aptness.data import make_items, read_plan
from aptone.rooms.aptness.step import JUDGED_RATE, LONGEST_LINE, AptnessStep, make_step
from aptone.rooms.aptness.takes.ranking import LEAST_LEAD, Ranking, Take, explain, rank_takes, takes_of
from aptone.rooms.operation import REQUEST, ClipFile
from aptone.run import BatchStep, Call, Performer, ReplyStore, Work
from aptone.run.attempts import run_to_the_end
from aptone.run.consent import ALLOW_REMOTE, ask_consent
from aptone.run.sources.clips import read_clips
from aptone.run.sources.records import SourceOptions
from aptone.types import (
    Audio,
    AudioRef,
    Displayed,
    Entry,
    Item,
    Json,
    Language,
    Line,
    Outcome,
    Plan,
    Sample,
    from_json,
    json_or_text,
)

MIN_LEAD = "min_lead"
"""Key of ``ids`` in a run that keeps the answers of a service: each request may ask for another lead."""


@dataclass(frozen=True, slots=True)
class LineOfTakes:
    """A line and its takes: samples alike but for their recording, and the name of each by its id."""

    samples: tuple[Sample, ...]
    names: Mapping[str, str]

    @property
    def plan(self) -> Plan | None:
        """Plan of the line, once it is known."""
        return self.samples[0].plan


@dataclass(frozen=True, slots=True)
class RankedLine(Displayed):
    """A line whose takes are in order, with reasons; `recordings` has their paths by name, without arrays."""

    target: Line
    language: Language
    plan: Plan | None
    ranking: Ranking
    rationale: str
    recordings: Mapping[str, AudioRef]

    @property
    def best(self) -> tuple[Take, ...]:
        """The best take, or those that are too close to call; none when nothing is scored."""
        return self.ranking.best


def rank(
    takes: str | Path | Sequence[AudioSource],
    *,
    line: str,
    story: StoryInput = (),
    occurrence: int | None = None,
    role: str | None = None,
    plan: Plan | Mapping[str, Json] | None = None,
    rate: int | None = None,
    language: Language | None = None,
    engine: str = "built-in",
    repeats: int = 1,
    least_lead: float = LEAST_LEAD,
    reference: References | str | Path | None = None,
    lang: Language | None = None,
    allow_remote: bool = False,
) -> RankedLine:
    """The best of several takes of one line.

    Args:
        takes: a folder of them, or paths and recordings as `aptone.read_audio` takes them.
        line: words of the line, as they stand in the story.
        story: a file, a `Story`, its lines in order or its text; without one, the line stands alone.
        occurrence: number of the line among several that hold these words, from 1 on.
        role: speaker; by default the one that the story names.
        plan: plan of the line; by default made once for all takes by the engine's planner.
        rate: samples per second of takes that are arrays.
        language: language of the story; by default that of its characters.
        engine: engine that judges; ``aptone doctor`` lists them.
        repeats: number of times each take is judged; more than once shows how far the judge agrees with itself.
        least_lead: points by which a take must lead to be called better.
        reference: what the voice usually sounds like (`aptone.reference`), or a folder with recordings of it.
        lang: language of the reasons; by default that of the story.
        allow_remote: whether recordings may be sent to another machine, where a part does that; else you are asked.

    Returns:
        The takes in order, with the reasons. ``ranked.best`` has more than one take where it is too close to call.

    Raises:
        AptoneError: if the story, the plan, the engine or a take in memory cannot be used. A file that cannot be read
            has no score, and is the last one.
    """
    sample = line_of_story(story or (line,), line=line, occurrence=occurrence, role=role, language=language)
    written = plan if plan is None or isinstance(plan, Plan) else read_plan(plan, where="plan")
    group = takes_of_line(replace(sample, plan=written or sample.plan), takes, rate=rate)
    step = make_step(Registry("engines", Engine).load(engine), lang=lang)
    ask_consent(
        step.about_scoring(group.samples).sends_audio_to,
        clips=len(group.samples),
        folder=None,
        agreed=allow_remote,
        option=ALLOW_REMOTE,
    )
    step = replace(step, judge=with_reference(step.judge, reference))
    planned = plan_once(group, step.planner)
    return rank_line(planned, judge_takes(planned, step, repeats=repeats), least_lead=least_lead, lang=lang)


def takes_of_line(sample: Sample, takes: str | Path | Sequence[AudioSource], *, rate: int | None = None) -> LineOfTakes:
    """The takes of one line.

    Args:
        takes: paths and recordings; a folder stands for those in it. They are named by their files, by their paths
            where two files have one name, and by their number where they come from no file.
        rate: samples per second of arrays.

    Raises:
        UsageError: if there is none, or one is given twice.
        RecordError: if a folder holds no recordings.
    """
    given: Sequence[AudioSource] = [takes] if isinstance(takes, str | bytes | os.PathLike) else takes
    if not len(given):
        raise UsageError(message("aptness.which-takes"))
    found = [one for take in given for one in _expanded(take)]
    paths = [str(take) for take in found if isinstance(take, str | os.PathLike)]
    if doubles := [path for path, count in Counter(paths).items() if count > 1]:
        raise UsageError(message("aptness.take-twice", name=doubles[0]))
    audios = [
        AudioRef(str(Path(take).absolute())) if isinstance(take, str | os.PathLike) else given_audio(take, rate)
        for take in found
    ]
    names = [_file_name(audio) for audio in audios]
    samples = []
    for number, (take, audio, name) in enumerate(zip(found, audios, names, strict=True), start=1):
        otherwise = str(take) if isinstance(take, str | os.PathLike) else f"take {number}"
        samples.append(replace(sample, id=name if name and names.count(name) == 1 else otherwise, audio=audio))
    return LineOfTakes(tuple(samples), {made.id: made.id for made in samples})


def _expanded(take: AudioSource) -> list[AudioSource]:
    """A take, or those of a folder in the order of their names."""
    if not isinstance(take, str | os.PathLike) or not Path(take).is_dir():
        return [take]
    clips, _ = read_clips(Path(take), SourceOptions(kind="folder"))
    return [Path(clip.audio.path) for clip in clips]


def _file_name(audio: Audio | AudioRef) -> str:
    """Name of the file that a recording is from; empty where it is from none."""
    path = Path(audio.path if isinstance(audio, AudioRef) else audio.source)
    return path.name if isinstance(audio, AudioRef) or path.suffix.lower() in RECORDINGS else ""


def takes_in_memory(sample: Sample, clips: Mapping[str, ClipFile]) -> LineOfTakes:
    """The takes of one line that are in memory, by name; `judge_takes` gets their recordings."""
    samples = [
        replace(sample, id=name, audio=clip.ref, ids={**sample.ids, "take": name}) for name, clip in clips.items()
    ]
    return LineOfTakes(tuple(samples), {name: name for name in clips})


def group_takes(samples: Iterable[Sample], *, source: str) -> list[LineOfTakes]:
    """The records of a manifest, those of one line together: same words, role, language, context, story and request.

    A take is named by ``take`` in its ``ids``, else by the record's id.

    Raises:
        RecordError: if two takes of a line have one name, or plans that differ.
    """
    groups: defaultdict[tuple[object, ...], list[Sample]] = defaultdict(list)
    for sample in samples:
        apart = (sample.ids.get("story", ""), sample.ids.get(REQUEST, ""))
        key = (sample.target, sample.language, sample.context, sample.following, *apart)
        groups[key].append(sample)
    return [_group(members, source) for members in groups.values()]


def _group(members: Sequence[Sample], source: str) -> LineOfTakes:
    words = members[0].target.text[:60]
    names = {sample.id: sample.ids.get("take", sample.id) for sample in members}
    if len(set(names.values())) < len(names):
        raise RecordError(f'{source}: two takes of "{words}" have one name; give each its own under ids.take.')
    plans = [sample.plan for sample in members if sample.plan is not None]
    if any(plan != plans[0] for plan in plans):
        raise RecordError(f'{source}: takes of "{words}" have different plans, so their scores do not compare.')
    plan = plans[0] if plans else None
    return LineOfTakes(tuple(replace(sample, plan=plan) for sample in members), names)


def plan_once(group: LineOfTakes, planner: Planner, *, seed: int = 0, store: ReplyStore | None = None) -> LineOfTakes:
    """The same takes, each with the one plan that the planner makes for their line.

    Raises:
        AptoneError: if no plan can be made; the message names the line.
    """
    if group.plan is not None:
        return group
    try:
        plan = plan_sample(group.samples[0], planner, seed=seed, store=store).plan
    except AptoneError as error:
        words = group.samples[0].target.text[:60]
        raise UsageError(message("aptness.no-plan-made", words=words, why=str(error))) from error
    return replace(group, samples=tuple(replace(sample, plan=plan) for sample in group.samples))


def judging_step(step: AptnessStep) -> AptnessStep:
    """The step without its planner: the takes bring their plan."""
    return replace(step, planner=ByHand())


def judge_takes(
    group: LineOfTakes,
    step: AptnessStep,
    *,
    repeats: int = 1,
    seed: int = 0,
    store: ReplyStore | None = None,
    clips: Mapping[str, ClipFile] | None = None,
) -> list[Entry]:
    """A verdict on each take, without a run folder; a take that cannot be judged is an entry with the reason.

    Args:
        clips: recordings that are in memory, by the id of their sample.
    """
    judging = judging_step(step)
    held = clips or {}
    hashes = {Path(clip.name): clip.sha256 for clip in held.values()}
    works = [Work(item, repeat) for item in make_items(group.samples, hashes=hashes) for repeat in range(repeats)]
    size = judging.batch_size if isinstance(judging, BatchStep) and not held else 1
    performer = Performer(partial(_judge_held, judging, held) if held else judging, seed=seed, store=store)
    batches = [works[begin : begin + size] for begin in range(0, len(works), size)]
    return [entry for batch in batches for entry in run_to_the_end(performer(batch))]


def _judge_held(
    judging: AptnessStep, clips: Mapping[str, ClipFile], item: Item, call: Call, /
) -> Outcome | Awaitable[Outcome]:
    """The outcome of an item whose recording is in memory."""
    audio = clips[item.id].read(rate=JUDGED_RATE, max_seconds=LONGEST_LINE)
    return judging.on_sample(replace(from_json(Sample, item.payload), audio=audio), call)


def rank_line(
    group: LineOfTakes, entries: Sequence[Entry], *, least_lead: float = LEAST_LEAD, lang: Language | None = None
) -> RankedLine:
    """Rank the takes of a line by their verdicts; by default the reasons are in the language of the story."""
    first = group.samples[0]
    language = lang or first.language
    ranking = rank_takes(takes_of(entries, names=group.names, language=language), least_lead=least_lead)
    files = {group.names[one.id]: one.audio for one in group.samples if isinstance(one.audio, AudioRef)}
    return RankedLine(first.target, first.language, group.plan, ranking, explain(ranking, language=language), files)


def rank_lines(
    entries: Sequence[Entry], *, source: str, least_lead: float = LEAST_LEAD, lang: Language | None = None
) -> list[RankedLine]:
    """The rankings behind the entries of a run, line by line, with reasons in `lang` or the language of the story."""
    by_id: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_id[entry.item.id].append(entry)
    groups = group_takes([from_json(Sample, repeats[0].item.payload) for repeats in by_id.values()], source=source)
    verdicts = [[entry for sample in group.samples for entry in by_id[sample.id]] for group in groups]
    return [
        rank_line(group, own, least_lead=_asked_lead(group, least_lead), lang=lang)
        for group, own in zip(groups, verdicts, strict=True)
    ]


def _asked_lead(group: LineOfTakes, otherwise: float) -> float:
    """The least lead that a request asked for, where the takes came in one."""
    asked = number_or_nan(json_or_text(group.samples[0].ids.get(MIN_LEAD, "")))
    return asked if asked >= 0.0 else otherwise
