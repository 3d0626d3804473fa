"""The results page of listening tests: on a laptop and a phone, in both languages."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from aptone.audio import write
from aptone.studio.exchange.system_folders import import_systems
from aptone.studio.project import Project
from aptone.studio.store.imported_ratings import put_ratings
from aptone.types import Audio
from tests.studio.browser.room import Room
from tests.studio.test_results import heard_by

pytestmark = pytest.mark.browser
SQUEEZED = (Path(__file__).parent / "probes" / "squeezed.js").read_text(encoding="utf-8")
TESTS = ("mos", "ab", "abx", "mushra", "best-worst")
SIZES = {"phone": {"width": 390, "height": 844}, "laptop": {"width": 1366, "height": 768}}


@pytest.fixture(scope="module")
def rated_room(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """A project with tests that nine made-up listeners have rated."""
    folder = tmp_path_factory.mktemp("results")
    for place, system in enumerate(("bad", "fair", "good", "recorded")):
        for text in range(3):
            samples = 0.3 * np.sin(np.arange(8000) * (0.05 + 0.01 * place + 0.02 * text))
            (folder / system).mkdir(exist_ok=True)
            write(folder / system / f"line-{text}.wav", Audio(samples.astype(np.float32), rate=16_000))
    with Project.open(folder / "project") as project:
        for test in TESTS:
            names = ("fair", "good") if test == "abx" else ("bad", "fair", "good")
            systems = [folder / name for name in names]
            made = import_systems(test, systems, folder=project.folder, reference=folder / "recorded", raters=9)
            stored = project.tasks.put(made.task).result()
            ratings = heard_by(stored.task, people=9)
            put_ratings(project.writer, project.people, stored, ratings, source="listeners").result()
    room = Room(folder / "project", browser)
    try:
        room.start()
        yield room
    finally:
        room.stop()


@pytest.mark.parametrize("size", list(SIZES))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_tables_of_results_can_be_read_on_every_screen(language: str, size: str, rated_room: Room) -> None:
    rated_room.problems.clear()
    page = rated_room.enter(f"Lead {language} {size}", role="admin", language=language, at="", viewport=SIZES[size])
    for test in TESTS:
        page.goto(f"{rated_room.address}/results/{test}")
        expect(page.locator("tbody tr").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == SIZES[size]["width"], test
        assert page.evaluate(SQUEEZED) == [], test
    page.context.close()
    rated_room.contexts.clear()
    assert rated_room.problems == []
