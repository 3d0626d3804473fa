"""The page of the own account, and signing in by a password."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.studio.browser.room import Room

pytestmark = pytest.mark.browser
GOOD, OTHER = "seven grey mountain goats", "eleven blue river boats"


def sign_in(room: Room, name: str, password: str) -> Page:
    context = room.browser.new_context(locale="en-GB")
    room.contexts.append(context)
    page = room.open(context)
    page.goto(f"{room.address}/join")
    page.locator("#name").fill(name)
    page.locator("#password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    return page


def set_password(page: Page, password: str, *, current: str = "") -> None:
    if current:
        page.locator("#current").fill(current)
    page.locator("#new").fill(password)
    page.get_by_role("button", name="Set the password").click()


def test_a_password_is_set_on_the_page_lets_in_elsewhere_and_is_changed_there(room: Room) -> None:
    page = room.enter("Pia", at="/account")
    set_password(page, "too short")
    expect(page.get_by_role("alert")).to_contain_text("12 to 200 characters")
    expect(page.locator("#current")).to_have_count(0)  # the link has opened this session
    set_password(page, GOOD)
    expect(page.get_by_role("status")).to_contain_text("The password is set")
    name = re.search("R-[0-9A-Z]{4}", page.locator("main").inner_text())
    assert name is not None
    wrong = sign_in(room, name[0], OTHER)
    expect(wrong.get_by_role("alert")).to_contain_text("That password is not right")
    expect(wrong.locator("#name")).to_have_value(name[0])
    elsewhere = sign_in(room, name[0], GOOD)
    expect(elsewhere.get_by_role("heading", name="Hello, Pia")).to_be_visible()
    elsewhere.get_by_role("link", name="Account").click()
    set_password(elsewhere, OTHER, current=GOOD)
    expect(elsewhere.get_by_role("status")).to_contain_text("The password is set")
    expect(elsewhere.locator("tr[data-session]")).to_have_count(1)
    page.reload()
    page.wait_for_url("**/join")  # the first session has ended


def test_sessions_are_listed_and_ended_on_the_page(room: Room) -> None:
    page = room.enter("Rui", at="/account")
    set_password(page, GOOD)
    expect(page.get_by_role("status")).to_contain_text("The password is set")
    name = re.search("R-[0-9A-Z]{4}", page.locator("main").inner_text())
    assert name is not None
    others = [sign_in(room, name[0], GOOD) for _ in range(3)]
    for other in others:
        expect(other.get_by_role("heading", name="Hello, Rui")).to_be_visible()
    page.reload()
    rows = page.locator("tr[data-session]")
    expect(rows).to_have_count(4)
    expect(rows.filter(has_text="this one")).to_have_count(1)
    rows.filter(has_text="password").first.get_by_role("button").click()
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="End all others").click()
    expect(rows).to_have_count(1)
    others[0].reload()
    others[0].wait_for_url("**/join")
