"""The task editor: writing questions, problems at their fields, a preview that stores nothing, versions, tables."""

import json
import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from playwright.sync_api import Locator, Page, expect

from aptone.studio.project import Project
from aptone.types import Breaks, Control, HeadphoneCheck, RatingTask, Shown
from tests.studio.browser.room import FIT, HEARD, TONE, Room, clip, until, words
from tests.studio.browser.test_page_looks import ILLEGIBLE, PHONE, SMALL, UNNAMED

pytestmark = pytest.mark.browser


def at(page: Page, path: str) -> Locator:
    """The field at a place of the draft."""
    return page.locator(f'.bound[data-path="{path}"] > input, .bound[data-path="{path}"] > textarea').or_(
        page.locator(f'.bound[data-path="{path}"] > select')
    )


def problem(page: Page, path: str) -> Locator:
    return page.locator(f'.bound[data-path="{path}"] > .problem')


def stored(room: Room, name: str) -> RatingTask:
    with Project.open(room.folder) as project:
        return project.tasks.get(name).task


def test_a_lead_writes_a_task_in_both_languages_and_a_rater_gets_it(room: Room) -> None:
    page = room.enter("Lead", role="admin", at="/admin")
    page.get_by_role("link", name="New task").click()
    at(page, "name").fill("warmth")
    at(page, "title.en").fill("How warm?")
    at(page, "title.zh").fill("有多温暖？")
    at(page, "guide.en").fill("Listen, then answer.")
    page.get_by_role("button", name="Add something to show").click()
    at(page, "shown[0].kind").select_option("text")
    at(page, "shown[0].name").fill("line")
    page.get_by_role("button", name="Add a question").click()
    expect(problem(page, "controls[0].label")).to_be_hidden()
    at(page, "controls[0].name").fill("warmth")
    at(page, "controls[0].label.en").fill("How warm does it sound?")
    at(page, "controls[0].label.zh").fill("听起来有多温暖？")
    page.get_by_role("button", name="Add a question").click()
    at(page, "controls[1].name").fill("sure")
    at(page, "controls[1].kind").select_option("choice")
    at(page, "controls[1].label.en").fill("Are you sure?")
    expect(page.locator(".status")).to_have_text("No problems")
    page.locator("#items-heading ~ details summary").click()
    page.locator("#table-file").set_input_files(
        {"name": "items.csv", "mimeType": "text/csv", "buffer": b"id,line,system\none,Come in.,A\ntwo,Go away.,B\n"}
    )
    page.get_by_role("button", name="Add 2 items").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".note.good")).to_contain_text("Saved as warmth, with 2 items.")
    expect(page).to_have_url(f"{room.address}/edit/warmth")
    task = stored(room, "warmth")
    assert (task.title["zh"], [one.kind for one in task.controls]) == ("有多温暖？", ["scale", "choice"])
    assert [item.hidden for item in task.items] == [{"system": "A"}, {"system": "B"}]
    rater = room.enter("Rita", at="/rate/warmth")
    expect(rater.get_by_role("heading", name="How warm does it sound?")).to_be_visible()
    expect(rater.locator("body")).not_to_contain_text("system")


def test_problems_stand_at_their_fields_as_one_types_and_go_when_mended(room: Room) -> None:
    page = room.enter("Typist", role="admin", at="/edit/together")
    expect(page.locator(".status")).to_have_text("No problems")
    at(page, "controls[0].high").fill("-3")
    expect(problem(page, "controls[0].low")).to_have_text("a scale needs low < high and a positive step.")
    expect(at(page, "controls[0].low")).to_have_attribute("aria-invalid", "true")
    at(page, "name").fill("two words")
    at(page, "controls[0].high").fill("5")
    expect(problem(page, "name")).to_contain_text("letters, digits")
    expect(problem(page, "controls[0].low")).to_be_hidden()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".note.bad")).to_contain_text("letters, digits")
    at(page, "name").fill("together")
    expect(page.locator(".status")).to_have_text("No problems")


