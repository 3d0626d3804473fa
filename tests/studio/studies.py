"""A project to play with: a clip, people who enter, and a clock that stands still."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from aptone.audio import write
from aptone.studio.project import Project
from aptone.studio.store.records import Change, Person, Role, Submitted, View
from aptone.types import Audio, AudioRef, Choice, Control, Json, Qualification, RatingItem, RatingTask, Shown

CLIP_SECONDS = 0.5
FIT = Control("fit", "scale", {"en": "How well?"}, low=0, high=5, step=1)
SURE = Control("sure", "choice", {"en": "Sure?"}, choices=(Choice("yes", {}), Choice("no", {})), required=False)
BETTER = Control("better", "preference", {"en": "Which?"}, prefill="pair", choices=(Choice("same", {}),))


class Clock:
    """Clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def item(name: str, *, gold: Mapping[str, Json] | None = None, **hidden: Json) -> RatingItem:
    """One clip to be rated."""
    return RatingItem(name, audio={"clip": AudioRef("clips/tone.wav")}, hidden=hidden, gold=gold or {})


def rating_task(count: int = 4, *, name: str = "fit", **changes: Any) -> RatingTask:
    """Items ``i0``, ``i1``, …, one scale and one optional choice."""
    given: dict[str, Any] = {
        "name": name,
        "title": {"en": "Fit"},
        "guide": {"en": "Listen."},
        "shown": (Shown("clip", "audio"),),
        "controls": (FIT, SURE),
        "items": tuple(item(f"i{number}") for number in range(count)),
        "must_listen": False,
    }
    return RatingTask(**given | changes)


def task_with_test(count: int = 4, **changes: Any) -> RatingTask:
    """The same with two calibration items, a test of three items, and one attention check among every two items."""
    given: dict[str, Any] = {
        "calibration": ("c0", "c1"),
        "qualification": Qualification(("q0", "q1", "q2"), tolerance=1.0, pass_share=0.6),
        "attention": ("a0", "a1"),
        "attention_every": 2,
    } | changes
    test = given["qualification"].items if given["qualification"] else ()
    golden = tuple(item(name, gold={"fit": 4}) for name in (*given["calibration"], *test, *given["attention"]))
    return rating_task(0, items=(*(item(f"i{number}") for number in range(count)), *golden), **given)


def preference_task(count: int = 3, **changes: Any) -> RatingTask:
    """Pairs of clips."""
    clips = {"new": AudioRef("clips/tone.wav"), "old": AudioRef("clips/tone.wav", end=0.25)}
    items = tuple(RatingItem(f"p{number}", audio=clips, fields={"pair": ["new", "old"]}) for number in range(count))
    given = {"shown": (Shown("pair", "pair"),), "controls": (BETTER,), "items": items}
    return rating_task(0, name="better", **given | changes)


def change(control: str, value: Json, sequence: int = 1, *, id: str = "") -> Change:
    """A change with a fresh id."""
    return Change(id or str(uuid.uuid4()), control, value, sequence)


@dataclass
class Study:
    """An open project and shortcuts for tests."""

    project: Project
    clock: Clock
    people: dict[str, Person] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: Path, *, database_url: str, clock: Clock) -> Self:
        """A project with one clip of half a second."""
        (folder / "clips").mkdir(exist_ok=True)
        samples = 0.1 * np.sin(np.arange(int(8000 * CLIP_SECONDS)) / 5)
        write(folder / "clips" / "tone.wav", Audio(samples.astype(np.float32), 8000))
        return cls(Project.open(folder, database_url=database_url, abandoned_after=100.0, clock=clock), clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.project.close()

    def person(self, name: str, role: Role = "annotator") -> str:
        """Id of a person, invited on first mention."""
        if name not in self.people:
            token = self.project.people.invite(role, name=name).result().token
            self.people[name] = self.project.people.enter(token).result().session.person
        return self.people[name].id

    def view(self, name: str, task: str = "fit") -> View:
        """Next item of a person."""
        found = self.project.assignments.next(task, self.person(name)).result()
        assert found.view is not None, found.reason
        return found.view

    def reason(self, name: str, task: str = "fit") -> str:
        """Reason why there is no next item for a person."""
        found = self.project.assignments.next(task, self.person(name)).result()
        assert found.view is None
        return found.reason

    def rate(self, name: str, value: Json = 3, *, control: str = "fit", task: str = "fit") -> tuple[str, Submitted]:
        """Answer the next item of a person; return the item's id and the result."""
        view = self.view(name, task)
        done = self.project.assignments.submit(view.id, self.person(name), [change(control, value)]).result()
        return self.item_of(view), done

    def item_of(self, view: View) -> str:
        """Id of the item of a view, which raters do not see."""
        with self.project.database.reading() as connection:
            return str(connection.exec_driver_sql(f"SELECT item FROM assignments WHERE id = '{view.id}'").scalar_one())
