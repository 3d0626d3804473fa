"""Tasks and their items. Every clip lies inside the project folder."""

import dataclasses
import math
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Literal

from sqlalchemy import Connection, text

from aptone.errors import AudioError, MissingExtraError
from aptone.files import file_hash
from aptone.messages import labelled, message, replaced
from aptone.ratings.problems import Problem
from aptone.studio.decoded_clips import BrokenClip, DecodedClips, broken_list, clip_seconds
from aptone.studio.folder import path_inside
from aptone.studio.refusals import NotAnAnswerError, NotNowError
from aptone.studio.store.answers import check_name, checked_value, is_plain, story_lines
from aptone.studio.store.database import Database, Writer
from aptone.studio.store.handout import purposes, stage_total
from aptone.studio.store.ratings import stored_json
from aptone.studio.store.records import STAGES, StoredTask
from aptone.types import (
    AudioRef,
    Control,
    Json,
    RatingItem,
    RatingTask,
    dumps,
    from_json,
    is_finite_number,
    loads,
    to_json,
)
from aptone.types.codec import dumps_record
from aptone.types.codec import shown as as_shown
from aptone.web.refusals import NotFoundError

NAME_LENGTH = 100
ID_LENGTH = 500

Seconds = Mapping[str, Mapping[str, float]]
"""Item to clip to duration."""
IfAnswered = Literal["refuse", "version"]
"""What becomes of a task that would change questions which people have answered."""
_VERSION = re.compile(r"(?P<base>.+)\.v(?P<number>[1-9][0-9]{0,5})")


