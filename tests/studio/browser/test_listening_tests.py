"""Each ready test from the invitation to the exported result, by mouse and by keyboard, in Chromium and Firefox."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from aptone.audio import write
from aptone.studio.exchange.exports import export_to
from aptone.studio.exchange.pseudonyms import export_names
from aptone.studio.exchange.system_folders import import_systems
from aptone.studio.project import Project
from aptone.studio.results.report import result_report
from aptone.studio.results.tables import csv_text, result_rows
from aptone.types import Audio
from tests.studio.browser.drivers import FIREFOX, ChromiumTab, Firefox, FirefoxTab, LeavingPageError, Tab
from tests.studio.browser.room import PATIENCE, Room

TESTS = ("mos", "cmos", "ab", "abx", "mushra", "best-worst", "aptness", "aptness-rank")
RATE, SECONDS = 24_000, 0.4


def furnish_tests(folder: Path) -> None:
    """A project with every ready test, of one text by two or three systems."""
    for place, system in enumerate(("alpha", "beta", "gamma", "recorded")):
        times = np.arange(int(SECONDS * RATE)) / RATE
        samples = 0.3 * np.sin(2 * np.pi * (200 + 60 * place) * times)
        (folder / system).mkdir()
        write(folder / system / "line.wav", Audio(samples.astype(np.float32), rate=RATE))
    line = {"id": "line", "audio": "alpha/line.wav", "line": "Stay.", "context": ["It was dark."]}
    (folder / "lines.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    with Project.open(folder / "project") as project:
        for test in TESTS:
            names = ("alpha", "beta") if test in ("cmos", "ab", "abx") else ("alpha", "beta", "gamma")
            made = import_systems(
                test,
                [folder / name for name in names],
                folder=project.folder,
                reference=folder / "recorded",
                stories=folder / "lines.jsonl" if test.startswith("aptness") else None,
                raters=50,
            )
            project.tasks.put(made.task).result()


@pytest.fixture(scope="module")
def tests_room(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    folder = tmp_path_factory.mktemp("tests")
    furnish_tests(folder)
    room = Room(folder / "project", browser)
    try:
        room.start()
        yield room
    finally:
        room.stop()


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    if FIREFOX is None:
        pytest.skip("no firefox-esr or firefox on this machine")
    running = Firefox(tmp_path_factory.mktemp("firefox"))
    yield running
    running.stop()


@pytest.fixture(params=["chromium", "firefox"])
def tab(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Tab]:
    opened: Tab = (
        ChromiumTab(browser) if request.param == "chromium" else FirefoxTab(request.getfixturevalue("firefox"))
    )
    yield opened
    opened.close()


SOUND = """(async () => {
  const context = new AudioContext();
  const late = new Promise((resolve) => setTimeout(() => resolve(false), 10000));
  const runs = await Promise.race([context.resume().then(() => true), late]);
  context.close();
  return runs;
})()"""


def wait(tab: Tab, condition: str) -> Any:
    """Wait until a script gives something, and return that."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if found := tab.run(condition):
                return found
        except LeavingPageError:
            pass
        time.sleep(0.02)
    raise AssertionError(f"it did not happen: {condition}\n{tab.run('document.body.innerText')}")


def quoted(selector: str) -> str:
    return json.dumps(selector)


def click(tab: Tab, selector: str, index: int = 0, *, along: float = 0.5) -> None:
    """Click into an element, somewhere along its width."""
    wait(tab, f"document.querySelectorAll({quoted(selector)}).length > {index}")
    place = f"document.querySelectorAll({quoted(selector)})[{index}]"
    tab.run(f"{place}.scrollIntoView({{block: 'center'}})")
    box = tab.run(f"(({{x, y, width, height}}) => [x, y, width, height])({place}.getBoundingClientRect())")
    tab.click_at(box[0] + along * box[2], box[1] + box[3] / 2)


def count(tab: Tab, selector: str) -> int:
    return int(tab.run(f"document.querySelectorAll({quoted(selector)}).length"))


PLAYERS = ".player:not(.switch)"
HEARD = f"document.querySelectorAll({json.dumps(f'{PLAYERS} .player-state.good')}).length"


def listen_by_mouse(tab: Tab) -> None:
    wait(tab, f"document.querySelectorAll({quoted(f'{PLAYERS}.ready')}).length === {count(tab, PLAYERS)}")
    for number in range(count(tab, PLAYERS)):
        click(tab, f"{PLAYERS} .player-play", number)
        wait(tab, f"{HEARD} > {number}")


def listen_by_keyboard(tab: Tab) -> None:
    wait(tab, f"document.querySelectorAll({quoted(f'{PLAYERS}.ready')}).length === {count(tab, PLAYERS)}")
    for number in range(count(tab, PLAYERS)):
        tab.press("c")  # plays the next clip, and in the end the first one
        wait(tab, f"{HEARD} > {number}")


