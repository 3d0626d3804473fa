"""Task that is being written in the browser: its problems, and items of it as a rater would see them.

Nothing of a draft is stored before it is saved. Items that the project has already stay there, and are named instead of
sent: a study may have a hundred thousand of them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from aptone.audio import write
from aptone.errors import AudioError, MissingExtraError, RecordError
from aptone.files import make_folder
from aptone.messages import replaced
from aptone.ratings.problems import MOST_PROBLEMS, Problem, task_problems
from aptone.studio.decoded_clips import DecodedClips, clip_seconds
from aptone.studio.folder import CACHE, path_inside
from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.store.answers import blind_names, pair_fields, shown_clips, shown_fields, task_orders
from aptone.studio.store.handout import purposes
from aptone.studio.store.records import STAGES, Stage, View, stage_of
from aptone.studio.store.tasks import studio_problems
from aptone.types import Audio, AudioRef, Json, RatingItem, RatingTask, from_json, to_json
from aptone.web.refusals import NotFoundError

EXAMPLE_ID = "example"
EXAMPLE_CLIP = "example-tone.wav"
"""Clip in the cache of a project that stands for those which a draft does not have yet."""
EXAMPLE_SECONDS = 1.5
MOST_SHOWN = 20
"""Items that a preview shows."""


@dataclass(frozen=True, slots=True)
class PreviewItem:
    """Item as a rater would see it, and its clips by their blind names."""

    view: View
    clips: Mapping[str, AudioRef]


def with_stored_items(data: Mapping[str, Json], stored: Sequence[RatingItem], *, without: Collection[str]) -> Json:
    """Return a draft with the items of a stored task before its own, but for those that were removed."""
    own = data.get("items", [])
    if not isinstance(own, Sequence) or isinstance(own, str):
        return dict(data)
    kept: list[Json] = [to_json(item) for item in stored if item.id not in without]
    return {**data, "items": [*kept, *own]}


def draft_problems(data: Json) -> list[Problem]:
    """Return the problems of a draft: those of a file, and then those that only the studio has."""
    found = task_problems(data)
    return found or list(studio_problems(from_json(RatingTask, data)))[:MOST_PROBLEMS]


def clip_problem(item: RatingItem, folder: Path, decoded: DecodedClips) -> str:
    """Decode the clips of an item to their end, and return why one of them cannot be played; empty if all can."""
    try:
        _durations(item, folder, decoded)
    except RecordError as error:
        return str(error)
    return ""


def _durations(item: RatingItem, folder: Path, decoded: DecodedClips) -> dict[str, float]:
    """Map clip to duration; raises `RecordError` if one cannot be played."""
    try:
        return {
            name: clip_seconds(clip, decoded.shape(path_inside(folder, clip.path))) for name, clip in item.audio.items()
        }
    except (AudioError, MissingExtraError) as error:
        raise RecordError(replaced(str(error), f"{folder}/", "")) from error
    except (NotFoundError, NotAnAnswerError) as error:
        raise RecordError(error.message) from error


def preview(task: RatingTask, folder: Path) -> list[PreviewItem]:
    """Return the first items of each stage as a rater would see them; without any, an example of the draft's own.

    Raises:
        RecordError: if the task has a problem, or a clip cannot be played; the message names it.
    """
    for problem in studio_problems(task):
        raise RecordError(problem.text)
    if not task.items:
        task = replace(task, items=(example_item(task, folder),), calibration=(), qualification=None, attention=())
    known = purposes(task)
    chosen: list[tuple[Stage, RatingItem]] = []
    for stage in STAGES:
        members = [item for item in task.items if stage_of(known[item.id]) == stage]
        chosen += [(stage, item) for item in members[: MOST_SHOWN - len(chosen)]]
    decoded = DecodedClips()
    seconds = {item.id: _durations(item, folder, decoded) for _, item in chosen}
    totals = {stage: sum(one == stage for one, _ in chosen) for stage in STAGES}
    seen = dict.fromkeys(STAGES, 0)
    found = []
    for number, (stage, item) in enumerate(chosen):
        view = _view(task, item, seconds[item.id])
        place: dict[str, Any] = {"stage": stage, "position": seen[stage], "total": totals[stage]}
        blind = blind_names(task, item, task_orders(task, item))
        found.append(
            PreviewItem(
                replace(view, id=f"preview-{number}", **place), {other: item.audio[own] for own, other in blind.items()}
            )
        )
        seen[stage] += 1
    return found


def _view(task: RatingTask, item: RatingItem, seconds: Mapping[str, float]) -> View:
    orders = task_orders(task, item)
    blind = blind_names(task, item, orders)
    return View(
        id="",
        task=task.name,
        stage="rating",
        state="open",
        position=0,
        total=1,
        fields=shown_fields(task, item, orders),
        clips=shown_clips(task, item, orders, seconds),
        pairs={field: tuple(blind[clip] for clip in clips) for field, clips in orders.items()},
        answers={},
        sequence=0,
        played=(),
        instruction=item.instruction,
    )


def example_item(task: RatingTask, folder: Path) -> RatingItem:
    """Return an item with a tone for every clip and a word for every text, for a task that has no items yet."""
    tone = AudioRef(example_clip(folder))
    audio = {shown.name: tone for shown in task.shown if shown.kind == "audio"}
    fields: dict[str, Json] = {}
    for shown in task.shown:
        if shown.kind == "text":
            fields[shown.name] = f"[{shown.name}]"
        elif shown.kind == "story":
            lines: list[Json] = [{"text": f"[{shown.name} {number}]", "role": "", "clip": ""} for number in (1, 2, 3)]
            fields[shown.name] = {"lines": lines, "target": 2}
    audio |= {shown.reference: tone for shown in task.shown if shown.reference}
    for name in pair_fields(task):
        names = [f"{name}-1", f"{name}-2"]
        audio |= dict.fromkeys(names, tone)
        fields[name] = names
    for control in task.controls:
        if control.prefill:
            given: Json = [0.0, EXAMPLE_SECONDS] if control.kind == "boundaries" else f"[{control.prefill}]"
            fields.setdefault(control.prefill, given)
    return RatingItem(EXAMPLE_ID, audio, fields)


def example_clip(folder: Path) -> str:
    """Return the path of the example clip inside a project; it is made on first use."""
    name = f"{CACHE}/{EXAMPLE_CLIP}"
    if not (folder / name).is_file():
        make_folder(folder / CACHE)
        time = np.arange(int(EXAMPLE_SECONDS * 16_000)) / 16_000
        fade = np.minimum(1.0, 8.0 * np.minimum(time, EXAMPLE_SECONDS - time))
        write(folder / name, Audio((0.2 * fade * np.sin(2 * np.pi * 440 * time)).astype(np.float32), rate=16_000))
    return name
