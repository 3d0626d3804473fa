import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import read, write
from aptone.errors import UsageError
from aptone.judge import Hearing
from aptone.planner.protocol import Unplanned
from aptone.rooms.aptness.books.book import (
    BatchedBookStep,
    BookStep,
    PlacedLine,
    book_items,
    book_step,
    cut_lines,
    find_recordings,
)
from aptone.rooms.aptness.books.book_text import Book, BookLine
from aptone.rooms.aptness.books.line_times import LineTime
from aptone.rooms.aptness.step import AptnessStep, BatchedAptnessStep
from aptone.run import Call
from aptone.types import Audio, Line, Outcome, Plan, Sample, Score, Segment, State

RATE = 16_000


class Fair:
    """A judge that says how long the clip is."""

    signature = "judge:fair"

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        return Outcome(State.DONE, scores={"aptness": Score(audio.seconds)})


class FairToMany(Fair):
    """The same for two clips at once."""

    batch_size = 2

    async def judge_batch(self, hearings: Sequence[Hearing], /) -> list[Outcome]:
        return [self.judge(one.audio, one.plan, one.sample, one.call) for one in hearings]


@pytest.fixture
def recordings(tmp_path: Path) -> list[Path]:
    """Two recordings of four seconds whose samples say where they are."""
    paths = [tmp_path / "one.wav", tmp_path / "two.wav"]
    for number, path in enumerate(paths):
        ramp = (number + np.arange(4 * RATE) / (4 * RATE)) / 2
        write(path, Audio(ramp.astype(np.float32), rate=RATE))
    return paths


def placed(number: int, text: str, recording: int, start: float, end: float, *, problem: str = "") -> PlacedLine:
    found = LineTime(2, 0 if problem else 2, recording, Segment(start, end), problem=problem)
    return PlacedLine(number, BookLine(Line(text, "Tom"), "Chapter 1", "speech"), found)


def test_the_recordings_of_a_folder_are_counted_as_people_count(tmp_path: Path) -> None:
    for name in ("ch10.mp3", "ch2.mp3", "ch1.MP3", "cover.jpg", "notes.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in find_recordings([tmp_path])] == ["ch1.MP3", "ch2.mp3", "ch10.mp3"]
    assert find_recordings([tmp_path / "ch2.mp3"]) == [tmp_path / "ch2.mp3"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="no recording is in this folder"):
        find_recordings([tmp_path / "empty"])


def test_clips_hold_their_stretch_and_are_cut_once(recordings: list[Path], tmp_path: Path) -> None:
    lines = [
        placed(1, "a b", 1, 2.0, 3.0),
        placed(2, "c d", 0, 1.0, 1.5),
        placed(3, "e f", 0, 2.0, 3.0, problem="lost"),
    ]
    clips = cut_lines(lines, recordings, tmp_path / "clips")
    assert sorted(clips) == [1, 2]
    assert read(clips[1], rate=None).samples[0] == pytest.approx((1 + 2.0 / 4.0) / 2, abs=1e-3)
    assert read(clips[2], rate=None).seconds == 0.5
    before = clips[1].stat().st_mtime_ns
    assert cut_lines(lines, recordings, tmp_path / "clips") == clips
    assert clips[1].stat().st_mtime_ns == before


def test_a_clip_that_ends_with_the_recording_is_cut_at_its_end(recordings: list[Path], tmp_path: Path) -> None:
    clips = cut_lines([placed(1, "a b", 0, 3.5, 4.02)], recordings, tmp_path / "clips")  # 0.02 s of padding too many
    assert read(clips[1], rate=None).seconds == 0.5


def test_lines_become_items_with_their_context_and_those_without_a_clip_bring_the_reason(
    recordings: list[Path], tmp_path: Path
) -> None:
    heading = PlacedLine(1, BookLine(Line("Chapter 1"), "Chapter 1", "heading"), LineTime(2, 0, problem="unread"))
    lines = [heading, placed(2, "a b", 1, 0.5, 1.0), placed(3, "c d", 0, 1.0, 2.0, problem="lost"),
             placed(4, "e f", 0, 1.0, 3.0)]  # fmt: skip
    book = Book(tuple(line.line for line in lines), "en", "book.txt")
    items = book_items(book, lines, cut_lines(lines, recordings, tmp_path / "clips"), recordings)
    assert [item.id for item in items] == ["000002", "000003", "000004"]  # headings are not judged
    assert items[1].payload["problem"] == "lost"
    assert "audio" not in items[1].payload
    context = items[2].payload["context"]
    assert isinstance(context, list)
    assert [line["text"] for line in context] == ["a b", "c d"]
    found = items[2].payload["alignment"]
    assert isinstance(found, dict)
    assert found["at"] == 5.0  # the second recording comes first in the book and lasts 4 s
    step = BookStep(AptnessStep(Unplanned(), Fair()))  # type: ignore[arg-type]
    lost = step(items[1], Call())
    assert isinstance(lost, Outcome)
    assert (lost.state, lost.reason) == (State.UNSCORED, "lost")
    many = book_step(BatchedAptnessStep(Unplanned(), FairToMany()))  # type: ignore[arg-type]
    assert isinstance(many, BatchedBookStep)
    outcomes = asyncio.run(many.batch(items, [Call() for _ in items]))
    assert [outcome.state.value for outcome in outcomes] == ["done", "unscored", "done"]
    assert [score.value for outcome in outcomes for score in outcome.scores.values()] == [0.5, 2.0]
