"""Captions in languages that the grammar does not know get no score."""

from aptone.messages import translate
from aptone.rooms.caption.data import CaptionSample
from aptone.rooms.caption.decompose.built_in import NEITHER_LANGUAGE, BuiltInDecomposer, is_foreign
from aptone.rooms.caption.match import BuiltInMatcher
from aptone.rooms.caption.step import CaptionStep, score_sample
from aptone.types import Outcome, State
from tests.rooms.caption.caption_parts import TONE, ListedVerifier
from tests.tables import for_each

FRENCH = "Une voix d’homme calme et grave parle lentement, sans émotion particulière."


@for_each(
    "caption",
    [
        FRENCH,
        "Eine Frau spricht mit ruhiger Stimme und ist traurig.",
        "Una voz grave y triste que habla con calma.",
        "Una voce calma e grave che parla di notte.",
        "Een man spreekt met een lage stem.",
    ],
)
def test_other_languages_are_known_by_their_small_words(caption: str) -> None:
    assert is_foreign(caption)


@for_each(
    "caption",
    [
        "",
        "Male, grave, slow.",
        "Angry man shouting",
        "El Niño is what the man talks about, y'all.",
        "Speaking German, he says that it is das Ende und Schluss.",
        "A die-hard fan in a con, very loud.",
    ],
)
def test_english_with_foreign_names_is_english(caption: str) -> None:
    assert not is_foreign(caption)


def judged(caption: str, reference: str = "") -> Outcome:
    step = CaptionStep(BuiltInDecomposer(), ListedVerifier([]), BuiltInMatcher())
    return score_sample(CaptionSample("a", TONE, caption, reference), step)


def test_a_caption_or_a_reference_in_another_language_has_no_score_and_says_what_to_do() -> None:
    outcome = judged(FRENCH)
    assert (outcome.state, outcome.reason) == (State.UNSCORED, NEITHER_LANGUAGE)
    assert "--decomposer api" in translate(outcome.reason, "zh")
    assert "中文" in translate(outcome.reason, "zh")
    assert judged("He is calm.", FRENCH).reason == f"reference: {NEITHER_LANGUAGE}"
