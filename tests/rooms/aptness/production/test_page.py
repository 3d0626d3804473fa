import re
from pathlib import Path

import pytest

from aptone.rooms.aptness.production.files import require_production
from aptone.rooms.aptness.production.page import MOST_CARDS, PAGE, production_page, retake_figure, write_production_page
from aptone.rooms.aptness.report import aptness_figures, write_book_pages
from aptone.run import Run
from aptone.types import Language
from tests.rooms.aptness.production.books import UNSURE, book_run, entry
from tests.tables import for_each


@pytest.fixture
def run(tmp_path: Path) -> Run:
    usual = {"loudness": -20.0}
    entries = [
        entry(1, 1.0, text="<script>alert(1)</script>", role="Ann"),
        entry(2, 2.0, chapter="Chapter 2", recording="two.wav", text="Stop."),
        entry(3, 0.5, plan=UNSURE, text="Unsure one."),
        *(entry(number, 4.0, measures=usual) for number in range(5, 14)),
        entry(15, 4.0, measures={"loudness": -30.0}, text="Too quiet."),
    ]
    return book_run(tmp_path, entries)


def test_the_page_shows_retakes_with_directions_and_what_the_story_asks_for(run: Run) -> None:
    page = write_production_page(run, require_production(run), language="en").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert [int(rank) for rank in re.findall(r'<article class="item retake" id="r(\d+)"', page)] == [1, 2]
    assert "the feeling is angry (the take sounds bored)" in page
    assert "“&lt;she&gt; hissed” (its tag): angry" in page
    assert "two.wav, 0:20–0:22" in page
    assert "the plan is not sure: its likeliest feeling has 35 %" in page
    assert "−10.0 dB" in page
    assert "http" not in page.replace("http-equiv", "")


@for_each("language", ["en", "zh"])
def test_the_page_speaks_both_languages(run: Run, language: Language) -> None:
    page = production_page(require_production(run), title="Book", folder=None, language=language)
    assert ("优先重录" in page) is (language == "zh")
    assert ("Record again first" in page) is (language == "en")
    assert "{count}" in page  # filled in by the script
    assert not re.search(r"production\.[a-z_-]+<", page)


def test_a_long_list_is_cut_and_says_so(tmp_path: Path) -> None:
    entries = [entry(number, 1.0) for number in range(MOST_CARDS + 5)]
    entries += [entry(number, 4.0) for number in range(1000, 1200)]
    page = production_page(require_production(book_run(tmp_path, entries)), title="B", folder=None, language="en")
    assert page.count('<article class="item retake"') == MOST_CARDS
    assert "5 more lines in production/retakes.csv" in page


def test_the_report_of_a_book_begins_with_its_first_retakes_and_has_the_page_beside_it(run: Run) -> None:
    first, *_ = aptness_figures(run, language="en")
    assert first.title == "Record again first"
    assert f'href="{PAGE}#r1"' in first.markup
    assert "<script>" not in first.markup
    pages = write_book_pages(run, language="en")
    assert pages[0] == run.folder / PAGE
    assert [path.parent.name for path in pages[1:]] == ["chapters", "chapters"]
    assert (run.folder / "production" / "retakes.csv").is_file()


def test_a_book_without_scores_has_a_page_and_no_figure(tmp_path: Path) -> None:
    production = require_production(book_run(tmp_path, [entry(1, None)]))
    assert retake_figure(production, language="en") is None
    page = production_page(production, title="B", folder=None, language="en")
    assert "No line is worth recording again" in page
    assert "nobody seems to read it" in page
