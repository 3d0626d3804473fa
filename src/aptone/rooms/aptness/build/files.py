"""Output files of a build: manifest, rating task, shards for distillation, rejects, and a report."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from aptone.audio import encode_opus, read
from aptone.files import make_folder
from aptone.ratings.tasks import task_template, with_items, write_task
from aptone.rooms.aptness.books.book import PlacedLine, cut_lines
from aptone.rooms.aptness.build.line_places import AlignedWork, RejectedWork
from aptone.rooms.aptness.build.report import (
    PLACED,
    Candidate,
    PortionSettings,
    RejectedLine,
    Selection,
    alignment_lines,
    reasons_of,
    rejected_json,
    rejected_lines,
    work_json,
    yields_of,
)
from aptone.rooms.aptness.build.weak_labels import CAPTION, HEARD, NO_CAPTION, SAMPLE, WeakStep
from aptone.rooms.aptness.rating_items import TASK, line_item
from aptone.run import write_whole
from aptone.run.sources.shards import SHARDS, Caption, ShardSample, write_shards
from aptone.types import (
    Annotation,
    AudioRef,
    Entry,
    Json,
    RatingItem,
    RatingTask,
    Sample,
    Segment,
    State,
    WeakAnnotation,
    dumps,
    from_json,
    to_json,
)

MARGIN = 1.0
"""Seconds before and behind a line that annotators hear, too."""


@dataclass(frozen=True, slots=True)
class TaskLine:
    """A line for people.

    Args:
        sample: the line in its story; paths are relative to the folder of the set.
        clip: its recording with some seconds around it.
        boundaries: start and end of the line in the clip.
        neighbours: clip of each line of its context, those before it first; ``None`` for lines without one.
    """

    sample: Sample
    clip: str
    boundaries: Segment
    neighbours: tuple[str | None, ...]
    hidden: Mapping[str, Json]


def with_margin(line: PlacedLine, seconds: Sequence[float]) -> PlacedLine:
    """A line with some seconds around it, as far as its recording has them."""
    time = line.time.time
    assert time is not None
    wide = Segment(max(0.0, time.start - MARGIN), min(time.end + MARGIN, seconds[line.time.recording]))
    return replace(line, time=replace(line.time, time=wide))


def rating_task(lines: Sequence[TaskLine], *, calibration: Sequence[str], raters: int) -> RatingTask:
    """The task of some lines; everybody annotates those of the ids `calibration` first."""
    task = with_items(task_template(TASK), [_item(line) for line in lines], calibration=calibration)
    return replace(task, raters_per_item=raters)


def _item(line: TaskLine) -> RatingItem:
    before = len(line.sample.context)
    paths = {place + (place >= before): path for place, path in enumerate(line.neighbours)}
    clips = {place: AudioRef(path) for place, path in paths.items() if path is not None}
    return line_item(line.sample, AudioRef(line.clip), boundaries=line.boundaries, neighbours=clips, hidden=line.hidden)


def relative(path: Path, folder: Path) -> str:
    """The path of a file in a folder as task and manifest name it, so that both can be moved with the folder."""
    return path.absolute().relative_to(folder.absolute()).as_posix()


MANIFEST, TASK_FILE, REJECTS, REPORT = "manifest.jsonl", "task.json", "rejects.jsonl", "build.json"
ALIGNMENT_FILE = "alignment.json"
CLIPS, TASK_CLIPS, WORKS = "clips", "task-clips", "works"

NOTE = (
    "Found, cut and described by machines. Nobody has listened yet: captions and what the ear heard are weak labels, "
    "and texts and boundaries are what annotators start from."
)


@dataclass(frozen=True, slots=True)
class BuildResult:
    """Result of a build.

    Args:
        calibration: number of lines that everybody annotates.
        unfinished: number of lines without labels yet; the same command resumes.
        stopped: reason why it stopped early; empty when it did not.
    """

    folder: Path
    lines: int = 0
    seconds: float = 0.0
    task_lines: int = 0
    calibration: int = 0
    yields: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    reasons: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    unfinished: int = 0
    stopped: str = ""


def collect(
    aligned: Sequence[AlignedWork],
    rejected: Sequence[RejectedWork],
    candidates: Sequence[Candidate],
    entries: Sequence[Entry],
    *,
    step: WeakStep,
    portions: PortionSettings,
    raters: int,
    shards: str,
    described: Mapping[str, Json],
    folder: Path,
    stopped: str,
) -> BuildResult:
    """Write what a build has made so far; the same works and settings give the same bytes.

    Args:
        stopped: reason why the run over the lines stopped early; then there is no task yet, and there are no shards.

    Raises:
        RunError: if a file cannot be written.
    """
    known = {(entry.item.id, entry.item.content_hash): entry for entry in entries if entry.repeat == 0}
    by_id = {one.item.id: known.get((one.item.id, one.item.content_hash)) for one in candidates}
    rejects = [RejectedLine(one.work.name, 0, "", one.stage, one.reason) for one in rejected]
    rejects += [lost for work in aligned for lost in rejected_lines(work)]
    usable: list[tuple[Candidate, Sample]] = []
    silent = 0
    for candidate in candidates:
        entry = by_id[candidate.item.id]
        if entry is not None and entry.outcome.state is State.UNSCORED:
            rejects.append(RejectedLine.of(candidate, "ear", entry.outcome.reason))
            continue
        usable.append((candidate, _sample(candidate, entry, step, folder)))
        silent += entry is not None and NO_CAPTION in entry.outcome.evidence
    chosen = Selection.of(aligned, [one for one, _ in usable], portions)
    usable = [(one, _with_portion(sample, chosen)) for one, sample in usable]
    kept = [(one, sample) for one, sample in usable if sample.weak is not None]
    write_whole(folder / MANIFEST, "".join(f"{dumps(to_json(sample))}\n" for _, sample in kept))
    write_whole(folder / REJECTS, "".join(f"{dumps(asdict(one))}\n" for one in rejects))
    for work in aligned:
        by_line = alignment_lines(work.placed, work.work.recordings)
        make_folder(folder / WORKS / work.work.key)
        write_whole(folder / WORKS / work.work.key / ALIGNMENT_FILE, dumps({"by_line": by_line}, indent=1) + "\n")
    if not stopped:
        lines = list(_task_lines(usable, chosen, folder))
        write_task(folder / TASK_FILE, rating_task(lines, calibration=chosen.calibration, raters=raters))
        if shards != "none":
            write_shards(folder / SHARDS, _shards(kept, shards))
    lengths = {sample.id: candidate.seconds for candidate, sample in usable}
    yields = yields_of(aligned, rejected, lines_in=len(candidates), described=len(kept), silent=silent)
    yields["task"] = chosen.yields(lengths)
    reasons, unfinished = reasons_of(rejects), len(usable) - len(kept)
    report: dict[str, Json] = {
        "about": NOTE,
        "settings": {**described, **asdict(portions), "shards": shards},
        "heard_by": step.heard_by,
        "captioned_by": step.captioned_by,
        "licence": step.about.licence,
        "yields": {name: dict(counts) for name, counts in yields.items()},
        "reasons": {name: dict(counts) for name, counts in reasons.items()},
        "unfinished": unfinished,
        "works": [*(work_json(work) for work in aligned), *(rejected_json(one) for one in rejected)],
    }
    write_whole(folder / REPORT, dumps(report, indent=1) + "\n")
    return BuildResult(
        folder,
        lines=len(kept),
        seconds=sum(candidate.seconds for candidate, _ in kept),
        task_lines=len(chosen.portion_of),
        calibration=len(chosen.calibration),
        yields=yields,
        reasons=reasons,
        unfinished=unfinished,
        stopped=stopped,
    )


def _sample(candidate: Candidate, entry: Entry | None, step: WeakStep, folder: Path) -> Sample:
    """The line with its clip beside the manifest, and with what machines said of it if they were asked."""
    payload = candidate.item.payload
    found = payload[PLACED]
    sample = from_json(Sample, {name: payload[name] for name in SAMPLE})
    assert isinstance(sample.audio, AudioRef)
    assert isinstance(found, Mapping)
    clip = replace(sample.audio, path=relative(candidate.clip, folder))
    sample = replace(sample, audio=clip, ids={**sample.ids, "recording": str(found["recording"])})
    if entry is None or entry.outcome.state is not State.DONE:
        return sample
    time, evidence = candidate.line.time.time, entry.outcome.evidence
    heard = replace(
        from_json(Annotation, evidence[HEARD]),
        refined_context=sample.context,
        refined_content=sample.target.text,
        role=sample.target.role,
        boundaries=None if time is None else Segment(round(time.start, 3), round(time.end, 3)),
    )
    is_transcribed = candidate.work.alignment is not None
    weak = WeakAnnotation(
        heard=heard,
        caption=str(evidence[CAPTION]),
        transcript=str(found["transcript"]),
        confidence=round(candidate.line.time.confidence, 4) if is_transcribed else math.nan,
        heard_by=step.heard_by,
        captioned_by=step.captioned_by if evidence[CAPTION] else "",
        transcribed_by=candidate.work.transcribed_by,
    )
    return replace(sample, weak=weak)


def _with_portion(sample: Sample, chosen: Selection) -> Sample:
    portion = {"portion": str(chosen.portion_of[sample.id])} if sample.id in chosen.portion_of else {}
    return replace(sample, ids={**sample.ids, **portion})


def _task_lines(usable: Sequence[tuple[Candidate, Sample]], chosen: Selection, folder: Path) -> Iterator[TaskLine]:
    """The lines that people annotate, cut with some seconds around them."""
    clips = {(one.work.work.key, one.line.number): relative(one.clip, folder) for one, _ in usable}
    by_work: dict[str, list[tuple[Candidate, Sample]]] = {}
    for one, sample in usable:
        if sample.id in chosen.portion_of:
            by_work.setdefault(one.work.work.key, []).append((one, sample))
    for key, own in by_work.items():
        work = own[0][0].work
        wide = {one.line.number: with_margin(one.line, work.seconds) for one, _ in own}
        cut = cut_lines(list(wide.values()), work.work.recordings, folder / TASK_CLIPS / key)
        numbers = [line.number for line in work.content_lines]
        places = {number: place for place, number in enumerate(numbers)}
        for one, sample in own:
            number = one.line.number
            place, around, time = places[number], wide[number].time.time, one.line.time.time
            assert around is not None
            assert time is not None
            neighbours = [*numbers[place - len(sample.context) : place], *numbers[place + 1 :][: len(sample.following)]]
            yield TaskLine(
                sample,
                relative(cut[number], folder),
                Segment(time.start - around.start, time.end - around.start),
                tuple(clips.get((key, neighbour)) for neighbour in neighbours),
                {"weak": None if sample.weak is None else to_json(sample.weak)},
            )


def _shards(kept: Sequence[tuple[Candidate, Sample]], format: str) -> Iterator[ShardSample]:
    """The captioned lines with their clips, for distillation."""
    for candidate, sample in kept:
        if sample.weak is None or not sample.weak.caption:
            continue
        clip = candidate.clip
        is_ogg = format == "ogg"
        yield ShardSample(
            key=f"{sample.id}-{candidate.item.content_hash[:8]}",
            recording=encode_opus(read(clip, rate=None)) if is_ogg else clip.read_bytes(),
            ending="ogg" if is_ogg else clip.suffix[1:],
            seconds=candidate.seconds,
            captions=(Caption(sample.weak.caption, sample.language, "full"),),
            about={"line": sample.target.text, "ids": dict(sample.ids), "teacher": sample.weak.captioned_by},
        )
