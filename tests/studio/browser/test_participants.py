"""Somebody whom a platform sends: in by its link, through the items, and back with the code."""

import pytest
from playwright.sync_api import expect

from aptone.studio.project import Project
from aptone.studio.store.recruitment import Recruitment
from aptone.types import RatingItem, RatingTask, Shown
from tests.studio.browser.room import FIT, Room, words

pytestmark = pytest.mark.browser


def test_a_participant_comes_by_the_link_and_leaves_with_the_code(room: Room) -> None:
    item = RatingItem("only", fields={"line": "Come in."})
    task = RatingTask("crowd", words("Crowd"), words("Read."), (Shown("line", "text"),), (FIT,), (item,))
    with Project.open(room.folder) as project:
        project.tasks.put(task).result()
        secret = project.recruitments.set(Recruitment("prolific", "C0DE42", url="https://example.com/?cc=")).result()
    context = room.browser.new_context(locale="en-GB")
    room.contexts.append(context)
    page = room.open(context)
    page.goto(f"{room.address}/join?PROLIFIC_PID=5f0c1d2e&STUDY_ID=s&SESSION_ID=x#study={secret}")
    expect(page).to_have_url(f"{room.address}/")
    page.goto(f"{room.address}/rate/crowd")
    expect(page.get_by_role("heading", name="How well does it fit?")).to_be_visible()
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Code for the platform")).to_have_value("C0DE42")
    expect(page.get_by_role("link", name="Back to the platform")).to_have_attribute(
        "href", "https://example.com/?cc=C0DE42"
    )
