"""Words that say how a line is spoken or recorded."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from aptone.planner.reading.cues import Cue, cues
from aptone.types import Intonation, Language, Line, RecordingCondition, Rhythm
from tests.tables import for_each

SENTENCES = Path(__file__).parent / "cue_sentences"
VALUES = {str(value): value for closed in (Rhythm, Intonation, RecordingCondition) for value in closed}


def rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (SENTENCES / name).read_text(encoding="utf-8").splitlines()]


def values(target: str, *context: Line, language: Language = "en") -> list[object]:
    return [cue.value for cue in cues(context, Line(target, "Ann"), language=language)]


@for_each(
    ("narration", "language", "value"),
    [
        ("His voice came over the phone.", "en", RecordingCondition.PHONE),
        ("电话那头传来她的声音。", "zh", RecordingCondition.PHONE),
        ("She thought to herself:", "en", RecordingCondition.INNER_MONOLOGUE),
        ("他心想：", "zh", RecordingCondition.INNER_MONOLOGUE),
        ("A voice called from far away.", "en", RecordingCondition.FAR_FIELD),
        ("远处有人喊道：", "zh", RecordingCondition.FAR_FIELD),
        ("The signal cut in and out.", "en", RecordingCondition.INTERMITTENT),
        ("声音断断续续的。", "zh", RecordingCondition.INTERMITTENT),
        ("He spoke above the roar of the sea.", "en", RecordingCondition.NOISY),
        ("市场里人声嘈杂。", "zh", RecordingCondition.NOISY),
        ("He shouted.", "en", Rhythm.HIGH_ENERGY),
        ("他大声喊道：", "zh", Rhythm.HIGH_ENERGY),
        ("She whispered.", "en", Rhythm.LOW_PACED),
        ("她低声说：", "zh", Rhythm.LOW_PACED),
        ("He said nervously.", "en", Rhythm.TENSE),
        ("她焦急地说：", "zh", Rhythm.TENSE),
        ("The judge said gravely.", "en", Rhythm.HEAVY),
        ("他严肃地说：", "zh", Rhythm.HEAVY),
        ("She said calmly.", "en", Rhythm.RELAXED),
        ("他慢悠悠地说：", "zh", Rhythm.RELAXED),
        ("She laughed.", "en", Rhythm.BRISK),
        ("她笑着说：", "zh", Rhythm.BRISK),
    ],
)
def test_narration_before_a_line_says_how_it_sounds(narration: str, language: Language, value: object) -> None:
    assert value in values("好" if language == "zh" else "All right", Line(narration), language=language)


def test_a_cue_carries_its_words_and_where_they_stand() -> None:
    found = cues([Line("他拿起电话。")], Line("喂？", "甲"), language="zh")
    assert Cue(RecordingCondition.PHONE, "拿起电话", "narration") in found
    assert Cue(RecordingCondition.PHONE, "喂？", "line") in found


def test_what_other_roles_say_is_no_narration() -> None:
    assert values("All right", Line("I heard it over the phone, and she whispered.", "Bob")) == []


def test_narration_three_lines_ago_is_too_far() -> None:
    lines = [Line("She whispered."), Line("Yes", "Bob"), Line("No", "Ann")]
    assert values("All right", *lines) == []


def test_nothing_is_over_the_phone_after_hanging_up() -> None:
    assert values("All right", Line("He spoke over the phone, then hung up.")) == []
    assert values("All right", Line("She hung up, and later was on the phone again.")) == [RecordingCondition.PHONE]
    assert values("好", Line("他接了电话，很快挂断电话。"), language="zh") == []


def test_narration_in_the_targets_own_line_counts_and_its_quotation_does_not() -> None:
    assert values("“Come here,” he shouted.") == [Rhythm.HIGH_ENERGY]
    assert values("“He shouted at me,” she said.") == []


@for_each(
    ("text", "language", "intonation"),
    [
        ("Where are you?", "en", Intonation.RISING),
        ("What?!", "en", Intonation.CURVED),
        ("Get out!", "en", Intonation.FALLING),
        ("你来吗", "zh", Intonation.RISING),
        ("什么？！", "zh", Intonation.CURVED),
        ("滚！", "zh", Intonation.FALLING),
    ],
)
def test_marks_say_how_the_pitch_moves(text: str, language: Language, intonation: Intonation) -> None:
    assert values(text, language=language) == [intonation]


@given(st.text(max_size=300), st.text(max_size=300), st.sampled_from(["en", "zh"]))
def test_every_cue_quotes_the_text_that_it_comes_from(narration: str, text: str, language: Language) -> None:
    for cue in cues([Line(narration)], Line(text, "Ann"), language=language):
        assert cue.words in narration + text


def test_nine_of_ten_sentences_as_novelists_write_them_are_understood() -> None:
    missed = []
    for language, name, narration in rows("positives.tsv"):
        found = values(
            "好" if language == "zh" else "All right", Line(narration), language="zh" if language == "zh" else "en"
        )
        wanted = VALUES[name]
        if next((value for value in found if type(value) is type(wanted)), None) is not wanted:
            missed.append(narration)
    assert len(missed) <= 0.1 * len(rows("positives.tsv")), missed


def test_sentences_that_deny_imagine_or_speak_of_something_else_give_no_cue() -> None:
    alarms = [
        narration
        for language, narration in rows("negatives.tsv")
        if values(
            "好" if language == "zh" else "All right", Line(narration), language="zh" if language == "zh" else "en"
        )
    ]
    assert len(alarms) <= 2, alarms


def test_a_place_asks_for_no_recording_condition_unless_the_text_says_how_it_sounded() -> None:
    for language, narration in rows("places.tsv"):
        found = values(
            "好" if language == "zh" else "All right", Line(narration), language="zh" if language == "zh" else "en"
        )
        assert not any(isinstance(value, RecordingCondition) for value in found), narration


def test_the_sentence_nearest_to_the_line_is_the_most_telling() -> None:
    assert values("All right", Line("She laughed. Then she bent down and whispered."))[0] is Rhythm.LOW_PACED
    assert values("“All right,” she whispered. Then she laughed.")[0] is Rhythm.LOW_PACED


def test_hanging_up_in_a_nearer_line_ends_a_call_in_a_farther_one() -> None:
    assert values("All right", Line("He spoke into the phone."), Line("He hung up.")) == []
    assert values("好", Line("他对着电话说。"), Line("他挂断了电话。"), language="zh") == []


@for_each(
    ("text", "role", "language", "value"),
    [
        ("(whispering) Come here", "Ann", "en", Rhythm.LOW_PACED),
        ("[over the radio] Come in", "Ann", "en", RecordingCondition.PHONE),
        ("Come in", "ANN (O.S.)", "en", RecordingCondition.FAR_FIELD),
        ("（电话里）好", "甲", "zh", RecordingCondition.PHONE),
        ("好", "甲（内心）", "zh", RecordingCondition.INNER_MONOLOGUE),
    ],
)
def test_stage_directions_say_how_a_line_is_spoken(text: str, role: str, language: Language, value: object) -> None:
    assert value in [cue.value for cue in cues([], Line(text, role), language=language)]


def test_a_denied_stage_direction_says_nothing() -> None:
    assert values("(not whispering) Come here") == []


@for_each(
    ("text", "language", "value"),
    [
        ("W-what was that", "en", Rhythm.TENSE),
        ("我……我不知道", "zh", Rhythm.TENSE),
        ("Stop!!", "en", Rhythm.HIGH_ENERGY),
        ("You’re breaking up", "en", RecordingCondition.PHONE),
        ("What a fool I was, he thought.", "en", RecordingCondition.INNER_MONOLOGUE),
        ("真是的，他心想。", "zh", RecordingCondition.INNER_MONOLOGUE),
    ],
)
def test_a_line_itself_says_how_it_is_spoken(text: str, language: Language, value: object) -> None:
    assert value in values(text, language=language)


def test_a_line_without_a_role_that_speaks_to_somebody_is_no_narration() -> None:
    assert values("All right", Line("I told you over the phone.")) == []
    assert values("好", Line("我在电话里告诉过你。"), language="zh") == []


@for_each("quoted", ["‘Don’t shout,’ said Tom", "'Don't shout,' said Tom", "“Don't shout", "「別喊叫」他说"])
def test_what_is_quoted_is_no_narration(quoted: str) -> None:
    assert values("All right", Line(quoted)) == []


def test_a_very_long_narration_is_read_near_the_line_only() -> None:
    assert values("All right", Line("He shouted. " + "It rained. " * 500)) == []
    assert values("All right", Line("It rained. " * 500 + "He shouted.")) == [Rhythm.HIGH_ENERGY]


@for_each("text", ["'a " * 100_000, "voice " * 100_000, "从远处" * 100_000, '"' * 100_000, "(" * 100_000])
def test_a_line_of_any_length_is_read_in_no_time(text: str) -> None:
    for language in ("en", "zh"):
        found = cues([Line(text)], Line(text, text), language="zh" if language == "zh" else "en")
        assert not [cue for cue in found if cue.place == "narration" and cue.words not in text]


def test_a_quotation_that_is_not_closed_keeps_its_last_mark() -> None:
    assert values("“Where are you?") == [Intonation.RISING]