def counted(number: int) -> str:
    """Condition: a clip of a switch was listened to for long enough to count; the button asks for it no more."""
    return f"!document.querySelector('.bar-submit').textContent.endsWith('Recording {'ABCDEF'[number]}')"


def rate_by_mouse(tab: Tab, test: str) -> None:
    if test == "mushra":
        click(tab, ".switch-clip")  # the open reference
        wait(tab, "!document.querySelector('.bar-submit').textContent.includes('Reference')")
        for number in range(count(tab, ".set-row")):
            click(tab, ".set-play", number)
            wait(tab, "document.querySelectorAll('.set-play[aria-pressed=true]').length === 1")
            wait(tab, counted(number))
            click(tab, ".set-row input[type=range]", number, along=0.2 + 0.1 * number)
        return
    listen_by_mouse(tab)
    if test in ("mos", "cmos"):
        click(tab, ".scale-button", 3)
    elif test in ("ab", "abx"):
        click(tab, ".choice", 1)
    elif test == "best-worst":
        click(tab, ".set-row:nth-child(2) .set-end", 0)
        click(tab, ".set-row:nth-child(3) .set-end", 1)
    elif test == "aptness":
        for number in range(3):
            click(tab, ".set-row input[type=range]", number, along=0.3 + 0.2 * number)
    else:
        click(tab, ".set-choose", 2)
        click(tab, ".set-choose", 0)


def rate_by_keyboard(tab: Tab, test: str) -> None:
    if test == "mushra":
        wait(tab, "document.querySelector('.switch.ready') !== null")
        tab.press("f")
        wait(tab, "!document.querySelector('.bar-submit').textContent.includes('Reference')")
        tab.run("document.querySelector('.control').focus()")
        for number in range(count(tab, ".set-row")):
            tab.press("Tab")  # to the button of the row: what runs switches to its clip
            wait(tab, f"document.querySelectorAll('.set-play')[{number}].getAttribute('aria-pressed') === 'true'")
            tab.press("Tab")
            for digit in str(30 + 10 * number):
                tab.press(digit)
            wait(tab, counted(number))
        return
    listen_by_keyboard(tab)
    tab.run("document.querySelector('.control').focus()")
    keys = {"mos": "4", "cmos": "-2", "ab": "2", "abx": "2", "best-worst": "23", "aptness-rank": "31"}
    for key in keys.get(test, ""):
        tab.press(key)
    if test == "aptness":
        for number in range(3):
            tab.press("Tab")
            tab.press("Tab")
            tab.press(str(number + 2))


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
@pytest.mark.parametrize("test", TESTS)
def test_a_ready_test_goes_from_the_invitation_to_the_exported_result(
    test: str, by: str, tab: Tab, tests_room: Room, tmp_path: Path
) -> None:
    name = f"{type(tab).__name__} {by}"
    tab.goto(tests_room.invite("annotator", name))
    wait(tab, f"document.querySelector('a[href=\"/rate/{test}\"]') !== null")
    if test == "mushra" and not tab.run(SOUND):
        pytest.skip("Firefox starts no AudioContext where nothing plays sound; a null sink of PulseAudio is enough")
    if by == "mouse":
        click(tab, f'a[href="/rate/{test}"]')
    else:
        tab.run(f"document.querySelector('a[href=\"/rate/{test}\"]').focus()")
        tab.press("Enter")
    done = "document.querySelector('.end') !== null"
    while not wait(tab, f"document.querySelector('.control') !== null || {done}") or not tab.run(done):
        item = tab.run("location.hash")
        (rate_by_mouse if by == "mouse" else rate_by_keyboard)(tab, test)
        wait(tab, "!document.querySelector('.bar-submit').classList.contains('missing')")
        if by == "mouse":
            click(tab, ".bar-submit")
        else:
            tab.run("document.querySelector('.control').focus()")
            tab.press("Enter")
        wait(tab, f"location.hash !== {json.dumps(item)} || {done}")
    rows = tests_room.rows(test, name)
    with Project.open(tests_room.folder) as project:
        task = project.tasks.get(test).task
        ratings = [row.rating for row in project.results.ratings(test)]
        export_to(project, test, "csv", tmp_path / "ratings.csv")
        names = export_names(project)
    assert len(rows) == len(task.items)
    assert {row.state for row in rows} == {"submitted"}
    assert names[rows[0].rating.rater] in (tmp_path / "ratings.csv").read_text(encoding="utf-8")
    report = result_report(task, ratings)
    assert report is not None
    numbers = csv_text(result_rows(report, "ratings", task=task, ratings=ratings))
    assert numbers.count(rows[0].rating.rater) == {"mos": 3, "cmos": 1, "ab": 1, "abx": 1, "mushra": 6}.get(test, 3)
