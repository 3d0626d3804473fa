from dataclasses import replace

from aptone.rooms.aptness.production.book_lines import Aspect, ProductionLine, gather_lines
from aptone.rooms.aptness.production.direction import RHYTHM_POINTS, changes, direct
from aptone.types import Evidence, Intonation, Language, Plan, Rhythm
from tests.rooms.aptness.production.books import SURE, entry
from tests.tables import for_each

LINE = ProductionLine("1", 0, "Gone.", "One", "Ann", is_speech=True, plan=SURE)


def test_a_direction_says_what_to_change_and_quotes_the_story() -> None:
    (line,) = gather_lines([entry(1, 1.0)], "aptness")
    assert direct(line, language="en") == (
        "the feeling is angry (the take sounds bored); heavier and slower; the story: “<she> hissed” (its tag)"
    )
    assert direct(line, language="zh") == (
        "情感应为愤怒（这一条听来厌倦）；凝重些、慢一些；故事里：“<she> hissed”（说话标签）"
    )


def test_aspects_that_fit_are_left_as_they_are_and_the_worst_comes_first() -> None:
    aspects = {
        "emotion": Aspect(4.0, "angry", "angry"),
        "rhythm": Aspect(3.0, "heavy", "low-paced"),
        "intonation": Aspect(1.0, "falling", "rising"),
    }
    line = replace(LINE, aspects=aspects)
    assert changes(line, language="en") == ["let the voice fall at the end", "with more energy"]


def test_a_feeling_that_is_heard_but_faint_is_to_be_made_plainer() -> None:
    line = replace(LINE, aspects={"emotion": Aspect(2.0, "angry", "angry")})
    assert changes(line, language="en") == ["the feeling is right (angry), but make it plainer"]


def test_recording_condition_sounds_and_voice_are_named_in_the_reader_s_language() -> None:
    plan = Plan("fear", recording_condition="phone", voice=("trembling",), sounds=("laughter",))
    aspects = {
        "recording_condition": Aspect(0.5, "phone", "normal"),
        "paralinguistics": Aspect(0.0, "laughter", ""),
        "emotion": Aspect(1.0, "fear", "boredom"),
    }
    line = replace(LINE, plan=plan, aspects=aspects)
    assert changes(line, language="en") == [
        "a sound is missing: laughter",
        "it should sound like this: phone",
        "the feeling is: fear",
        "voice: trembling",
    ]
    assert changes(line, language="zh")[1:] == ["声音听来应是：电话转录", "情感应为恐惧", "嗓音：颤抖"]


@for_each("language", ["en", "zh"])
def test_every_pair_of_rhythms_has_words(language: Language) -> None:
    for asked in Rhythm:
        for heard in Rhythm:
            line = replace(LINE, plan=Plan("", asked), aspects={"rhythm": Aspect(0.0, asked, heard)})
            (said,) = changes(line, language=language)
            assert said
    assert set(RHYTHM_POINTS) == set(Rhythm)


@for_each("intonation", list(Intonation))
def test_every_intonation_has_words(intonation: Intonation) -> None:
    line = replace(LINE, plan=Plan("", None, intonation), aspects={"intonation": Aspect(0.0, intonation, "")})
    assert len(changes(line, language="en")) == 1


def test_a_line_without_a_plan_or_a_fault_is_to_be_listened_to() -> None:
    assert changes(replace(LINE, plan=None), language="en")[0].startswith("nothing stands out")
    assert changes(replace(LINE, aspects={"emotion": Aspect(4.9, "", "")}), language="zh")[0].startswith("没有哪一项")


def test_at_most_two_quotations_are_given() -> None:
    evidence = tuple(Evidence(f"word{number}", "sad", -number, 0, 5, "context", -number) for number in range(1, 5))
    said = direct(replace(LINE, plan=Plan("sad", evidence=evidence)), language="en")
    assert said.count("“") == 2
