"""Reading descriptions: what they state, what they deny, and which words are left over."""

import pytest

from aptone.ear.describe import attributes_of, describe, excerpt, lexicon
from aptone.ear.reading import Reading, read_description
from aptone.types import Language
from tests.ear.describe_styles import random_styles


def stated(text: str) -> list[str]:
    """What is read, values only; alternatives stand together, denials behind a minus."""
    return [
        ("-" if one.is_denied else "") + "/".join(str(sense.value) for sense in one.senses)
        for one in read_description(text).judged
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("an angry man", ["angry", "male"]),
        ("a man who is not angry at all", ["male", "-angry"]),
        ("This is not an angry man", ["-angry", "male"]),
        ("not angry but sad", ["-angry", "sad"]),
        ("a woman, not sad, not happy, but angry", ["female", "-sad", "-happy", "angry"]),
        ("neither loud nor angry", ["-loud", "-angry"]),
        ("without any anger or fear, slow and deep", ["-angry", "-fear", "slow", "low"]),
        ("not angry and loud", ["-angry", "loud"]),
        ("more excited than calm", ["happy", "-calm"]),
        ("less angry than sad", ["-angry", "sad"]),
        ("sad rather than angry", ["sad", "-angry"]),
        ("anything but calm", ["-calm"]),
        ("nobody would call this joyful", ["-happy"]),
        ("by no means sad", ["-sad"]),
        ("anger is absent in her voice", ["-angry", "female"]),
        ("a non-threatening male voice", ["-angry", "male"]),
        ("not only angry but also loud", ["angry", "loud"]),
        ("She can't hide her anger", ["female", "angry"]),
        ("a woman who isn't furious", ["female", "-angry"]),
        ("not a woman", ["-female"]),
        ("not a zorbly woman", ["female"]),
        ("不急不躁的男声", ["slow", "calm", "male"]),
        ("不犇不骉的男声", ["male"]),
        ("不是一个男人", ["-male"]),
        ("她很快乐", ["female", "happy"]),
        ("语速不快", ["slow/moderate"]),
        ("a lullaby to a child", ["calm"]),
        ("毫不生气的男人", ["-angry", "male"]),
        ("一点也不开心的女声", ["-happy", "female"]),
        ("没有一丝愤怒的老人", ["-angry", "elderly"]),
        ("既不生气也不悲伤", ["-angry", "-sad"]),
        ("与其说悲伤不如说愤怒", ["-sad", "angry"]),
        ("她不是很高兴，而是很生气", ["female", "-happy", "angry"]),
        ("毫不掩饰的愤怒", ["strong", "angry"]),
        ("他对孩子温柔地说话", ["male", "calm"]),
        ("语速很慢，不大声", ["very slow", "-loud"]),
    ],
)
def test_a_description_is_read_with_its_denials(text: str, expected: list[str]) -> None:
    assert stated(text) == expected


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("husky", "rough/breathy"),
        ("sultry", "breathy and low"),
        ("grumpy", "angry"),
        ("chirpy", "happy"),
        ("vocal fry", "rough"),
        ("咆哮", "very loud"),
        ("娇滴滴", "playful and high"),
    ],
)
def test_words_that_people_use_are_known(text: str, values: str) -> None:
    assert " and ".join(stated(text)) == values
    assert read_description(text).unread == ()


def test_words_about_a_voice_that_nobody_judges_are_named_with_their_topic() -> None:
    reading = read_description("a nasal woman with a Scottish accent")
    assert [(one.topic, one.words) for one in reading.remarks] == [
        ("resonance", "nasal"),
        ("accent", "Scottish"),
        ("accent", "accent"),
    ]
    assert read_description("鼻音很重的男声").remarks[0].topic == "resonance"


def test_a_change_over_time_is_named_as_what_is_not_judged() -> None:
    remarks = read_description("starts calm and ends furious").remarks
    assert [(one.topic, one.words) for one in remarks] == [("change", "starts calm and ends furious")]


