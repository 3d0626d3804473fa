"""The grammar that takes captions apart: denials, hedges, contrasts, pronouns, quotations, ambiguous words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.ear.describe import attributes_of, describe, lexicon
from aptone.rooms.caption.decompose.built_in import decompose
from aptone.types import ClosedSet, Language, language_of_text
from tests.ear.describe_styles import random_styles
from tests.growth import grows_linearly
from tests.tables import for_each


def claims(caption: str) -> list[str]:
    """Units as "attribute value", with ! before a denied and ~ before a hedged one."""
    return [
        f"{'!' if unit.is_denied else ''}{'~' if unit.is_hedged else ''}{unit.attribute} {unit.value}"
        for unit in decompose(caption, language=language_of_text(caption))
    ]


@for_each(
    ("caption", "expected"),
    [
        ("He is not angry.", ["sex male", "!emotion angry"]),
        ("He isn't loud or fast, but sad.", ["sex male", "!volume loud", "!rate fast", "emotion sad"]),
        ("Not angry and loud.", ["!emotion angry", "volume loud"]),
        ("Without any trace of fear, her voice is slow.", ["!~emotion fear", "sex female", "rate slow"]),
        ("Without anger and fear.", ["!emotion angry", "!emotion fear"]),
        ("No laughter, sobbing, or sighing.", ["!events laughter", "!events sob", "!events sigh"]),
        ("Neither sad nor happy; loud.", ["!emotion sad", "!emotion happy", "volume loud"]),
        ("Calm rather than bored.", ["emotion calm", "!emotion boredom"]),
        ("Not only angry but also loud.", ["emotion angry", "volume loud"]),
        ("Not without anger.", ["emotion angry"]),
        ("Not furious.", ["!emotion angry"]),
        ("There is no background music.", ["music absent"]),
        ("Without background noise or music.", ["!recording_condition noisy", "music absent"]),
        ("语气并不愤怒，语速较慢。", ["!emotion angry", "rate slow"]),
        ("没有笑声或抽泣声，只有叹息声。", ["!events laughter", "!events sob", "events sigh"]),
        ("毫无恐惧，而是平静。", ["!emotion fear", "emotion calm"]),
        ("并非悲伤、愤怒。", ["!emotion sad", "!emotion angry"]),
        ("不仅响亮，而且愤怒。", ["volume loud", "emotion angry"]),
        ("她很不耐烦。", ["sex female", "emotion angry"]),
        ("Nothing in her voice suggests anger.", ["sex female", "!emotion angry"]),
        ("Nothing but anger.", ["emotion angry"]),
        ("She can't hide her joy.", ["sex female", "emotion happy"]),
        ("掩饰不住的喜悦。", ["emotion happy"]),
        ("他压抑着愤怒。", ["sex male", "emotion angry"]),
        ("Angry, but not furious.", ["emotion angry", "!intensity strong"]),
        ("悲伤，但不绝望。", ["emotion sad", "!intensity strong"]),
    ],
)
def test_denials_reach_what_they_deny_and_no_farther(caption: str, expected: list[str]) -> None:
    assert claims(caption) == expected


@for_each(
    ("caption", "expected"),
    [
        ("Perhaps elderly, certainly loud.", ["~age elderly", "volume loud"]),
        ("She seems bored.", ["sex female", "~emotion boredom"]),
        ("Slightly angry and loud.", ["~emotion angry", "~intensity slight", "volume loud"]),
        ("A hint of sadness.", ["~emotion sad", "~intensity slight"]),
        ("略带悲伤，语速较快。", ["~emotion sad", "rate fast"]),
        ("似乎有些愤怒。", ["~emotion angry", "~intensity slight"]),
    ],
)
def test_hedges_mark_what_they_stand_before(caption: str, expected: list[str]) -> None:
    assert claims(caption) == expected


def test_both_sides_of_a_contrast_hold() -> None:
    assert claims("Despite the low pitch, her voice is loud.") == ["pitch low", "sex female", "volume loud"]
    assert claims("Although sad, he speaks fast.") == ["emotion sad", "sex male", "rate fast"]


@for_each(
    ("caption", "expected"),
    [
        ("A low, rumbling pitch.", ["pitch low"]),
        ("The volume is low.", ["volume soft"]),
        ("A voice that is low in volume.", ["volume soft"]),
        ("The pitch is high and the volume is low.", ["pitch high", "volume soft"]),
        ("Her voice, though subdued in volume, is clear.", ["sex female", "volume soft", "texture clear"]),
        ("A subdued rhythm.", ["rhythm low-paced"]),
        ("A tense voice and a tense rhythm.", ["texture pressed", "rhythm tense"]),
        ("A brisk pace.", ["rate fast"]),
        ("A moderate pace at a moderate volume.", ["rate moderate", "volume medium"]),
        ("He is in high spirits.", ["sex male", "emotion happy"]),
        ("The stakes are high.", []),
        ("Her pitch is rising.", ["sex female", "intonation rising"]),
        ("Low in energy.", ["rhythm low-paced"]),
        ("Her pitch, low and rumbling.", ["sex female", "pitch low"]),
        ("The mood shifts. Low and rising.", ["pitch low"]),
        ("柔和而低缓地说，语速较慢。", ["volume soft", "pitch low", "rate slow"]),
        ("较快而有力的语速。", ["rate fast", "rhythm high-energy"]),
        ("A trembling voice of deep sorrow.", ["emotion sad", "intensity strong"]),
        ("A trembling voice.", ["emotion fear"]),
        ("音量较低。", ["volume soft"]),
        ("较高的音调和较低的音量。", ["pitch high", "volume soft"]),
        ("情绪激动，怒气冲冲。", ["emotion angry"]),
        ("声音柔和。", ["volume soft"]),
        ("语气柔和。", ["emotion calm"]),
    ],
)
def test_the_noun_decides_what_an_ambiguous_word_means(caption: str, expected: list[str]) -> None:
    assert claims(caption) == expected


def test_pronouns_and_nouns_give_one_gender_with_the_first_words_that_say_so() -> None:
    (unit,) = decompose("She introduces herself, and her name.", language="en")
    assert (unit.attribute, unit.value, unit.evidence) == ("sex", "female", "She")
    assert claims("A man who sounds like her.") == ["sex male"]
    assert claims("A male voice and a female voice.") == ["sex male", "sex female"]
    assert claims("其他人说话。她们说话。") == []


@for_each(
    "caption",
    [
        'The line "I am so angry" is spoken.',
        "The line “I am so angry” is spoken.",
        "The line 'I'm so angry' is spoken.",
        "The line ‘I am so angry’ is spoken.",
        "说话人说：“我很生气，大声一点！”",
        "说话人说：「我很生气」",
    ],
)
def test_what_the_speaker_says_is_no_claim(caption: str) -> None:
    assert claims(caption) == []


def test_a_quotation_mark_that_nothing_closes_quotes_nothing() -> None:
    assert claims("A 6\" tape of an angry man's voice, “loud.") == ["emotion angry", "sex male", "volume loud"]


def test_an_emotion_that_is_said_with_its_strength_gives_both() -> None:
    assert claims("Furious.") == ["emotion angry", "intensity strong"]


@for_each(
    ("caption", "expected"),
    [
        ("His pitch drops at the end.", ["sex male", "intonation falling"]),
        ("A sudden rise in pitch on the last word.", ["intonation rising"]),
        ("The pitch rises and falls.", ["intonation curved"]),
        ("His breathing is heavy.", ["sex male", "events breath"]),
        ("呼吸急促。", ["events breath"]),
        ("On the verge of tears.", ["emotion sad"]),
        ("没有明显的情感波动。", ["emotion neutral"]),
        ("声音颤抖。", ["emotion fear"]),
        ("The voice is flat.", ["pitch_variation monotone"]),
        ("A loud man over soft background music.", ["volume loud", "sex male", "music present"]),
        ("There is a faint background hum.", ["recording_condition noisy"]),
        ("语速中等偏快，背景有轻柔的音乐。", ["rate fast", "music present"]),
        ("声音颤抖，十分悲伤。", ["emotion sad", "intensity strong"]),
    ],
)
def test_what_captioners_often_write_is_understood(caption: str, expected: list[str]) -> None:
    assert claims(caption) == expected


def test_words_that_are_not_about_the_voice_give_nothing() -> None:
    assert claims("There is a clear sense of purpose; the diction is deliberate.") == ["rate slow"]


def test_the_captions_of_the_paper_give_their_units() -> None:
    booming = (
        "A male speaker shouts the line with a furious, aggressive tone. His voice, booming and loud in volume, "
        "carries a hostile, threatening quality. He speaks at a frantic, rushed pace."
    )
    expected = ["sex male", "volume very loud", "emotion angry", "intensity strong", "volume loud"]
    assert claims(booming) == [*expected, "rate very fast", "rate fast"]
    measured = "A female speaker delivers the line with an upbeat tone at a measured, unhurried pace."
    assert claims(measured) == ["sex female", "emotion happy", "rate slow"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_our_own_grammar_writes_is_taken_apart_into_exactly_what_it_says(language: Language) -> None:
    for seed, style in enumerate(random_styles(200, seed=3)):
        units = decompose(describe(style, language=language, length="caption", seed=seed), language=language)
        said = {(name, one) for name, value in attributes_of(style).items() for one in _each(value)}
        assert {(unit.attribute, unit.known) for unit in units} == said
        assert not any(unit.is_denied for unit in units)


def _each(value: ClosedSet | tuple[ClosedSet, ...]) -> tuple[ClosedSet, ...]:
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize(("language", "sentence"), [("en", "It is not {}."), ("zh", "并不{}。")])
def test_every_word_of_the_lexicon_can_be_denied(language: Language, sentence: str) -> None:
    asserted = []
    for key, entry in lexicon(language).items():
        is_music = entry.means and entry.means[0].attribute == "music"  # denied, it is the other of the two
        skipped = entry.pronoun or is_music or key.startswith(("without", "安详"))  # "not without" is, 不安 is a word
        if entry.means and not skipped:
            units = [unit for unit in decompose(sentence.format(key), language=language) if unit.evidence == key]
            asserted += [] if units and all(unit.is_denied for unit in units) else [key]
    assert asserted == []


@given(st.text(alphabet="not loud,\"'“”。不愤怒没有 sad\n", max_size=80), st.sampled_from(["en", "zh"]))
def test_evidence_is_always_a_substring_and_every_claim_stands_once(caption: str, language: Language) -> None:
    units = decompose(caption, language=language)
    assert all(caption[unit.start : unit.end] == unit.evidence for unit in units)
    assert len({(unit.attribute, unit.value, unit.is_denied) for unit in units}) == len(units)


@pytest.mark.slow
@for_each(
    "piece",
    [
        "not angry or ",
        "without 'loud, ",
        '"low ',
        "a low, rumbling pitch and ",
        "不愤怒、",
        "没有“笑声，",
        "slightly ",
        "{[",
    ],
)
def test_the_time_it_takes_grows_with_the_text_and_no_faster(piece: str) -> None:
    def take_apart(count: int) -> None:
        text = piece * count
        decompose(text, language=language_of_text(text))

    take_apart(1)  # loads the lexicon
    assert grows_linearly(take_apart, 500)
