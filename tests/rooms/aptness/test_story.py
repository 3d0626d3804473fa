import json
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import RecordError, UsageError
from aptone.messages import translate
from aptone.rooms.aptness.api import plan
from aptone.rooms.aptness.data import read_story
from aptone.rooms.aptness.story import Story, load_story, make_story, story_from_text
from aptone.rooms.aptness.text_files import LONGEST_LINE
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


PASTED = "It rained.\n\n“Go,” said Tom.\n  “Why?”  \n"


@for_each("text", [PASTED, PASTED.replace("\n", "\r\n"), PASTED.replace("\n", "\r"), "\ufeff" + PASTED])
def test_a_pasted_text_is_read_as_the_same_file_is(tmp_path: Path, text: str) -> None:
    story = story_from_text(text)
    assert [(line.text, line.role) for line in story.lines[:2]] == [("It rained.", ""), ("“Go,” said Tom.", "Tom")]
    path = tmp_path / "story.txt"
    path.write_bytes(text.encode())
    assert load_story(path).lines == story.lines
    assert len(story.lines) == 3


def test_a_pasted_script_has_its_roles() -> None:
    script = "TOM: Where were you?\r\nANN (whispering): In the attic.\r\nTOM: All night?\r\nANN: All night.\r\n"
    assert [line.role for line in story_from_text(script).lines] == ["TOM", "ANN", "TOM", "ANN"]


@for_each("first", ["1\n", "", "\n\n1\n"])
def test_pasted_subtitles_are_a_story_with_times(first: str) -> None:
    text = f"{first}00:00:01,000 --> 00:00:02,500\n张三说：“走吧。”\n\n2\n00:00:03,000 --> 00:00:04,000\n“好。”\n"
    story = story_from_text(text.replace("\n", "\r\n"))
    assert [line.text for line in story.lines] == ["张三说：“走吧。”", "“好。”"]
    assert story.times == (Segment(1.0, 2.5), Segment(3.0, 4.0))


@for_each(
    ("text", "message"),
    [
        ("", "story: the story is empty"),
        (" \r\n\t", "story: the story is empty"),
        ("a\0b", "story (it holds NUL characters, so it is no text)"),
        ("b" * (LONGEST_LINE + 1), "story: line 1 has 20,001 characters"),
        ("1\n00:00:03,000 --> 00:00:02,000\nx", "story, line 2: a subtitle that begins at 3 s"),
    ],
)
def test_a_pasted_text_that_is_no_story_is_refused(text: str, message: str) -> None:
    with pytest.raises(RecordError) as refused:
        story_from_text(text)
    assert message in str(refused.value)


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
            r"2 lines hold 'No\.'; give the words of exactly one line, or say which one \(occurrence, from 1 to 2\)",
        ),
        ("No.", {"occurrence": 3}, r"2 lines hold"),
        ("One.", {"occurrence": 2}, "only one line holds"),
        ("Yes.", {}, r"no line holds 'Yes\.'; give the words of exactly one line\.$"),
        ("Ons.", {}, r"no line holds 'Ons\.'.* The nearest one is 'One\.'\."),  # 2 · 3 of 8 characters
        (" ", {}, "the words of the line are missing"),
        ("“", {}, "the words of the line are missing"),
    ],
)
def test_a_line_that_is_not_clear_is_refused(words: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_story(["One.", "“No.”", "“No.”"]).find(words, **options)


def test_an_unclear_line_is_refused_in_the_language_of_the_reader() -> None:
    with pytest.raises(UsageError) as refused:
        make_story(["“No.”", "“No.”"]).find("No.")
    assert translate(str(refused.value), "zh").startswith("story：有 2 行含有 'No.'；")


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
