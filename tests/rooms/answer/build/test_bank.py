"""The bank of sentences, every one of them: said as a person would say it, and fit for both of its styles.

All sentences were read one by one; the screens below catch what slots of a template break most easily, so that a new
line cannot bring back what was mended.
"""

import asyncio
import itertools
import re
from collections import Counter

import pytest

from aptone.models.text.units import runs
from aptone.rooms.answer.build.candidates import Sentence, ideal_answers, load_bank
from aptone.rooms.answer.build.filters import NEUTRALITY, RuleFilter
from aptone.rooms.answer.build.records import Candidate
from aptone.rooms.answer.data import Dimension
from aptone.run import Call
from aptone.types import Language

LANGUAGES: tuple[Language, ...] = ("en", "zh")
SAME_TWICE = {"that", "baden"}
COMPARED = re.compile(r"\b(?:\w+er|more|less|better|worse|rather|other)\b[^.?!]* than\b")
ARTICLE = re.compile(r"\b(an?) ([\w-]+)", re.IGNORECASE)
VOWEL_SOUND = re.compile(r"(?!uni|use|eu|one)[aeiou]|hour|honest|X-ray", re.IGNORECASE)
FAITHS = {
    "Christian": r"parish|priest|pastor|bishop|church|chapel|Easter|Lent|Christmas|Catholic|Lutheran|Bible|baptis",
    "Jewish": r"rabbi|synagogue|mitzvah|sabbath|bris\b|Western Wall",
    "Muslim": r"imam|mosque|Ramadan|Mecca|Islam",
}
BROKEN = {
    "en": (
        r"\bHow \w+ for\b",
        r"\bor (?:how|what)\b",
        r"\bto (?:a|the) parking\b",
        r"\b(?:backpack|something \w+) that (?:last|do not)\b",
        r"\b(?:spends it|money smells) for\b",
        r"\bbecame a monk\b",
        r"\bfish ran away\b",
        r"\bshows? [^.]* since\b",
    ),
    "zh": (
        r"里里",
        r"每天两个小时",
        r"颗牛眼",
        r"穿[^。]*(?:耳环|领带)",
        r"这个(?:帽子|外套)",
        r"送我又",
        r"方面真有耳力",
    ),
}
"""What was wrong in the bank once, as patterns."""


def sentences(language: Language) -> list[tuple[Dimension, str, Sentence]]:
    return [(dimension, topic, one) for (dimension, topic), bank in load_bank(language).items() for one in bank]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_stands_twice_in_a_dimension(language: Language) -> None:
    counts = Counter((dimension, one.text) for dimension, _, one in sentences(language))
    assert [text for (_, text), count in counts.items() if count > 1] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_has_a_fault_that_was_mended(language: Language) -> None:
    texts = [one.text for _, _, one in sentences(language)]
    assert [text for text in texts for fault in BROKEN[language] if re.search(fault, text)] == []


def test_english_slots_are_filled_grammatically() -> None:
    faults = []
    for _, _, one in sentences("en"):
        words = [run for run in runs(one.text) if run[0].isalnum()]
        faults += [one.text for first, then in itertools.pairwise(words) if first == then and first not in SAME_TWICE]
        faults += [one.text] if " than " in one.text and not COMPARED.search(one.text) else []
        faults += [
            one.text
            for article, word in ARTICLE.findall(one.text)
            if (article.lower() == "an") is not bool(VOWEL_SOUND.match(word))
        ]
    assert faults == []


def test_no_sentence_mixes_two_faiths() -> None:
    mixed = [
        one.text
        for _, _, one in sentences("en")
        if sum(bool(re.search(words, one.text)) for words in FAITHS.values()) > 1
    ]
    assert mixed == []


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_built_in_filters_keep_nearly_every_sentence(language: Language) -> None:
    refused: Counter[str] = Counter()
    listed = sentences(language)
    for place, (dimension, topic, one) in enumerate(listed):
        answers = ideal_answers(dimension, topic, one.ways, language=language)
        candidate = Candidate(str(place), one.text, dimension, one.ways, topic, answers, language)
        verdicts = asyncio.run(RuleFilter().check(candidate, Call()))
        refused.update(verdict.name for verdict in verdicts if not verdict.passed)
    assert set(refused) <= {NEUTRALITY}  # that a sentence says nothing, or nothing of the asker, is a fault of the bank
    assert refused[NEUTRALITY] < 0.01 * len(listed)
