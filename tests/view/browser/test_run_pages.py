"""Pages over runs in a real browser: 20,000 items, the keyboard, a comparison, hostile texts, and nothing elsewhere."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from aptone.audio import write
from aptone.run import RunConfig, RunFolder
from aptone.types import Audio, AudioRef, Entry, Item, to_json
from tests.browsers import CHROMIUM
from tests.run.index.test_journal_index import entry
from tests.view.browser.serving import launched, opened, served
from tests.view.test_shelf import make_run

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
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    tone = (0.3 * np.sin(2 * np.pi * 220 * np.arange(8000) / 16000)).astype(np.float32)
    write(folder / "tone.wav", Audio(tone, 16000))
    made = [entry(number, (number % 501) / 100, ids={"chapter": str(number // 1000)}) for number in range(ITEMS)]
    made[0] = heard(entry(0, line=HOSTILE), folder / "tone.wav")
    make_run(folder / "long", made)
    make_run(folder / "a", [heard(entry(number, 1 + number / 10), folder / "tone.wav") for number in range(5)])
    make_run(folder / "b", [heard(entry(number, 1 + number / 5), folder / "tone.wav") for number in range(5)])
    with served(folder) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with opened(browser, address) as made:
        yield made


@pytest.fixture(scope="module")
def growing(address: str, folder: Path) -> Path:
    """A run that expects three items, and has one."""
    return make_run(folder / "growing", [entry(0, 1.0)], expected=3)


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


def test_a_run_is_seen_while_it_goes_on(page: Page, growing: Path) -> None:
    page.goto("/")
    expect(page.locator('tr[data-run="growing"]')).to_contain_text("1 / 3")
    page.goto("/runs/growing")
    expect(page.locator("#list tbody tr")).to_have_count(1)
    page.keyboard.press("j")
    with RunFolder(growing, RunConfig(verb="score", engine="built-in", expected=3)) as run:
        run.journal.append([entry(1, 2.0), entry(2, 3.0)])
    expect(page.locator("#list tbody tr")).to_have_count(3)
    expect(page.locator("#list output")).to_have_text("3 items")
    expect(page.locator('tr[aria-current="true"]')).to_have_attribute("data-number", "1")  # where one stood
    expect(page.locator("#byline")).to_contain_text("Mean 2")
    expect(page.locator("#byline progress")).to_have_count(0)
