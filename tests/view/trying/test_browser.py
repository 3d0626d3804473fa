"""The pages in a real Chromium: takes ranked, a plan scored again, a verdict marked, nothing loaded from elsewhere."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from aptone.ratings.storage import studio_rating
from aptone.rooms.aptness.calibration import rated_items, read_ratings
from aptone.run import load_run
from tests.browsers import CHROMIUM, LEAN
from tests.view.trying.conftest import EXAMPLE, WAIT, Served

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on this machine"),
]
CLIP = sorted((EXAMPLE / "clips").iterdir())[0]
HOSTILE = (
    "<img src=x onerror=document.title=7><script>document.title=7</script>\n"
    "“<b onclick=document.title=7>Is anybody there?</b>” she whispered, frightened.\n"
)


@pytest.fixture(scope="module")
def browser(spoken: Path) -> Iterator[Browser]:
    expect.set_options(timeout=WAIT)
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                *LEAN,
                "--use-fake-device-for-media-stream",
                "--use-fake-ui-for-media-stream",
                f"--use-file-for-fake-audio-capture={spoken}",
            ],
        )
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """A page; whatever it loads from elsewhere, throws or violates makes the test fail."""
    problems: list[str] = []
    context = browser.new_context(permissions=["microphone"], locale="en")
    opened = context.new_page()
    opened.set_default_timeout(WAIT)
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("console", lambda said: problems.append(said.text) if "Content Security Policy" in said.text else None)
    opened.on(
        "request",
        lambda asked: None if asked.url.startswith((served.address, "blob:")) else problems.append(asked.url),
    )
    yield opened
    context.close()
    assert problems == []


def record(page: Page, seconds: float) -> None:
    page.locator("#panel-rank .record").click()
    page.wait_for_function(
        "least => parseFloat(document.querySelector('#panel-rank .clock').textContent) >= least", arg=seconds
    )
    page.locator("#panel-rank .record").click()


def test_takes_from_microphone_and_file_are_ranked_with_plan_and_reasons(page: Page, served: Served) -> None:
    page.goto(f"{served.address}/try")
    page.get_by_role("button", name="English").click()
    expect(page.locator("button.line[aria-pressed=true]")).to_have_text("Is anybody there?")
    expect(page.locator("#panel-rank .say")).to_have_text("Say: Is anybody there?")
    record(page, 2.0)
    expect(page.locator(".take-list li")).to_have_count(1)
    page.locator("#panel-rank input[type=file]").set_input_files(sorted((EXAMPLE / "clips").iterdir())[1])
    expect(page.locator(".take-list li")).to_have_count(2)
    page.get_by_role("button", name="Rank the takes").click()
    rows = page.locator("#panel-rank .result table.ranking tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="Take 1.wav")).to_have_count(1)
    expect(rows.first.locator("audio")).to_have_count(1)
    expect(page.locator(".result .quotes")).to_contain_text("hand was shaking")
    expect(page.locator(".result .answer-part").first.locator(".rationale")).not_to_be_empty()


def test_hostile_story_is_shown_as_text_and_does_nothing(page: Page, served: Served) -> None:
    page.goto(f"{served.address}/try")
    page.locator("textarea[name=story]").fill(HOSTILE)
    expect(page.locator(".story-lines")).to_contain_text("<script>")
    assert page.locator(".story-lines img, .story-lines script, .story-lines b").count() == 0
    page.locator("button.line", has_text="Is anybody there?").click()
    page.get_by_role("button", name="Show the plan first").click()
    expect(page.locator(".planned .phrase")).to_be_visible()
    page.locator("#panel-rank input[type=file]").set_input_files(
        {"name": "<img src=x onerror=document.title=7>.opus", "mimeType": "", "buffer": CLIP.read_bytes()}
    )
    page.get_by_role("button", name="Rank the takes").click()
    expect(page.locator("#panel-rank .result table.ranking audio")).to_have_count(1)
    assert page.locator("#panel-rank .result img").count() == 0
    assert "7" not in page.title()


def test_the_example_in_the_readers_language_is_there_and_gives_way_to_ones_own(page: Page, served: Served) -> None:
    page.goto(f"{served.address}/try")
    chosen = page.locator("button.line[aria-pressed=true]")
    expect(chosen).to_have_text("Is anybody there?")
    page.get_by_role("button", name="Your own story").click()
    expect(page.locator("button.line")).to_have_count(0)
    expect(page.locator("#panel-rank .say")).to_be_hidden()
    page.locator("textarea[name=story]").fill("The door was open.\nANNA (furious): Get out.")
    page.locator("button.line", has_text="Get out.").click()
    expect(chosen).to_have_text("Get out.")
    expect(page.locator("input[name=role]")).to_have_attribute("placeholder", "ANNA")
    page.locator("button.line", has_text="The door was open.").click()  # what a narrator reads can be spoken, too
    expect(page.locator("input[name=line]")).to_have_value("The door was open.")
    page.goto(f"{served.address}/language/zh?back=/try")
    expect(chosen).to_have_text("有人在吗？")


def test_the_reasons_of_the_best_take_come_first_and_unfolded(page: Page, served: Served) -> None:
    page.goto(f"{served.address}/try")
    clips = sorted((EXAMPLE / "clips").glob("anybody-*"))
    page.locator("#panel-rank input[type=file]").set_input_files([*reversed(clips)])
    page.locator("#panel-rank .main").click()
    rows = page.locator("#panel-rank .result table.ranking tbody tr")
    expect(rows).to_have_count(3)
    ranked = [name.strip() for name in rows.locator("th bdi").all_text_contents()]
    assert page.locator(".take-card summary").all_text_contents() == ranked
    assert page.locator(".take-card[open] summary").all_text_contents() == ranked[:1]
    expect(page.locator(".result .remarks")).to_contain_text("compared with listeners")


def test_a_recording_that_still_runs_is_ended_and_ranked(page: Page, served: Served) -> None:
    page.goto(f"{served.address}/try")
    page.locator("#panel-rank .record").click()
    page.wait_for_function("() => parseFloat(document.querySelector('#panel-rank .clock').textContent) >= 1.5")
    page.locator("#panel-rank .main").click()
    expect(page.locator("#panel-rank .result table.ranking tbody tr")).to_have_count(1)
    expect(page.locator("#panel-rank .record")).to_have_text("Record")


def test_what_is_missing_is_said_in_the_readers_language(page: Page, served: Served) -> None:
    page.goto(f"{served.address}/language/zh?back=/try")
    page.get_by_role("button", name="中文").click()
    page.locator("#panel-rank .main").click()
    expect(page.locator("#panel-rank .result .problem")).to_have_text("请先录音或选择文件。")
    page.locator("#panel-rank input[type=file]").set_input_files({"name": "a.wav", "mimeType": "", "buffer": b"no"})
    page.locator("#panel-rank .main").click()
    expect(page.locator("#panel-rank .result")).to_contain_text("a.wav")


@pytest.mark.parametrize(
    ("tab", "field", "text", "found"),
    [
        ("hear", "", "", ["articulation rate", "CC-BY-NC-SA-4.0"]),
        ("style", "descriptions", "an angry shout\na woman", ["a woman", "Fit (0–5)", "sex: female", "shout"]),
        ("caption", "caption", "A woman shouts in fear.", ["share of the claims that hold", "The speaker is female"]),
    ],
)
def test_one_recording_is_heard_and_described(
    page: Page, served: Served, tab: str, field: str, text: str, found: list[str]
) -> None:
    page.goto(f"{served.address}/try?what={tab}")
    panel = page.locator(f"#panel-{tab}")
    if field:
        panel.locator(f"textarea[name={field}]").fill(text)
    panel.locator("input[type=file]").set_input_files(CLIP)
    panel.locator(".main").click()
    for words in found:
        expect(panel.locator(".result")).to_contain_text(words)
    expect(panel.locator(".result .figure audio")).to_have_count(int(tab == "hear"))


def test_plan_is_edited_and_scored_again_and_the_journal_stays(page: Page, served: Served) -> None:
    journal = (served.run / "journal.jsonl").read_bytes()
    page.goto(f"{served.address}/bare/{served.run.name}/1")
    form = page.locator("form.plan-edit")
    form.get_by_role("button", name="Score again").click()
    expect(form.locator(".changes tbody tr").first.locator(".change")).to_have_text("+0.00")  # the plan as it was
    form.locator("input[name=emotion]").fill("boredom")
    form.locator("select[name=rhythm]").select_option("relaxed")
    form.get_by_role("button", name="Score again").click()
    expect(form.locator(".changes tbody tr").first.locator(".change")).not_to_have_text("+0.00")
    expect(form.locator(".old-new section").last.locator(".phrase")).to_contain_text("boredom")
    assert (served.run / "journal.jsonl").read_bytes() == journal


def test_marks_are_shown_on_return_and_calibrate_reads_the_last_of_each_item(page: Page, served: Served) -> None:
    address = f"{served.address}/bare/{served.run.name}/1"
    page.goto(address)
    form = page.locator("form.verdict")
    form.get_by_role("radio", name="right").check()
    form.get_by_role("button").click()
    expect(page.locator(".marked-as")).to_contain_text("Marked as right.")
    page.locator("form.verdict input[name=score]").fill("4.5")
    page.locator("form.verdict textarea").fill("<b>too harsh</b>")
    page.locator("form.verdict button").click()
    expect(page.locator(".marked-as")).to_contain_text("It should be 4.5.")
    page.goto(address)
    expect(page.locator(".marked-as")).to_contain_text("It should be 4.5.")
    expect(page.locator("form.verdict textarea")).to_have_value("<b>too harsh</b>")
    ratings = read_ratings(served.run / "ratings.jsonl")
    assert list(ratings.values()) == [4.5]
    (rated,) = rated_items(load_run(served.run), ratings)
    assert rated.rating == 4.5
    made = [json.loads(line) for line in (served.run / "verdicts.jsonl").read_text().splitlines()]
    assert len(made) == 2
    assert all(studio_rating(one) is not None for one in made)
