"""Nothing is lost: a server that dies, a connection that ends, two windows, a browser that keeps nothing."""

from typing import cast

import pytest
from playwright._impl._api_structures import SetCookieParam
from playwright.sync_api import BrowserContext, Page, Route, expect
from sqlalchemy import text

from aptone.studio.project import Project
from aptone.studio.store.changes import MOST_STORED
from aptone.studio.store.records import Change
from tests.studio.browser.room import Room, until

pytestmark = pytest.mark.browser
FEELING = '[data-control="feeling"] textarea'


def rate(room: Room, page: Page) -> str:
    """Open the rating page; the address of its item."""
    page.goto(f"{room.address}/rate/listening")
    expect(page.locator(".player.ready")).to_be_visible()
    return page.url


def state(page: Page, expected: str) -> None:
    """Wait for what the page says about saving."""
    expect(page.locator(".save")).to_have_attribute("data-state", expected)


def answers(room: Room, name: str) -> object:
    """Answers of a person's only item on the server."""
    (given,) = room.ratings("listening", name).values()
    return given


def test_a_server_that_is_killed_while_somebody_types_loses_nothing(room: Room) -> None:
    page = room.enter("Ada", at="")
    rate(room, page)
    page.locator(FEELING).focus()
    page.keyboard.type("before ", delay=20)
    state(page, "saved")
    page.keyboard.type("and ")
    room.kill()
    page.keyboard.type("during the crash")
    state(page, "offline")
    expect(page.locator(".save")).to_contain_text("kept here, 1 waiting")
    page.keyboard.press("Tab")
    room.start()
    state(page, "saved")
    assert answers(room, "Ada") == {"feeling": "before and during the crash"}
    page.reload()
    expect(page.locator(FEELING)).to_have_value("before and during the crash")


def crash(page: Page) -> None:
    """Close a page as a crash does: nothing in it learns of it in time to send a last word."""
    for event in ("pagehide", "visibilitychange"):
        page.evaluate(f"window.addEventListener('{event}', (event) => event.stopImmediatePropagation(), true)")
    page.close()


def test_what_was_answered_offline_is_sent_by_the_next_page_of_the_same_person(room: Room) -> None:
    page = room.enter("Ben", at="")
    rate(room, page)
    context = page.context
    context.set_offline(True)
    page.keyboard.press("4")
    page.locator(FEELING).fill("kept on the device")
    state(page, "offline")
    assert not any(room.ratings("listening", "Ben").values())
    crash(page)  # which may have a try left that gets through
    context.set_offline(False)
    later = room.open(context)
    later.goto(room.address)
    expect(later.locator(".task").first).to_be_visible()
    expect(later.locator(".note.warn")).to_be_hidden()
    assert answers(room, "Ben") == {"fit": 4, "feeling": "kept on the device"}


def test_two_windows_on_one_item_show_the_later_change_and_do_not_fight(room: Room) -> None:
    one = room.enter("Cleo", at="")
    address = rate(room, one)
    other = room.open(one.context)
    other.goto(address)
    expect(other.locator(".player.ready")).to_be_visible()
    one.locator(FEELING).fill("first")
    expect(other.locator(FEELING)).to_have_value("first")
    expect(other.locator('[data-control="feeling"]')).to_contain_text("Changed in another window")
    other.locator(FEELING).fill("second")
    expect(one.locator(FEELING)).to_have_value("second")
    one.keyboard.press("Escape")
    one.locator('[data-control="fit"] label').nth(2).click()
    expect(other.locator('[data-control="fit"] input:checked')).to_have_value("2")
    state(one, "saved")
    state(other, "saved")
    assert answers(room, "Cleo") == {"fit": 2, "feeling": "second"}