def test_words_in_no_list_are_told_once_and_in_order() -> None:
    assert read_description("a zorbly, blurgish, zorbly man").unread == ("zorbly", "blurgish")
    assert read_description("犇骉羴的女声").unread == ("犇骉羴",)


def test_places_are_those_of_the_words() -> None:
    text = "A voice that is not angry, and nasal."
    reading = read_description(text)
    assert [text[one.start : one.end] for one in reading.judged] == ["angry"]
    assert [text[one.start : one.end] for one in reading.remarks] == ["nasal"]


def test_a_noun_tells_what_an_ambiguous_word_is_about() -> None:
    assert stated("a low pitch") == ["low"]
    assert stated("the volume is low") == ["soft"]
    assert stated("a low voice") == ["low"]
    assert stated("low") == ["low/soft"]
    assert stated("较低的音量") == ["soft"]


def test_the_strength_of_an_emotion_goes_with_it_and_a_denial_is_about_the_emotion() -> None:
    furious, denied = read_description("furious"), read_description("not furious")
    assert [(str(one.senses[0].value), one.grades != ()) for one in furious.statements] == [
        ("angry", False),
        ("strong", True),
    ]
    assert [str(one.senses[0].value) for one in denied.statements] == ["angry"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("length", ["phrase", "sentence", "caption"])
def test_what_the_grammar_writes_is_read_whole(language: Language, length: str) -> None:
    for seed, style in enumerate(random_styles(150, seed=5)):
        text = describe(style, language=language, length=length, seed=seed)  # type: ignore[arg-type]
        reading = read_description(text, language=language)
        said = excerpt(style, length=length, seed=seed)  # type: ignore[arg-type]
        wanted = {
            (name, value)
            for name, held in attributes_of(said).items()
            for value in (held if isinstance(held, tuple) else (held,))
        }
        found = {tuple(sense) for one in reading.statements for sense in one.senses}
        assert wanted <= found, text
        assert reading.unread == (), text
        assert not any(one.is_denied for one in reading.statements), text


@pytest.mark.parametrize(("language", "pattern"), [("en", "a voice that is not {}"), ("zh", "并不{}。")])
def test_every_word_of_the_lexicon_can_be_denied(language: Language, pattern: str) -> None:
    asserted = []
    for word, entry in lexicon(language).items():
        skipped = entry.pronoun or word.startswith(("without", "安详", "no "))  # "not without" is, 不安 is a word
        if entry.means and not skipped:
            reading = read_description(pattern.format(word), language=language)
            own = [one for one in reading.statements if one.words == word]
            asserted += [] if own and all(one.is_denied for one in own) else [word]
    assert asserted == []


def test_an_empty_description_has_nothing_in_it() -> None:
    assert read_description("...") == Reading("en", ())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("not loud, not soft", ["medium"]),
        ("说不上快，也不算慢", ["moderate"]),
        ("not loud, not slow", ["-loud", "-slow"]),  # two scales
        ("not loud, not very loud", ["-loud", "-very loud"]),  # one side
    ],
)
def test_denials_of_both_sides_of_a_scale_leave_its_middle(text: str, expected: list[str]) -> None:
    assert stated(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Serene as a monk, she speaks.", ["calm", "female"]), ("像个老头，她说话", ["female"]), ("like a man", ["male"])],
)
def test_whom_a_speaker_is_compared_with_yields_to_a_pronoun(text: str, expected: list[str]) -> None:
    assert stated(text) == expected


def test_values_beyond_the_closed_sets_are_statements_of_their_own() -> None:
    reading = read_description("a confident, angry man")
    assert [str(one.other.value) for one in reading.statements if one.other] == ["confident"]
    assert ("attitude", "confident") in [(one.topic, one.words) for one in reading.remarks]


def test_a_quotation_is_not_read() -> None:
    text = "He says “I am furious” calmly."
    assert [one.words for one in read_description(text, quoted=[(8, 22)]).judged] == ["He", "calmly"]
