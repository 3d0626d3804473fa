"""Tags behind a speech: whose they are, and what they say."""

from aptone.planner.reading.cues import cues, ends_a_sentence, tag_end
from aptone.types import Language, Line, RecordingCondition, Rhythm
from tests.tables import for_each


def values(target: str, *context: str, following: str = "", language: Language = "en") -> list[object]:
    after = [Line(following)] if following else []
    found = cues([Line(text) for text in context], Line(target), language=language, following=after)
    return [cue.value for cue in found]


@for_each(
    ("said", "tag", "language", "value"),
    [
        ("Come here", "she whispered.", "en", Rhythm.LOW_PACED),
        ("Come here", "shouted Tom. Then she whispered.", "en", Rhythm.HIGH_ENERGY),
        ("Come here,", "Mara whispered.", "en", Rhythm.LOW_PACED),
        ("Come here", "the keeper said over the radio.", "en", RecordingCondition.PHONE),
        ("过来", "她低声说。", "zh", Rhythm.LOW_PACED),
        ("过来", "他大声喊道。", "zh", Rhythm.HIGH_ENERGY),
    ],
)
def test_the_tag_behind_a_line_says_how_it_is_spoken(said: str, tag: str, language: Language, value: object) -> None:
    assert values(said, following=tag, language=language)[0] is value


@for_each(
    ("following", "language"),
    [
        ("Mara whispered.", "en"),  # a sentence of its own: she may be answering
        ("Tom shouted:", "en"),
        ("to the door, whispering.", "en"),  # a row of a text with short rows
        ("她低声说：", "zh"),  # announces what comes next
    ],
)
def test_what_may_tell_of_the_next_line_is_no_tag_of_this_one(following: str, language: Language) -> None:
    assert values("好" if language == "zh" else "Come here", following=following, language=language) == []


def test_a_spoken_line_behind_is_no_tag() -> None:
    found = cues([], Line("Come here"), language="en", following=[Line("she whispered to me.", "Tom")])
    assert found == ()


@for_each(
    ("before", "language"),
    [
        ([Line("Get out!", "Ann"), Line("she screamed in terror.")], "en"),
        ([Line("“Get out!” she screamed in terror.")], "en"),
        ([Line("出去！", "安"), Line("他大声喊道。")], "zh"),
        ([Line("“出去！”他大声喊道。")], "zh"),
    ],
)
def test_the_tag_of_an_earlier_speech_does_not_say_how_this_line_is_spoken(
    before: list[Line], language: Language
) -> None:
    assert cues(before, Line("好" if language == "zh" else "Come here"), language=language) == ()


def test_what_follows_such_a_tag_still_counts() -> None:
    before = [Line("Get out!", "Ann"), Line("she screamed in terror. Then she bent down and whispered.")]
    assert [cue.value for cue in cues(before, Line("Come here"), language="en")] == [Rhythm.LOW_PACED]


def test_where_nothing_was_said_before_the_narration_announces_the_line() -> None:
    assert values("好", "他大声喊道。", language="zh") != []


def test_a_tag_between_two_parts_of_a_speech_tells_of_both() -> None:
    assert values("Come here,", following="she whispered,") == [Rhythm.LOW_PACED]
    assert values("and be quick", "she whispered,") == [Rhythm.LOW_PACED]


def test_where_an_earlier_speech_was_recorded_may_go_on() -> None:
    assert values("Come here", "“Yes,” he shouted over the phone.") == [RecordingCondition.PHONE]


def test_a_title_does_not_end_a_tag() -> None:
    assert tag_end("said Mr. Hale softly. It rained.", language="en") == len("said Mr. Hale softly.")
    assert not ends_a_sentence("she said,")
    assert not ends_a_sentence("")
