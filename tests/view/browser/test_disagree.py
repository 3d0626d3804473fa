"""Disagreeing with a verdict in a real browser, on the page of an item: another plan, a plan of one's own, a mark."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from aptone.audio import write
from aptone.rooms.aptness.calibration import rated_items, read_ratings
from aptone.run import load_run
from aptone.types import Audio
from tests.browsers import CHROMIUM
from tests.run.index.test_journal_index import entry
from tests.view.browser.serving import launched, opened, served
from tests.view.browser.test_run_pages import heard
from tests.view.test_shelf import make_run

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "lighthouse"

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium, chromium-browser or google-chrome on this machine"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs: one scored by the built-in engine, and one whose only item has no plan."""
    made = tmp_path_factory.mktemp("runs")
    records = [json.loads(line) for line in (EXAMPLE / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]
    listed = made / "two.jsonl"
    listed.write_text("".join(json.dumps(record) + "\n" for record in records[:2]), encoding="utf-8")
    command = [sys.executable, "-m", "aptone", "score", str(listed), "--data-root", str(EXAMPLE)]
    subprocess.run([*command, "-o", str(made / "scored")], check=True, capture_output=True)
    tone = (0.3 * np.sin(2 * np.pi * 220 * np.arange(32_000) / 16_000)).astype(np.float32)
    write(made / "tone.wav", Audio(tone, 16_000))
    make_run(made / "unplanned", [heard(entry(0, 2.0), made / "tone.wav")])
    return made


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served(folder) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with opened(browser, address) as made:
        yield made


def test_a_plan_is_edited_and_scored_again_and_the_journal_stays(page: Page, folder: Path) -> None:
    journal = (folder / "scored" / "journal.jsonl").read_bytes()
    page.goto("/runs/scored/items/1")
    form = page.locator("form.plan-edit")
    expect(form.locator("input[name=emotion]")).to_have_value("fear")
    form.get_by_role("button", name="Score again").click()
    change = form.locator(".changes tbody tr").first.locator(".change")
    expect(change).to_have_text("+0.00")  # the plan as it was
    form.locator("input[name=emotion]").fill("boredom")
    form.locator("select[name=rhythm]").select_option("relaxed")
    form.get_by_role("button", name="Score again").click()
    expect(form.locator(".old-new section").last.locator(".phrase")).to_contain_text("boredom")
    expect(change).not_to_have_text("+0.00")
    assert (folder / "scored" / "journal.jsonl").read_bytes() == journal


def test_a_plan_is_written_where_there_was_none(page: Page) -> None:
    page.goto("/runs/unplanned/items/1")
    form = page.locator("form.plan-edit")
    expect(form.locator("h2")).to_have_text("Write a plan and score again")
    form.locator("input[name=emotion]").fill("<b>joy</b>")
    form.get_by_role("button", name="Score again").click()
    expect(form.locator(".old-new section").last.locator(".phrase")).to_contain_text("<b>joy</b>")
    assert form.locator("b").count() == 0


def test_a_mark_is_kept_beside_the_run_and_calibrates(page: Page, folder: Path) -> None:
    page.goto("/runs/scored/items/2")
    form = page.locator("form.verdict")
    form.get_by_role("radio", name="right").check()
    form.get_by_role("button").click()
    expect(page.locator(".marked-as")).to_contain_text("Marked as right.")
    page.locator("form.verdict input[name=score]").fill("4.5")
    page.locator("form.verdict textarea").fill("<b>too harsh</b>")
    page.locator("form.verdict button").click()
    expect(page.locator(".marked-as")).to_contain_text("It should be 4.5.")
    page.reload()
    expect(page.locator(".marked-as")).to_contain_text("It should be 4.5.")
    expect(page.locator("form.verdict textarea")).to_have_value("<b>too harsh</b>")
    ratings = read_ratings(folder / "scored" / "ratings.jsonl")
    (rated,) = rated_items(load_run(folder / "scored"), ratings)
    assert (rated.id, rated.rating) == ("wall-flat", 4.5)
