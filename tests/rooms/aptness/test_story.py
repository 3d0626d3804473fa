import json
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import RecordError, UsageError
from aptone.rooms.aptness.api import plan
from aptone.rooms.aptness.data import read_story
from aptone.rooms.aptness.story import (
    LONGEST_LINE,
    Cue,
    Story,
    load_story,
    make_story,
    read_subtitles,
    read_utf8,
    spoken_alone,
)
from aptone.types import Line, Rhythm, Segment
from tests.tables import for_each

LINES = [{"role": "Tom", "text": " Go. "}, "It rained."]


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_plain_text_has_a_line_of_the_story_on_each_line(tmp_path: Path) -> None:
    story = load_story(written(tmp_path, "story.txt", "\ufeffIt rained.\r\n\r\n  “Go,” said Tom.  \n"))
    assert story.lines == (Line("It rained."), Line("“Go,” said Tom.", "Tom"))
    assert (story.language, story.times) == ("en", ())


@for_each(
    ("name", "text"),
    [
        ("story.jsonl", "\n".join(json.dumps(line) for line in LINES) + "\n\n"),
        ("story.jsonl", json.dumps(LINES)),
        ("story.json", json.dumps(LINES)),
        ("story.json", json.dumps({"lines": LINES})),
    ],
)
def test_json_has_texts_or_texts_with_roles(tmp_path: Path, name: str, text: str) -> None:
    assert load_story(written(tmp_path, name, text)).lines == (Line("Go.", "Tom"), Line("It rained."))


def test_subtitles_are_a_story_with_times(tmp_path: Path) -> None:
    text = "1\n00:00:01,000 --> 00:00:02,500\n张三说：“走吧。”\n"
    story = load_story(written(tmp_path, "film.SRT", text))
    assert story.lines == (Line("张三说：“走吧。”", "张三"),)
    assert (story.language, story.times) == ("zh", (Segment(1.0, 2.5),))


def test_the_language_is_that_of_the_file_or_of_its_characters_unless_given(tmp_path: Path) -> None:
    stated = written(tmp_path, "story.json", json.dumps({"language": "zh", "lines": ["OK."]}))
    assert load_story(stated).language == "zh"
    assert load_story(stated, language="en").language == "en"
    assert make_story(["“睡吧。”"]).language == "zh"
    assert make_story(["12:30 …"]).language == "en"


def test_who_speaks_is_not_asked_where_it_is_not_wanted() -> None:
    assert make_story(["“Go,” said Tom."], roles=False).lines == (Line("“Go,” said Tom."),)


