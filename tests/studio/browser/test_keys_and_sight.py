"""Keys that move leave answers alone, for every kind of question; player and guide are in sight on small screens."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from aptone.studio.project import Project
from aptone.types import Choice, Control, Json, RatingItem, RatingTask, Shown
from tests.studio.browser.room import FIT, HEARD, TONE, Room, clip, story, until, words

pytestmark = pytest.mark.browser

FINE = Control("fine", "scale", words("Fine"), low=0, high=10, step=0.1)
MAYBE = Control("maybe", "choice", words("Maybe"), choices=TONE.choices, required=False)
BETTER = Control("better", "preference", words("Better?"), prefill="takes", choices=(Choice("same", words("=")),))
FREE = Control("free", "text", words("Free"))
TIMES = Control("times", "boundaries", words("Times"), prefill="times")
WORDS = Control("words", "edit", words("Words"), prefill="line")
LINES = Control("lines", "edit", words("Lines"), prefill="context")
KINDS = (FIT, FINE, TONE, MAYBE, BETTER, FREE, TIMES, WORDS, LINES)
LONG = "\n\n".join(f"Rule {number}: listen to the whole line and to what stands around it." for number in range(60))
LAPTOP: dict[str, Any] = {"viewport": {"width": 1366, "height": 768}}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def every_kind(folder: Path, *, name: str, kinds: tuple[Control, ...]) -> RatingTask:
    """One item with a long guide, a story, a clip, two takes, and a question of each kind."""
    item = RatingItem(
        "only",
        audio={one: clip(folder, f"every-{one}", 250) for one in ("audio", "before", "one", "two")},
        fields={
            "story": story(1),
            "takes": ["one", "two"],
            "line": "You came back",
            "context": ["It rained.", "Nobody spok."],
            "times": [0.1, 0.4],
        },
    )
    return RatingTask(
        name=name,
        title=words("Every kind"),
        guide=words(LONG),
        shown=(Shown("story", "story"), HEARD),
        controls=kinds,
        items=(item,),
        must_listen=False,
        raters_per_item=500,
    )


@pytest.fixture(scope="module")
def every(served_room: Room) -> Room:
    """The room with tasks of every kind of question: as they are, and each kind before a scale."""
    with Project.open(served_room.folder) as project:
        project.tasks.put(every_kind(project.folder, name="every", kinds=KINDS)).result()
        for one in KINDS:
            after = Control("after", "scale", words("After"), low=0, high=5, step=1)
            kinds = (one, after)
            project.tasks.put(every_kind(project.folder, name=f"before-{one.name}", kinds=kinds)).result()
    return served_room


def opened(room: Room, task: str, name: str, **options: Any) -> Page:
    """A rating page whose clips can be played."""
    page = room.enter(name, at=f"/rate/{task}", **options)
    expect(page.locator(".player.ready").first).to_be_visible()
    expect(page.locator(".player:not(.ready)")).to_have_count(0)
    return page


def stored(room: Room, page: Page, task: str, name: str) -> dict[str, Json]:
    """What the server has of a person's only item, when everything was sent."""
    expect(page.locator(".save")).to_have_attribute("data-state", "saved")
    return dict(room.ratings(task, name).get("only", {}))


MOVES = ("j", "k", "Tab", "Shift+Tab", "t", "c", "r", "e", "Escape", "F2", "Space")


def test_no_key_that_moves_changes_an_answer_of_any_kind(every: Room, room: Room) -> None:
    page = opened(room, "every", "Mover")
    question = {one.name: page.locator(f'[data-control="{one.name}"]') for one in KINDS}
    question["fit"].locator("label").nth(2).click()
    question["fine"].locator(".scale-number").fill("3.7")
    question["fine"].locator(".scale-number").blur()
    for name in ("tone", "maybe", "better"):
        question[name].locator("label").nth(1).click()
    question["free"].locator("textarea").fill("calm")
    question["words"].locator("textarea").fill("You came back.")
    question["lines"].locator("textarea").nth(1).fill("Nobody spoke.")
    question["times"].locator("input").nth(0).fill("0.20")
    question["times"].locator("input").nth(0).blur()
    until(page, lambda: len(stored(room, page, "every", "Mover")) == len(KINDS))
    before = stored(room, page, "every", "Mover")
    assert before["fit"] == 2
    assert before["fine"] == 3.7
    for name in question:
        question[name].locator("input, textarea").first.focus()
        for key in MOVES:
            if not (name == "free" and len(key) == 1) and not page.evaluate(
                "key => key.length === 1 && ['TEXTAREA', 'INPUT'].includes(document.activeElement.tagName)"
                " && document.activeElement.type !== 'radio' && document.activeElement.type !== 'range'",
                key if key != "Space" else " ",
            ):
                page.keyboard.press(key)
    for _ in range(3 * len(KINDS)):
        page.keyboard.press("Tab")
    assert stored(room, page, "every", "Mover") == before


