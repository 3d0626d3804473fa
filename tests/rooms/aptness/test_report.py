from pathlib import Path

import pytest

from aptone.rooms.aptness.report import aptness_figures, book_figures, chapters_of, timeline_figure, write_chapter_pages
from aptone.run import Run, RunConfig
from aptone.types import AudioRef, Entry, Item, Json, Line, Outcome, Sample, Score, State, to_json


def entry(number: int, chapter: str, score: float | None, *, at: float | None = None, text: str = "Go.") -> Entry:
    sample = Sample(f"{number:06d}", AudioRef("gone.flac"), Line(text, "Tom"), ids={"chapter": chapter, "role": "Tom"})
    found: dict[str, Json] = {} if at is None else {"at": at}
    item = Item.make(sample.id, {**to_json(sample), "alignment": found}, position=number)
    if score is None:
        return Entry(item, Outcome.unscored("not found in the recording: nobody seems to read it"))
    return Entry(item, Outcome(State.DONE, scores={"aptness": Score(score, range=(0.0, 5.0))}))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    entries = (
        entry(1, "Chapter 2", 4.0, at=0.0),
        entry(2, "Chapter 2", 2.0, at=5.0, text="<b>Stop & go</b>"),
        entry(3, "第三章 / 夜", None),
        entry(4, "第三章 / 夜", 5.0, at=90.0),
    )
    return Run(tmp_path, RunConfig("score", "built-in"), entries)


def test_chapters_come_in_the_order_of_the_book_with_pages_of_safe_names(run: Run) -> None:
    assert [(chapter.title, chapter.page, len(chapter.entries)) for chapter in chapters_of(run)] == [
        ("Chapter 2", "chapters/001-Chapter-2.html", 2),
        ("第三章 / 夜", "chapters/002-第三章-夜.html", 2),
    ]


def test_the_table_has_means_and_the_worst_line_of_each_chapter_escaped(run: Run) -> None:
    table, timeline = book_figures(run, language="en")
    assert ">3</td>" in table.markup  # the mean of 4 and 2
    assert "2 · &lt;b&gt;Stop &amp; go&lt;/b&gt;" in table.markup
    assert "1 / 2" in table.markup  # of the second chapter, one line has a score
    assert timeline.markup.count("<circle") == 3
    assert timeline.note.endswith("1 lines have no place in time: they were not found.")


def test_the_timeline_has_a_dot_for_each_score_at_its_time(run: Run) -> None:
    figure = timeline_figure(run.entries, title="Time", language="zh")
    # 0, 5 and 90 s on an axis from 44 to 886: 44, 44 + 842 · 5 / 90 = 90.78, 886
    for place in ('cx="44.0"', 'cx="90.78"', 'cx="886.0"'):
        assert place in figure.markup
    assert "曲线为 9 句的中位数" in figure.note


def test_a_book_of_which_nothing_was_found_has_no_timeline(run: Run) -> None:
    figure = timeline_figure(run.entries[2:3], title="Time", language="en")
    assert "<svg" not in figure.markup


def test_every_chapter_has_a_page_with_its_own_lines(run: Run) -> None:
    first, second = write_chapter_pages(run, language="en")
    assert "Stop &amp; go" in first.read_text(encoding="utf-8")
    page = second.read_text(encoding="utf-8")
    assert "Stop &amp; go" not in page
    assert "nobody seems to read it" in page


def test_a_single_chapter_needs_no_pages_and_other_runs_no_pictures(run: Run, tmp_path: Path) -> None:
    alone = Run(tmp_path, run.config, run.entries[:2])
    assert write_chapter_pages(alone, language="en") == ()
    assert len(book_figures(alone, language="en")) == 1
    plain = Run(tmp_path, run.config, (Entry(Item.make("a", {}), Outcome.unscored("silence")),))
    assert aptness_figures(plain, language="en") == []
