import pytest

from aptone.models import TimedText, Transcript
from aptone.rooms.aptness.books.line_times import (
    HeardWord,
    LineTime,
    align_lines,
    heard_words,
    order_recordings,
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
    (line,) = lay(spoken("the storm x x x x"), LINES[:1])
    assert line.problem == "the end of the line was not found in the recording"


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
