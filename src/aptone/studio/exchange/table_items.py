"""Items of a task from a table (CSV): columns are mapped to what the task shows, asks for and keeps hidden.

A *target* is what a column can fill: ``id``; the name of a clip or text that the task shows; ``FIELD:1``, ``FIELD:2``
and so on, the clips of a pair or set, which go by the names of their columns; ``gold:CONTROL``, the right answer to a
question; ``instruction:en`` and ``instruction:zh``, what to do with this item alone, for attention checks;
``hidden:NAME``, which raters never see. Columns that are mapped to nothing are hidden under their own names.
"""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aptone.errors import RecordError
from aptone.messages import message
from aptone.run.sources.manifest import delimiter_of
from aptone.studio.store.answers import pair_fields
from aptone.types import AudioRef, Control, Json, RatingItem, RatingTask, json_or_text, loads
from aptone.types.rating import LARGEST_SET

ID, GOLD, HIDDEN = "id", "gold:", "hidden:"
INSTRUCTION = "instruction:"
INSTRUCTIONS = (f"{INSTRUCTION}en", f"{INSTRUCTION}zh")
MOST_ROWS = 20_000
MOST_COLUMNS = 200


@dataclass(frozen=True, slots=True)
class Table:
    """Table with a heading; a row has a cell for each column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class RowProblem:
    """Problem of a row, counted from 1 on below the heading."""

    row: int
    text: str


@dataclass(frozen=True, slots=True)
class TableItems:
    """Items of a table, and the rows that make none."""

    items: tuple[RatingItem, ...]
    problems: tuple[RowProblem, ...]


def read_table(text: str) -> Table:
    """Read a table: cells between commas, semicolons or tabs, the first row is the heading.

    Raises:
        RecordError: if there is no heading, a column has no name or one that comes twice, or it is too large.
    """
    lines = io.StringIO(text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}"), newline="")
    try:
        found = [row for row in csv.reader(lines, delimiter=delimiter_of(text), strict=True) if any(row)]
    except csv.Error as error:
        raise RecordError(message("editor.no-table", why=error)) from None
    columns = tuple(name.strip() for name in found[0]) if found else ()
    if not columns or not all(columns) or len(set(columns)) < len(columns) or len(columns) > MOST_COLUMNS:
        raise RecordError(message("editor.wrong-heading", most=MOST_COLUMNS))
    if len(found) > MOST_ROWS + 1:
        raise RecordError(message("editor.too-many-rows", most=MOST_ROWS))
    rows = tuple(tuple([*row, *[""] * len(columns)][: len(columns)]) for row in found[1:])
    return Table(columns, rows)


def targets(task: RatingTask) -> tuple[str, ...]:
    """Return what the columns of a table can fill, what every item needs first."""
    groups = pair_fields(task)
    shown = [one.name for one in task.shown if one.name not in groups]
    shown += [one.reference for one in task.shown if one.reference]
    filled = [one.prefill for one in task.controls if one.prefill and one.prefill not in groups]
    members = [f"{name}:{place}" for name in groups for place in range(1, _largest(task, name) + 1)]
    right = [f"{GOLD}{one.name}" for one in task.controls]
    return tuple(dict.fromkeys([ID, *shown, *members, *filled, *right, *INSTRUCTIONS]))


def _largest(task: RatingTask, field: str) -> int:
    """Return the most clips that a field can name: two in a pair, twelve in a set."""
    shown = any(one.kind == "pair" and one.name == field for one in task.shown)
    asked = any(one.kind == "preference" and one.prefill == field for one in task.controls)
    return 2 if shown or asked else LARGEST_SET


def _is_optional(target: str) -> bool:
    """Return whether items can do without a target: ids, right answers, instructions, the third clip of a set."""
    if target in (ID, *INSTRUCTIONS) or target.startswith(GOLD):
        return True
    _, colon, place = target.rpartition(":")
    return bool(colon) and place.isdigit() and int(place) > 2


def guess_columns(task: RatingTask, columns: Sequence[str]) -> dict[str, str]:
    """Map targets to the columns of the same name, ignoring case, spaces and underscores.

    Where a task shows one clip, a column of a usual name (audio, file, path, clip, wav) fills it.
    """
    plain = {_plain(column): column for column in reversed(columns)}
    found = {target: plain[_plain(target)] for target in targets(task) if _plain(target) in plain}
    clips = [one.name for one in task.shown if one.kind == "audio"]
    usual = [plain[name] for name in ("audio", "file", "filename", "path", "clip", "wav") if name in plain]
    if len(clips) == 1 and usual:
        found.setdefault(clips[0], usual[0])
    return found


def _plain(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum() or sign == ":")


def items_from_table(
    task: RatingTask, table: Table, columns: Mapping[str, str], *, clips: Mapping[str, str] | None = None
) -> TableItems:
    """Make an item of every row.

    Args:
        columns: target to column.
        clips: name of a clip as the table has it to its path; names that are not there are paths themselves.

    Raises:
        RecordError: if a target or a column is unknown, or something that every item needs has no column.
    """
    known = targets(task)
    for target, column in columns.items():
        if target not in known and not (target.startswith(HIDDEN) and target != HIDDEN):
            raise RecordError(message("editor.no-such-target", name=repr(target), names=", ".join(known)))
        if column not in table.columns:
            raise RecordError(message("editor.no-such-column", name=repr(column), names=", ".join(table.columns)))
    if missing := [target for target in known if target not in columns and not _is_optional(target)]:
        raise RecordError(message("editor.needs-column", name=repr(missing[0])))
    makers = _Makers(task, columns, dict(clips or {}))
    items: list[RatingItem] = []
    problems: list[RowProblem] = []
    seen: set[str] = {item.id for item in task.items}
    for number, row in enumerate(table.rows, start=1):
        cells = dict(zip(table.columns, row, strict=True))
        try:
            item = makers.item(cells, number)
            if item.id in seen:
                raise RecordError(message("editor.same-id", name=repr(item.id)))
        except RecordError as error:
            problems.append(RowProblem(number, str(error)))
            continue
        seen.add(item.id)
        items.append(item)
    return TableItems(tuple(items), tuple(problems))


@dataclass(frozen=True, slots=True)
class _Makers:
    """Rows to items, by the mapping of the columns."""

    task: RatingTask
    columns: Mapping[str, str]
    clips: Mapping[str, str]

    def item(self, cells: Mapping[str, str], number: int) -> RatingItem:
        audio: dict[str, AudioRef] = {}
        fields: dict[str, Json] = {}
        groups = pair_fields(self.task)
        for shown in self.task.shown:
            if shown.kind == "audio":
                audio[shown.name] = self._clip(cells, shown.name)
            elif shown.kind == "story":
                fields[shown.name] = _story(self._text(cells, shown.name))
            elif shown.kind == "text":
                fields[shown.name] = self._text(cells, shown.name)
            if shown.reference:
                audio[shown.reference] = self._clip(cells, shown.reference)
        for name in groups:
            places = [target for target in self.columns if target.rpartition(":")[0] == name]
            chosen = [
                target for target in sorted(places, key=_place) if _place(target) <= 2 or self._said(cells, target)
            ]
            clips = {self.columns[target]: self._clip(cells, target) for target in chosen}
            if len(clips) < len(chosen):
                raise RecordError(message("editor.column-twice", name=repr(name)))
            audio |= clips
            fields[name] = list(clips)
        for control in self.task.controls:
            if control.prefill and control.prefill not in groups:
                fields.setdefault(control.prefill, _prefill(control, self._text(cells, control.prefill)))
        own = cells[self.columns[ID]].strip() if ID in self.columns else ""
        told = {
            target.removeprefix(INSTRUCTION): self._text(cells, target).strip()
            for target in INSTRUCTIONS
            if target in self.columns and self._said(cells, target)
        }
        return RatingItem(own or str(number), audio, fields, dict(self._hidden(cells)), dict(self._gold(cells)), told)

    def _text(self, cells: Mapping[str, str], target: str) -> str:
        return cells[self.columns[target]]

    def _said(self, cells: Mapping[str, str], target: str) -> bool:
        return bool(self._text(cells, target).strip())

    def _clip(self, cells: Mapping[str, str], target: str) -> AudioRef:
        name = self._text(cells, target).strip()
        if not name:
            raise RecordError(message("editor.no-clip", name=repr(self.columns[target])))
        return AudioRef(self.clips.get(name, name))

    def _gold(self, cells: Mapping[str, str]) -> Iterator[tuple[str, Json]]:
        for control in self.task.controls:
            column = self.columns.get(f"{GOLD}{control.name}")
            if column and (cell := cells[column].strip()):
                yield control.name, json_or_text(cell) if control.kind in ("scale", "boundaries") else cell

    def _hidden(self, cells: Mapping[str, str]) -> Iterator[tuple[str, Json]]:
        named = {column: target.removeprefix(HIDDEN) for target, column in self.columns.items() if HIDDEN in target}
        used = set(self.columns.values())
        for column, cell in cells.items():
            if cell.strip() and (column in named or column not in used):
                yield named.get(column, column), cell.strip()


def _place(target: str) -> int:
    place = target.rpartition(":")[2]
    return int(place) if place.isdigit() else 0


def _prefill(control: Control, cell: str) -> Json:
    return loads(cell) if control.kind == "boundaries" else cell


def _story(cell: str) -> Json:
    """Read a story: the JSON of one, or lines of which the last is the target; ``NAME: text`` names the speaker."""
    if cell.lstrip().startswith("{"):
        return loads(cell)
    lines: list[Json] = []
    for line in filter(None, (line.strip() for line in cell.splitlines())):
        role, colon, said = line.partition(": ")
        lines.append({"text": said if colon else line, "role": role if colon else "", "clip": ""})
    if not lines:
        raise RecordError(message("editor.no-story"))
    return {"lines": lines, "target": len(lines) - 1}