@for_each(
    ("name", "text", "message"),
    [
        ("story.txt", " \n\n", "the story is empty"),
        ("story.jsonl", "", "the story is empty"),
        ("story.json", "", "the story is empty"),
        ("story.json", "[]", "the story is empty"),
        ("story.json", "3", "expected an array of lines"),
        ("story.json", '{"lines": "Go."}', "expected an array of lines"),
        ("story.json", '{"lines": [], "title": ""}', "unknown field 'title'"),
        ("story.json", '{"lines": ["a"], "language": ["en"]}', "the language is en or zh"),
        ("story.json", '{"lines": ["a"], "language": "fr"}', "the language is en or zh, got 'fr'"),
        ("story.jsonl", '"a"\n{', "story.jsonl, line 2: not valid JSON"),
        ("story.jsonl", '"a"\n3', "story.jsonl, line 2: Line: expected an object"),
        ("story.txt", "a\n" + "b" * (LONGEST_LINE + 1), "line 2 has 20,001 characters"),
    ],
)
def test_what_is_no_story_is_refused(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(RecordError) as refused:
        load_story(written(tmp_path, name, text))
    assert message in str(refused.value)
    assert str(tmp_path) in str(refused.value)


def test_a_story_with_too_few_times_cannot_be() -> None:
    with pytest.raises(ValueError, match="2 lines, but 1 times"):
        Story((Line("a"), Line("b")), "en", (Segment(0, 1),))


def test_a_line_is_found_by_its_words_and_has_a_story_around_it() -> None:
    story = make_story(["One.", "“No.”", "Two.", "“No.”"])
    assert story.find("One.") == 0
    assert story.find("No.", occurrence=2) == 3
    assert story.around_words(1, "No.") == ((Line("One."),), Line("No.", speech=True), (Line("Two."), Line("“No.”")))


@for_each(
    ("words", "options", "message"),
    [
        (
            "No.",
            {},
            r"2 lines hold 'No\.'; give the words of exactly one line, or say which one \(--occurrence, from 1 to 2\)",
        ),
        ("No.", {"occurrence": 3}, r"2 lines hold"),
        ("One.", {"occurrence": 2}, "only one line holds"),
        ("Yes.", {}, r"no line holds 'Yes\.'; give the words of exactly one line\.$"),
        ("Ons.", {}, r"no line holds 'Ons\.'.* The nearest one is 'One\.'\."),  # 2 · 3 of 8 characters
        (" ", {}, "the words of the line are missing"),
    ],
)
def test_a_line_that_is_not_clear_is_refused(words: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_story(["One.", "“No.”", "“No.”"]).find(words, **options)


def test_the_story_around_a_clip_may_be_any_of_these_files(tmp_path: Path) -> None:
    path = written(tmp_path, "story.jsonl", '"One."\n{"role": "Tom", "text": "Go."}\n"Two."')
    assert read_story(path, line="Go.") == ((Line("One."),), Line("Go.", "Tom"), (Line("Two."),))


def test_the_rest_of_a_paragraph_stands_beside_the_words(tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    path.write_text("One.\nMara said: “Go!” She whispered it. “Now.”\nTwo.\n", encoding="utf-8")
    before, target, after = read_story(path, line="Go!")
    assert before == (Line("One."), Line("Mara said:"))
    assert target == Line("Go!", "Mara", speech=True, continues=True)
    assert [line.text for line in after] == ["She whispered it.", "Now.", "Two."]
    assert [line.is_speech for line in after] == [False, True, False]
    assert read_story(path, line="“Now.”").after == (Line("Two."),)
    whole = read_story(path, line="Mara said: “Go!” She whispered it. “Now.”")
    assert (whole.before, whole.after) == ((Line("One."),), (Line("Two."),))


def test_words_within_a_speech_leave_the_rest_of_it_beside_them(tmp_path: Path) -> None:
    path = written(tmp_path, "story.txt", "“Go away. I hate you. Go!” she said.\n")
    found = read_story(path, line="I hate you.")
    assert ([line.text for line in found.before], found.target.text) == (["Go away."], "I hate you.")
    assert [line.text for line in found.after] == ["Go!", "she said."]
    assert found.after[0].is_speech


@pytest.mark.slow
def test_a_tag_behind_the_words_decides_how_they_are_planned(tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    path.write_text("“The lamp is on the table,” she whispered.\n“The door is shut,” he shouted.\n", encoding="utf-8")
    assert plan(path, line="The lamp is on the table,").rhythm is Rhythm.LOW_PACED
    assert plan(path, line="The door is shut,").rhythm is Rhythm.HIGH_ENERGY


@for_each("words", ["You sold it.", "you sold it", "You sold it", "“You sold it,”"])
def test_words_are_found_whatever_their_case_and_their_last_mark(words: str) -> None:
    story = make_story(["Rain.", "“You sold it,” she snapped."])
    around = story.around_words(story.find(words), words)
    assert around.target.text == "You sold it,"
    assert [line.text for line in around.after] == ["she snapped."]


def test_an_apostrophe_is_an_apostrophe() -> None:
    story = make_story(["“I don’t know,” he said."])
    assert story.around_words(story.find("I don't know"), "I don't know").target.text == "I don’t know,"


def test_words_that_are_only_marks_are_in_no_line() -> None:
    with pytest.raises(UsageError, match="no line holds"):
        make_story(["Go"]).find("…")


@for_each(
    ("row", "name", "said"),
    [
        ("[21:03] mia: I GOT IN!!!", "mia", "I GOT IN!!!"),
        ("<kara> call the fire department", "kara", "call the fire department"),
        ("2024-05-01 22:36 阿哲：我明天就去找他。", "阿哲", "我明天就去找他。"),
        ("12/05/2024, 9:14 pm - Max M.: ok", "Max M.", "ok"),
    ],
)
def test_a_message_of_a_chat_is_a_turn_without_its_time(row: str, name: str, said: str) -> None:
    line = make_story([row, "Nobody answered."]).lines[0]
    assert (line.role, line.text) == (name, said)


@for_each("row", ["10:30 when they came: all of them.", "<b>Go</b> now.", "The bus of 9:15 left: empty."])
def test_a_time_or_a_mark_in_a_sentence_is_none(row: str) -> None:
    assert make_story([row]).lines[0].text == row


@for_each("words", ["He is gone", "He is gone,", "“He is gone,” she said, and her eyes filled."])
def test_a_line_that_was_copied_with_its_tag_is_the_speech_in_it(words: str) -> None:
    story = make_story(["It rained.", "“He is gone,” she said, and her eyes filled."])
    around = story.around_words(story.find(words), words)
    assert around.target.text == "He is gone,"
    assert [line.text for line in around.after] == ["she said, and her eyes filled."]


def test_straight_single_quotes_hold_speech_where_a_text_has_no_others() -> None:
    rows = ["Margaret's mouth went thin.", "'It's late,' said Tom. 'Go.'", "The boys' room was cold."]
    story = make_story(rows)
    assert story.lines[1] == Line("‘It's late,’ said Tom. ‘Go.’", "Tom")
    assert story.lines[2].text == rows[2]
    assert make_story([*rows, "“No,” said Ann."]).lines[1].text == rows[1]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_utf8_is_read_with_and_without_a_mark_and_line_ends_are_made_equal(tmp_path: Path, mark: bytes) -> None:
    path = tmp_path / "story.txt"
    path.write_bytes(mark + "一\r\n二\r三\n".encode())
    assert read_utf8(path, what="a story") == "一\n二\n三\n"


@for_each(
    ("data", "message"),
    [
        ("暴风雨从中午起".encode("utf-16"), "it is UTF-16); save it as UTF-8, for instance with iconv -f UTF-16"),
        ("storm".encode("utf-32"), "it is UTF-32"),
        ("ok\n暴风雨从中午起就停在岛上".encode("gb18030"), "line 2 is not UTF-8); save it as UTF-8; it may be GB18030"),
        (b"caf\xe9 au lait, \xff", "line 1 is not UTF-8); save it as UTF-8."),
        (b"a\0b", "it holds NUL characters"),
    ],
)
def test_other_encodings_are_refused_with_how_to_convert_them(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "story.txt"
    path.write_bytes(data)
    with pytest.raises(RecordError) as refused:
        read_utf8(path, what="a story")
    assert message in str(refused.value)
    assert str(refused.value).startswith(f"{path}: cannot be read as a story")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read as subtitles"):
        read_utf8(tmp_path / "gone.srt", what="subtitles")


def test_a_file_that_is_too_large_is_not_even_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.rooms.aptness.story.LARGEST_TEXT", 2**20)
    path = tmp_path / "story.txt"
    path.write_bytes(b"a" * (2**20 + 1))
    with pytest.raises(RecordError, match=r"more than 1 MiB\); cut it into parts"):
        read_utf8(path, what="a story")


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
