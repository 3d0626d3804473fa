import pytest

from aptone.planner.built_in import BuiltInPlanner
from aptone.planner.narration_reader import is_told
from aptone.planner.passage import passage_around
from aptone.run import Call
from aptone.types import AudioRef, Language, Line, Plan, Rhythm, Sample

CALM = "In the garden the roses had opened overnight. Bees moved slowly from one to the next."
CHASE = "She vaulted the wall, landed badly, got up and sprinted for the trees as the first shots cracked past."
ELEGY = "They buried him on the hill behind the church, where his mother lay, and nobody spoke on the way home."


def narration(text: str, *before: Line, language: Language = "en") -> Sample:
    """Return a line of narration."""
    return Sample("a", AudioRef("-"), Line(text), context=before, language=language, ids={"kind": "narration"})


def planned(text: str, *before: Line, language: Language = "en") -> Plan:
    """Return the plan of a line of narration."""
    return BuiltInPlanner().plan(narration(text, *before, language=language), Call())


@pytest.mark.parametrize(
    ("text", "language", "rhythms"),
    [
        (CALM, "en", {Rhythm.RELAXED, Rhythm.LOW_PACED}),
        (CHASE, "en", {Rhythm.TENSE, Rhythm.BRISK, Rhythm.HIGH_ENERGY}),
        (ELEGY, "en", {Rhythm.HEAVY, Rhythm.LOW_PACED}),
        ("傍晚的湖面一片平静，几只鸭子在芦苇间慢慢游着。", "zh", {Rhythm.RELAXED}),
        ("他拼命地跑，身后的狗已经冲出了大门，而小路的尽头就是悬崖。", "zh", {Rhythm.TENSE, Rhythm.BRISK}),
    ],
)
def test_the_pace_of_narration_is_that_of_its_passage(text: str, language: Language, rhythms: set[Rhythm]) -> None:
    assert planned(text, language=language).rhythm in rhythms


def test_no_emotion_is_asked_of_a_narrator_who_tells_of_others() -> None:
    for text in (CALM, CHASE, "The train for Leeds left at nine from platform four."):
        plan = planned(text)
        assert (plan.emotion, plan.is_unsaid, plan.voice, plan.recording_condition) == ("", True, (), "")


def test_a_narrator_who_speaks_of_himself_or_a_strong_passage_carries_an_emotion() -> None:
    assert planned("I was so happy that I danced all the way down the lane.").emotion == "happy"
    assert planned(ELEGY).emotion == "sad"


def test_speech_beside_narration_does_not_set_its_tone() -> None:
    before = (Line("Get out, I hate you!", "Mara"), Line("she screamed, weeping with rage.", continues=True))
    assert planned(CALM, *before) == planned(CALM)


def test_narration_directly_before_sets_the_scene() -> None:
    door = "The door opened."
    assert planned(door, Line(CHASE)) != planned(door)


def test_only_what_is_marked_as_narration_and_holds_no_speech_is_told() -> None:
    assert is_told(narration(CALM))
    assert not is_told(Sample("a", AudioRef("-"), Line(CALM)))
    assert not is_told(Sample("a", AudioRef("-"), Line("Go!", "Tom"), ids={"kind": "narration"}))
    assert not is_told(narration("“Go away,” said Tom."))


def test_a_line_without_a_role_has_another_plan_and_signature_than_the_same_words_as_narration() -> None:
    planner, call = BuiltInPlanner(), Call()
    told, said = planner.plan(narration(CALM), call), planner.plan(Sample("a", AudioRef("-"), Line(CALM)), call)
    assert told.signature == planner.narration_signature != planner.signature == said.signature
    assert passage_around((), Line(CALM), (), narrated=True).text == CALM
    assert passage_around((), Line(CALM), ()).text == f"“{CALM}”"
