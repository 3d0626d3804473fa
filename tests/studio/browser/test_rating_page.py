"""A person at the rating page: listening, answering by keyboard, correcting, going back."""

import pytest
from playwright.sync_api import Locator, Page, expect

from aptone.studio.project import Project
from tests.studio.browser.room import SECONDS, TARGET, Room, until

pytestmark = pytest.mark.browser


def rate(room: Room, page: Page, task: str = "listening") -> None:
    """Open the rating page and wait until its waveforms are drawn."""
    page.goto(f"{room.address}/rate/{task}")
    ready(page)


def ready(page: Page) -> None:
    """Wait until the item can be played."""
    expect(page.locator(".player.ready").first).to_be_visible()
    expect(page.locator(".player:not(.ready)")).to_have_count(0)


def hear(page: Page) -> None:
    """Play the clip to its end by the space bar."""
    page.keyboard.press("Space")
    expect(page.locator(".player-state.good").first).to_be_visible()


def saved(page: Page) -> None:
    """Wait until the server has everything."""
    expect(page.locator(".save")).to_have_attribute("data-state", "saved")


def control(page: Page, name: str) -> Locator:
    """One question."""
    return page.locator(f'[data-control="{name}"]')


def submit_by_keyboard(page: Page) -> None:
    """Submit, and wait for what comes next."""
    before = page.url
    page.keyboard.press("Control+Enter")
    page.wait_for_function("before => location.href !== before", arg=before)


def test_tab_after_a_digit_goes_to_the_next_question_and_leaves_the_answer(room: Room) -> None:
    page = room.enter("Tab", at="/rate/listening")
    ready(page)
    page.keyboard.press("2")
    page.keyboard.press("Tab")
    page.keyboard.press("1")
    expect(control(page, "tone").locator("input:checked")).to_have_value("warm")
    expect(control(page, "fit").locator("input:checked")).to_have_value("2")
    page.keyboard.press("Tab")
    page.keyboard.type("4 calm")
    expect(control(page, "feeling").locator("textarea")).to_have_value("4 calm")
    expect(control(page, "fit").locator("input:checked")).to_have_value("2")


def test_three_items_are_annotated_by_keyboard_alone_over_a_reload_and_nothing_is_lost(room: Room) -> None:
    page = room.enter("Ada")
    expect(page.locator(".task").first).to_be_visible()
    while "/rate/listening" not in str(page.evaluate("document.activeElement.href ?? ''")):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    for number, feeling in enumerate(("calm", "rising anger", "喜悦 j k 3")):
        ready(page)
        hear(page)
        page.keyboard.press(str(number + 2))
        page.keyboard.press("j")
        page.keyboard.press("2")
        page.keyboard.press("j")
        page.keyboard.type(feeling[:4])
        if number == 1:
            page.reload()  # at once: what was typed has hardly left the page
            ready(page)
            assert control(page, "feeling").locator("textarea").input_value() == feeling[:4]
            assert control(page, "fit").locator("input:checked").get_attribute("value") == "3"
            page.keyboard.press("j")
            page.keyboard.press("j")
            page.keyboard.press("End")
        page.keyboard.type(feeling[4:])
        submit_by_keyboard(page)
    rows = [row for row in room.rows("listening", "Ada") if row.state == "submitted"]
    answers = sorted((row.rating.answers for row in rows), key=lambda one: str(one["fit"]))
    assert answers == [
        {"fit": 2, "tone": "cold", "feeling": "calm"},
        {"fit": 3, "tone": "cold", "feeling": "rising anger"},
        {"fit": 4, "tone": "cold", "feeling": "喜悦 j k 3"},
    ]


def test_an_item_cannot_be_submitted_before_its_audio_was_played_to_the_end(room: Room) -> None:
    page = room.enter("Ben", at="")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    rate(room, page)
    submit = page.locator(".bar-submit")
    expect(submit).to_have_text("Listen to the end first: Line")
    page.keyboard.press("Enter")
    expect(page.locator(".player-play")).to_be_focused()
    page.locator(".wave").focus()
    page.keyboard.press("End")  # ahead is not possible yet
    expect(page.locator(".player-time")).to_have_text(f"0.0 / {SECONDS}")
    expect(page.get_by_text("On first hearing you can go back, not ahead.")).to_be_visible()
    hear(page)
    expect(submit).to_have_text("Still to answer: How well does it fit?")
    page.keyboard.press("End")
    expect(page.locator(".player-time")).to_have_text(f"{SECONDS} / {SECONDS}")
    submit.click()
    expect(control(page, "fit").locator("input").first).to_be_focused()
    assert not [url for url in sent if url.endswith("/submit")]


NOTED = """button => {
    window.noted = [];
    const note = () => {
        const name = button.getAttribute("aria-label").split(":")[0];
        if (window.noted.at(-1) !== name) window.noted.push(name);
    };
    new MutationObserver(note).observe(button, { attributeFilter: ["aria-label"] });
}"""
"""Notes every name that a button takes: half a second of sound may be over before anybody looks again."""