def test_a_change_from_a_page_that_missed_newer_ones_gives_way_to_them_and_says_so(room: Room) -> None:
    one = room.enter("Gus", at="")
    rate(room, one)
    device = room.browser.new_context(locale="en-GB")  # shares nothing with the first but who is signed in
    room.contexts.append(device)
    device.add_cookies(cast("list[SetCookieParam]", one.context.cookies()))
    other = room.open(device)
    other.goto(one.url)
    expect(other.locator(".player.ready")).to_be_visible()
    for value in (1, 3):
        one.locator('[data-control="fit"] label').nth(value).click()
        state(one, "saved")
    other.locator('[data-control="fit"] label').nth(5).click()
    expect(other.locator('[data-control="fit"]')).to_contain_text("A newer answer, given in another window")
    expect(other.locator('[data-control="fit"] input:checked')).to_have_value("3")
    state(other, "saved")
    assert answers(room, "Gus") == {"fit": 3}
    other.locator('[data-control="fit"] label').nth(5).click()  # whoever has seen it may change it
    until(other, lambda: answers(room, "Gus") == {"fit": 5})
    expect(other.locator('[data-control="fit"]')).not_to_contain_text("A newer answer")


def test_a_full_disk_is_told_and_what_waits_is_sent_when_there_is_room(room: Room) -> None:
    page = room.enter("Ivo", at="")
    rate(room, page)
    error = {"code": "disk-full", "message": "full", "next": "", "mandarin": {"message": "", "next": ""}}

    def refuse(route: Route) -> None:
        route.fulfill(status=507, headers={"Retry-After": "0"}, json={"error": error})

    page.route("**/changes", refuse)
    page.locator(FEELING).fill("kept meanwhile")
    state(page, "full")
    expect(page.locator(".save")).to_contain_text("The studio's disk is full: 1 kept here")
    page.unroute("**/changes", refuse)
    state(page, "saved")
    assert answers(room, "Ivo") == {"feeling": "kept meanwhile"}


def without_storage(context: BrowserContext) -> None:
    """As in a browser whose storage is full or switched off."""
    context.add_init_script("Storage.prototype.setItem = () => { throw new DOMException('full'); };")


def test_a_browser_that_keeps_nothing_says_so_and_still_saves(room: Room) -> None:
    page = room.enter("Dan", at="")
    without_storage(page.context)
    rate(room, page)
    page.locator(FEELING).fill("not kept here")
    expect(page.locator(".save")).to_contain_text("This browser keeps nothing on the device")
    state(page, "saved")
    assert answers(room, "Dan") == {"feeling": "not kept here"}


def test_a_change_that_the_server_refuses_is_told_and_does_not_stop_the_next(room: Room) -> None:
    page = room.enter("Eve", at="")
    rate(room, page)
    page.locator(FEELING).evaluate("field => { field.maxLength = 20000; }")
    page.locator(FEELING).fill("x" * 10_001)
    state(page, "refused")
    expect(page.locator(".save")).to_contain_text("Not taken by the server")
    page.locator(FEELING).fill("short")
    state(page, "saved")
    assert answers(room, "Eve") == {"feeling": "short"}


def test_a_person_who_stored_too_many_changes_is_told_so_and_can_go_on_from_what_is_stored(room: Room) -> None:
    page = room.enter("Hai", at="", language="zh")
    rate(room, page)
    page.locator(FEELING).fill("stored")
    state(page, "saved")
    with Project.open(room.folder) as project, project.database.writing() as connection:
        query = text("UPDATE assignments SET changes = :most WHERE person = (SELECT id FROM people WHERE name = 'Hai')")
        connection.execute(query, {"most": MOST_STORED})
    page.locator(FEELING).fill("one too many")
    state(page, "refused")
    expect(page.locator(".save")).to_contain_text("您对此条目的修改次数已达上限。请重新加载页面")
    page.reload()
    expect(page.locator(FEELING)).to_have_value("stored")
    state(page, "saved")
    assert answers(room, "Hai") == {"feeling": "stored"}


def set_open(room: Room, *, is_open: bool) -> None:
    """Close or open the task, as an admin does."""
    with Project.open(room.folder) as project:
        project.tasks.set_open("listening", open=is_open).result()


