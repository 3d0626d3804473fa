"""Import of tasks: items from manifests and run folders of the rooms.

========================  ============================================================================================
template                  what it takes
========================  ============================================================================================
``ceaeval-d``             a manifest of spoken lines, or a run of ``aptone score``
``s3bench``               pairs of clips and descriptions, or a run of ``aptone style``
``paras2s``               a manifest of questions: every recorded one, once
``paras2s-answers``       a run of ``aptone answer``, or a manifest with ready answers; samples 30 of each dimension
``emosura-mos``           a manifest of captions, or a run of ``aptone caption``
``preference``            two runs, manifests of spoken lines or folders of clips, joined by the ids of their items
any task of your own      records with the fields that the task shows: text under its name, a path under a clip's
========================  ============================================================================================

What a run's judge gave an item is hidden under the name at which the task looks for it (`Control.judged_by`), so that
the judge can be held against people as soon as they answer. Marks that somebody gave the run in a view are hidden
under `MARKED`; exports have them beside what raters say.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from aptone.audio import RECORDINGS
from aptone.errors import RecordError, UsageError
from aptone.ratings.listening_tests import SYSTEMS
from aptone.ratings.storage import RUN_RATINGS, read_ratings
from aptone.ratings.tasks import read_task, task_template, templates, with_items
from aptone.report.groups import counted_score
from aptone.rooms.answer.data import RATED_PER_DIMENSION, AnswerSample
from aptone.rooms.answer.data import read_manifest as read_answers
from aptone.rooms.answer.rating_items import answered_sample, fitness_item, sample_answers, verification_item
from aptone.rooms.aptness.data import read_manifest as read_lines
from aptone.rooms.aptness.rating_items import rating_items as line_items
from aptone.rooms.caption.data import CaptionSample, opinion_item
from aptone.rooms.caption.data import read_manifest as read_captions
from aptone.rooms.style.build.s3bench_files import rating_item as style_item
from aptone.rooms.style.data import StylePair, read_pairs
from aptone.run import load_run
from aptone.run.folder import CONFIG, Whereabouts
from aptone.run.sources.manifest import manifest_records, refuse_doubles
from aptone.studio.decoded_clips import BrokenClip, DecodedClips
from aptone.studio.folder import ClipStorage
from aptone.types import AudioRef, Entry, Json, RatingItem, RatingTask, Sample, from_json, schema_name

MARKED = "marked"
"""Hidden field: mean score that people gave an item of a run in `aptone view`."""
PREFERENCE = "preference"
FIRST, SECOND = "first", "second"
JUDGE_CHOICE = "judge_choice"

_VERBS: Mapping[type[Any], str] = {
    Sample: "score",
    StylePair: "style",
    AnswerSample: "answer",
    CaptionSample: "caption",
}
"""Record type to the verb that makes a run of it."""

Record = TypeVar("Record")

TASK_FILE = "task.json"
"""Task in the folder that a builder made."""


def import_task_file(
    path: Path,
    *,
    folder: Path,
    link: bool = False,
    decoded: DecodedClips | None = None,
    broken: list[BrokenClip] | None = None,
) -> RatingTask:
    """Read a task from a file (JSON or YAML), and copy its clips, which lie relative to it, into a project folder.

    Args:
        decoded: takes what was decoded.
        broken: takes the clips that cannot be played, whose items are left out; ``None``: they are an error.

    Raises:
        RecordError: if the file is no task, or has no items, or the task needs an item that is left out.
        AudioError: if clips cannot be played.
        UsageError: if it is a manifest or a folder, which hold items alone.
    """
    if (path / TASK_FILE).is_file():
        raise UsageError(f"{path}: a folder; its task is {path / TASK_FILE}")
    if path.is_dir() or path.suffix.lower() == ".jsonl":
        raise UsageError(
            f"{path}: items without a task; name one that asks about them: "
            f"aptone studio import PROJECT {path} --task ceaeval-d (aptone studio tasks lists them)"
        )
    task = read_task(path)
    if not task.items:
        raise RecordError(
            f"{path}: the task has no items; take them from a manifest: "
            f"aptone studio import PROJECT MANIFEST --task {path}"
        )
    storage = ClipStorage(folder, base=path.parent, link=link, decoded=decoded)
    return replace(task, items=tuple(storage.add_all(task.items, broken=broken)))


def import_task(
    template: str | RatingTask,
    sources: Sequence[Path],
    *,
    folder: Path,
    name: str = "",
    link: bool = False,
    raters: int | None = None,
    calibration: int = 0,
    per_dimension: int = RATED_PER_DIMENSION,
    systems: Sequence[str] = (),
    seed: int = 0,
    decoded: DecodedClips | None = None,
    broken: list[BrokenClip] | None = None,
) -> RatingTask:
    """Fill a template with items from manifests or run folders, and copy their clips into a project folder.

    Args:
        template: name of a task that ships, path of a task file, or a task; what items it has are replaced.
        raters: people who rate an item; by default as many as the template says.
        calibration: number of first items that everyone rates before the others.
        per_dimension: answers sampled from each dimension for ``paras2s-answers``.
        systems: names of the two sides of ``preference``; by default those of the sources.
        decoded: takes what was decoded.
        broken: takes the clips that cannot be played, whose items are left out; ``None``: they are an error.

    Raises:
        RecordError: if a source cannot be understood, or two items have one id.
        AudioError: if clips cannot be played.
        UsageError: if a source is not of the kind that the template takes.
    """
    task = named_task(template) if isinstance(template, str) else template
    if not sources:
        raise UsageError("from where? Name a manifest or a run folder.")
    if systems and task.name != PREFERENCE:
        raise UsageError(f"{task.name} is not between two systems; only {PREFERENCE} takes their names.")
    readers: Mapping[str, Callable[[], list[RatingItem]]] = {
        "ceaeval-d": lambda: _of_lines(sources),
        "s3bench": lambda: [style_item(pair, judged=score) for pair, score in _records(sources, StylePair, read_pairs)],
        "paras2s": lambda: _of_questions(sources),
        "paras2s-answers": lambda: _of_answers(sources, per_dimension=per_dimension, seed=seed),
        "emosura-mos": lambda: [opinion_item(*one) for one in _records(sources, CaptionSample, read_captions)],
        PREFERENCE: lambda: _of_two(sources, systems),
    }
    items = readers.get(task.name, lambda: _of_fields(task, sources))()
    if not items:
        raise UsageError(f"{sources[0]}: there is nothing in it that people could rate.")
    marks = {name: mark for path in sources if is_run(path) for name, mark in _marks(path).items()}
    items = [
        replace(item, hidden={**item.hidden, MARKED: marks[item.id]}) if item.id in marks else item for item in items
    ]
    where = ", ".join(map(str, sources))
    refuse_doubles({f"{where}, item {number}": item.id for number, item in enumerate(items, start=1)})
    if not 0 <= calibration <= len(items):
        raise UsageError(f"{calibration} of {len(items)} items for calibration? Name as many as there are, or fewer.")
    items = ClipStorage(folder, base=Path.cwd(), link=link, decoded=decoded).add_all(items, broken=broken)
    whole = with_items(task, items, name=name, calibration=[item.id for item in items[:calibration]])
    return replace(whole, raters_per_item=raters or whole.raters_per_item)


def named_task(name: str) -> RatingTask:
    """Find a built-in task by its name, or else read a task file."""
    return read_task(Path(name)) if name not in templates() and Path(name).is_file() else task_template(name)


def is_run(path: Path) -> bool:
    """Return whether a folder is that of a run."""
    return path.is_dir() and (path / CONFIG).is_file()


def _marks(run: Path) -> dict[str, float]:
    """Return the mean mark of each item of a run that has any."""
    path = run / RUN_RATINGS
    rated = read_ratings(path, item="item") if path.is_file() else {}
    return {name: math.fsum(by.values()) / len(by) for name, by in rated.items()}


def _entries(path: Path, kind: type[Any]) -> list[tuple[Entry, float]]:
    """Return the items of a run and their scores; NaN for unscored ones."""
    run = load_run(path)
    whereabouts = Whereabouts(path)
    found = []
    for entry in run.entries:
        if entry.repeat:
            continue
        if entry.item.payload.get("schema") != schema_name(kind):
            was = str(entry.item.payload.get("schema", "something else")).removeprefix("aptone.")
            raise UsageError(
                f"{path}: a run over {was}, and this task takes {schema_name(kind)[7:]}; "
                f"name a run of aptone {_VERBS[kind]}, or a manifest."
            )
        score = counted_score(entry, run.main_score)
        found.append((whereabouts.locate_all(entry), score.value if score is not None else math.nan))
    return found


def _records(
    sources: Sequence[Path], kind: type[Record], read: Callable[[Path], list[Record]]
) -> list[tuple[Record, float]]:
    """Return the records of manifests and runs, each with the judge's score."""
    found: list[tuple[Record, float]] = []
    for path in sources:
        if is_run(path):
            found += [(from_json(kind, entry.item.payload), score) for entry, score in _entries(path, kind)]
        else:
            found += [(record, math.nan) for record in read(path)]
    return found


