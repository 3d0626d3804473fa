"""ParaS2SBench, built in five stages, each of which resumes where a kill stopped it.

=================  ===================================================================================================
file               what it is
=================  ===================================================================================================
``candidates/``    stage 1, a run: sentences that can be asked in two styles
``filters/``       stage 2, a run: what neutrality, reasonability and relevance say of each
``speech/``        stage 3, a run: both styles spoken and checked
``audio/``         the recordings
``manifest.jsonl`` the benchmark, as far as machines can check it
``task.json``      stage 5: the task for three people
``verified.jsonl`` the benchmark, once their answers are taken in
``rejects.jsonl``  all rejects, with stage and reason
``build.json``     settings, and how much went into each stage and came out
=================  ===================================================================================================

Stage 4, disjointness, comes in before anything is spoken as far as words and topics go, so that nothing is spoken in
vain, and again for the voices afterwards.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from aptone.errors import UsageError
from aptone.rooms.answer.build.candidates import CandidateStep, CandidateWriter, wanted_items
from aptone.rooms.answer.build.collect import BuildResult, Stages, write_benchmark
from aptone.rooms.answer.build.disjoint import NEAR, TrainingSet, collisions
from aptone.rooms.answer.build.filters import FilterStep, SentenceFilter
from aptone.rooms.answer.build.records import Candidate, records
from aptone.rooms.answer.build.synthesis import SpeechStep
from aptone.rooms.answer.data import PUBLISHED_PROMPTS, TOPICS, AnswerSample, Dimension, Source
from aptone.run import AnyStep, Ended
from aptone.types import Item, Json, Language, State, to_json

CANDIDATES, FILTERS, SPEECH = "candidates", "filters", "speech"
SURPLUS = 1.6
"""Sentences that are written for each that is wanted: filters and checks reject some."""


@dataclass(frozen=True, slots=True)
class BuildSettings:
    """Settings of a build.

    Args:
        prompts: questions of each dimension; each is asked in two styles.
        surplus: sentences that are written for each that is wanted, from 1 on.
        near: cosine from which on two sentences are near-duplicates, up to 1.

    Raises:
        UsageError: if nothing would be built.
    """

    prompts: int = PUBLISHED_PROMPTS[Source.SYNTHETIC, Dimension.EMOTION]
    dimensions: tuple[Dimension, ...] = tuple(Dimension)
    language: Language = "en"
    surplus: float = SURPLUS
    near: float = NEAR
    seed: int = 0

    def __post_init__(self) -> None:
        if self.prompts < 1 or not self.dimensions or not self.surplus >= 1 or not 0 < self.near <= 1:
            raise UsageError(
                "a benchmark has a question and a dimension or more, a surplus of 1 or more, and near-duplicates from "
                "a cosine between 0 and 1 on."
            )

    @property
    def described(self) -> dict[str, Json]:
        """Settings for the configuration of a run."""
        return {
            "prompts": self.prompts,
            "dimensions": [one.value for one in self.dimensions],
            "language": self.language,
            "surplus": self.surplus,
        }


class CarryOut(Protocol):
    """Runs a stage, with the limits of a command."""

    def __call__(self, step: AnyStep, items: Sequence[Item], /, *, stage: str, settings: Mapping[str, Json]) -> Ended:
        """Run the stage, and return the reason for an early stop."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """Models and inputs of a build."""

    writer: CandidateWriter
    filter: SentenceFilter
    speech: SpeechStep
    training: TrainingSet = field(default_factory=TrainingSet)
    real: Sequence[AnswerSample] = ()


def build_paras2s(settings: BuildSettings, parts: Parts, *, folder: Path, carry_out: CarryOut) -> BuildResult:
    """Build the benchmark in a folder, or go on with it.

    Raises:
        AptoneError: if something cannot be read, written or done.
    """
    stages = Stages()
    stopped = next(filter(None, _stages(settings, parts, stages, carry_out)), "")
    real = () if stopped else parts.real
    return write_benchmark(
        stages,
        parts.speech,
        parts.training,
        folder,
        prompts=settings.prompts,
        dimensions=settings.dimensions,
        settings={**settings.described, "near": settings.near},
        real=real,
        stopped=stopped,
    )


def _stages(settings: BuildSettings, parts: Parts, stages: Stages, carry_out: CarryOut) -> Iterator[str]:
    """Carry out stage by stage; gives after each run why it stopped, or nothing."""
    wanted = round(settings.prompts * settings.surplus)
    items = wanted_items(dimensions=settings.dimensions, per_dimension=wanted, language=settings.language)
    described: dict[str, Json] = {"writer": parts.writer.signature, "wanted": wanted, **settings.described}
    ended = carry_out(CandidateStep(parts.writer), items, stage=CANDIDATES, settings=described)
    stages.candidates = _written(ended, [item.id for item in items])
    entries = ended.run.entries
    stages.unwritten = {one.item.id: one.outcome.reason for one in entries if one.outcome.state is not State.DONE}
    yield ended.stopped
    filtering = [Item.make(one.id, to_json(one), position=place) for place, one in enumerate(stages.candidates)]
    described = {"filter": parts.filter.signature}
    ended = carry_out(FilterStep(parts.filter), filtering, stage=FILTERS, settings=described)
    stages.filtered = {entry.item.id: entry.outcome for entry in ended.run.entries}
    yield ended.stopped
    passed = [one for one in stages.candidates if stages.has_passed(one)]
    stages.colliding = collisions(passed, parts.training, near=settings.near)
    ready = [one for one in passed if one.id not in stages.colliding]
    attempted: list[Candidate] = []
    while more := _next(ready, attempted, stages, settings):
        attempted += more
        speaking = [Item.make(one.id, to_json(one), position=place) for place, one in enumerate(attempted)]
        described = {"speech": parts.speech.signature, **parts.speech.described}
        ended = carry_out(parts.speech, speaking, stage=SPEECH, settings=described)
        stages.spoken = {entry.item.id: entry.outcome for entry in ended.run.entries}
        stages.attempted = list(attempted)
        yield ended.stopped or _nothing_worked(more, stages)


def _written(ended: Ended, order: Sequence[str]) -> list[Candidate]:
    """Candidates of a run, dimension by dimension, the topics in turn: the first so many are spread over all."""
    by_id = {entry.item.id: entry.outcome for entry in ended.run.entries}
    every = [
        one
        for name in order
        if name in by_id and by_id[name].state is State.DONE
        for one in records(Candidate, by_id[name].evidence["candidates"])
    ]
    dimensions = list(Dimension)
    place: dict[tuple[Dimension, str], int] = {}
    keys = {}
    for one in every:
        kind = (one.dimension, one.topic)
        place[kind] = place.get(kind, -1) + 1
        keys[one.id] = (dimensions.index(one.dimension), place[kind], TOPICS.index(one.topic))
    return sorted(every, key=lambda one: keys[one.id])


def _nothing_worked(tried: Sequence[Candidate], stages: Stages) -> str:
    """Return why a round gave nothing, such as an unreachable server; empty if it gave something."""
    outcomes = [stages.spoken[one.id] for one in tried if one.id in stages.spoken]
    failed = [one.reason for one in outcomes if one.state is State.FAILED]
    return f"nothing could be spoken: {failed[-1]}" if failed and len(failed) == len(outcomes) else ""


def _next(
    ready: Sequence[Candidate], attempted: Sequence[Candidate], stages: Stages, settings: BuildSettings
) -> list[Candidate]:
    """The sentences that are spoken next: as many of each dimension as are still lacking."""
    begun = {one.id for one in attempted}
    chosen: list[Candidate] = []
    for dimension in settings.dimensions:
        kept = sum(one.dimension is dimension and stages.is_spoken(one) for one in attempted)
        left = [one for one in ready if one.dimension is dimension and one.id not in begun]
        chosen += left[: settings.prompts - kept]
    return chosen
