"""The ready project: five tasks in two languages, with made-up answers that give the desk something to look at."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="no sqlalchemy: pip install 'aptone[studio]'")

from aptone.studio.agreement.items import disagreements
from aptone.studio.agreement.overview import agreement_report
from aptone.studio.demo.listeners import LISTENERS, READINGS
from aptone.studio.demo.project import open_demo
from aptone.studio.project import Project
from aptone.types import RatingTask
from tests.tables import for_each

pytestmark = pytest.mark.slow

TASKS = ["ceaeval-d", "s3bench", "paras2s", "emosura-mos", "preference"]


@pytest.fixture(scope="module")
def demo() -> Iterator[Project]:
    with open_demo() as project:
        yield project


def test_the_demo_has_every_kind_of_task_and_control(demo: Project) -> None:
    assert demo.tasks.names() == TASKS
    kinds = {control.kind for name in TASKS for control in demo.tasks.get(name).task.controls}
    assert kinds == {"scale", "choice", "text", "boundaries", "edit", "preference"}
    assert all(set(demo.tasks.get(name).task.title) == {"en", "zh"} for name in TASKS)


@for_each("name", TASKS)
def test_every_task_of_the_demo_has_english_and_mandarin_items(demo: Project, name: str) -> None:
    texts = [str(item.fields) for item in demo.tasks.get(name).task.items]
    assert any("\u4e00" <= sign <= "\u9fff" for text in texts for sign in text)
    assert any(text.isascii() or "the" in text for text in texts)


@for_each("name", TASKS)
def test_a_visitor_of_the_demo_finds_something_to_do_in_every_task(demo: Project, name: str) -> None:
    token = demo.people.invite("annotator", name=f"Visitor of {name}").result().token
    visitor = demo.people.enter(token).result().session.person
    view = demo.assignments.next(name, visitor.id).result().view
    assert view is not None
    assert all(demo.assignments.clip(view.id, visitor.id, clip.clip).path.startswith("clips/") for clip in view.clips)


@for_each("name", TASKS)
def test_agreement_and_adjudication_of_the_demo_have_something_to_show(demo: Project, name: str) -> None:
    task = demo.tasks.get(name).task
    ratings = [row.rating for row in demo.results.ratings(name)]
    report = agreement_report(task, ratings)
    headline = report.controls[0]
    assert not math.isnan(headline.figures[headline.main].estimate.value)
    apart = disagreements(task, ratings, {})
    assert apart[0].spread > 0
    assert apart[0].raters >= 3


def test_the_judges_of_the_demo_are_seen_beside_the_listeners(demo: Project) -> None:
    for name in ("ceaeval-d", "s3bench"):
        (judge, *_) = agreement_report(
            demo.tasks.get(name).task, [row.rating for row in demo.results.ratings(name)]
        ).judge
        assert judge.items >= 10
        assert not math.isnan(judge.judge["Spearman"].value)


def test_whoever_does_not_listen_in_the_demo_is_set_aside(demo: Project) -> None:
    careless = next(person for person in demo.people.everyone() if person.name == LISTENERS[-1].name)
    ratings = [row.rating for row in demo.results.ratings("s3bench")]
    assert list(agreement_report(demo.tasks.get("s3bench").task, ratings).set_aside) == [careless.pseudonym]


def test_the_names_of_the_demos_listeners_say_that_they_are_made_up(demo: Project) -> None:
    answered = {row.rating.rater for name in TASKS for row in demo.results.ratings(name)}
    names = [person.name for person in demo.people.everyone() if person.pseudonym in answered]
    assert len(names) == len(LISTENERS)
    assert all("(made up)" in name for name in names)


def test_a_demo_that_is_kept_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    empty = RatingTask("empty", title={}, guide={}, shown=(), controls=(), items=())

    def fill(project: Project) -> None:
        made.append(project.folder)
        project.tasks.put(empty).result()

    monkeypatch.setattr("aptone.studio.demo.project.fill_demo", fill)
    for _ in range(2):
        with open_demo(tmp_path / "kept") as project:
            assert project.tasks.names() == ["empty"]
    assert made == [(tmp_path / "kept").resolve()]


def test_every_reading_of_the_example_is_described_once() -> None:
    assert len({reading.clip for reading in READINGS}) == len(READINGS) == 18
    for text in ("description", "caption"):
        assert len({getattr(reading, text) for reading in READINGS}) == len(READINGS)