def _of_lines(sources: Sequence[Path]) -> list[RatingItem]:
    records = _records(sources, Sample, read_lines)
    return line_items([sample for sample, _ in records], judged={sample.id: score for sample, score in records})


def _of_questions(sources: Sequence[Path]) -> list[RatingItem]:
    prompts = {sample.prompt.id: sample.prompt for sample, _ in _records(sources, AnswerSample, read_answers)}
    return [verification_item(prompt) for prompt in prompts.values() if prompt.audio is not None]


def _of_answers(sources: Sequence[Path], *, per_dimension: int, seed: int) -> list[RatingItem]:
    judged: dict[str, float] = {}
    samples: list[AnswerSample] = []
    for path in sources:
        if is_run(path):
            for entry, score in _entries(path, AnswerSample):
                samples.append(answered_sample(entry))
                judged[samples[-1].id] = score
        else:
            samples += read_answers(path)
    sampled = sample_answers(samples, per_dimension=per_dimension, seed=seed)
    return [fitness_item(sample, judged.get(sample.id, math.nan)) for sample in sampled]


Take = tuple[AudioRef, str, float]
"""A clip, the words that are said in it, and what a judge gave it."""


def _of_two(sources: Sequence[Path], systems: Sequence[str]) -> list[RatingItem]:
    if len(sources) != 2 or len(systems) not in (0, 2):
        raise UsageError("a preference is between two: name two runs, manifests or folders (and two systems, or none).")
    names = list(systems or (source.stem for source in sources))
    if names[0] == names[1]:
        raise UsageError(f"both sides are called {names[0]!r}; name the two systems.")
    one, other = (_takes(source) for source in sources)
    shared = [name for name in one if name in other]
    if not shared:
        raise UsageError(f"{sources[0]} and {sources[1]} share no item; both sides go by the same ids.")
    items = []
    for name in shared:
        (clip, line, score), (rival, _, rival_score) = one[name], other[name]
        hidden: dict[str, Json] = {SYSTEMS: {FIRST: names[0], SECOND: names[1]}}
        if not math.isnan(score - rival_score) and score != rival_score:
            hidden[JUDGE_CHOICE] = FIRST if score > rival_score else SECOND
        fields: dict[str, Json] = {"line": line, "takes": [FIRST, SECOND]}
        items.append(RatingItem(name, {FIRST: clip, SECOND: rival}, fields, hidden))
    return items


