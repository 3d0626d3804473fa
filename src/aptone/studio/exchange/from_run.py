"""Task from a run: the judge's closest calls first, its scores hidden from raters, and the way back to the run.

An item remembers under ``hidden`` which run it came from and which item of the run each of its clips is, so that what
people say can be held against the judge later (`aptone.studio.exchange.apply_ratings`). Items come in the order of the
task, the closest call first, to every rater alike.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aptone.errors import UsageError
from aptone.messages import message
from aptone.ratings.tasks import with_items
from aptone.rooms.aptness.takes.rank import group_takes
from aptone.run import Run, load_run
from aptone.run.folder import Whereabouts
from aptone.studio.decoded_clips import DecodedClips
from aptone.studio.exchange.imports import FIRST, JUDGE_CHOICE, SECOND, import_task, named_task
from aptone.studio.exchange.selection import Judged, closest_pair, judged, widest_first, wrong_order
from aptone.studio.folder import ClipStorage
from aptone.studio.store.answers import pair_fields
from aptone.types import AudioRef, Entry, Json, RatingItem, RatingTask, Sample, from_json, schema_name

RUN, RUN_ITEMS = "run", "run_items"
"""Hidden fields: name of the run (a mapping by clip, where there are two), and clip to item of the run."""
JUDGE_SCORES = "judge_scores"
"""Hidden field: clip to the judge's score."""
UNSURE = "judge_unsure"
"""Hidden field: probability that the judge has the order wrong, or the deviation of its score."""
SYSTEMS = "systems"
TEMPLATES: Mapping[str, str] = {
    "score": "ceaeval-d",
    "rank": "ceaeval-d",
    "style": "s3bench",
    "answer": "paras2s-answers",
    "caption": "emosura-mos",
}
"""Verb of a run to the task that asks about its items."""
PAIR_TEMPLATE = "preference"


def task_from_run(
    sources: Sequence[Path],
    *,
    folder: Path,
    takes: bool = False,
    template: str = "",
    name: str = "",
    count: int = 0,
    raters: int | None = None,
    systems: Sequence[str] = (),
    link: bool = False,
    decoded: DecodedClips | None = None,
) -> RatingTask:
    """Make a task of a run, or of two runs over the same lines, the judge's closest calls first.

    Args:
        sources: one run; two runs are compared item by item.
        folder: project folder, which gets the clips.
        takes: compare the takes of each line instead of asking about single items.
        template: task that asks about them; by default one that fits.
        count: most items, the closest calls; 0 for all.
        systems: names of two runs in the results; by default those of their folders.

    Raises:
        UsageError: if there are more than two runs, or nothing in them that could be compared.
    """
    if not 1 <= len(sources) <= 2:
        raise UsageError(message("exchange.one-or-two-runs", count=len(sources)))
    if takes or len(sources) == 2:
        task = named_task(template or PAIR_TEMPLATE)
        if not (fields := pair_fields(task)):
            raise UsageError(message("exchange.no-pair-in-task", name=repr(task.name)))
        made = _compared(sources, systems) if len(sources) == 2 else _of_takes(sources[0], whole=_takes_sets(task))
        if not made:
            raise UsageError(message("exchange.nothing-to-compare", name=sources[0]))
        made.sort(key=lambda item: -_number(item.hidden[UNSURE]))
        chosen = [_with_fields(item, task, fields[0]) for item in made[: count or None]]
        stored = ClipStorage(folder, base=Path.cwd(), link=link, decoded=decoded).add_all(chosen)
        whole = replace(with_items(task, stored, name=name), shuffled=False)
        return replace(whole, raters_per_item=raters or whole.raters_per_item)
    return _of_items(sources[0], folder, template, name, count, raters, link=link, decoded=decoded)


def _of_items(
    source: Path,
    folder: Path,
    template: str,
    name: str,
    count: int,
    raters: int | None,
    *,
    link: bool,
    decoded: DecodedClips | None,
) -> RatingTask:
    run = load_run(source)
    chosen = template or TEMPLATES.get(run.config.verb, "")
    if not chosen:
        raise UsageError(message("exchange.no-task-for-verb", name=source, verb=run.config.verb))
    task = import_task(chosen, [source], folder=folder, name=name, raters=raters, link=link, decoded=decoded)
    known = _judged(run)
    items = {item.id: item for item in task.items}
    found = widest_first([known.get(name, Judged(name, math.nan)) for name in items])
    ordered = []
    for one in found[: count or None]:
        item = items[one.id]
        clips: dict[str, Json] = {next(iter(item.audio), ""): one.id}
        origin: dict[str, Json] = {RUN: source.resolve().name, RUN_ITEMS: clips, UNSURE: one.deviation}
        ordered.append(replace(item, hidden={**item.hidden, **origin}))
    return replace(task, items=tuple(ordered), shuffled=False)


