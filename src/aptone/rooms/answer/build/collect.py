"""Output of a build: manifests, the rating task, rejects, yields."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from aptone.ear.claims.feeling import Verdict
from aptone.errors import RecordError
from aptone.messages import words
from aptone.report.result_table import Column, ResultTable, TableCell
from aptone.rooms.answer.bench.real import RELEASE_ID
from aptone.rooms.answer.build.disjoint import TrainingSet, speaker_collision
from aptone.rooms.answer.build.filters import NEUTRALITY, REASONABILITY, RELEVANCE
from aptone.rooms.answer.build.records import Candidate, FilterVerdict, SpokenPrompt, records
from aptone.rooms.answer.build.synthesis import SpeechStep
from aptone.rooms.answer.data import (
    MANIFEST,
    PUBLISHED_PROMPTS,
    AnswerSample,
    Dimension,
    Prompt,
    Source,
    read_manifest,
    write_manifest,
)
from aptone.rooms.answer.rating_items import CLIP, read_verification, verification_task, verified
from aptone.run import write_whole
from aptone.types import AudioRef, Json, Language, Outcome, State, dumps, to_json

VERIFIED, TASK_FILE, REJECTS, ABOUT = "verified.jsonl", "task.json", "rejects.jsonl", "build.json"
FALLEN = "verification-rejects.jsonl"


@dataclass(slots=True)
class Stages:
    """Output of the stages of a build so far.

    Args:
        candidates: candidates of stage 1, in order of preference.
        unwritten: requests for sentences that brought none, and why.
        filtered: outcomes of stage 2, by candidate.
        colliding: candidates that stage 4 rejects, and with what they collide.
        spoken: outcomes of stage 3, by candidate.
    """

    candidates: list[Candidate] = field(default_factory=list)
    unwritten: dict[str, str] = field(default_factory=dict)
    filtered: dict[str, Outcome] = field(default_factory=dict)
    colliding: dict[str, str] = field(default_factory=dict)
    attempted: list[Candidate] = field(default_factory=list)
    spoken: dict[str, Outcome] = field(default_factory=dict)

    def has_passed(self, candidate: Candidate) -> bool:
        """Return whether a candidate passed the filters."""
        return candidate.id in self.filtered and self.filtered[candidate.id].state is State.DONE

    def is_spoken(self, candidate: Candidate) -> bool:
        """Return whether both styles of a candidate were spoken and passed their checks."""
        return candidate.id in self.spoken and self.spoken[candidate.id].state is State.DONE


@dataclass(frozen=True, slots=True)
class BuildResult:
    """Result of a build: counts by stage and, if it ended early, why."""

    manifest: Path
    questions: Mapping[str, int]
    real: Mapping[str, int]
    rejected: Mapping[str, int]
    yields: Mapping[str, Mapping[str, int]]
    stopped: str = ""
    lacking: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reject:
    """Rejected candidate or question, by its id."""

    stage: str
    id: str
    content: str
    reason: str


def write_benchmark(
    stages: Stages,
    speech: SpeechStep,
    training: TrainingSet,
    folder: Path,
    *,
    prompts: int,
    dimensions: Sequence[Dimension],
    settings: Mapping[str, Json],
    real: Sequence[AnswerSample] = (),
    stopped: str = "",
) -> BuildResult:
    """Write everything that there is so far, at most so many prompts of each dimension.

    Raises:
        RunError: if a file cannot be written.
    """
    rejects = _early_rejects(stages)
    kept, dropped = _accepted_pairs(stages, training, limit=prompts)
    rejects += dropped
    samples = [sample for one in kept for sample in _samples(one, stages.spoken[one.id], folder)]
    yields = _yields(stages, kept, rejects)
    everything = [*samples, *real]
    manifest = folder / MANIFEST
    write_manifest(manifest, everything)
    task = verification_task([sample.prompt for sample in samples])
    near = [replace(item, audio={CLIP: _near(item.audio[CLIP], folder)}) for item in task.items]
    write_whole(folder / TASK_FILE, dumps(to_json(replace(task, items=tuple(near))), indent=1) + "\n")
    _write_ids(real, folder)
    write_whole(folder / REJECTS, "".join(f"{dumps(to_json(one))}\n" for one in rejects))
    pairs = Counter(one.prompt.dimension.value for one in everything if not one.prompt.source.is_real)
    questions = {dimension.value: pairs[dimension.value] // 2 for dimension in dimensions}
    about: dict[str, Json] = {
        "about": "Questions that are asked in two ways. Unverified means that no machine could check it.",
        "settings": {**settings, **speech.described, "speech": speech.signature},
        "training": {"texts": len(training.texts), "topics": len(training.topics), "speakers": len(training.speakers)},
        "yields": {name: dict(counts) for name, counts in yields.items()},
        "questions": dict(questions),
        "real": dict(Counter(one.prompt.source.value for one in real)),
    }
    write_whole(folder / ABOUT, dumps(about, indent=1) + "\n")
    return BuildResult(
        manifest,
        questions,
        Counter(one.prompt.source.value for one in real),
        Counter(one.stage for one in rejects),
        yields,
        stopped,
        {name: prompts - count for name, count in questions.items() if count < prompts},
    )


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """Benchmark after human verification; fallen questions with their reasons."""

    manifest: Path
    questions: Mapping[str, int]
    fallen: Mapping[str, str]


def apply_verification(folder: Path, ratings: Path) -> VerificationResult:
    """Stage 5: keep the questions of a benchmark that everybody found right.

    Raises:
        RecordError: if there is no benchmark, or the answers are about another one, or cannot be understood.
        RunError: if a file cannot be written.
    """
    if not (folder / MANIFEST).is_file():
        raise RecordError(f"{folder}: there is no benchmark yet; build it first, without ratings.")
    samples = read_manifest(folder / MANIFEST)
    words = {sample.id: sample.prompt.content for sample in samples}
    try:
        kept, fallen = verified(samples, read_verification(ratings))
    except RecordError as error:
        raise RecordError(str(error) if str(ratings) in str(error) else f"{ratings}: {error}") from error
    write_manifest(folder / VERIFIED, kept)
    rows = [Reject("verification", name, words[name], why) for name, why in fallen.items()]
    write_whole(folder / FALLEN, "".join(f"{dumps(to_json(one))}\n" for one in rows))
    pairs = Counter(one.prompt.dimension.value for one in kept if not one.prompt.source.is_real)
    dimensions = {one.prompt.dimension for one in samples if not one.prompt.source.is_real}
    questions = {one.value: pairs[one.value] // 2 for one in Dimension if one in dimensions}
    return VerificationResult(folder / VERIFIED, questions, fallen)


def _early_rejects(stages: Stages) -> list[Reject]:
    """Return the rejects before synthesis, and those of the synthesis."""
    words = {one.id: one.content for one in stages.candidates}
    rejects = [Reject("candidates", name, "", why) for name, why in stages.unwritten.items()]
    for stage, outcomes in (("filters", stages.filtered), ("speech", stages.spoken)):
        rejects += [
            Reject(stage, name, words.get(name, ""), outcome.reason)
            for name, outcome in outcomes.items()
            if outcome.state is not State.DONE
        ]
    rejects += [Reject("disjointness", name, words[name], why) for name, why in stages.colliding.items()]
    return rejects


def _accepted_pairs(stages: Stages, training: TrainingSet, *, limit: int) -> tuple[list[Candidate], list[Reject]]:
    """The pairs of the benchmark, at most so many of each dimension, and those whose voices are trained on."""
    kept: list[Candidate] = []
    rejects: list[Reject] = []
    count: Counter[Dimension] = Counter()
    for one in stages.attempted:
        if not stages.is_spoken(one):
            continue
        speakers = [said.speaker for said in records(SpokenPrompt, stages.spoken[one.id].evidence["prompts"])]
        if why := speaker_collision(speakers, training):
            rejects.append(Reject("disjointness", one.id, one.content, why))
        elif count[one.dimension] < limit:
            count[one.dimension] += 1
            kept.append(one)
    return sorted(kept, key=lambda one: list(Dimension).index(one.dimension)), rejects


def _samples(candidate: Candidate, outcome: Outcome, folder: Path) -> list[AnswerSample]:
    """Both questions of a pair, in the order of their ids: which style comes first says nothing."""
    samples = []
    for said in records(SpokenPrompt, outcome.evidence["prompts"]):
        rate = "" if said.error_rate is None else f"{said.error_rate:.4f}"
        ids = {
            "words": said.words.verdict.value,
            "word_error_rate": rate,
            "style": said.style.verdict.value,
            "style_reason": said.style.reason,
            "reference": said.reference,
        }
        prompt = Prompt(
            candidate.question_id(said.category),
            candidate.content,
            candidate.dimension,
            said.category,
            AudioRef(str((folder / said.audio).absolute()), sha256=said.sha256),
            candidate.topic,
            candidate.id,
            said.speaker,
            Source.SYNTHETIC,
            candidate.language,
            {name: value for name, value in ids.items() if value},
        )
        samples.append(AnswerSample(prompt.id, prompt))
    return sorted(samples, key=lambda sample: sample.id)


def _yields(stages: Stages, kept: Sequence[Candidate], rejects: Sequence[Reject]) -> dict[str, dict[str, int]]:
    verdicts = [
        verdict
        for outcome in stages.filtered.values()
        if "verdicts" in outcome.evidence
        for verdict in records(FilterVerdict, outcome.evidence["verdicts"])
    ]
    refused = Counter(one.name for one in verdicts if not one.passed)
    passed = sum(stages.has_passed(one) for one in stages.candidates)
    spoken = [
        said
        for outcome in stages.spoken.values()
        if "prompts" in outcome.evidence
        for said in records(SpokenPrompt, outcome.evidence["prompts"])
    ]
    words, styles = Counter(one.words.verdict for one in spoken), Counter(one.style.verdict for one in spoken)
    collided = sum(one.stage == "disjointness" for one in rejects)
    return {
        "candidates": {"requests without": len(stages.unwritten), "sentences": len(stages.candidates)},
        "filters": {
            "sentences in": len(stages.filtered),
            **{f"refused by {name}": refused[name] for name in (NEUTRALITY, REASONABILITY, RELEVANCE)},
            "sentences out": passed,
        },
        "disjointness": {"sentences in": passed, "refused": collided, "sentences out": passed - collided},
        "speech": {
            "unfinished": sum(one.state is State.FAILED for one in stages.spoken.values()),
            "sentences in": len(stages.attempted),
            "recordings": len(spoken),
            "attempts": sum(one.tries for one in spoken),
            **{f"words {verdict.value}": words[verdict] for verdict in Verdict},
            **{f"style {verdict.value}": styles[verdict] for verdict in Verdict},
            "sentences out": sum(map(stages.is_spoken, stages.attempted)),
        },
        "kept": dict(Counter(one.dimension.value for one in kept)),
    }


def _near(audio: AudioRef, folder: Path) -> AudioRef:
    return replace(audio, path=Path(audio.path).relative_to(folder.absolute()).as_posix())


def _write_ids(real: Sequence[AnswerSample], folder: Path) -> None:
    """Lists of the ids of real speech, which is all that we pass on of it."""
    for source in (Source.IEMOCAP, Source.MELD):
        if ids := [one.prompt.ids[RELEASE_ID] for one in real if one.prompt.source is source]:
            write_whole(folder / f"{source.value}-ids.txt", "".join(f"{name}\n" for name in ids))


def count_list(counts: Mapping[str, int], language: Language) -> str:
    """Counts with their names.

    >>> count_list({"emotion": 2, "age": 1}, "en")
    'emotion 2, age 1'
    """
    word = words(language, "answer.build")
    return ("，" if language == "zh" else ", ").join(f"{word(name)} {count}" for name, count in counts.items())


def real_note(source: Source, count: int, *, language: Language) -> str:
    """Number of lines of a corpus, beside the published number.

    >>> real_note(Source.MELD, 781, language="en")
    'MELD: 781 lines, as published.'
    """
    word = words(language, "answer.build")
    published = PUBLISHED_PROMPTS[source, Dimension.EMOTION]
    name = "real_as_published" if count == published else "real_count"
    return word(name, corpus=word(source.value), count=count, published=published)


def built_table(built: BuildResult, *, language: Language) -> ResultTable:
    """Table of the stages: input, output, and what became of the rest."""
    word = words(language, "answer.build")
    rows = []
    for stage in ("candidates", "filters", "disjointness", "speech", "kept"):
        counts = dict(built.yields.get(stage, {}))
        given = counts.pop("sentences in", None)
        left = counts.pop("sentences out", None)
        if stage == "candidates":
            left = counts.pop("sentences")
        if stage == "kept":
            left = sum(counts.values())
        if "unfinished" in counts:
            counts["unfinished count"] = counts.pop("unfinished")
        shown = {name: count for name, count in counts.items() if count or name.startswith("refused")}
        cells = [word(f"stage_{stage}"), _number(given), _number(left), count_list(shown, language)]
        rows.append(tuple(TableCell(cell) for cell in cells))
    if built.real:
        cells = [word("stage_real"), "", str(sum(built.real.values())), count_list(built.real, language)]
        rows.append(tuple(TableCell(cell) for cell in cells))
    columns = (Column(word("stage"), number=False), Column(word("in")), Column(word("out")))
    return ResultTable(word("stages"), (*columns, Column(word("details"), number=False, roomy=True)), tuple(rows))


def _number(count: int | None) -> str:
    return "" if count is None else str(count)
