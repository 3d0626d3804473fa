from aptone.planner.reading.attribution import StoryReading, read_story
from aptone.planner.reading.speech_units import Told, Unit
from aptone.types import Line


def story(*texts: str) -> StoryReading:
    return read_story([Line(text) for text in texts])


def kinds(read: StoryReading) -> list[str]:
    return ["told" if isinstance(event, Told) else "unit" for event in read.events.all]


def test_in_english_all_speech_of_a_paragraph_is_one_unit() -> None:
    read = story("“Go,” said Tom, and rose. “Now.” He left.")
    assert kinds(read) == ["unit", "told", "told"]
    assert read.events.units[0].speech == "“Go,” “Now.”"


def test_two_whom_a_paragraph_names_have_a_unit_each() -> None:
    assert [unit.role for unit in story("“Go,” said Tom. “No,” said Ann.").events.units] == ["Tom", "Ann"]


def test_in_mandarin_each_announced_speech_is_a_unit() -> None:
    read = story("张三说：“走。”李四道：“不。”")
    assert [(unit.role, unit.speech) for unit in read.events.units] == [("张三", "“走。”"), ("李四", "“不。”")]


def test_narration_between_two_parts_of_a_mandarin_speech_leaves_them_one() -> None:
    assert [len(unit.parts) for unit in story("“走吧。”张三开了门，“天黑了。”").events.units] == [2]


def test_speech_that_goes_on_over_paragraphs_is_one_unit() -> None:
    (unit,) = story("“Go,” said Tom. “It is late", "“and cold.”").events.units
    assert (unit.role, len(unit.parts)) == ("Tom", 3)


def test_a_unit_knows_whom_it_calls_and_whom_it_only_names() -> None:
    units = story("“Go, Ann,” said Tom.", "“Where is Eve?” said Ann.", "“Here,” said Eve.").events.units
    assert [(set(unit.called), set(unit.named)) for unit in units[:2]] == [({"Ann"}, {"Ann"}), (set(), {"Eve"})]


def test_a_sentence_that_ends_with_a_colon_opens_speech() -> None:
    opens = [
        event.opens for event in story("It rained.", "At last he said:", "“Go.”").events.all if isinstance(event, Told)
    ]
    assert opens == [False, True]


def test_a_tag_without_a_name_is_kept_with_its_pronoun() -> None:
    (one, two) = (event for event in story("“Go,” she said.", "他低声说：“好。”").events.all if isinstance(event, Unit))
    assert (one.tag, two.tag) == ("she", "he")
