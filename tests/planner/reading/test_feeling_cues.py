"""The reader of explicit cues: which words count, where they stand, and whose feeling they tell."""

from aptone.planner.passage import Passage
from aptone.planner.reading.feeling_cues import FeelingCue, feeling_cues
from aptone.types import Emotion, Language
from tests.tables import for_each


def cues(marked: str, language: Language = "en") -> tuple[Passage, tuple[FeelingCue, ...]]:
    """The cues of a text in which ⟦ and ⟧ stand around the target."""
    start, end = marked.index("⟦"), marked.index("⟧") - 1
    passage = Passage(marked.replace("⟦", "").replace("⟧", ""), start, end, "", ())
    return passage, feeling_cues(passage, language)


def told(marked: str, language: Language = "en") -> dict[str, tuple[str, float, bool]]:
    passage, found = cues(marked, language)
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
    _, found = cues("“⟦Someone is in the house,⟧” she whispered.")
    assert any("whisper" in cue.meaning.voice and cue.region == "tag" for cue in found)


def test_intensity_comes_from_the_words() -> None:
    _, found = cues("“⟦Go,⟧” he roared in fury.")
    assert max(cue.meaning.strength for cue in found if Emotion.ANGRY in cue.meaning.emotions) == 3
