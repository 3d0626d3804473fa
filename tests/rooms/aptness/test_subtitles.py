"""Subtitles: times, words, and those that overlap."""

from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.rooms.aptness.subtitles import Cue, read_subtitles, spoken_alone
from aptone.types import Segment
from tests.tables import for_each

FILM = """1
00:00:01,000 --> 00:00:02,500
<i>“Go,” said Tom.</i>

2
00:00:03.25 --> 00:00:04,000  X1:100 X2:200
{\\an8}“No,”
said Ann.

3
00:00:05,000 --> 00:00:06,000
♪

4
01:00:00,000 --> 01:00:01,500
“Go!”
"""


def subtitle_file(folder: Path, text: str) -> Path:
    path = folder / "film.srt"
    path.write_text(text, encoding="utf-8")
    return path


def test_subtitles_are_read_with_their_times_and_without_their_styles(tmp_path: Path) -> None:
    cues = read_subtitles(subtitle_file(tmp_path, "\ufeff" + FILM.replace("\n", "\r\n")))
    assert cues[:2] == (Cue(1, Segment(1.0, 2.5), "“Go,” said Tom."), Cue(2, Segment(3.25, 4.0), "“No,” said Ann."))
    assert cues[-1] == Cue(4, Segment(3600.0, 3601.5), "“Go!”")


def test_subtitles_without_empty_lines_between_them_are_told_apart(tmp_path: Path) -> None:
    text = "1\n00:01,0 --> 00:02,0\nOne.\n2\n00:02,0 --> 00:03,0\nTwo."
    assert [cue.text for cue in read_subtitles(subtitle_file(tmp_path, text))] == ["One.", "Two."]


def test_subtitles_are_put_in_the_order_of_time_and_those_without_words_left_out(tmp_path: Path) -> None:
    text = "1\n00:05,000 --> 00:06,000\nLater.\n\n2\n00:01,000 --> 00:02,000\nFirst.\n\n3\n00:03,000 --> 00:04,000\n\n"
    assert [(cue.number, cue.text) for cue in read_subtitles(subtitle_file(tmp_path, text))] == [
        (2, "First."),
        (1, "Later."),
    ]


@for_each(
    ("text", "message"),
    [
        ("", "there are no subtitles"),
        ("Once upon a time.", "there are no subtitles"),
        ("1\n-00:00:01,000 --> 00:00:02,000\nx", "film.srt, line 2: a time is negative"),
        ("1\n00:00:02,000 --> 00:00:02,000\nx", "line 2: a subtitle that begins at 2 s cannot end at 2 s"),
        ("1\n00:00:03,000 --> 00:00:02,000\nx", "line 2: a subtitle that begins at 3 s cannot end at 2 s"),
        ("1\nsoon --> later\nx", "line 2: expected times such as 00:00:01,000 --> 00:00:02,500, got 'soon --> later'"),
        ("1\n00:61:00,000 --> 00:62:00,000\nx", "line 2: minutes and seconds go up to 59, got 61:00"),
        ("1\n" + "9" * 5000 + " --> 00:00:02,000\nx", "line 2: expected times"),
    ],
)
def test_broken_subtitles_are_refused_and_the_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RecordError) as refused:
        read_subtitles(subtitle_file(tmp_path, text))
    assert message in str(refused.value)


def cues(*times: tuple[float, float]) -> list[Cue]:
    return [Cue(number, Segment(*time), "x") for number, time in enumerate(times, start=1)]


@for_each(
    ("times", "alone"),
    [
        ([(0, 1), (1, 2)], [True, True]),
        ([(0, 1.04), (1, 2)], [True, True]),  # within a frame of film
        ([(0, 1.5), (1, 2), (3, 4)], [False, False, True]),
        ([(0, 9), (1, 2), (3, 4), (9, 10)], [False, False, False, True]),  # the first one outlasts two others
        ([], []),
    ],
)
def test_lines_that_are_spoken_at_once_are_not_cut(times: list[tuple[float, float]], alone: list[bool]) -> None:
    assert list(spoken_alone(cues(*times), overlaps="skip", source="film")) == alone
    assert all(spoken_alone(cues(*times), overlaps="keep", source="film"))


def test_overlapping_subtitles_are_refused_by_their_numbers() -> None:
    with pytest.raises(RecordError, match="film: subtitles 1 and 3 are shown at the same time"):
        spoken_alone(cues((0, 9), (9, 10), (8, 11))[::2], overlaps="refuse", source="film")


@for_each(
    ("text", "spoken"),
    [
        ("[door slams]", False),
        ("♪", False),
        ("♪ la la ♪", False),
        ("（叹气）", False),
        ("(sighs) Go.", True),
        ("走。", True),
    ],
)
def test_sounds_and_music_are_nothing_to_be_judged(tmp_path: Path, text: str, spoken: bool) -> None:
    path = subtitle_file(tmp_path, f"1\n00:01,000 --> 00:02,000\n{text}\n\n2\n00:03,000 --> 00:04,000\nGo.\n")
    assert [cue.is_spoken for cue in read_subtitles(path)] == [spoken, True]
