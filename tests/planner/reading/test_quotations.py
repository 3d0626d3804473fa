import time

import hypothesis.strategies as st
from hypothesis import given

from aptone.planner.reading.quotations import find_quotations, is_speech
from tests.tables import for_each


@for_each(
    ("line", "texts"),
    [
        ("“Go,” said Tom. “Now.”", ["Go,", "Now."]),
        ('"Go," said Tom. "Now."', ["Go,", "Now."]),
        ("‘Go,’ said Tom. ‘It’s late.’", ["Go,", "It’s late."]),
        ("「走吧。」他說。『好。』", ["走吧。", "好。"]),
        ("“他说‘走’了。”", ["他说‘走’了。"]),
        ("“She said “no” to me.”", ["She said “no” to me."]),
        ("It’s Tom’s, and the boys’ too.", []),
        ('A board of 6" by 4" lay there.', []),
        ("„Geh“, he said.", ["Geh"]),
        ("", []),
    ],
)
def test_quotations_are_found_in_all_marks_and_apostrophes_are_none(line: str, texts: list[str]) -> None:
    assert [found.text for found in find_quotations(line)] == texts


def test_a_quotation_that_is_not_closed_runs_to_the_end() -> None:
    (found,) = find_quotations("He said: “And then")
    assert (found.text, found.is_closed, found.end) == ("And then", False, 18)


@for_each(
    ("line", "speech"),
    [
        ("“Go”", True),  # all of its line
        ("“Go,” said Tom.", True),
        ("Tom said: “Go”", True),
        ("张三说：“好”", True),
        ("The “expert” had left.", False),
        ("他就是所谓的“英雄”。", False),
        ("He said “” and left.", False),
    ],
)
def test_speech_is_told_from_words_in_inverted_commas(line: str, speech: bool) -> None:
    assert is_speech(line, find_quotations(line)[0]) is speech


@given(st.text(alphabet='“”‘’"「」„ab. ', max_size=60))
def test_quotations_are_in_order_apart_and_within_the_line(line: str) -> None:
    place = 0
    for found in find_quotations(line):
        assert place <= found.start < found.end <= len(line)
        place = found.end


@for_each("mark", ["“", "‘", '"', "「", "„", "‘a’ ‘"])
def test_a_hostile_line_of_marks_does_not_take_long(mark: str) -> None:
    start = time.process_time()
    find_quotations(f" {mark}" * 10_000)
    assert time.process_time() - start < 0.5