def _takes(source: Path) -> dict[str, Take]:
    if source.is_dir() and not is_run(source):
        return {
            name: (AudioRef(str(path.absolute())), words_beside(path), math.nan) for name, path in folder_clips(source)
        }
    found: dict[str, Take] = {}
    for sample, score in scored_samples(source):
        if isinstance(sample.audio, AudioRef):
            found[sample.id] = (sample.audio, sample.target.text, score)
    return found


def folder_clips(folder: Path) -> list[tuple[str, Path]]:
    """Return the clips of a folder and those below it, each with its name: the path without ending."""
    clips = sorted(path for path in folder.rglob("*") if path.suffix.lower() in RECORDINGS and path.is_file())
    return [(path.relative_to(folder).with_suffix("").as_posix(), path) for path in clips]


def scored_samples(source: Path) -> list[tuple[Sample, float]]:
    """Read the lines of a manifest or a run of ``aptone score``, each with its judge's score; NaN for none."""
    return _records([source], Sample, read_lines)


def words_beside(clip: Path) -> str:
    """Read the transcript in the text file next to a clip; empty for none."""
    text = clip.with_suffix(".txt")
    return text.read_text(encoding="utf-8-sig", errors="replace").strip() if text.is_file() else ""


def _of_fields(task: RatingTask, sources: Sequence[Path]) -> list[RatingItem]:
    """Items of a task of the user's own: `RatingItem` records, or records with what the task shows."""
    items = []
    for path in sources:
        if path.is_dir():
            raise UsageError(f"{path}: a task of your own takes a manifest (.jsonl, .json, .csv), not a folder.")
        for number, (where, data) in enumerate(manifest_records(path), start=1):
            if not isinstance(data, Mapping):
                raise RecordError(f"{where}: expected a JSON object, got {type(data).__name__}.")
            try:
                items.append(_placed(_item(task, data, number), path.parent))
            except (RecordError, ValueError) as error:
                raise RecordError(f"{where}: {error}") from error
    return items


def _item(task: RatingTask, data: Mapping[str, Json], number: int) -> RatingItem:
    if data.get("schema") == schema_name(RatingItem) or "fields" in data:
        return from_json(RatingItem, {"id": str(number), **data})
    clips = {shown.name for shown in task.shown if shown.kind == "audio"}
    for shown in task.shown:
        if shown.kind not in ("pair", "set", "switch"):
            continue
        if isinstance(named := data.get(shown.name), Sequence) and not isinstance(named, str):
            clips |= set(map(str, named))
        clips |= {shown.reference} if shown.reference else set()
    audio = {name: from_json(AudioRef, _reference(name, data.get(name))) for name in clips}
    rest = {name: value for name, value in data.items() if name not in clips | {"id", "hidden", "gold"}}
    read = {shown.name for shown in task.shown} | {control.prefill for control in task.controls}
    hidden, gold = data.get("hidden", {}), data.get("gold", {})
    if not isinstance(hidden, Mapping) or not isinstance(gold, Mapping):
        raise RecordError('"hidden" and "gold" are objects.')
    return RatingItem(
        id=str(data.get("id", number)),
        audio=audio,
        fields={name: value for name, value in rest.items() if name in read},
        hidden={**{name: value for name, value in rest.items() if name not in read}, **hidden},
        gold=gold,
    )


def _reference(name: str, value: Json) -> Json:
    if isinstance(value, str) and value:
        return {"path": value}
    if isinstance(value, Mapping):
        return value
    raise RecordError(f"expected the path of a clip under {name!r}, got {value!r}.")


def _placed(item: RatingItem, root: Path) -> RatingItem:
    audio = {name: replace(clip, path=str((root / clip.path).absolute())) for name, clip in item.audio.items()}
    return replace(item, audio=audio)
