"""Phrases of a small language of our own, found in a text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.lexicon import english_cues, mandarin_cues
from aptone.lexicon.phrases import PhraseBook, tokens
from aptone.types import Language
from tests.tables import for_each

FAMILIES = {"device": "phone, walkie talkie, call~", "the": "the, her"}


def found(listed: str, text: str, language: Language = "en") -> list[str]:
    families = FAMILIES if language == "en" else {"电话": "电话，对讲机"}
    words = tokens(text, language)
    hits = PhraseBook([listed], families=families, language=language).find(words)
    return [text[words.places[hit.start][0] : words.places[hit.end - 1][1]] for hit in hits]


@for_each(
    ("listed", "text", "said"),
    [
        ("shout~", "He shouts; they Shouted, shouting.", ["shouts", "Shouted", "shouting"]),
        ("shout~", "The outshouted lout.", []),
        ("over <the> <device>", "over her walkie-talkie", ["over her walkie-talkie"]),
        ("over <the> <device>", "over a phone", []),
        ("voice ... echoed", "his voice in the hall echoed", ["voice in the hall echoed"]),
        ("voice ... echoed", "his voice, then, echoed", []),  # a gap does not reach over a comma
        ("voice ... echoed", "his voice and hers echoed", []),  # nor into the next clause
        ("voice ... echoed", "his voice never echoed", []),  # nor over a denial
        ("voice ... joy", "a voice void of joy", []),
        ("voice ... echoed", "voice one two three four five echoed", []),  # five words are more than four
        ("thought #", "he thought. He thought about it", ["thought"]),
        ("thought #", "so he thought", ["thought"]),
        ("low, low voice", "a low voice", ["low voice"]),  # the longest of a list
        ("didn't", "He didn’t.", ["didn’t"]),
        ("mary", "Mary’s", ["Mary’s"]),
        ("mock-solemn", "mock-solemn", ["mock-solemn"]),
        ("matter-of-factly", "quite matter of factly", ["matter of factly"]),
        ("tut-tut~", "he tut-tuts", ["tut-tuts"]),
        ("adam's apple bobbed", "his Adam’s apple bobbed", ["Adam’s apple bobbed"]),
    ],
)
def test_an_english_phrase_is_found_word_by_word(listed: str, text: str, said: list[str]) -> None:
    assert found(listed, text) == said


@for_each(
    ("listed", "text", "said"),
    [
        ("心想", "他 心想：", ["心想"]),
        ("<电话>里", "对讲机里有人", ["对讲机里"]),
        ("从…传来", "从很远的地方传来", ["从很远的地方传来"]),
        ("从…传来", "从门外，传来", []),
        ("从…传来", "从来没有传来", []),
        ("问#", "他问。问题", ["问"]),
        ("喊", "喊", ["喊"]),
    ],
)
def test_a_mandarin_phrase_is_found_character_by_character(listed: str, text: str, said: list[str]) -> None:
    assert found(listed, text, "zh") == said


@pytest.mark.parametrize(("words", "language"), [(english_cues, "en"), (mandarin_cues, "zh")])
def test_every_phrase_can_be_read_and_begins_with_a_word(words: object, language: Language) -> None:
    families: dict[str, str] = getattr(words, "FAMILIES")  # noqa: B009 - both modules have the same names
    lists = [*getattr(words, "LISTS"), *getattr(words, "DIRECTIONS")]  # noqa: B009
    listed = [text for one in lists for text in (one.phrases, one.not_after, one.not_before)]
    listed += [phrases for _, phrases in getattr(words, "ENDED")]  # noqa: B009
    listed += [getattr(words, name) for name in ("NEGATIONS", "NEXT_NEGATIONS", "NO_NEGATIONS")]
    separator = ", " if language == "en" else "，"
    for text in listed:
        for phrase in text.split(separator) if text else ():
            assert phrase == phrase.strip(), phrase
            assert phrase, text
            assert not phrase.startswith(("...", "…", "#")), phrase
            assert set(re.findall("<(.*?)>", phrase)) <= set(families), phrase
            assert not re.search("[,，]", phrase), phrase
            assert phrase == phrase.casefold(), phrase


@given(st.text(max_size=200), st.sampled_from(["en", "zh"]))
def test_tokens_stand_where_they_are_said_to_stand(text: str, language: Language) -> None:
    words = tokens(text, language)
    assert len(words.words) == len(words.places)
    ends = [place for pair in words.places for place in pair]
    assert ends == sorted(ends)
    assert all(word for word in words.words)
