"""Words that say how a line is spoken or recorded, and those that tell whose feeling."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from aptone.planner.passage import Passage
from aptone.planner.reading.cues import Cue, FeelingCue, cues, feeling_cues
from aptone.types import Emotion, Intonation, Language, Line, RecordingCondition, Rhythm
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


def felt_cues(marked: str, language: Language = "en") -> tuple[Passage, tuple[FeelingCue, ...]]:
    """The cues of a text in which ⟦ and ⟧ stand around the target."""
    start, end = marked.index("⟦"), marked.index("⟧") - 1
    passage = Passage(marked.replace("⟦", "").replace("⟧", ""), start, end, "", ())
    return passage, feeling_cues(passage, language)


def told(marked: str, language: Language = "en") -> dict[str, tuple[str, float, bool]]:
    passage, found = felt_cues(marked, language)
    return {
        passage.text[cue.start : cue.end]: (cue.region, cue.sure, cue.denied) for cue in found if cue.meaning.emotions
    }


@for_each(
    ("marked", "words", "language"),
    [
        ("“⟦Go,⟧” she sobbed.", "sobbed", "en"),
        ("“⟦Go,⟧” cried Alice indignantly, “or I shall!”", "indignantly", "en"),
        ("Tom said bitterly, “⟦Go.⟧”", "bitterly", "en"),
        ("“⟦Go,⟧” said the keeper, trembling from head to foot.", "trembling", "en"),
        ("他怒道：“⟦走！⟧”", "怒道", "zh"),
        ("“⟦走！⟧”她哽咽着说。", "哽咽", "zh"),
    ],
)
def test_a_tag_is_read_before_after_and_inside_a_line(marked: str, words: str, language: Language) -> None:
    (found,) = (value for key, value in told(marked, language).items() if words in key)
    assert found == ("tag", 1.0, False)


@for_each(
    ("marked", "words", "language"),
    [
        ("TOM (furious): ⟦Get out.⟧", "furious", "en"),
        ("ANNA: [crying] ⟦I never meant it.⟧", "crying", "en"),
        ("“⟦I never meant it.⟧” *sobbing*", "sobbing", "en"),
        ("李雷（苦笑）：⟦走吧。⟧", "苦笑", "zh"),
    ],
)
def test_stage_directions_are_read(marked: str, words: str, language: Language) -> None:
    assert told(marked, language)[words][0] == "direction"


def test_narration_of_the_same_and_of_a_neighbouring_paragraph_is_read() -> None:
    found = told("Mara was terrified.\nMara's hands shook. “⟦Who is there?⟧” she said.")
    assert found["terrified"][0] == "before"
    assert found["hands shook"][0] == "same"


def test_the_feeling_of_another_person_is_left_out() -> None:
    found = told("“⟦Go,⟧” said Tom quietly. Ann was furious.")
    assert "furious" not in found
    assert "quietly" in found
    assert "furious" not in told("He was furious. “⟦Go,⟧” she said.")


def test_what_somebody_says_is_never_taken_for_narration() -> None:
    assert not told("“I am furious, and she was sobbing.”\n“⟦I see,⟧” said Tom.")


def test_the_tag_of_the_next_speaker_is_not_that_of_the_line() -> None:
    found = told("刘备道：“⟦先生何往？⟧”孔明大笑道：“山中去也。”", "zh")
    assert all(region != "tag" for region, _, _ in found.values())


def test_denied_feelings_are_marked() -> None:
    assert told("She was not angry any more. “⟦Fine,⟧” she said.")["angry"][2]


def test_a_tag_may_say_something_of_the_voice_alone() -> None:
    _, found = felt_cues("“⟦Someone is in the house,⟧” she whispered.")
    assert any("whisper" in cue.meaning.voice and cue.region == "tag" for cue in found)


def test_intensity_comes_from_the_words() -> None:
    _, found = felt_cues("“⟦Go,⟧” he roared in fury.")
    assert max(cue.meaning.strength for cue in found if Emotion.ANGRY in cue.meaning.emotions) == 3