class Tasks:
    """Tasks of a project."""

    def __init__(
        self, database: Database, writer: Writer, *, folder: Path, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._writer = writer
        self._folder = folder
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: dict[str, StoredTask] = {}

    def put(
        self,
        task: RatingTask,
        *,
        open: bool = True,
        decoded: DecodedClips | None = None,
        if_answered: IfAnswered = "refuse",
    ) -> Future[StoredTask]:
        """Add a task with clips relative to the project folder, or replace one of the same name.

        A task that people have answered can only grow: the same questions and items, and new items besides. Every
        recording is decoded to its end.

        Args:
            decoded: what was decoded before.
            if_answered: ``version`` stores a task that changes more as a new one (`next_version`), and closes the one
                before, whose answers stay with its questions.

        Raises:
            NotAnAnswerError: if the task cannot be used; the message names the items.
            NotNowError: through the future, if answers would lose their question.
        """
        _check_task(task)
        seconds = self._durations(task, decoded or DecodedClips())

        def write(connection: Connection) -> StoredTask:
            try:
                return self._put(connection, task, seconds, is_open=open)
            except NotNowError:
                if if_answered == "refuse":
                    raise
            taken = connection.execute(text("SELECT name FROM tasks")).scalars()
            new = dataclasses.replace(task, name=next_version(task.name, taken))
            _check_task(new)
            connection.execute(text("UPDATE tasks SET is_open = 0 WHERE name = :name"), {"name": task.name})
            return self._put(connection, new, seconds, is_open=open)

        return self._writer.call(write)

    def is_answered(self, name: str) -> bool:
        """Return whether people have answered something of a task, so that its questions stand."""
        with self._database.reading() as connection:
            return _is_answered(connection, check_name(name, what="task"))

    def set_open(self, name: str, *, open: bool) -> Future[StoredTask]:
        """Open a task for work, or close it; what was answered stays."""

        def write(connection: Connection) -> StoredTask:
            connection.execute(
                text("UPDATE tasks SET is_open = :is_open WHERE name = :name"),
                {"is_open": int(open), "name": check_name(name, what="task")},
            )
            return self.within(connection, name)

        return self._writer.call(write)

    def names(self) -> list[str]:
        """Names of all tasks, in the order in which they were added."""
        with self._database.reading() as connection:
            return list(connection.execute(text("SELECT name FROM tasks ORDER BY created, name")).scalars())

    def get(self, name: str) -> StoredTask:
        """Read a task with its items."""
        with self._database.reading() as connection:
            return self.within(connection, name)

    def within(self, connection: Connection, name: str) -> StoredTask:
        """Read a task within a transaction."""
        row = connection.execute(
            text("SELECT version, is_open FROM tasks WHERE name = :name"), {"name": check_name(name, what="task")}
        ).one_or_none()
        if row is None:
            raise NotFoundError(message("studio.no-such-task"))
        return self.as_of(connection, name, version=row.version, is_open=bool(row.is_open))

    def as_of(self, connection: Connection, name: str, *, version: int, is_open: bool) -> StoredTask:
        """Return a task of a known version, from the cache where possible."""
        with self._lock:
            kept = self._kept.get(name)
        if kept is None or kept.version != version:
            kept = _read(connection, name, version=version, is_open=is_open)
        elif kept.open != is_open:
            kept = dataclasses.replace(kept, open=is_open)
        with self._lock:
            self._kept[name] = kept
        return kept

    def _durations(self, task: RatingTask, decoded: DecodedClips) -> Seconds:
        found: dict[str, dict[str, float]] = {}
        refusals: list[tuple[BrokenClip, NotAnAnswerError]] = []
        for item in task.items:
            own = found[item.id] = {}
            for name, clip in item.audio.items():
                try:
                    own[name] = self._duration(clip, decoded)
                except NotAnAnswerError as error:
                    refusals.append((BrokenClip(item.id, name, error.message), error))
        if len(refusals) == 1:
            ((broken, refusal),) = refusals
            why = message("types.task-item", name=repr(task.name), item=repr(broken.item), why=broken.why)
            raise NotAnAnswerError(why, code=refusal.code, next=refusal.next) from refusal
        if refusals:
            names = broken_list(broken for broken, _ in refusals)
            raise NotAnAnswerError(message("studio.clips-broken", count=len(refusals), names=names), code="bad-clips")
        return found

    def _duration(self, clip: AudioRef, decoded: DecodedClips) -> float:
        try:
            path = path_inside(self._folder, clip.path)
            whole = decoded.shape(path)
        except NotFoundError as error:
            raise NotAnAnswerError(error.message, code="no-such-file", next=error.next) from error
        except (AudioError, MissingExtraError) as error:
            raise NotAnAnswerError(replaced(str(error), f"{self._folder}/", ""), code="not-audio") from error
        if clip.sha256 and file_hash(path) != clip.sha256.lower():
            raise NotAnAnswerError(message("studio.other-file", name=clip.path), code="bad-clip")
        return clip_seconds(clip, whole)

    def _put(self, connection: Connection, task: RatingTask, seconds: Seconds, *, is_open: bool) -> StoredTask:
        row = connection.execute(
            text("SELECT version FROM tasks WHERE name = :name" + self._database.locking()), {"name": task.name}
        ).one_or_none()
        header = dumps(to_json(task) | {"items": []})
        version = 1
        if row is None:
            connection.execute(
                text(
                    "INSERT INTO tasks (name, record, version, is_open, created)"
                    " VALUES (:name, :record, 1, :is_open, :now)"
                ),
                {"name": task.name, "record": header, "is_open": int(is_open), "now": self._clock()},
            )
        else:
            version = row.version + 1
            self._prepare_replacement(connection, task, header)
            connection.execute(
                text("UPDATE tasks SET record = :record, version = :version, is_open = :is_open WHERE name = :name"),
                {"record": header, "version": version, "is_open": int(is_open), "name": task.name},
            )
        if task.items:
            connection.execute(
                text(
                    "INSERT INTO items (task, id, position, record, seconds)"
                    " VALUES (:task, :id, :position, :record, :seconds)"
                    " ON CONFLICT (task, id) DO UPDATE SET position = excluded.position"
                ),
                [
                    {"task": task.name, "id": item.id, "position": position}
                    | {"record": dumps_record(item), "seconds": dumps(seconds[item.id])}
                    for position, item in enumerate(task.items)
                ],
            )
        return _stored(task, seconds, version=version, is_open=is_open)

    def _prepare_replacement(self, connection: Connection, task: RatingTask, header: str) -> None:
        """Delete an unanswered task, or check that an answered one only grows."""
        if not _is_answered(connection, task.name):
            for statement in (
                "DELETE FROM plays WHERE assignment IN (SELECT id FROM assignments WHERE task = :name)",
                "DELETE FROM assignments WHERE task = :name",
                "DELETE FROM adjudications WHERE task = :name",
                "DELETE FROM items WHERE task = :name",
            ):
                connection.execute(text(statement), {"name": task.name})
            return
        before = connection.execute(
            text("SELECT record FROM tasks WHERE name = :name"), {"name": task.name}
        ).scalar_one()
        records: dict[str, Json] = {item.id: to_json(item) for item in task.items}
        kept = connection.execute(text("SELECT id, record FROM items WHERE task = :name"), {"name": task.name})
        changed = [row.id for row in kept if not _is_same(loads(row.record), records.get(row.id))]
        if not _only_grows(loads(before), loads(header)) or changed:
            why = message("studio.question-changed", name=repr(task.name))
            if changed:
                why = message("studio.item-changed", name=repr(task.name), item=repr(changed[0]))
            raise NotNowError(why, code="answered", next=message("studio.add-items-only-give-changed"))


GROWING, FREE = "attention", ("headphones", "breaks")
"""Parts of an answered task that may grow, and that may change: they are about people, and no answer hangs on them."""


def _only_grows(before: Json, after: Json) -> bool:
    """Return whether the header of an answered task is the same but for more attention checks, and rules for people."""
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return False
    old, new = before.get(GROWING), after.get(GROWING)
    checks = [list(one) if isinstance(one, list | tuple) else [] for one in (old, new)]
    apart = {GROWING, *FREE}
    rest = [{key: value for key, value in one.items() if key not in apart} for one in (before, after)]
    return set(map(str, checks[0])) <= set(map(str, checks[1])) and _is_same(*rest)


def _is_same(before: Json, after: Json) -> bool:
    """Return whether two stored records are equal; a key that an older version did not write yet is empty."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return all(_is_same(before.get(key), after.get(key)) for key in {*before, *after})
    if isinstance(before, list | tuple) and isinstance(after, list | tuple):
        return len(before) == len(after) and all(map(_is_same, before, after))
    return before == after or (not before and not after and before is not False and after is not False)


def _is_answered(connection: Connection, name: str) -> bool:
    query = text(
        "SELECT 1 FROM assignments a WHERE a.task = :name AND (a.state = 'submitted'"
        " OR EXISTS (SELECT 1 FROM changes c WHERE c.assignment = a.id)) LIMIT 1"
    )
    return connection.execute(query, {"name": name}).scalar() is not None


def next_version(name: str, taken: Iterable[str]) -> str:
    """Return the name of the next version of a task.

    >>> next_version("fit", ["fit"]), next_version("fit.v2", ["fit", "fit.v2", "fit.v3"])
    ('fit.v2', 'fit.v4')
    """
    base = base_name(name)
    numbers = [int(found["number"]) for one in taken if (found := _VERSION.fullmatch(one)) and found["base"] == base]
    return f"{base}.v{max(numbers, default=1) + 1}"


def base_name(name: str) -> str:
    """Return the name of the first version of a task.

    >>> base_name("fit.v2"), base_name("fit")
    ('fit', 'fit')
    """
    found = _VERSION.fullmatch(name)
    return found["base"] if found else name


def _of_control(control: Control, why: str) -> str:
    return message("types.control", name=repr(control.name), why=why)


def _stored(task: RatingTask, seconds: Seconds, *, version: int, is_open: bool) -> StoredTask:
    known = purposes(task)
    return StoredTask(
        task,
        open=is_open,
        version=version,
        seconds=seconds,
        items={item.id: item for item in task.items},
        purposes=known,
        totals={stage: stage_total(task, known, stage) for stage in STAGES},
    )


def _read(connection: Connection, name: str, *, version: int, is_open: bool) -> StoredTask:
    header = loads(connection.execute(text("SELECT record FROM tasks WHERE name = :name"), {"name": name}).scalar_one())
    assert isinstance(header, Mapping)
    rows = connection.execute(
        text("SELECT id, record, seconds FROM items WHERE task = :name ORDER BY position"), {"name": name}
    ).all()
    task = from_json(RatingTask, {**header, "items": [loads(row.record) for row in rows]})
    return _stored(task, {row.id: stored_json(row.seconds) for row in rows}, version=version, is_open=is_open)


def _check_task(task: RatingTask) -> None:
    for problem in studio_problems(task):
        raise NotAnAnswerError(problem.text, code="bad-task")


def studio_problems(task: RatingTask) -> Iterator[Problem]:
    """Yield the problems that the record allows and the studio cannot use."""
    if not 0 < len(task.name) <= NAME_LENGTH or not re.fullmatch(r"(?!\.+$)[\w.-]+", task.name):
        yield Problem("name", message("studio.name-task-up-letters-digits", limit=NAME_LENGTH))
    controls = {control.name: control for control in task.controls}
    for place, control in enumerate(controls.values()):
        if not is_plain(control.name, allowed=""):
            yield Problem(f"controls[{place}].name", _of_control(control, message("studio.name-is-one-line")))
        if control.kind == "preference" and not control.prefill:
            yield Problem(f"controls[{place}].prefill", _of_control(control, message("studio.preference-needs-field")))
    golden = {*task.attention, *(task.qualification.items if task.qualification is not None else ())}
    for place, item in enumerate(task.items):
        for why in _item_problems(task, item, controls, needs_gold=item.id in golden):
            where = message("types.task-item", name=repr(task.name), item=repr(item.id), why=why)
            yield Problem(f"items[{place}]", where)


def _gold_problem(control: Control, answer: Json, item: RatingItem) -> str:
    """Reason why nobody could give this answer; empty if possible. The mean of experts may lie between two steps."""
    if control.kind == "scale":
        fits = is_finite_number(answer) and control.low <= answer <= control.high
        return "" if fits else message("studio.expected-number", name=control.name, low=control.low, high=control.high)
    try:
        checked_value(control, answer, item=item, seconds=math.nan)
    except NotAnAnswerError as error:
        return error.message
    return ""


def _item_problems(
    task: RatingTask, item: RatingItem, controls: Mapping[str, Control], *, needs_gold: bool
) -> Iterator[str]:
    if not 0 < len(item.id) <= ID_LENGTH or not is_plain(item.id, allowed=""):
        yield message("studio.wrong-id", limit=ID_LENGTH)
    if needs_gold and not item.gold:
        yield message("studio.needs-gold")
    if odd := [name for name in item.audio if not is_plain(name, allowed="")]:
        yield message("studio.wrong-clip-name", name=repr(odd[0]))
    yield from _field_problems(task, item)
    for name, answer in item.gold.items():
        if problem := _gold_problem(controls[name], answer, item):
            yield message("studio.wrong-gold", what=as_shown(answer), why=problem)


def _field_problems(task: RatingTask, item: RatingItem) -> Iterator[str]:
    for shown in task.shown:
        if shown.kind == "story":
            try:
                lines = story_lines(item.fields[shown.name])
            except ValueError as error:
                yield labelled(repr(shown.name), str(error))
                continue
            for name in (str(line["clip"]) for line in lines if line.get("clip")):
                if name not in item.audio:
                    yield message("studio.names-no-clip-item", name=repr(shown.name), what=repr(name))
    for control in task.controls:
        if control.kind == "preference" and control.prefill:
            pair = item.fields[control.prefill]
            if not isinstance(pair, list | tuple) or len(pair) != 2 or any(clip not in item.audio for clip in pair):
                yield message("types.not-two-clips", name=repr(control.prefill))