def test_the_story_is_scrolled_to_the_target_and_its_neighbours_can_be_played(room: Room) -> None:
    page = room.enter("Cleo", at="")
    rate(room, page)
    target = page.locator(".line.target")
    expect(target).to_contain_text(f"Line {TARGET} of story")
    inside = """() => {
        const list = document.querySelector(".lines").getBoundingClientRect();
        const line = document.querySelector(".line.target").getBoundingClientRect();
        return line.top >= list.top && line.bottom <= list.bottom && document.querySelector(".lines").scrollTop > 0;
    }"""
    assert page.evaluate(inside)
    page.locator(".lines").evaluate("list => { list.scrollTop = 0; }")
    assert not page.evaluate(inside)
    page.keyboard.press("t")
    assert page.evaluate(inside)
    neighbour = page.locator(".line-play")
    expect(neighbour).to_have_count(1)
    neighbour.evaluate(NOTED)
    neighbour.click()
    page.wait_for_function("() => window.noted.join() === 'Pause,Play'")  # it began and ended
    expect(page.locator(".player-state.warn")).to_be_visible()  # which is not the clip that must be heard


def test_boundaries_are_dragged_on_the_waveform_typed_and_moved_by_keys_and_stored(room: Room) -> None:
    page = room.enter("Dan", at="")
    rate(room, page, "correcting")
    start, end = (control(page, "times").locator("input").nth(index) for index in range(2))
    expect(start).to_have_value("0.10")
    box = page.locator(".wave").bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.1 / SECONDS, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.15 / SECONDS, middle, steps=4)
    page.mouse.move(box["x"] + box["width"] * 0.2 / SECONDS, middle, steps=4)
    page.mouse.up()
    assert float(start.input_value()) == pytest.approx(0.2, abs=0.02)
    end.fill("0.45")
    end.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    page.keyboard.press("j")  # to the first edge of the boundaries
    before = float(start.input_value())
    page.keyboard.press("ArrowLeft")
    assert float(start.input_value()) == pytest.approx(before - 0.05, abs=0.006)  # shown in hundredths
    page.keyboard.press("Shift+ArrowRight")
    expected = before - 0.05 + 0.01
    assert float(start.input_value()) == pytest.approx(expected, abs=0.006)
    kept = pytest.approx([expected, 0.45], abs=0.006)
    until(page, lambda: room.ratings("correcting", "Dan")["only"].get("times") == kept)


def test_a_fine_score_is_typed_as_digits_and_shown_on_the_slider(room: Room) -> None:
    page = room.enter("Eve", at="")
    rate(room, page, "correcting")
    page.keyboard.type("3.5")
    expect(control(page, "score").locator(".scale-number")).to_have_value("3.5")
    expect(control(page, "score").locator("input[type=range]")).to_have_value("3.5")
    control(page, "score").locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    expect(control(page, "score").locator(".scale-number")).to_have_value("3.6")
    field = control(page, "score").locator(".scale-number")
    field.fill("7")
    field.press("Enter")
    expect(field).to_have_attribute("aria-invalid", "true")
    saved(page)
    assert room.ratings("correcting", "Eve")["only"]["score"] == 3.6


def test_a_text_is_edited_in_place_marked_and_restored(room: Room) -> None:
    page = room.enter("Finn", at="")
    rate(room, page, "correcting")
    words, lines = control(page, "words"), control(page, "before")
    words.locator("textarea").fill("You came home at last")
    expect(words.locator("del")).to_have_text("back")
    expect(words.locator("ins")).to_have_text("home")
    lines.locator("textarea").nth(1).fill("Nobody spoke.")
    saved(page)
    answers = room.ratings("correcting", "Finn")["only"]
    assert answers["words"] == "You came home at last"
    assert answers["before"] == ["It rained.", "Nobody spoke."]
    words.get_by_role("button", name="Restore").click()
    expect(words.locator("textarea")).to_have_value("You came back at last")
    expect(words.locator("del")).to_be_hidden()
    page.keyboard.press("Escape")
    hear(page)
    page.keyboard.press("k")
    page.keyboard.press("k")
    page.keyboard.type("2")
    control(page, "score").locator("input[type=range]").focus()
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    expect(page.locator(".end")).to_contain_text("All done")
    answers = room.ratings("correcting", "Finn")["only"]
    assert answers == {
        "score": 2,
        "times": [0.1, 0.4],  # as given: nothing was to be corrected
        "words": "You came back at last",
        "before": ["It rained.", "Nobody spoke."],
    }


def test_two_recordings_are_compared_blind_and_calibration_tells_how_the_answer_compares(room: Room) -> None:
    page = room.enter("Gus", at="")
    rate(room, page, "preferring")
    expect(page.locator(".bar-progress")).to_have_text("Calibration 1 of 1")
    expect(page.locator(".player-name")).to_have_text(["Recording A", "Recording B"])
    hear(page)
    expect(page.locator(".bar-submit")).to_have_text("Listen to the end first: Recording B")
    page.keyboard.press("c")  # the other recording
    expect(page.locator(".player-state.good")).to_have_count(2)
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    feedback = page.locator("dialog.feedback")
    expect(feedback).to_contain_text("1 of 1 differ from the reference")
    expect(feedback.locator("tbody td").first).to_have_text("Recording A")
    page.keyboard.press("Enter")
    expect(page.locator(".bar-progress")).to_have_text("Rating 1 of 1")
    assert room.ratings("preferring", "Gus")["gold"]["better"] in {"one", "two"}
    page.keyboard.press("p")
    expect(page.locator(".bar-progress")).to_have_text("Calibration 1 of 1")
    expect(page.locator('[data-part="submitted"]')).to_have_text("Submitted. These answers stand as they are.")
    page.keyboard.press("2")
    expect(page.locator("input:checked + kbd")).to_have_text("1")


