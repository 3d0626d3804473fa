"""Other annotation tools by name: what reads a project of theirs, and what writes one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aptone.errors import UsageError
from aptone.messages import message
from aptone.studio.decoded_clips import BrokenClip, DecodedClips
from aptone.studio.exchange.label_studio import read_label_studio, write_label_studio
from aptone.studio.exchange.potato import read_potato, write_potato
from aptone.studio.exchange.webmushra import read_webmushra, write_webmushra
from aptone.studio.folder import CACHE, ClipStorage
from aptone.studio.project import Project
from aptone.studio.store.imported_ratings import put_ratings
from aptone.types import Rating, RatingTask

Reader = Callable[[Path, str, Path], tuple[RatingTask, list[Rating]]]
Writer = Callable[..., None]
READERS: Mapping[str, Reader] = {
    "label-studio": lambda path, name, folder: read_label_studio(path, name=name),
    "potato": lambda path, name, folder: read_potato(path, name=name),
    "webmushra": lambda path, name, folder: read_webmushra(path, name=name, folder=folder),
}
WRITERS: Mapping[str, Writer] = {
    "label-studio": write_label_studio,
    "potato": write_potato,
    "webmushra": write_webmushra,
}
"""Tool to what writes a folder for it: task, ratings, path, and the project folder with the clips."""


@dataclass(frozen=True, slots=True)
class ImportedProject:
    """Task of another tool's project that was put into a project, and the number of its ratings."""

    task: RatingTask
    ratings: int


def import_from_tool(
    project: Project,
    tool: str,
    path: Path,
    *,
    name: str = "",
    raters: int | None = None,
    open: bool = True,
    link: bool = False,
    decoded: DecodedClips | None = None,
    broken: list[BrokenClip] | None = None,
) -> ImportedProject:
    """Put a project of another tool into a project: its task, its clips, and what people answered there.

    Raises:
        UsageError: if the tool is not known.
        RecordError: if the project cannot be understood.
    """
    if tool not in READERS:
        raise UsageError(message("exchange.no-such-tool", name=repr(tool), names=", ".join(READERS)))
    task, ratings = READERS[tool](path, name, project.folder / CACHE)
    storage = ClipStorage(project.folder, base=Path.cwd(), link=link, decoded=decoded)
    items = storage.add_all(task.items, broken=broken)
    task = replace(task, items=tuple(items), raters_per_item=raters or max(1, _most_raters(ratings)))
    stored = project.tasks.put(task, open=open, decoded=decoded).result()
    kept = [rating for rating in ratings if rating.item in stored.items]
    count = put_ratings(project.writer, project.people, stored, kept, source=tool).result() if kept else 0
    return ImportedProject(task, count)


def _most_raters(ratings: Sequence[Rating]) -> int:
    counts: dict[str, int] = {}
    for rating in ratings:
        counts[rating.item] = counts.get(rating.item, 0) + 1
    return max(counts.values(), default=1)
