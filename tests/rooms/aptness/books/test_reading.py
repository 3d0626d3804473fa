from aptone.rooms.aptness.books.alignment import align
from aptone.rooms.aptness.books.reading import Reading, read_takes

LINES = ["the storm stood over the island", "get out of my house now", "nobody answered her that night"]
REMARK = "please buy vegetables tomorrow at seven sharp in chicago"


def read(said: str, lines: list[str] = LINES) -> Reading:
    text = " ".join(lines).split()
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.split()))
    heard = said.split()
    known = [pair for pair in align(text, heard) if text[pair.text] == heard[pair.heard]]
    return read_takes(text, starts, heard, known)


def second(reading: Reading) -> list[int]:
    """The heard words that stand for the second line."""
    return [pair.heard for pair in reading.pairs if 6 <= pair.text < 12]


def test_the_last_whole_take_of_a_line_counts() -> None:
    reading = read(f"{LINES[0]} {LINES[1]} {LINES[1]} {LINES[2]}")
    assert second(reading) == [12, 13, 14, 15, 16, 17]
    assert reading.doubts == ("", "", "")
    assert reading.parted == {1}


def test_a_misread_take_is_left_behind_for_its_correction() -> None:
    reading = read(f"{LINES[0]} get out of my mountain now {LINES[1]} {LINES[2]}")
    assert second(reading) == [12, 13, 14, 15, 16, 17]


def test_a_false_start_is_left_behind() -> None:
    assert second(read(f"{LINES[0]} get out of my sorry {LINES[1]} {LINES[2]}")) == [11, 12, 13, 14, 15, 16]


def test_who_goes_back_within_a_line_goes_on_with_the_same_take() -> None:
    reading = read(f"{LINES[0]} get out of my house my house now {LINES[2]}")
    assert (second(reading)[0], second(reading)[-1]) == (6, 13)


def test_a_line_that_was_said_once_keeps_its_misheard_words() -> None:
    reading = read(f"{LINES[0]} get doubt of by house mow {LINES[2]}")
    assert second(reading) == [6, 7, 8, 9, 10, 11]
    # of the 16 sounds of the line some are others; 1 would be all of them as they stand
    assert 0.3 < reading.scores[1] < 1.0


def test_a_line_that_nobody_read_has_no_take() -> None:
    reading = read(f"{LINES[0]} {LINES[2]}")
    assert second(reading) == []
    assert reading.scores[1] == 0.0


def test_a_line_that_was_only_quoted_is_doubted() -> None:
    reading = read(f"{LINES[0]} {REMARK} {LINES[1]} {REMARK} {LINES[2]}")
    assert reading.doubts[1] == (
        "the line was heard only in the midst of words that are not in the text, as a quotation"
    )


def test_of_a_reading_and_a_later_quotation_the_reading_counts() -> None:
    assert second(read(f"{LINES[0]} {LINES[1]} {REMARK} {LINES[1]} {REMARK} {LINES[2]}")) == list(range(6, 12))


def test_of_two_lines_that_are_alike_and_one_that_was_heard_neither_is_sure_if_it_fits_both() -> None:
    twins = [LINES[0], "get out of my house now", "get out of my mouse now", LINES[2]]
    reading = read(f"{LINES[0]} get out of my blouse now {LINES[2]}", twins)
    doubts = [doubt for doubt in reading.doubts if doubt]
    assert len(doubts) == 1
    assert "is as near to what was heard, and only one of the two was read" in doubts[0]


def test_speech_that_was_not_understood_behind_a_line_may_be_another_take_of_it() -> None:
    reading = read(f"{LINES[0]} {LINES[1]} few cheap jazz pills {LINES[2]}")
    assert reading.doubts[1].startswith("beside the line something was said that was not understood")
    assert read(f"{LINES[0]} {LINES[1]} {REMARK} {REMARK} {LINES[2]}").doubts[1] == ""


def test_speech_behind_a_long_line_that_was_understood_is_no_other_take_of_it() -> None:
    # The remark is about as long as the line; of a line that was half misheard it may be another take.
    lines = [LINES[0], "the old man walked slowly along the empty beach", LINES[2]]
    misheard = "the cold van shocked lonely among the empty beach"
    assert read(f"{lines[0]} {lines[1]} {REMARK} {lines[2]}", lines).doubts[1] == ""
    doubt = read(f"{lines[0]} {misheard} {REMARK} {lines[2]}", lines).doubts[1]
    assert doubt.startswith("beside the line something was said that was not understood")


def test_a_quotation_and_an_earlier_take_are_known_as_takes_that_do_not_count() -> None:
    quoted = read(f"{LINES[0]} {REMARK} {LINES[2]} {REMARK} {LINES[1]} {LINES[2]}")
    assert quoted.other_takes == ((15, 19),)  # six words, nine of the remark, and the five of the third line
    assert read(f"{LINES[0]} {LINES[1]} {LINES[1]} {LINES[2]}").other_takes == ((6, 11),)
    assert read(" ".join(LINES)).other_takes == ()