def test_an_item_that_was_submitted_is_reopened_and_corrected(room: Room) -> None:
    page = room.enter("Hana", at="")
    rate(room, page)
    hear(page)
    page.keyboard.press("1")
    page.keyboard.press("j")
    page.keyboard.press("1")
    page.keyboard.press("j")
    page.keyboard.type("dull")
    submit_by_keyboard(page)
    ready(page)
    page.keyboard.press("p")
    submit = page.locator(".bar-submit")
    expect(submit).to_have_text("Next")
    ready(page)
    page.keyboard.press("5")
    expect(submit).to_have_text("Submit the correction")
    submit_by_keyboard(page)
    (row,) = [row for row in room.rows("listening", "Hana") if row.state == "submitted"]
    assert row.rating.answers == {"fit": 5, "tone": "warm", "feeling": "dull"}


def test_keys_are_told_on_a_question_mark_and_do_not_steal_from_text(room: Room) -> None:
    page = room.enter("Ivo", at="")
    rate(room, page)
    page.keyboard.press("?")
    dialog = page.locator("dialog.help")
    expect(dialog).to_contain_text("Play or pause")
    expect(dialog).to_contain_text("Listen to the end, then answer.")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    composing = "new KeyboardEvent('keydown', { key: '4', isComposing: true, bubbles: true })"
    page.evaluate(f"document.activeElement.dispatchEvent({composing})")  # an input method at work
    expect(control(page, "fit").locator("input:checked")).to_have_count(0)
    field = control(page, "feeling").locator("textarea")
    field.focus()
    page.keyboard.type("jk 3pr?")
    expect(field).to_have_value("jk 3pr?")
    expect(page.locator(".player-time")).to_have_text(f"0.0 / {SECONDS}")
    page.keyboard.press("F2")  # plays, also while typing
    expect(page.locator(".player-state.good")).to_be_visible()
    expect(field).to_be_focused()


def test_boundaries_are_dragged_by_finger(room: Room) -> None:
    page = room.enter("Jo", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True, at="")
    rate(room, page, "correcting")
    page.locator(".wave").scroll_into_view_if_needed()
    box = page.locator(".wave").bounding_box()
    assert box is not None
    finger = page.context.new_cdp_session(page)

    def touch(kind: str, seconds: float) -> None:
        place = {"x": box["x"] + box["width"] * seconds / SECONDS, "y": box["y"] + box["height"] / 2}
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [] if kind == "touchEnd" else [place]})

    touch("touchStart", 0.4)
    page.wait_for_timeout(1000)  # a touch counts as a drag after a tenth of a second of the page, which may be busy
    for seconds in (0.38, 0.35, 0.3):
        touch("touchMove", seconds)
    touch("touchEnd", 0.3)
    end = control(page, "times").locator("input").nth(1)
    until(page, lambda: float(end.input_value()) == pytest.approx(0.3, abs=0.03))
    kept = [0.1, pytest.approx(float(end.input_value()), abs=0.006)]
    until(page, lambda: room.ratings("correcting", "Jo")["only"].get("times") == kept)


def test_two_annotators_work_at_once_and_an_adjudicator_settles_where_they_differ(room: Room) -> None:
    ada, ben = (room.enter(name, at="/rate/together") for name in ("Ada", "Ben"))
    for page in (ada, ben):
        ready(page)
        page.keyboard.press("Space")
    for page, fit in ((ada, "5"), (ben, "1")):
        expect(page.locator(".player-state.good")).to_be_visible()
        page.keyboard.press(fit)
        page.keyboard.press("j")
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        expect(page.locator(".end")).to_contain_text("All done")
    late = room.enter("Cleo", at="/rate/together")
    expect(late.locator(".end")).to_be_visible()  # two people are enough
    late.keyboard.press("Space")  # nothing to play, and nothing breaks
    judge = room.enter("Judith", role="adjudicator", at="/adjudicate/together")
    given = control(judge, "fit").locator(".answer")
    expect(given).to_have_count(2)
    assert {text.strip("≠\n ") for text in given.all_inner_texts()} == {"5", "1"}
    assert "Ada" not in judge.content()  # raters are known by pseudonyms
    control(judge, "fit").locator("label.scale-button").nth(4).click()
    judge.get_by_role("button", name="Save", exact=True).click()
    expect(judge.locator("body")).to_contain_text("Saved by")
    with Project.open(room.folder) as project:
        assert project.results.adjudications("together")["only"].answers == {"fit": 4}
