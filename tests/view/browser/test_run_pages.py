"""Pages over runs in a real browser: 20,000 items, the keyboard, a comparison, hostile texts, and nothing elsewhere."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from aptone.audio import write
from aptone.types import Audio, AudioRef, Entry, Item, to_json
from tests.run.index.test_journal_index import entry
from tests.view.test_shelf import make_run

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 120_000.0
ITEMS = 20_000
HOSTILE = "<img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>\u202eevil\x07"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on this machine"),
]


def heard(one: Entry, path: Path) -> Entry:
    payload = {**one.item.payload, "audio": to_json(AudioRef(str(path)))}
    return Entry(Item.make(one.item.id, payload, position=one.item.position), one.outcome, finished=one.finished)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("runs")
    tone = (0.3 * np.sin(2 * np.pi * 220 * np.arange(8000) / 16000)).astype(np.float32)
    write(folder / "tone.wav", Audio(tone, 16000))
    made = [entry(number, (number % 501) / 100, ids={"chapter": str(number // 1000)}) for number in range(ITEMS)]
    made[0] = heard(entry(0, line=HOSTILE), folder / "tone.wav")
    make_run(folder / "long", made)
    make_run(folder / "a", [heard(entry(number, 1 + number / 10), folder / "tone.wav") for number in range(5)])
    make_run(folder / "b", [heard(entry(number, 1 + number / 5), folder / "tone.wav") for number in range(5)])
    command = [sys.executable, "-m", "aptone", "view", str(folder), "--no-browser", "--port", "0", "--json"]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    )
    try:
        assert server.stdout is not None
        said = server.stdout.readline()
        while "http" not in said:
            said += server.stdout.readline()
        found = re.search(r"http://[\d.:]+", said)
        assert found, said
        yield found[0]
    finally:
        server.terminate()
        if server.stdout is not None:
            server.stdout.close()
        server.wait()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
        )
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """A page; what it loads from elsewhere, throws, logs or violates makes the test fail."""
    context = browser.new_context(base_url=address, locale="en-GB")
    context.set_default_timeout(PATIENCE)
    problems: list[str] = []
    made = context.new_page()
    made.on("pageerror", lambda error: problems.append(str(error)))
    made.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    made.on("request", lambda asked: None if asked.url.startswith(address) else problems.append(asked.url))
    yield made
    context.close()
    assert problems == []


def open_long(page: Page, query: str = "") -> None:
    """Open the long run once it is indexed."""
    page.goto("/")
    expect(page.locator('tr[data-run="long"] td.number').first).to_contain_text(str(ITEMS))
    page.goto(f"/runs/long{query}")
    expect(page.locator("html[data-ready]")).to_have_count(1)


def test_many_items_are_scrolled_and_filtered_and_the_address_keeps_it(page: Page) -> None:
    open_long(page)
    expect(page.locator("#list output")).to_have_text(f"{ITEMS:,} items")
    expect(page.locator("#list tbody tr")).to_have_count(100)
    page.locator("#list nav.pages").scroll_into_view_if_needed()
    expect(page.locator("#list tbody tr").nth(150)).to_be_attached()
    page.select_option('select[name="label.chapter"]', "3")
    expect(page.locator("#list output")).to_have_text("1,000 items")
    page.fill("input[name=low]", "4.9")
    found = "20 items"  # of 3000 to 3999 those that are 490 to 500 mod 501: 3000 to 3005, 3496 to 3506, 3997 to 3999
    expect(page.locator("#list output")).to_have_text(found)
    assert "label.chapter=3" in page.url
    page.reload()
    expect(page.locator("#list output")).to_have_text(found)


def test_the_keyboard_moves_plays_searches_and_opens(page: Page) -> None:
    open_long(page)
    page.keyboard.press("j")
    expect(page.locator('tr[aria-current="true"]')).to_have_attribute("data-number", "1")
    page.keyboard.press("Space")
    expect(page.locator("#deck audio")).to_have_attribute("src", "/runs/long/items/1/clips/0")
    expect(page.locator("#deck audio")).to_have_js_property("ended", True)
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator('tr[aria-current="true"]')).to_have_attribute("data-number", "1")
    page.keyboard.press("/")
    expect(page.locator("input[name=text]")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    expect(page.locator("html[data-drawn]")).to_have_count(1)
    assert page.url.endswith("/runs/long/items/1")
    expect(page.locator("svg.timeline.wide")).to_have_count(1)
    page.keyboard.press("j")
    page.wait_for_url("**/runs/long/items/2")


def test_hostile_texts_do_nothing(page: Page) -> None:
    open_long(page)
    expect(page.locator("#list tbody tr").first).to_contain_text("<img src=x")
    page.goto("/runs/long/items/1")
    expect(page.locator(".story .target").first).to_contain_text("<script>")
    assert page.locator("img").count() == 0
    assert "broken" not in page.title()
    assert "\u202e" not in page.content()


def test_two_ticked_runs_are_compared_with_both_players(page: Page) -> None:
    page.goto("/")
    for name in "ab":
        page.check(f'input[value="{name}"]')
    page.click("#compare button")
    page.wait_for_url("**/compare?a=a&b=b")
    expect(page.locator("article.pair")).to_have_count(5)
    expect(page.locator("article.pair").first).to_have_attribute("data-id", "item-4")  # 0.4 apart
    expect(page.locator("article.pair").first.locator("audio")).to_have_count(2)
    expect(page.locator(".tiles")).to_contain_text("+0.20")
    page.keyboard.press("j")
    page.keyboard.press("b")
    expect(page.locator("[data-side=b] audio").first).to_have_js_property("ended", True)
