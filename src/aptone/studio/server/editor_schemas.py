"""JSON of the task editor: drafts, their problems, previews, and items from tables."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StringConstraints

from aptone.studio.server.schemas import Clip, Task, Texts, View
from aptone.web.schemas import Body, Reply

DRAFT_BYTES = 32 << 20
"""As much as a task file may have."""
TABLE_BYTES = 16 << 20
TaskName = Annotated[str, StringConstraints(max_length=200)]


class DraftBody(Body):
    """Task that is being written.

    ``items_of`` names a stored task whose items come before those of the draft, but for those in ``without``.
    """

    most_bytes: ClassVar[int] = DRAFT_BYTES

    task: dict[str, Any]
    items_of: TaskName = ""
    without: list[str] = Field(default=[], max_length=100_000)


class SaveBody(DraftBody):
    """Draft to be stored: what becomes of an answered task whose questions change, and whether raters see it."""

    open: bool = True
    if_answered: Literal["refuse", "version"] = "version"


class TableBody(Body):
    """Table (CSV) with items of a draft, the mapping of its columns, and uploaded clips by their names in it."""

    most_bytes: ClassVar[int] = TABLE_BYTES

    task: dict[str, Any]
    table: str
    columns: dict[str, str] | None = None
    clips: dict[str, str] = Field(default={})


class Problem(Reply):
    """Problem of a draft at a field, in both languages."""

    path: str
    message: str
    mandarin: str


class Problems(Reply):
    """All problems of a draft; none if it can be saved."""

    problems: list[Problem]


class Template(Reply):
    """Built-in task that a draft can begin with."""

    name: str
    title: Texts


class Draft(Reply):
    """Task as the editor opens it, without its items.

    ``versions`` lists the tasks that came of the same one, the first version first.
    """

    task: dict[str, Any]
    items: list[str]
    count: int
    open: bool
    answered: bool
    versions: list[str]


class ParsedFile(Reply):
    """Task of a file, or what is wrong with it."""

    task: dict[str, Any] | None
    problems: list[Problem]


class PreviewClip(Clip):
    """Clip with its address."""

    url: str


class PreviewView(View):
    """Item as a rater would see it."""

    clips: list[PreviewClip]  # type: ignore[assignment]  # with the address of each


class Preview(Reply):
    """Draft as raters would see it."""

    task: Task
    views: list[PreviewView]


class RowProblem(Reply):
    """Problem of a row of a table, counted from 1 on below the heading."""

    row: int
    message: str
    mandarin: str


class Rows(Reply):
    """Items of a table, its columns and their mapping, and the rows that make no item."""

    columns: list[str]
    targets: list[str]
    mapping: dict[str, str]
    rows: int
    items: list[dict[str, Any]]
    problems: list[RowProblem]
