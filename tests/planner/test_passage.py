"""The text around a line, and the way back to the lines of the story."""

from aptone.planner.passage import LONGEST_BEFORE, passage_around
from aptone.types import Line


def test_lines_of_one_paragraph_stand_in_one_paragraph_again() -> None:
    before = (Line("Tom came in."), Line("Go,", "Tom", speech=True), Line("said Tom.", continues=True))
    passage = passage_around(before, Line("No!", "Ann", speech=True), (Line("Ann left.", continues=True),))
    assert passage.text == "Tom came in.\n“Go,” said Tom.\n“No!” Ann left."
    assert passage.target == "No!"


def test_mandarin_is_joined_without_spaces() -> None:
    before = (Line("张三说："),)
    assert passage_around(before, Line("走吧。", "张三", speech=True, continues=True), ()).text == "张三说：“走吧。”"


def test_a_direction_stands_in_the_label_of_its_line() -> None:
    line = Line("Get out.", "TOM", speech=True, direction="furious")
    assert passage_around((), line, ()).text == "TOM (furious): “Get out.”"
    assert passage_around((), Line("走。", "李雷", direction="怒"), ()).text == "李雷（怒）：“走。”"


def test_unattributed_speech_is_speech() -> None:
    assert passage_around((Line("Who is there?", speech=True),), Line("Me.", "Ann"), ()).text.startswith(
        "“Who is there?”\n"
    )


def test_a_place_in_the_passage_leads_back_to_its_line() -> None:
    passage = passage_around((Line("Tom was furious."),), Line("Go!", "Tom"), (Line("He left."),))
    start = passage.text.index("furious")
    place = passage.place(start, start + len("furious"))
    assert place is not None
    assert (place.line, "Tom was furious."[place.start : place.end]) == (-1, "furious")
    assert passage.place(0, len(passage.text)) is None


def test_what_is_far_away_is_left_out_and_the_nearest_line_never() -> None:
    long = Line("word " * LONGEST_BEFORE)
    passage = passage_around((Line("far away"), long), Line("Go!"), ())
    assert "far away" not in passage.text
    assert len(passage.text) > LONGEST_BEFORE


def test_what_a_line_marks_itself_is_not_marked_again() -> None:
    before = (
        Line("NADIA (waving): Over here!", "NADIA"),
        Line("'He'll melt out,' said Wren.", "Wren"),
        Line("— I saw it.", "Tom"),
    )
    assert passage_around(before, Line("Wait.", "Ann", speech=True), ()).text == (
        "NADIA (waving): Over here!\n'He'll melt out,' said Wren.\n— I saw it.\nAnn: “Wait.”"
    )


def test_a_line_that_quotes_somebody_stands_in_marks_of_its_own() -> None:
    line = Line("一个“人”字，就写了一上午！", "老师", speech=True, direction="怒")
    assert passage_around((), line, ()).text == "老师（怒）：“一个“人”字，就写了一上午！”"
    assert passage_around((), Line("He said ‘go.’", speech=True), ()).text == "“He said ‘go.’”"
