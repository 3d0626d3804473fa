from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.models import TimedText, Transcript
from aptone.rooms.aptness.books.line_times import (
    HeardWord,
    LineTime,
    align_lines,
    heard_words,
    order_recordings,
    snap_to_pauses,
)
from aptone.types import Segment

LINES = ["the storm stood over the island", "get out now", "nobody answered her that night", "is anybody there"]


def spoken(text: str, *, start: float = 0.0, recording: int = 0, seconds: float = 0.5) -> list[HeardWord]:
    """Words of half a second each, one after the other."""
    return [
        HeardWord(word, recording, Segment(start + place * seconds, start + (place + 1) * seconds))
        for place, word in enumerate(text.split())
    ]


def lay(heard: list[HeardWord], lines: list[str] = LINES) -> tuple[LineTime, ...]:
    return align_lines([line.split() for line in lines], heard).lines


def test_lines_begin_and_end_with_their_words() -> None:
    times = lay(spoken(" ".join(LINES)))
    # 6, 3, 5 and 3 words of half a second: borders at 3, 4.5, 7 and 8.5 s
    assert [line.time for line in times] == [Segment(0, 3), Segment(3, 4.5), Segment(4.5, 7), Segment(7, 8.5)]
    assert all(line.problem == "" and line.confidence == 1.0 for line in times)


def test_a_line_that_nobody_read_is_not_found_and_its_neighbours_are() -> None:
    times = lay(spoken(" ".join([LINES[0], LINES[1], LINES[3]])))
    assert [line.problem for line in times] == ["", "", "not found in the recording: nobody seems to read it", ""]
    assert times[2].time is None
    assert times[3].time == Segment(4.5, 6.0)


def test_a_line_of_which_too_little_was_heard_has_no_times_that_count() -> None:
    heard = spoken("the storm x x x x")  # 2 of 6 words
    (line,) = lay(heard, LINES[:1])
    assert line.problem == "only 2 of 6 words were found in the recording"


def test_a_line_without_its_beginning_or_its_end_does_not_count() -> None:
    long = "one two three four five six seven eight"
    assert lay(spoken("five six seven eight"), [long])[0].problem == (
        "the beginning of the line was not found in the recording"
    )
    assert lay(spoken("one two three four"), [long])[0].problem == "the end of the line was not found in the recording"


def test_a_short_misheard_line_is_held_by_its_neighbours_and_says_so() -> None:
    times = lay(spoken(f"{LINES[0]} cat doubt now {LINES[2]}"), LINES[:3])
    assert (times[1].problem, times[1].is_held, times[1].found) == ("", True, 1)
    assert times[1].time == Segment(3.0, 4.5)
    assert times[1].confidence == pytest.approx(1 / 3)


def test_a_misheard_line_is_not_held_where_far_more_was_heard_than_it_has_words() -> None:
    times = lay(spoken(f"{LINES[0]} a b c d e f g h i {LINES[2]}"), LINES[:3])
    assert times[1].problem == "not found in the recording: nobody seems to read it"


def test_a_remark_within_a_line_is_told() -> None:
    remark = " ".join(f"remark{n}" for n in range(20))
    (line,) = lay(spoken(f"the storm stood {remark} over the island"), LINES[:1])
    assert line.problem == "10 s without its words lie within the line"  # 20 words of half a second
    quick = spoken(f"the storm stood {remark} over the island", seconds=0.1)
    assert lay(quick, LINES[:1])[0].problem == "20 words that are not in the text lie within the line"


def test_a_line_that_runs_over_into_the_next_recording_does_not_count() -> None:
    heard = [*spoken("the storm stood"), *spoken("over the island", recording=1)]
    assert lay(heard, LINES[:1])[0].problem == "the line runs over from one recording into the next"


def test_a_line_of_minutes_does_not_count() -> None:
    (line,) = lay(spoken("the storm stood over the island", seconds=60.0), LINES[:1])
    assert line.problem == "the line lasts 360 s, and a judge listens to 300 s"


