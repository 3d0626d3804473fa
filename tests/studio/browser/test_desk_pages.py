"""Admin and adjudicator pages: inviting, watching, settling; and people without access."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from aptone.studio.exchange.pseudonyms import export_names
from aptone.studio.project import Project
from aptone.studio.store.assignments import Assignments
from aptone.studio.store.records import Change
from aptone.types import Json
from tests.studio.browser.room import HOSTILE, Room
from tests.studio.browser.test_page_looks import ILLEGIBLE, PHONE, SMALL, UNNAMED

pytestmark = pytest.mark.browser
PAGES = ("/admin", "/agreement/listening", "/adjudicate/listening")
ASKED_EVERY = 5_000
"""Milliseconds within which a page asks the server again by itself."""
LATER = 60.0
"""Seconds that pass while a clip is heard, by a clock of ours."""


def rated(room: Room, name: str, answers: Mapping[str, Mapping[str, Json]], *, task: str = "listening") -> str:
    """Sign a new person in and answer some items, without a browser; return the pseudonym."""
    moment = [1_700_000_000.0]
    with Project.open(room.folder) as project:
        token = project.people.invite("annotator", name=name).result().token
        person = project.people.enter(token).result().session.person
        work = Assignments(project.database, project.writer, project.tasks, clock=lambda: moment[0])
        for _ in answers:
            view = work.next(task, person.id).result().view
            assert view is not None
            rows = project.results.ratings(task, states=("open",))
            item = next(row.rating.item for row in rows if row.rating.rater == person.pseudonym)
            moment[0] += LATER
            for clip in view.clips:
                work.played(view.id, person.id, clip.clip).result()
            given = [Change(f"{view.id}-{place}", *pair, place) for place, pair in enumerate(answers[item].items())]
            work.submit(view.id, person.id, given).result()
    return person.pseudonym


def about(items: Iterable[str], **answers: Json) -> dict[str, dict[str, Json]]:
    """The same answers about several items."""
    return {item: dict(answers) for item in items}


ITEMS = tuple(f"item-{number}" for number in range(4))


def card(page: Page, title: str) -> Locator:
    """The card of a task."""
    return page.locator("article.task").filter(has=page.get_by_role("heading", name=title, exact=True))


def test_an_admin_invites_and_sees_the_annotator_join_rate_and_agree(room: Room) -> None:
    rated(room, "Earlier", about(ITEMS, fit=4, tone="warm", feeling="calm"))
    admin = room.enter("Lead", role="admin", at="")
    admin.clock.install()
    admin.goto(f"{room.address}/admin")
    counts = card(admin, "Does it fit?").locator(".number")
    expect(counts).to_contain_text("items have all their raters")  # counting takes a moment
    before = int(re.match(r"(\d+) of", counts.inner_text())[1])  # type: ignore[index]
    admin.get_by_label("For whom").fill("Nia")
    admin.get_by_role("button", name="Create the link").click()
    link = admin.get_by_label("Personal link of Nia").input_value()
    assert link.startswith(f"{room.address}/join#")
    admin.get_by_role("button", name="Hide").click()
    expect(admin.get_by_label("Personal link of Nia")).to_have_count(0)
    assert link.partition("#")[2] not in admin.content()  # shown once

    context = room.browser.new_context(locale="en-GB")
    room.contexts.append(context)
    annotator = room.open(context)
    annotator.goto(link)
    annotator.wait_for_url(f"{room.address}/")
    annotator.goto(f"{room.address}/rate/listening")
    expect(annotator.locator(".player.ready")).to_have_count(1)
    annotator.keyboard.press("Space")
    expect(annotator.locator(".player-state.good")).to_be_visible()
    for key in ("4", "j", "1", "j"):
        annotator.keyboard.press(key)
    annotator.keyboard.type("calm")
    address = annotator.url
    annotator.keyboard.press("Control+Enter")
    annotator.wait_for_function("before => location.href !== before", arg=address)

    admin.clock.fast_forward(ASKED_EVERY)
    expect(counts).to_contain_text(f"{before + 1} of")
    person = admin.get_by_role("row").filter(has_text="Nia").filter(has=admin.get_by_label("Role of Nia"))
    expect(person).to_contain_text("1 of")
    admin.goto(f"{room.address}/agreement/listening")
    expect(admin.locator("main")).to_contain_text(f"{before + 1} answers about 4 items")
    expect(admin.locator("details.question").filter(has_text="Tone")).to_contain_text("100 %")


def test_an_admin_makes_another_link_for_somebody_who_lost_the_first(room: Room) -> None:
    pseudonym = rated(room, "Otto", {})
    admin = room.enter("Lead of links", role="admin", at="/admin")
    admin.get_by_role("button", name="Make a new link for Otto").click()
    shown = admin.get_by_label("Personal link of Otto")
    expect(shown).to_be_focused()
    with Project.open(room.folder) as project:
        entered = project.people.enter(shown.input_value().partition("#")[2]).result().session.person
    assert entered.pseudonym == pseudonym  # the same person, not another one of that name
    admin.get_by_label("Otto may enter").uncheck()
    expect(admin.get_by_role("button", name="Make a new link for Otto")).to_be_hidden()


def test_people_are_found_by_name_pseudonym_and_role_with_the_keyboard_alone(room: Room) -> None:
    pseudonym = rated(room, "Zoë Ångström", {})
    rated(room, "张伟", {})
    page = room.enter("Finder", role="admin", at="")
    page.clock.install()
    page.goto(f"{room.address}/admin")
    table = page.locator("table.people tbody")
    names = table.locator("tr:visible th strong")
    expect(names.filter(has_text="Zoë")).to_be_visible()
    everybody = names.count()
    page.keyboard.press("/")
    search = page.get_by_label("Search")
    expect(search).to_be_focused()
    page.keyboard.type("ANGSTROM zoe")
    expect(names).to_have_text(["Zoë Ångström"])
    expect(page.get_by_text(f"1 of {everybody} people")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Role of Zoë Ångström")).to_be_focused()
    page.keyboard.press("/")  # a select has no use for it
    search.fill(pseudonym)
    expect(names).to_have_text(["Zoë Ångström"])
    rated(room, "Later", {})
    page.clock.fast_forward(ASKED_EVERY)
    expect(page.get_by_label("Role of Later")).to_be_attached()
    expect(names).to_have_text(["Zoë Ångström"])  # what comes in does not undo the search
    search.fill("nobody of that name")
    expect(page.get_by_role("status").filter(has_text="is found")).to_be_visible()
    page.keyboard.press("Escape")
    expect(names).to_have_count(everybody + 1)
    search.fill("finder admin")
    expect(names).to_have_text(["Finder"])
    page.get_by_role("button", name="中文").click()
    page.get_by_label("搜索").fill("张 评分者")
    expect(names).to_have_text(["张伟"])
    with Project.open(room.folder) as project:
        roles = {person.name: person.role for person in project.people.everyone()}
    assert roles["Zoë Ångström"] == "annotator"  # its field had the focus while keys were pressed


def test_an_adjudicator_settles_a_disagreement_and_the_export_holds_it(room: Room) -> None:
    answers = about(ITEMS, fit=4, tone="warm", feeling="calm")
    first = rated(room, "One", answers)
    second = rated(room, "Two", answers)
    third = rated(room, "Three", {**answers, "item-2": {"fit": 0, "tone": "cold", "feeling": "anger"}})
    judge = room.enter("Judith", role="adjudicator", at="/adjudicate/listening")
    expect(judge.locator("#item-heading")).to_have_text("item-2")  # the furthest apart is open
    fit = judge.locator('[data-control="fit"]')
    differing = fit.locator(".answer.far")
    expect(differing).to_have_count(1)
    expect(differing).to_have_attribute("aria-label", re.compile(f"Take over from {third}, .*: 0. Stands out"))
    differing.click()
    expect(fit.locator("input:checked")).to_have_attribute("value", "0")
    judge.locator('[data-control="tone"]').get_by_text("None").click()
    judge.get_by_label("Note").fill(HOSTILE)
    judge.reload()  # nothing is saved yet, and nothing is lost
    expect(judge.get_by_label("Note")).to_have_value(HOSTILE)
    expect(fit.locator("input:checked")).to_have_attribute("value", "0")
    judge.keyboard.press("Control+Enter")
    expect(judge.locator("#item-heading")).not_to_have_text("item-2")
    expect(judge.locator(".disagreements")).not_to_contain_text("item-2")
    judge.keyboard.press("n")
    judge.keyboard.press("p")
    judge.get_by_label("Show").select_option("settled")
    expect(judge.locator(".disagreements li")).to_have_count(1)
    judge.locator(".disagreements a").click()
    expect(judge.locator("#item-heading")).to_have_text("item-2")
    expect(judge.locator(".bar")).to_contain_text("Saved by")
    with Project.open(room.folder) as project:
        settled = project.results.adjudications("listening")["item-2"]
        names = export_names(project)
    assert settled.answers == {"fit": 0, "tone": "none"}
    assert settled.note == HOSTILE

    lead = room.enter("Lena", role="admin", at="/admin")
    card(lead, "Does it fit?").get_by_text("Export the answers").click()
    ratings, items = taken_away(lead, "every rating"), taken_away(lead, "every item, settled")
    assert {names[one] for one in (first, second, third)} <= {str(row["rater"]) for row in ratings}
    assert "Three" not in json.dumps(ratings)  # people by pseudonym only
    assert {row["id"]: row["tone"] for row in items}["item-2"] == "none"  # which nobody but the adjudicator answered
    assert {row["id"] for row in items if row["adjudicated"]} == {"item-2"}


def taken_away(page: Page, rows: str) -> list[dict[str, Json]]:
    """An export as JSON lines."""
    with page.expect_download() as started:
        card(page, "Does it fit?").get_by_role("link", name=f"Does it fit?, {rows}, as JSONL").click()
    return [json.loads(line) for line in Path(started.value.path()).read_text(encoding="utf-8").splitlines()]


def test_the_automatic_judge_stands_beside_the_people_on_the_page_of_agreement(room: Room) -> None:
    rated(
        room,
        "Quinn",
        {item: {"fit": 1 + number, "tone": "warm", "feeling": "calm"} for number, item in enumerate(ITEMS)},
    )
    page = room.enter("Ruth", role="adjudicator", at="/agreement/listening")
    section = page.get_by_role("region", name="The automatic judge beside the people")
    expect(section).to_contain_text("On 4 items that both have rated.")
    expect(section).to_contain_text("Pearson correlation (LCC)")
    assert "secret-model" not in page.content()  # what is hidden from raters stays in the export


def test_the_headline_has_a_word_shares_stand_apart_and_what_to_do_next_is_named(room: Room) -> None:
    rated(room, "Rosa", {item: {"fit": number, "tone": "warm", "feeling": "calm"} for number, item in enumerate(ITEMS)})
    rated(
        room,
        "Sven",
        {item: {"fit": 5 - number, "tone": "cold", "feeling": "calm"} for number, item in enumerate(ITEMS)},
    )
    page = room.enter("Tess", role="adjudicator", at="/agreement/listening")
    question = page.locator("details.question").filter(has_text="Tone").first
    expect(question.locator(".agreement-word")).to_have_text("too few items")  # four, and a word needs five
    if question.get_attribute("open") is None:
        question.locator("summary").click()
    corrected, apart = (question.locator(f'table[data-sort="{sort}"]') for sort in ("corrected", "apart"))
    expect(corrected).to_contain_text("Corrected for chance: 0 is what random answers give")
    expect(corrected).not_to_contain_text("majority")
    expect(apart).to_contain_text("Share that agrees with the majority")
    expect(apart.locator(".direction")).to_contain_text("random answers do not give 0")
    question = page.locator("details.question").filter(has_text="How well does it fit?").first
    if question.get_attribute("open") is None:
        question.locator("summary").click()
    expect(question.locator('[data-step="items"] a').first).to_be_visible()
    question.locator('[data-step="items"] a').first.click()
    page.wait_for_url("**/adjudicate/listening#item-*")


def test_a_disagreement_is_settled_by_keyboard_alone(room: Room) -> None:
    rated(room, "Ursa", about(ITEMS, fit=5, tone="warm", feeling="calm"))
    rated(room, "Vera", about(ITEMS, fit=0, tone="cold", feeling="calm"))
    page = room.enter("Walt", role="adjudicator", at="/adjudicate/listening")
    expect(page.get_by_label("Note")).to_be_visible()  # the last field: all of the item is there
    name = page.locator("#item-heading").inner_text()
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("3")
    page.keyboard.press("j")
    page.keyboard.press("2")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#item-heading")).not_to_have_text(name)
    with Project.open(room.folder) as project:
        assert project.results.adjudications("listening")[name].answers == {"fit": 3, "tone": "cold"}


OF_THE_DESK = "article.task, table, details.question, .disagreements, .given"
"""What the pages of the desk show of a study and its people."""


def test_an_annotator_is_refused_kindly_on_the_pages_of_the_desk(room: Room) -> None:
    page = room.enter("Anna", at="")
    for path in PAGES:
        page.goto(room.address + path)
        expect(page.locator("main")).to_contain_text("This page is for those who run the study.")
        assert page.locator(OF_THE_DESK).count() == 0, path
    page.get_by_role("link", name="To my tasks").click()
    page.wait_for_url(f"{room.address}/")


def test_an_adjudicator_is_refused_kindly_on_the_page_of_the_study(room: Room) -> None:
    page = room.enter("Jo", role="adjudicator", at="/admin")
    expect(page.locator("main")).to_contain_text("This page is for those who run the study.")
    assert page.locator(OF_THE_DESK).count() == 0


def test_hostile_names_and_titles_are_text_on_every_page_of_the_desk(room: Room) -> None:
    name = f"Eve {HOSTILE}"[:90]
    with Project.open(room.folder) as project:
        first, second = (choice.value for choice in project.tasks.get("hostile").task.controls[0].choices[:2])
    rated(room, name, about(["only"], choice=first, edited=HOSTILE), task="hostile")
    rated(room, "Fay", about(["only"], choice=second, edited="kept"), task="hostile")
    page = room.enter("Lead of Eve", role="admin", at="/admin")
    expect(page.get_by_role("row").filter(has_text=name).first).to_be_visible()
    page.goto(f"{room.address}/agreement/hostile")
    expect(page.locator("details.question").first).to_contain_text("<img src=x")
    page.goto(f"{room.address}/adjudicate/hostile")
    expect(page.locator(".given").first).to_contain_text("<img src=x")
    assert page.locator("img").count() == 0
    assert page.title() != "1"


def test_a_wrong_task_file_is_refused_with_its_reason_and_a_right_one_appears(room: Room, tmp_path: Path) -> None:
    task: dict[str, Json] = {
        "name": "added",
        "title": {"en": "Added later"},
        "guide": {"en": ""},
        "shown": [],
        "controls": [{"name": "score", "kind": "scale", "label": {"en": "Score"}, "low": 5, "high": 0, "step": 1}],
        "items": [],
    }
    page = room.enter("Lead of tasks", role="admin", at="/admin")
    wrong, right = tmp_path / "wrong.json", tmp_path / "right.json"
    wrong.write_text(json.dumps(task), encoding="utf-8")
    page.get_by_label("Task file").set_input_files(wrong)
    expect(page.locator(".results .bad")).to_contain_text("a scale needs low < high")
    task["controls"] = [{"name": "score", "kind": "scale", "label": {"en": "Score"}, "low": 0, "high": 5, "step": 1}]
    right.write_text(json.dumps(task), encoding="utf-8")
    page.get_by_label("Task file").set_input_files(right)
    expect(page.locator(".results .good")).to_contain_text("is the task added now")
    switch = card(page, "Added later").get_by_label("Open to raters")
    expect(switch).to_be_checked()
    with page.expect_response(lambda response: response.request.method == "PATCH"):
        switch.uncheck()
    page.reload()
    expect(card(page, "Added later").get_by_label("Open to raters")).not_to_be_checked()
    page.get_by_label("Clips", exact=True).set_input_files(room.folder / "clips" / "only.wav")
    expect(page.locator(".results .good").first).to_contain_text("is kept as clips/")
    page.get_by_label("Clips", exact=True).set_input_files(wrong)
    expect(page.locator(".results .bad").first).to_be_visible()


def test_what_is_refused_is_told_in_mandarin_to_an_admin_who_speaks_it(room: Room, tmp_path: Path) -> None:
    page = room.enter("Lin", role="admin", language="zh", at="/admin")
    wrong, noise = tmp_path / "wrong.json", tmp_path / "noise.wav"
    wrong.write_text('{"name": "t", "kind": "scale"}', encoding="utf-8")
    noise.write_text("a letter, and no sound", encoding="utf-8")
    page.get_by_label("任务文件").set_input_files(wrong)
    told = page.locator(".results .bad").first
    expect(told).to_contain_text("任务文件：RatingTask.title：缺失。 请修正任务文件后重新上传。")
    page.get_by_label("录音", exact=True).set_input_files(noise)
    expect(told).to_contain_text("这不是可以保存的录音：该文件：不是可以读取的录音")
    with Project.open(room.folder) as project:
        assert "t" not in project.tasks.names()
    assert not list((room.folder / "clips").glob("*noise*"))


def test_refreshing_leaves_focus_text_and_scroll_alone(room: Room) -> None:
    page = room.enter("Lead of focus", role="admin", at="")
    page.clock.install()
    page.goto(f"{room.address}/admin")
    page.locator("article.task summary").first.click()
    page.get_by_label("For whom").fill("half a na")
    page.get_by_label("For whom").scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    rated(room, "Newcomer", {})
    page.clock.fast_forward(ASKED_EVERY)
    expect(page.get_by_label("Role of Newcomer")).to_be_attached()
    assert page.get_by_label("For whom").input_value() == "half a na"
    assert page.evaluate("document.activeElement.id") == "invite-name"
    assert page.locator("article.task details").first.get_attribute("open") is not None
    assert page.evaluate("scrollY") >= place  # a row came in above, and nothing jumped to the top


def test_the_pages_of_the_desk_fit_a_phone_and_can_be_touched_read_and_named_in_both_languages(room: Room) -> None:
    rated(room, "Xena", about(ITEMS, fit=5, tone="warm", feeling="calm"))
    rated(room, "Yann", about(ITEMS, fit=1, tone="cold", feeling="calm"))
    for language, theme in (("en", "light"), ("zh", "dark")):
        page = room.enter(f"Pia {language}", role="admin", language=language, at="", color_scheme=theme, **PHONE)
        for path in (*PAGES, "/account"):
            page.goto(room.address + path)
            expect(
                page.locator("article.task progress, details.question, .given, tr[data-session]").first
            ).to_be_visible()
            expect(page.locator("html")).to_have_attribute("lang", re.compile(language))
            assert page.evaluate("document.documentElement.scrollWidth") == 360, path
            for probe in (SMALL, ILLEGIBLE, UNNAMED):
                assert page.evaluate(probe) == [], path


def test_reasons_are_told_in_mandarin_to_whoever_speaks_it(room: Room) -> None:
    lone = rated(room, "Lone", about(["only"], fit=4, tone="warm"), task="together")
    page = room.enter("Mei", role="admin", language="zh", at="/agreement/together")
    question = page.locator("details.question").first
    expect(question).to_contain_text("没有两位评分者评过相同的两个条目")
    expect(question).to_contain_text("1 个条目中 1 个未计入：评分不足两个")
    expect(page.get_by_role("region", name="每个人与其余人")).to_contain_text("没有其他人也评过的条目")
    shown = page.locator("main").inner_text().replace(lone, "")
    assert set(re.findall(r"[A-Za-z]{4,}", shown)) <= {"Krippendorff", "Pearson", "Spearman", "Tone"}  # names


def test_numbers_are_placed_and_answers_stand_out_as_they_should(room: Room) -> None:
    page = room.enter("Counter", role="admin", at="/admin")
    found = page.evaluate(
        """async () => {
            const drawing = await import(`${location.origin}/static/drawing.js`);
            const answers = await import(`${location.origin}/static/answers.js`);
            const scale = { kind: "scale", low: 0, high: 5, step: 0.1 };
            return {
                ticks: drawing.ticks({ from: -0.3, to: 1 }),
                middle: drawing.place(0.5, { from: 0, to: 1 }),
                held: [drawing.place(-9, { from: 0, to: 1 }), drawing.place(9, { from: 0, to: 1 })],
                nothing: drawing.ends([null, null]),
                scale: answers.standOut(scale, [4.0, 4.4, 3.4, null]),
                choice: answers.standOut({ kind: "choice" }, ["a", "a", "b"]),
                tie: answers.standOut({ kind: "choice" }, ["a", "b"]),
                text: answers.standOut({ kind: "text" }, ["a", "b"]),
                times: answers.standOut({ kind: "boundaries" }, [[0, 1], [0.05, 1], [0.05, 1.5]]),
                alone: answers.standOut(scale, [4.0]),
            };
        }"""
    )
    assert found["ticks"] == [0, 0.5, 1]  # 1.3 / 4 = 0.325, and the next round step is 0.5
    assert found["middle"] == 50
    assert found["held"] == [3, 97]  # the margins
    assert found["nothing"] == {"from": 0, "to": 1}
    # The middle of 3.4, 4.0, 4.4 is 4.0; a tenth of the scale is 0.5, so that only 3.4 lies further away.
    assert found["scale"] == [False, False, True, False]
    assert found["choice"] == [False, False, True]
    assert found["tie"] == [True, True]
    assert found["text"] == [False, False]
    assert found["times"] == [False, False, True]
    assert found["alone"] == [False]