def _judged(run: Run) -> dict[str, Judged]:
    repeats: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in run.entries:
        repeats[entry.item.id].append(entry)
    return {name: judged(entries, score=run.main_score) for name, entries in repeats.items()}


def _samples(source: Path, run: Run) -> list[Sample]:
    where = Whereabouts(source)
    found = []
    for entry in run.entries:
        if entry.repeat == 0 and entry.item.payload.get("schema") == schema_name(Sample):
            sample = from_json(Sample, where.locate_all(entry).item.payload)
            if isinstance(sample.audio, AudioRef):
                found.append(sample)
    return found


def _takes_sets(task: RatingTask) -> bool:
    return any(one.kind in ("set", "switch") for one in task.shown)


def _of_takes(source: Path, *, whole: bool) -> list[RatingItem]:
    """Items of the lines of a run with several takes: all of them, or the two whose order is least sure."""
    run = load_run(source)
    known = _judged(run)
    items = []
    for group in group_takes(_samples(source, run), source=str(source)):
        pair = closest_pair([known[sample.id] for sample in group.samples])
        if pair is None:
            continue
        samples = {sample.id: sample for sample in group.samples}
        chosen = [samples[one.id] for one in pair]
        if whole:
            chosen = [sample for sample in group.samples if not math.isnan(known[sample.id].score)]
        names = [f"take{number}" for number in range(1, len(chosen) + 1)] if whole else [FIRST, SECOND]
        by_clip = dict(zip(names, chosen, strict=True))
        systems: dict[str, Json] = {clip: group.names[sample.id] for clip, sample in by_clip.items()}
        hidden: dict[str, Json] = {RUN: source.resolve().name, SYSTEMS: systems, UNSURE: wrong_order(*pair)}
        items.append(_item(pair[0].id, by_clip, known, hidden))
    return items


def _compared(sources: Sequence[Path], systems: Sequence[str]) -> list[RatingItem]:
    """Items of two runs over the same lines, one clip of each."""
    names = list(systems or (source.resolve().name for source in sources))
    if len(names) != 2 or names[0] == names[1]:
        raise UsageError(message("exchange.two-names", names=", ".join(names)))
    runs = [load_run(source) for source in sources]
    known = [_judged(run) for run in runs]
    samples = [{sample.id: sample for sample in _samples(*one)} for one in zip(sources, runs, strict=True)]
    items = []
    for name, sample in samples[0].items():
        if name not in samples[1]:
            continue
        by_clip = {FIRST: sample, SECOND: samples[1][name]}
        both = known[0][name], known[1][name]
        unsure = wrong_order(*both)
        folders: dict[str, Json] = {FIRST: sources[0].resolve().name, SECOND: sources[1].resolve().name}
        hidden: dict[str, Json] = {RUN: folders, SYSTEMS: {FIRST: names[0], SECOND: names[1]}}
        hidden[UNSURE] = 0.0 if math.isnan(unsure) else unsure  # nothing to hold people against: asked last
        items.append(_item(name, by_clip, {FIRST: both[0], SECOND: both[1]}, hidden, by_clip_name=True))
    return items


def _item(
    name: str,
    by_clip: Mapping[str, Sample],
    known: Mapping[str, Judged],
    hidden: Mapping[str, Json],
    *,
    by_clip_name: bool = False,
) -> RatingItem:
    first = next(iter(by_clip.values()))
    scores = {clip: known[clip if by_clip_name else sample.id].score for clip, sample in by_clip.items()}
    own: dict[str, Json] = {RUN_ITEMS: {clip: sample.id for clip, sample in by_clip.items()}}
    own[JUDGE_SCORES] = {clip: score for clip, score in scores.items() if not math.isnan(score)}
    best = sorted(scores, key=lambda clip: -scores[clip])
    if len(scores) == 2 and scores[best[0]] > scores[best[1]]:
        own[JUDGE_CHOICE] = best[0]
    lines = [*first.context, first.target, *first.following]
    story: list[Json] = [{"text": line.text, "role": line.role, "clip": ""} for line in lines]
    return RatingItem(
        id=name,
        audio={clip: sample.audio for clip, sample in by_clip.items() if isinstance(sample.audio, AudioRef)},
        fields={"line": first.target.text, "story": {"lines": story, "target": len(first.context)}},
        hidden={**first.ids, "language": first.language, **hidden, **own},
    )


def _with_fields(item: RatingItem, task: RatingTask, field: str) -> RatingItem:
    """Return an item with the fields that the task shows: the clips under the name that it looks for them at."""
    wanted = {one.name for one in task.shown}
    fields = {name: value for name, value in item.fields.items() if name in wanted}
    return replace(item, fields={**fields, field: list(item.audio)})


def _number(value: Json) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