def test_a_headphone_check_rests_and_the_share_of_attention_are_set_in_the_editor(room: Room) -> None:
    page = room.enter("Gatekeeper", role="admin", at="/edit/together")
    at(page, "name").fill("guarded")
    page.get_by_role("switch", name="Headphone check before the first item").check()
    at(page, "headphones.needed").fill("9")
    expect(problem(page, "headphones")).not_to_be_empty()
    at(page, "headphones.needed").fill("2")
    expect(problem(page, "headphones")).to_be_hidden()
    page.get_by_role("switch", name="Only those who pass may rate").uncheck()
    page.get_by_role("switch", name="Rests").check()
    at(page, "breaks.items").fill("12")
    page.get_by_role("switch", name="The next item waits until the rest is over").check()
    at(page, "attention_share").fill("0.8")
    expect(page.locator(".status")).to_have_text("No problems")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".note.good")).to_contain_text("Saved as guarded")
    task = stored(room, "guarded")
    assert task.headphones == HeadphoneCheck(needed=2, required=False)
    assert (task.breaks, task.attention_share) == (Breaks(items=12, forced=True), 0.8)
    page.get_by_role("switch", name="Rests").uncheck()
    expect(at(page, "breaks.items")).to_have_count(0)
    expect(page.locator(".status")).to_have_text("No problems")
    page.get_by_role("button", name="Save", exact=True).click()
    until(page, lambda: stored(room, "guarded").breaks is None)


def test_a_draft_survives_a_reload_and_can_be_discarded(room: Room) -> None:
    page = room.enter("Keeper", role="admin", at="/edit/together")
    at(page, "title.en").fill("Kept over a reload")
    expect(page.locator(".status")).to_have_text("No problems")
    page.reload()
    expect(at(page, "title.en")).to_have_value("Kept over a reload")
    page.get_by_role("button", name="Discard them").click()
    expect(at(page, "title.en")).to_have_value("Together")


def test_questions_are_moved_and_removed_by_the_keyboard(room: Room) -> None:
    page = room.enter("Mover", role="admin", at="/edit/together")
    page.get_by_role("button", name="Move Tone up").press("Enter")
    expect(at(page, "controls[0].name")).to_have_value("tone")
    expect(page.locator(":focus")).to_have_attribute("aria-label", "Move Tone down")  # it cannot go further up
    page.keyboard.press("Enter")
    expect(at(page, "controls[0].name")).to_have_value("fit")
    page.get_by_role("button", name="Remove Tone").press("Enter")
    expect(at(page, "controls[1].name")).to_have_count(0)
    expect(page.locator(".status")).to_have_text("No problems")


def test_a_preview_is_the_page_of_raters_and_stores_no_answer(room: Room) -> None:
    page = room.enter("Viewer", role="admin", at="/edit/together")
    at(page, "controls[0].label.en").fill("Does the draft fit?")
    expect(page.locator(".status")).to_have_text("No problems")
    with page.context.expect_page() as opened:
        page.get_by_role("button", name="Preview as a rater").click()
    shown = opened.value
    expect(shown.locator(".preview-note")).to_contain_text("Answers are not stored")
    expect(shown.get_by_role("heading", name="Does the draft fit?")).to_be_visible()
    expect(shown.locator(".player.ready")).to_be_visible()
    shown.keyboard.press("4")
    shown.keyboard.press("F2")
    expect(shown.locator("body")).to_contain_text("Heard to the end")
    shown.get_by_text("Warm").first.click()
    shown.get_by_role("button", name=re.compile("Submit")).click()
    expect(shown.locator(".end")).to_contain_text("All done")
    assert room.rows("together", "Viewer") == []
    with Project.open(room.folder) as project:
        assert project.results.coverage("together") == {0: 1}


def test_an_answered_task_is_saved_as_a_new_version(room: Room) -> None:
    with Project.open(room.folder) as project:
        item = stored(room, "together").items[0]
        task = RatingTask("asked", words("Asked"), words("Listen."), (HEARD,), (FIT, TONE), (item,), must_listen=False)
        project.tasks.put(task).result()
    rater = room.enter("Earliest", at="/rate/asked")
    rater.locator('[data-control="fit"] input').first.focus()
    rater.keyboard.press("4")
    expect(rater.locator("body")).to_contain_text("Saved")
    page = room.enter("Reviser", role="admin", at="/edit/asked")
    expect(page.locator(".note.warn")).to_contain_text("People have answered")
    at(page, "controls[0].high").fill("7")
    page.get_by_role("button", name="Save as a new version").click()
    expect(page.locator(".note.good")).to_contain_text("Saved as asked.v2, with 1 items.")
    assert (stored(room, "asked").controls[0].high, stored(room, "asked.v2").controls[0].high) == (5.0, 7.0)
    assert room.ratings("asked", "Earliest")["only"]["fit"] == 4.0


