"""People at work in a browser: consent, headphone check, rests, an instruction in an item, and the way out."""

import json
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import text

from aptone.studio.project import Project
from aptone.types import Breaks, HeadphoneCheck
from tests.studio.browser.room import Room, listening, until

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", autouse=True)
def tasks(served_room: Room) -> None:
    """A task with every gate, and one with a rest after each item; the first item has an instruction."""
    with Project.open(served_room.folder) as project:
        task = replace(listening(project.folder, items=3), must_listen=False)
        told = {"en": "This checks your attention: answer 1.", "zh": "注意力检查：请选 1。"}
        items = tuple(replace(item, instruction=told) for item in task.items)
        project.tasks.put(replace(task, name="gated", items=items, headphones=HeadphoneCheck())).result()
        project.tasks.put(replace(task, name="resting", breaks=Breaks(items=1, seconds=1, forced=True))).result()


def right_answers(room: Room) -> list[int]:
    with Project.open(room.folder) as project, project.database.reading() as connection:
        rows = connection.execute(text("SELECT places FROM headphone_checks ORDER BY created DESC")).scalars()
        return [int(one) for one in json.loads(rows.first() or "[]")]


def answer_check(page: Page, answers: list[int]) -> None:
    for trial, place in enumerate(answers):
        page.locator(f'[data-trial="{trial}"] input[value="{place}"]').check()
    page.get_by_role("button", name="Done").click()


def rate_item(page: Page) -> None:
    expect(page.locator(".player.ready").first).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("j")
    page.keyboard.press("1")
    page.keyboard.press("j")
    page.keyboard.type("calm")
    page.keyboard.press("Control+Enter")


def test_a_rest_holds_the_next_item_and_then_lets_go_on(room: Room) -> None:
    page = room.enter("Rest", at="/rate/resting")
    rate_item(page)
    expect(page.locator('[data-gate="break"]')).to_contain_text("Rest your ears.")
    go = page.get_by_role("button", name="Go on")
    expect(go).to_be_enabled()
    go.click()
    expect(page.locator(".player.ready").first).to_be_visible()
    until(page, lambda: len(room.ratings("resting", "Rest")) == 2)
    seconds = [row.rating.active_seconds for row in room.rows("resting", "Rest") if row.state == "submitted"]
    assert all(0 < one < 3600 for one in seconds)


def test_headphones_are_checked_then_consent_is_asked_and_whoever_withdraws_is_gone(room: Room) -> None:
    page = room.enter("Gate", at="/rate/gated")
    expect(page.locator('[data-gate="headphones"]')).to_contain_text("3 of 3 must be right; attempts left: 3.")
    answer_check(page, [(place + 1) % 3 for place in right_answers(room)])
    expect(page.locator(".note.warn")).to_contain_text("Check that both ears have sound")
    answer_check(page, right_answers(room))
    expect(page.locator(".instruction")).to_have_text("This checks your attention: answer 1.")
    with Project.open(room.folder) as project:
        project.gates.set_consent(
            {"en": "We keep your answers.\n\nYou may leave at any time.", "zh": "同意。"}
        ).result()
    page.reload()
    gate = page.locator('[data-gate="consent"]')
    expect(gate).to_contain_text("You may leave at any time.")
    agree = page.get_by_role("button", name="Agree and begin")
    expect(agree).to_be_disabled()
    page.locator("#consent-box").check()
    agree.click()
    rate_item(page)
    until(page, lambda: any(row.state == "submitted" for row in room.rows("gated", "Gate")))
    with Project.open(room.folder) as project:
        person = next(one for one in project.people.everyone() if one.name == "Gate")
        assert project.gates.consents()[person.id][0] == 1
    page.goto(f"{room.address}/account")
    page.locator(".withdrawal summary").click()
    page.locator("#withdraw-name").fill("somebody else")
    page.get_by_role("button", name="Withdraw", exact=True).click()
    expect(page.locator(".withdrawal [role=alert]")).to_contain_text("type your own sign-in name")
    page.locator("#withdraw-name").fill(person.pseudonym)
    page.get_by_role("button", name="Withdraw", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("You have withdrawn.")
    with Project.open(room.folder) as project:
        assert person.id not in {one.id for one in project.people.everyone()}
        assert project.results.ratings("gated") == []
