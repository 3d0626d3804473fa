"""Appearance of pages: both languages, both themes, a phone, text that tries to be markup."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.studio.browser.room import HOSTILE, TURNED, Room, until

pytestmark = pytest.mark.browser
PHONE: dict[str, Any] = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
SMALL, ILLEGIBLE, UNNAMED = (
    (Path(__file__).parent / "probes" / f"{name}.js").read_text(encoding="utf-8")
    for name in ("small", "illegible", "unnamed")
)
"""Functions that run in a page: what is too small for a finger, too faint to read, or without a name."""
TASKS = ("listening", "correcting", "preferring", "hostile")


def rate(room: Room, page: Page, task: str) -> None:
    """Open a rating page."""
    page.goto(f"{room.address}/rate/{task}")
    expect(page.locator(".player.ready").first).to_be_visible()


def test_the_interface_speaks_mandarin_to_whoever_does(room: Room) -> None:
    page = room.enter("艾达", language="zh")
    expect(page.locator("main")).to_contain_text("艾达，您好")
    rate(room, page, "listening")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.locator(".bar-submit")).to_have_text("请先听完：台词")
    expect(page.locator('[data-control="tone"]')).to_contain_text("冷淡")
    expect(page.locator(".frame-title")).to_have_text("合适吗？")
    english = re.findall(r"[A-Za-z]{4,}", page.locator("main").inner_text())
    assert set(english) <= {"Mara", "Line", "story", "Wholly", "Half"}  # the task's own words
    page.get_by_role("button", name="English").click()
    expect(page.locator(".bar-submit")).to_have_text("Listen to the end first: Line")
    page.reload()
    expect(page.locator(".bar-submit")).to_have_text("Listen to the end first: Line")  # the server remembers


def test_no_page_scrolls_sideways_on_a_phone_and_everything_can_be_touched(room: Room) -> None:
    page = room.enter("Ben", **PHONE)
    for task in ("", *TASKS):
        if task:
            rate(room, page, task)
        else:
            page.goto(room.address)
            expect(page.locator(".task").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") == 360, task
        assert page.evaluate(SMALL) == [], task


def test_hostile_text_is_shown_as_text(room: Room) -> None:
    page = room.enter(f"Eve {HOSTILE}"[:60])
    expect(page.locator("main h2").first).to_contain_text("<img src=x")
    rate(room, page, "hostile")
    for place in (".frame-title", ".guide .prose", ".text h2", ".text .prose", ".line-text", ".control h3", ".choice"):
        expect(page.locator(place).first).to_contain_text(HOSTILE)
    expect(page.locator(".line-role")).to_have_text(TURNED)
    field = page.locator('[data-control="edited"] textarea')
    field.fill(f"changed {HOSTILE}")
    expect(page.locator(".marks")).to_contain_text("<script>")
    page.locator(".bar-submit").click()
    assert page.locator("img").count() == 0
    assert page.locator("main script").count() == 0
    assert page.title() != "1"
    bidi = page.locator(".line-role").evaluate("element => getComputedStyle(element).unicodeBidi")
    assert bidi == "isolate"  # marks that turn the direction end where the text ends


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground_and_everything_has_a_name(room: Room, theme: str) -> None:
    page = room.enter(f"Reader of {theme}", color_scheme=theme)
    expect(page.locator(".task").first).to_be_visible()
    assert page.evaluate(ILLEGIBLE) == []
    for task in TASKS[:3]:
        rate(room, page, task)
        page.keyboard.press("2")
        assert page.evaluate(ILLEGIBLE) == [], task
        assert page.evaluate(UNNAMED) == [], task


def test_the_theme_can_be_switched_and_stays(room: Room) -> None:
    page = room.enter("Finn", color_scheme="light")
    ground = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Theme: as the system").click()
    assert page.evaluate(ground) == light
    page.get_by_role("button", name="Theme: light").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    expect(page.get_by_role("button", name="Theme: dark")).to_be_visible()
    assert page.evaluate(ground) == dark


def test_a_personal_link_lets_in_and_its_token_leaves_the_address(room: Room) -> None:
    context = room.browser.new_context(locale="zh-CN")
    room.contexts.append(context)
    page = room.open(context)
    page.goto(f"{room.address}/")  # without a session
    page.wait_for_url(f"{room.address}/join")
    expect(page.locator("main")).to_contain_text("请使用发给您的个人链接")
    page.locator("#link").fill(f"{room.address}/join#{'x' * 43}")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("此链接无法使用")
    assert page.url == f"{room.address}/join"
    page.goto(room.invite("annotator", "Hana"))
    expect(page.locator("main")).to_contain_text("Hana，您好")
    assert page.url == f"{room.address}/"
    page.go_back()
    assert "#" not in page.url


def test_nothing_leaves_the_server_and_what_tries_to_is_stopped_and_noticed(room: Room) -> None:
    page = room.enter("Ida", at="/rate/preferring")
    expect(page.locator(".player.ready").first).to_be_visible()
    assert room.problems == []
    page.evaluate("fetch('http://elsewhere.test/').catch(() => {})")
    page.evaluate("document.body.setAttribute('style', 'color: red')")
    page.evaluate("document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))")
    assert page.evaluate("window.ran") is None
    assert page.evaluate("getComputedStyle(document.body).color") != "rgb(255, 0, 0)"
    stopped = ("connect-src", "style-src", "script-src")
    until(page, lambda: all(any(name in problem for problem in room.problems) for name in stopped))
    room.problems.clear()
