"""What a page looks like: both languages, both themes, a phone, text that tries to be more than text."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.studio.browser.room import HOSTILE, TURNED, Room

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
TASKS = ("listening", "correcting", "preferring", "hostile")


def rate(room: Room, page: Page, task: str) -> None:
    """Open a rating page."""
    page.goto(f"{room.address}/rate/{task}")
    expect(page.locator(".player.ready").first).to_be_visible()


def test_the_interface_speaks_mandarin_to_whoever_does(room: Room) -> None:
    page = room.enter("艾达", locale="zh-CN")
    expect(page.locator("main")).to_contain_text("艾达，您好")
    rate(room, page, "listening")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.locator(".bar-submit")).to_have_text("请先听完：台词")
    expect(page.locator('[data-control="tone"]')).to_contain_text("冷淡")
    expect(page.locator(".frame-title")).to_have_text("合适吗？")
    english = re.findall(r"[A-Za-z]{4,}", page.locator("main").inner_text())
    assert set(english) <= {"Mara", "Line", "story"} | set(re.findall("[A-Za-z]+", "Wholly Half Not at all"))  # the task's own
    page.get_by_role("button", name="English").click()
    expect(page.locator(".bar-submit")).to_have_text("Listen to the end first: Line")
    page.reload()
    expect(page.locator(".bar-submit")).to_have_text("Listen to the end first: Line")  # the server remembers


def test_no_page_scrolls_sideways_on_a_phone_and_everything_can_be_touched(room: Room) -> None:
    page = room.enter("Ben", **PHONE)
    small = """() => [...document.querySelectorAll("button, a, label.choice, label.scale-button, select, summary, input:not(.unseen), textarea")]
        .filter((one) => one.checkVisibility() && !one.classList.contains("skip"))
        .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
        .filter(([, box]) => box.height < 43.5 || box.width < 43.5).map(([text, box]) => `${text} ${box.width}x${box.height}`)"""
    for task in ("", *TASKS):
        if task:
            rate(room, page, task)
        assert page.evaluate("document.documentElement.scrollWidth") == 360, task
        assert page.evaluate(small) == [], task


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
    assert "1" != page.title()
    bidi = page.locator(".line-role").evaluate("element => getComputedStyle(element).unicodeBidi")
    assert bidi == "isolate"  # marks that turn the direction end where the text ends


LEGIBLE = """() => {
    const channel = (value) => (value /= 255, value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const parts = (colour) => { const context = new OffscreenCanvas(1, 1).getContext("2d"); context.fillStyle = colour; context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data]; };
    const light = ([red, green, blue]) => 0.2126 * channel(red) + 0.7152 * channel(green) + 0.0722 * channel(blue);
    const ground = (element) => { for (let one = element; one; one = one.parentElement) { const colour = parts(getComputedStyle(one).backgroundColor);
        if (colour[3] > 250) return colour; } return [255, 255, 255]; };
    const faint = [];
    for (const element of document.querySelectorAll("body *")) {
        const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
        if (!own || !element.checkVisibility({ opacityProperty: true }) || element.closest("noscript, .unseen, .skip") || element.disabled) continue;
        const [one, other] = [light(parts(getComputedStyle(element).color)), light(ground(element))].sort((a, b) => b - a);
        const contrast = (one + 0.05) / (other + 0.05);
        if (contrast < 4.5) faint.push(`${element.className || element.tagName} ${contrast.toFixed(2)} ${element.textContent.slice(0, 30)}`);
    }
    return faint;
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(room: Room, theme: str) -> None:
    page = room.enter(f"Reader of {theme}", color_scheme=theme)
    assert page.evaluate(LEGIBLE) == []
    for task in TASKS[:3]:
        rate(room, page, task)
        page.keyboard.press("2")
        assert page.evaluate(LEGIBLE) == [], task


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


def test_every_field_and_button_has_a_name_for_those_who_do_not_see_it(room: Room) -> None:
    page = room.enter("Gus")
    for task in TASKS:
        rate(room, page, task)
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll("button, input, textarea, select, a, [role=slider], [role=radiogroup], [role=group]")]
            .filter((one) => one.checkVisibility())
            .filter((one) => !(one.getAttribute("aria-label") || one.labels?.length || one.textContent.trim()
                || document.getElementById(one.getAttribute("aria-labelledby"))?.textContent)).map((one) => one.outerHTML.slice(0, 90))"""
        )
        assert unnamed == [], task


def test_a_link_that_is_not_good_is_told_kindly_and_its_token_leaves_the_address(room: Room) -> None:
    context = room.browser.new_context(locale="en-GB")
    room.contexts.append(context)
    page = room.open(context)
    page.goto(f"{room.address}/")  # without a session
    page.wait_for_url(f"{room.address}/join")
    page.goto(f"{room.address}/join#not-a-token")
    page.reload()
    expect(page.get_by_role("textbox")).to_be_visible()
    page.get_by_role("textbox").fill(f"{room.address}/join#{'x' * 43}")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("This link does not open the room")
    assert page.url == f"{room.address}/join"
    page.get_by_role("textbox").fill(room.invite("annotator", "Hana"))
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("Hello, Hana")
