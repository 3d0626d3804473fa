"""One browser and one server a module.

A browser that stays open keeps its event loop running, and tests elsewhere could not start theirs.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browsers import CHROMIUM, LEAN, SOUNDING
from tests.studio.browser.room import WAIT, Room, furnish


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium, chromium-browser or google-chrome on this machine")
    expect.set_options(timeout=WAIT)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=[*LEAN, SOUNDING])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def served_room(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    folder = tmp_path_factory.mktemp("studio")
    furnish(folder)
    room = Room(folder, browser)
    try:
        room.start()
        yield room
    finally:
        room.stop()


@pytest.fixture
def room(served_room: Room) -> Iterator[Room]:
    """The room; whatever a page loads from elsewhere, throws or violates in a test makes it fail."""
    served_room.problems.clear()
    yield served_room
    while served_room.contexts:
        served_room.contexts.pop().close()
    assert served_room.problems == []