GIVEN = {
    "fit": 2,
    "fine": 2.0,
    "tone": "cold",
    "maybe": "cold",
    "better": None,
    "free": "2",
    "words": "2",
    "lines": None,
}


@pytest.mark.parametrize("how", ["key", "mouse"])
@pytest.mark.parametrize("kind", [one.name for one in KINDS])
def test_an_answer_then_tab_then_a_digit_answers_the_next_question_only(
    every: Room, room: Room, kind: str, how: str
) -> None:
    task, name = f"before-{kind}", f"{kind} by {how}"
    page = opened(room, task, name)
    question = page.locator(f'[data-control="{kind}"]')
    typed = kind in ("free", "words", "lines", "times")
    if how == "mouse" or typed:
        if kind in ("fit", "tone", "maybe", "better"):
            question.locator("label").nth(2 if kind == "fit" else 1).click()
        elif kind == "fine":
            box = question.locator("input[type=range]").bounding_box()
            assert box is not None
            page.mouse.click(box["x"] + box["width"] * 0.2, box["y"] + box["height"] / 2)
        elif kind == "times":
            question.locator("input").nth(1).fill("0.30")
        else:
            question.locator("textarea").last.fill("2")
    else:
        page.keyboard.press("2")
    after = page.locator('[data-control="after"]')
    for _ in range(6):  # fields and buttons of one question come first, where it has several
        page.keyboard.press("Tab")
        if after.evaluate("element => element.contains(document.activeElement)"):
            break
    before = stored(room, page, task, name)[kind]
    page.keyboard.press("4")
    expect(after.locator("input:checked")).to_have_value("4")
    answers = stored(room, page, task, name)
    assert answers == {kind: before, "after": 4}
    if how == "key" and GIVEN.get(kind) is not None:
        assert before == GIVEN[kind]


@pytest.mark.parametrize("kind", ["fit", "fine", "tone", "maybe", "better", "free"])
def test_tab_leaves_a_question_with_one_field_at_once(every: Room, room: Room, kind: str) -> None:
    page = opened(room, f"before-{kind}", f"Once {kind}")
    page.locator(f'[data-control="{kind}"]').locator("input, textarea").first.focus()
    page.keyboard.press("Tab")
    assert page.locator('[data-control="after"]').evaluate("element => element.contains(document.activeElement)")


WITHIN = """selector => [...document.querySelectorAll(selector)].map((element) => {
    const box = element.getBoundingClientRect();
    const bottom = document.querySelector(".bar").getBoundingClientRect().top;
    const top = document.querySelector(".frame").getBoundingClientRect().bottom;
    return box.height > 0 && box.top >= top - 1 && box.bottom <= bottom + 1 && box.left >= 0 &&
        box.right <= window.innerWidth;
})"""
"""Whether each element stands wholly between the header and the bar at the bottom."""


@pytest.mark.parametrize(("screen", "options"), [("laptop", LAPTOP), ("phone", PHONE)])
def test_the_player_and_the_guide_are_in_sight_when_an_item_opens(
    every: Room, room: Room, screen: str, options: dict[str, Any]
) -> None:
    for task in ("before-fit", "listening", "correcting", "preferring"):
        page = opened(room, task, f"{task} on a {screen}", **options)
        expect(page.locator("details.guide")).to_have_attribute("open", "")
        assert page.evaluate(WITHIN, "details.guide summary") == [True], task
        assert page.evaluate(WITHIN, "details.guide .prose") == [True], task
        assert page.locator("details.guide .prose").evaluate("one => one.scrollWidth <= one.clientWidth"), task
        assert set(page.evaluate(WITHIN, ".wave")) == {True}, task
        assert set(page.evaluate(WITHIN, ".player-play")) == {True}, task


def test_the_player_stays_in_sight_on_a_laptop_and_a_play_button_on_a_phone(every: Room, room: Room) -> None:
    for options, kept in ((LAPTOP, ".player-play"), (PHONE, "")):
        page = opened(room, "listening", f"Scroller {len(kept)}", **options)
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        if kept:
            assert page.evaluate(WITHIN, kept) == [True]
        else:
            box = page.locator(".bar-play").bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= PHONE["viewport"]["height"]
        page.keyboard.press("?")
        expect(page.locator("dialog.help")).to_be_visible()  # the guide, from wherever one is


def test_kinds_of_controls_are_all_tried() -> None:
    tried = {one.kind for one in KINDS}
    assert {"scale", "choice", "text", "boundaries", "edit", "preference"} <= tried
    assert not [one for one, other in itertools.combinations([kind.name for kind in KINDS], 2) if one == other]