def test_a_line_without_words_is_told() -> None:
    assert lay(spoken("get out now"), ["", "get out now"])[0].problem == "the line has no words"


def test_speech_that_is_not_in_the_text_is_reported_with_its_time() -> None:
    notice = " ".join(f"notice{n}" for n in range(10))
    laid = align_lines([line.split() for line in LINES], spoken(f"{notice} {' '.join(LINES)}"))
    (extra,) = laid.extras
    assert (extra.recording, extra.time, extra.words) == (0, Segment(0.0, 5.0), 10)
    assert (laid.words, laid.found, laid.heard) == (17, 17, 27)


def test_recordings_are_put_in_the_order_of_the_text() -> None:
    first, second = spoken("a b c d e f g"), spoken("h i j k l m n", recording=1)
    text = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"]
    assert order_recordings(text, [second, first]) == [*first, *second]
    nothing = spoken("x y z", recording=2)
    assert order_recordings(text, [first, nothing, second]) == [*first, *nothing, *second]


def test_the_words_of_a_phrase_share_its_time_by_their_letters() -> None:
    transcript = Transcript("Go away!", pieces=(TimedText("Go away!", Segment(1.0, 2.6)),))
    words = list(heard_words(transcript, recording=0, offset=10.0, span=Segment(0.0, 5.0), language="en"))
    # "go" and "away" with a pause each: 3 and 5 parts of 1.6 s
    assert [(word.token, round(word.time.start, 3), round(word.time.end, 3)) for word in words] == [
        ("go", 11.0, 11.6),
        ("away", 11.6, 12.6),
    ]


def test_a_transcript_without_times_takes_the_time_of_the_speech() -> None:
    words = list(heard_words(Transcript("one two"), recording=0, offset=5.0, span=Segment(1.0, 3.0), language="en"))
    assert (words[0].time.start, words[-1].time.end) == (6.0, 8.0)


def at(start: float, end: float) -> LineTime:
    return LineTime(3, 3, 0, Segment(start, end))


def ends(lines: Sequence[LineTime]) -> list[float]:
    return [number for line in lines if line.time is not None for number in (line.time.start, line.time.end)]


def test_borders_move_into_the_pause_between_two_lines() -> None:
    # Somebody speaks until 2.8 and again from 3.3 on; the letters say that the border is at 3.1.
    moved = snap_to_pauses([at(0.0, 3.1), at(3.1, 6.0)], [[Segment(0.0, 2.8), Segment(3.3, 6.0)]])
    assert ends(moved) == pytest.approx([0.0, 2.85, 3.25, 6.0])


def test_a_pause_that_is_too_far_away_does_not_draw_a_border() -> None:
    moved = snap_to_pauses([at(0.0, 3.0), at(3.0, 6.0)], [[Segment(0.0, 1.0), Segment(1.5, 6.0)]])
    assert [line.time for line in moved] == [Segment(0.0, 3.0), Segment(3.0, 6.0)]


def test_silence_at_the_edges_of_a_line_is_left_out() -> None:
    assert ends(snap_to_pauses([at(1.0, 9.0)], [[Segment(2.0, 8.0)]])) == pytest.approx([1.95, 8.05])


@given(
    borders=st.lists(st.floats(0.1, 100.0), min_size=2, max_size=12, unique=True),
    pauses=st.lists(st.tuples(st.floats(0.0, 100.0), st.floats(0.05, 2.0)), max_size=8),
)
def test_moved_lines_stay_in_order_and_never_overlap(borders: list[float], pauses: list[tuple[float, float]]) -> None:
    marks = sorted(borders)
    lines = [at(begin, end) for begin, end in pairwise(marks)]
    speech: list[Segment] = []
    reached = 0.0
    for start, length in sorted(pauses):
        if start > reached:
            speech.append(Segment(reached, start))
            reached = start + length
    speech.append(Segment(reached, reached + 120.0))
    moved = [line.time for line in snap_to_pauses(lines, [speech]) if line.time is not None]
    assert len(moved) == len(lines)
    assert all(one.end <= other.start + 1e-9 for one, other in pairwise(moved))