def test_a_table_is_mapped_and_its_recordings_are_checked(room: Room, tmp_path: Path) -> None:
    clip(tmp_path, "fresh", 250)
    page = room.enter("Mapper", role="admin", at="/edit/together")
    page.locator("#items-heading ~ details summary").click()
    page.locator("#table-clips").set_input_files([tmp_path / "clips" / "fresh.wav"])
    expect(page.locator("body")).to_contain_text("1 recordings are in the project.")
    table = b"name,recording\nnew,fresh.wav\nlost,nowhere.wav\n"
    page.locator("#table-file").set_input_files({"name": "t.csv", "mimeType": "text/csv", "buffer": table})
    page.get_by_label("Column of audio").select_option("recording")
    expect(page.locator("body")).to_contain_text("1 of 2 rows make an item.")
    expect(page.locator("body")).to_contain_text("Row 2: ")
    page.get_by_label("Column of id").select_option("name")
    page.get_by_role("button", name="Add 1 items").click()
    expect(page.locator(".items")).to_contain_text("new")
    expect(page.locator(".status")).to_have_text("No problems")


def test_a_task_file_is_read_and_a_wrong_one_is_explained(room: Room) -> None:
    page = room.enter("Reader", role="admin", at="/edit")
    content = page.request.get(f"{room.address}/api/tasks/listening/file?format=json").body()
    assert json.loads(content)["name"] == "listening"
    page.locator("#task-file").set_input_files({"name": "t.json", "mimeType": "", "buffer": content})
    expect(at(page, "title.en")).to_have_value("Does it fit?")
    expect(page.locator(".status")).to_have_text("No problems")
    page.locator("#task-file").set_input_files({"name": "t.yaml", "mimeType": "", "buffer": b"name: x\n"})
    expect(page.locator(".note.bad")).to_contain_text("title: missing")


def test_the_editor_offers_every_kind_of_the_schema(room: Room) -> None:
    page = room.enter("Counter", role="admin", at="/edit/together")
    kinds = set(get_args(get_type_hints(Control)["kind"]))
    expect(at(page, "controls[0].kind")).to_be_visible()
    offered = at(page, "controls[0].kind").locator("option").evaluate_all("all => all.map((one) => one.value)")
    assert set(offered) == kinds
    page.get_by_role("button", name="Add something to show").click()
    shown = at(page, "shown[0].kind").locator("option").evaluate_all("all => all.map((one) => one.value)")
    assert set(shown) == set(get_args(get_type_hints(Shown)["kind"]))
    tests = at(page, "test").locator("option").evaluate_all("all => all.map((one) => one.value)")
    assert tuple(tests) == get_args(get_type_hints(RatingTask)["test"])
    for kind in sorted(kinds):
        at(page, "controls[0].kind").select_option(kind)
        expect(at(page, "controls[0].kind")).to_have_value(kind)
    expect(page.locator(".status")).not_to_have_text("Checking…")


def test_people_who_do_not_lead_see_no_editor(room: Room) -> None:
    page = room.enter("Outsider", at="/edit/together")
    expect(page.locator("body")).to_contain_text("This page is for those who run the study.")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_editor_can_be_read_and_operated(room: Room, theme: str, language: str) -> None:
    for options in ({}, PHONE):
        page = room.enter("Looker", role="admin", language=language, at="", color_scheme=theme, **options)
        page.goto(f"{room.address}/edit/listening")
        expect(at(page, "controls[0].name")).to_have_value("fit")
        assert page.evaluate(ILLEGIBLE) == []
        assert page.evaluate(UNNAMED) == []
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        if options:
            assert page.evaluate(SMALL) == []
