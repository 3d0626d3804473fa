import pytest

from aptone.planner.reading.attribution import split_speech
from aptone.planner.reading.tag_lines import mark_tags
from aptone.types import Language, Line
from tests.tables import for_each


def marked(text: str, language: Language = "en") -> list[tuple[str, str]]:
    found = [one for parts in mark_tags(split_speech([Line(text)]), language) for one in parts]
    return [("speech" if one.line.is_speech else "tag" if one.is_tag else "narration", one.line.text) for one in found]


@for_each(
    ("text", "pieces"),
    [
        ("“Go,” said Tom.", [("speech", "Go,"), ("tag", "said Tom.")]),
        ("“Go!” Tom laughed.", [("speech", "Go!"), ("tag", "Tom laughed.")]),  # a deed in passing
        ("Tom laughed. “Go!”", [("tag", "Tom laughed."), ("speech", "Go!")]),
        ("“Go,” he said, “now.”", [("speech", "Go,"), ("tag", "he said,"), ("speech", "now.")]),
        ("It rained on the roofs of the town.", [("narration", "It rained on the roofs of the town.")]),
        (
            "“Go,” said Tom. The road behind him ran down to the harbour, where the last boat of the day lay.",
            [
                ("speech", "Go,"),
                ("tag", "said Tom."),
                ("narration", "The road behind him ran down to the harbour, where the last boat of the day lay."),
            ],
        ),
        (
            "The road behind him ran down to the harbour, where the last boat lay. Then Tom said, “Go!”",
            [
                ("narration", "The road behind him ran down to the harbour, where the last boat lay."),
                ("tag", "Then Tom said,"),
                ("speech", "Go!"),
            ],
        ),
    ],
)
def test_a_tag_is_cut_from_the_narration_beside_it(text: str, pieces: list[tuple[str, str]]) -> None:
    assert marked(text) == pieces


@for_each(
    ("text", "pieces"),
    [
        ("张三笑着说：“走吧。”", [("tag", "张三笑着说："), ("speech", "走吧。")]),
        ("“走吧。”他点了点头。", [("speech", "走吧。"), ("tag", "他点了点头。")]),
        (
            "“走吧。”张三说。外面的雨越下越大，院子里的水已经没过了脚踝，谁也不知道河堤还能撑多久。",
            [
                ("speech", "走吧。"),
                ("tag", "张三说。"),
                ("narration", "外面的雨越下越大，院子里的水已经没过了脚踝，谁也不知道河堤还能撑多久。"),
            ],
        ),
    ],
)
def test_a_mandarin_tag_is_cut_too(text: str, pieces: list[tuple[str, str]]) -> None:
    assert marked(text, "zh") == pieces


def test_a_tag_that_announces_the_next_paragraph_is_one() -> None:
    found = mark_tags(split_speech([Line("Then, after a long while, with all of them at the door, Tom said:"),
                                    Line("“Go!”")]), "en")  # fmt: skip
    assert [one.is_tag for parts in found for one in parts] == [True, False]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_word_is_lost(language: Language) -> None:
    text = "“Go,” said Tom, " + "and so on, " * 60 + "and left. He ran. " * 9 + "At last he said: “No.”"
    pieces = split_speech([Line(text)])
    joined = " ".join(one.line.text for parts in mark_tags(pieces, language) for one in parts)
    assert joined.split() == " ".join(piece.text for piece in pieces).split()
