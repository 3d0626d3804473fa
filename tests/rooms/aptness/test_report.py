import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from aptone.rooms.aptness.report import (
    RankingTable,
    aptness_figures,
    book_figures,
    chapters_of,
    timeline_figure,
    write_chapter_pages,
)
from aptone.rooms.aptness.takes.rank import RankedLine
from aptone.rooms.aptness.takes.ranking import Take, rank_takes
from aptone.run import Run, RunConfig
from aptone.types import AudioRef, Entry, Item, Json, Line, Outcome, Sample, Score, State, to_json
from tests.tables import for_each


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
    retakes, table, timeline = book_figures(run, language="en")
    assert "Stop &amp; go" in retakes.markup
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
    assert [one.title for one in book_figures(alone, language="en")][1:] == ["Aptness over the whole book"]
    plain = Run(tmp_path, run.config, (Entry(Item.make("a", {}), Outcome.unscored("silence")),))
    assert aptness_figures(plain, language="en") == []


ASPECTS = {
    "emotion": 1.11,
    "rhythm": 2.22,
    "intonation": 3.33,
    "recording_condition": 4.44,
    "paralinguistics": 0.55,
    "naturalness": 1.66,
}


def shown(takes: Sequence[Take], *, width: int) -> str:
    ranked = RankedLine(Line("Get out!"), "en", None, rank_takes(takes), "", {})
    console = Console(file=io.StringIO(), width=width)
    console.print(RankingTable(ranked, "en"))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def takes(name: str, *scores: float) -> list[Take]:
    others = {aspect: 5.0 - value for aspect, value in ASPECTS.items()}
    return [Take(name, scores, asked=len(scores), aspects=ASPECTS), Take("other.opus", (1.0,), asked=1, aspects=others)]


def test_eighty_columns_hold_four_aspects_with_their_figures() -> None:
    # 5.0 less twice the value is how far the takes differ: most in paralinguistics (3.9), condition (3.88), emotion
    # (2.78), and then intonation and naturalness (1.66 and 1.68), of which naturalness is the fourth
    text = shown(takes("keeper-flat.opus", 3.0), width=80)
    (row,) = [row.split() for row in text.splitlines() if "keeper-flat" in row]
    assert row == ["1", "keeper-flat.opus", "3.00", "1.11", "4.44", "0.55", "1.66"]


@for_each("width", [36, 44, 52, 60, 72, 80, 120])
@for_each("scores", [(3.0,), (3.0, 3.2, 3.4)], ids=["once", "repeated"])
def test_no_figure_is_cut_however_narrow_the_terminal(width: int, scores: tuple[float, ...]) -> None:
    name = "a-take-with-a-name-that-is-longer-than-its-column.opus"
    lines = shown(takes(name, *scores), width=width).splitlines()
    assert all(len(line) <= width for line in lines)
    text = "\n".join(lines)
    assert "…" not in text
    heads = " ".join(line for line in lines[: next(place for place, line in enumerate(lines) if "──" in line)])
    figures = [word for word in text.split() if word.replace(".", "").isdigit() and "." in word]
    aspects = sum(head in heads.split() for head in ("emotion", "condition", "words", "naturalness"))
    # each take has its aptness (one in brackets more than once judged is no plain figure) and every aspect of the heads
    assert len([figure for figure in figures if len(figure) == 4]) == 2 * (1 + aspects)
