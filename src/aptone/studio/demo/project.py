"""The ready project of ``aptone studio --demo``: example clips, five of the tasks that ship, and answers to them.

The clips are those of the example story, read by synthetic voices in three ways. Some of the answers come from made-up
listeners, so that there is something to look at; one place an item is left for whoever tries it. The built-in judge has
scored the story's lines and the style model the descriptions, so that they can be seen beside the listeners.
"""

import contextlib
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path

from aptone.judge.engines import BUILT_IN
from aptone.models import load_style_embedder
from aptone.rooms.aptness.data import make_items, read_manifest
from aptone.rooms.aptness.step import make_step
from aptone.rooms.style.api import judge_all
from aptone.rooms.style.step import style_step
from aptone.run import RunConfig, run_items
from aptone.studio.demo.listeners import LISTENERS, Heard, Listener, answers
from aptone.studio.demo.readings import READINGS, Reading
from aptone.studio.demo.tasks import caption_task, clip_of, preference_task, story_task, style_task, verification_task
from aptone.studio.exchange.clip_storage import ClipTaker
from aptone.studio.project import Project
from aptone.studio.store.people import People
from aptone.studio.store.records import Change, View
from aptone.studio.store.work import Assignments
from aptone.types import Sample

SEED = 10
DAYS_AGO = 2.0
DONE_SHARE = 0.85
"""Share of the items of a task that a listener has done."""

_DAY = 86400.0


@dataclass
class _Clock:
    """A clock that stands still until it is moved: the made-up listeners worked some days ago."""

    now: float

    def __call__(self) -> float:
        return self.now


@contextlib.contextmanager
def open_demo(folder: Path | None = None, *, database_url: str = "") -> Iterator[Project]:
    """The ready project, open; made where it is not there yet.

    Args:
        folder: to keep it in; without one it lies in a temporary folder that is removed at the end.
        database_url: of PostgreSQL; empty for SQLite in the folder.
    """
    with contextlib.ExitStack() as kept:
        place = folder or Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="aptone-demo-")))
        project = kept.enter_context(Project.open(place, database_url=database_url))
        if not project.tasks.names():
            fill_demo(project)
        yield project


def fill_demo(project: Project) -> None:
    """Put clips, tasks and the answers of made-up listeners into a new project."""
    with example_folder() as example:
        samples = {sample.id: sample for sample in read_manifest(example / "manifest.jsonl")}
        taker = ClipTaker(project.folder, base=example)
        readings = {taker.take(clip_of(samples[reading.clip])).path: reading for reading in READINGS}
        for task in (
            story_task(samples, built_in_scores(list(samples.values()))),
            style_task(samples, style_judge(samples)),
            verification_task(samples),
            caption_task(samples),
            preference_task(samples),
        ):
            project.tasks.put(replace(task, items=tuple(taker.take_all(task.items)))).result()
    for number, listener in enumerate(LISTENERS):
        _listen(project, listener, samples, readings, chance=random.Random(SEED + number))  # noqa: S311  (made up)


@contextlib.contextmanager
def example_folder() -> Iterator[Path]:
    """The example's manifest and clips: a part of the installed package, or of the repository that it runs from."""
    inside = files("aptone.studio") / "example"
    if inside.is_dir():
        with as_file(inside) as folder:
            yield folder
    else:
        yield Path(__file__).resolve().parents[4] / "examples" / "lighthouse"


def built_in_scores(samples: Sequence[Sample]) -> dict[str, float]:
    """What the built-in judge gives the lines, 0 to 5."""
    with tempfile.TemporaryDirectory() as folder:
        ended = run_items(
            list(make_items(samples)),
            make_step(BUILT_IN),
            folder=Path(folder) / "run",
            config=RunConfig("score", BUILT_IN.name),
        )
        return {entry.item.id: entry.outcome.scores["aptness"].value for entry in ended.run.entries}


def style_judge(samples: Mapping[str, Sample]) -> Callable[[Reading, str], float]:
    """What the built-in style model gives a reading and a description, 0 to 5."""
    step = style_step(load_style_embedder("built-in"))

    def judge(reading: Reading, description: str) -> float:
        (described,) = judge_all(step, samples[reading.clip].audio, [description])
        return described.outcome.scores["fit"].value

    return judge


def _listen(
    project: Project,
    listener: Listener,
    samples: Mapping[str, Sample],
    readings: Mapping[str, Reading],
    *,
    chance: random.Random,
) -> None:
    """Let a listener come in and work through a part of every task.

    Args:
        project: with its tasks.
        listener: who works.
        samples: the lines in their story.
        readings: path of a clip to what is heard in it.
        chance: from which slips and moods are drawn.
    """
    clock = _Clock(time.time() - DAYS_AGO * _DAY + chance.uniform(0.0, _DAY / 4))
    people = People(project.database, project.writer, clock=clock)
    work = Assignments(project.database, project.writer, project.tasks, clock=clock)
    invited = people.invite("annotator", name=listener.name, days=30.0).result()
    person = people.enter(invited.token, language=listener.language).result().session.person.id
    for name in project.tasks.names():
        task = project.tasks.get(name).task
        for _ in range(round(DONE_SHARE * len(task.items))):
            view = work.next(name, person).result().view
            if view is None:
                break
            clock.now += 1.0
            for clip in view.clips:
                if clip.must_play:
                    clock.now += clip.seconds
                    work.played(view.id, person, clip.clip).result()
            clock.now += listener.pace * chance.uniform(0.6, 1.6)
            heard = _heard(work, person, view, readings, samples)
            given = answers(listener, task.controls, heard, chance)
            changes = [
                Change(f"{view.id}-{number}", control, value, number)
                for number, (control, value) in enumerate(given.items())
            ]
            work.submit(view.id, person, changes).result()
        clock.now += 600.0


def _heard(
    work: Assignments, person: str, view: View, readings: Mapping[str, Reading], samples: Mapping[str, Sample]
) -> Heard:
    heard = {one.clip: readings[work.clip(view.id, person, one.clip).path] for one in view.clips if one.must_play}
    first = next(iter(heard.values()))
    return Heard(view, heard, samples[first.clip])