def test_what_a_closed_task_refuses_is_kept_and_sent_when_it_is_open_again(room: Room) -> None:
    page = room.enter("Gus", at="")
    rate(room, page)
    page.keyboard.press("2")
    state(page, "saved")
    set_open(room, is_open=False)
    page.locator(FEELING).fill("too late")
    state(page, "refused")
    expect(page.locator(".save")).to_contain_text("closed")
    set_open(room, is_open=True)
    page.goto(room.address)
    expect(page.locator(".task").first).to_be_visible()
    expect(page.locator(".note.warn")).to_be_hidden()
    assert answers(room, "Gus") == {"fit": 2, "feeling": "too late"}


def test_what_somebody_entered_is_kept_while_another_person_is_signed_in_on_the_device(room: Room) -> None:
    page = room.enter("Finn", at="")
    rate(room, page)
    context, cookies = page.context, page.context.cookies()
    context.clear_cookies()
    page.locator(FEELING).fill("signed out")
    state(page, "signed-out")
    other = room.open(context)
    other.goto(room.invite("annotator", "Hana"))
    expect(other.locator(".task").first).to_be_visible()
    page.locator(FEELING).fill("signed out, and Hana in")
    state(page, "signed-out")
    assert room.ratings("listening", "Hana") == {}
    page.close()
    context.clear_cookies()
    context.add_cookies(cast(list[SetCookieParam], cookies))
    other.goto(room.address)
    expect(other.locator("main")).to_contain_text("Hello, Finn")
    expect(other.locator(".note.warn")).to_be_hidden()
    assert answers(room, "Finn") == {"feeling": "signed out, and Hana in"}


def test_what_was_answered_on_another_device_is_shown_on_coming_back(room: Room) -> None:
    page = room.enter("Ida", at="")
    rate(room, page)
    page.keyboard.press("2")
    state(page, "saved")
    (row,) = room.rows("listening", "Ida")
    with Project.open(room.folder) as project:
        (person,) = [one for one in project.people.everyone() if one.name == "Ida"]
        (mine,) = project.assignments.mine("listening", person.id)
        change = Change("00000000-0000-4000-8000-000000000001", "feeling", "from the phone", 10)
        project.assignments.save(mine.id, person.id, [change]).result()
    assert row.rating.answers == {"fit": 2}
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator(FEELING)).to_have_value("from the phone")
    page.locator(FEELING).fill("and from here")
    state(page, "saved")
    assert answers(room, "Ida") == {"fit": 2, "feeling": "and from here"}


@pytest.mark.parametrize(
    ("status", "body"),
    [(404, "<h1>Not found</h1>"), (421, '{"error": {"code": "wrong-host", "message": "", "next": ""}}')],
)
def test_what_somebody_else_answered_in_the_place_of_the_studio_is_no_refusal(
    status: int, body: str, room: Room
) -> None:
    page = room.enter(f"Mia{status}", at="")
    rate(room, page)
    page.route("**/changes", lambda route: route.fulfill(status=status, body=body))
    page.locator(FEELING).fill("kept")
    state(page, "offline")
    page.unroute("**/changes")
    page.evaluate("window.dispatchEvent(new Event('online'))")
    state(page, "saved")
    assert answers(room, f"Mia{status}") == {"feeling": "kept"}


def test_a_page_does_nothing_in_the_name_of_another_person_who_signed_in_on_the_device(room: Room) -> None:
    page = room.enter("Nora", at="")
    rate(room, page)
    other = room.open(page.context)
    other.goto(room.invite("annotator", "Omar"))
    expect(other.locator(".task").first).to_be_visible()
    status = page.evaluate(
        """async () => {
            const { post } = await import("/static/api.js");
            return post("/api/tasks/listening/next").then(() => 200, (error) => error.status);
        }"""
    )
    assert status == 401
    assert room.ratings("listening", "Omar") == {}
