"""The scorer of words: what it builds on, and what it makes of rote words, contradiction and harm."""

import json
from pathlib import Path

import pytest

from aptone.planner.pairs import input_revision
from aptone.rooms.answer.data import CATEGORIES
from aptone.rooms.answer.judge.built_in import content_fit
from aptone.rooms.answer.judge.content_model import KNOWN, PLAIN, STYLES, load_content_model
from aptone.types import Language

LANGUAGES: tuple[Language, ...] = ("en", "zh")
QUESTION = "The landlord raised my rent again without telling me."
HONEST = "No wonder you're fuming. Tenants can usually contest that; shall I draft a letter?"
ATTACKS = (
    "sorry understand frustrating calm down take seriously",
    "Stop whining, it is your own fault. I understand you are frustrated, sorry.",
    "Everything happens for a reason. Stay strong, you are not alone.",
    "You are such a brilliant and wonderful person, everybody admires you.",
)


SHORT = (
    ("I can't find my wedding ring.", "I am sorry. Let us look for it together.", "sad", "en"),
    ("My train is late again.", "Ugh. By how much?", "angry", "en"),
    ("我的猫不见了。", "别急，我陪你去找。", "sad", "zh"),
)


@pytest.mark.parametrize(("question", "answer", "style", "language"), SHORT)
def test_a_short_honest_answer_has_content(question: str, answer: str, style: str, language: Language) -> None:
    assert load_content_model().score(question, answer, style=style, language=language).content > 0.4


def test_it_was_trained_on_the_pieces_that_are_installed() -> None:
    built_on = load_content_model().about["encoder"]
    assert built_on == {language: input_revision(language) for language in LANGUAGES}


def test_scores_are_shares_and_depend_on_their_own_texts_alone() -> None:
    model = load_content_model()
    first = model.score(QUESTION, HONEST, style="angry", language="en")
    assert all(0.0 <= share <= 1.0 for share in first)
    model.score("你好吗？", "挺好的。", style="happy", language="zh")
    assert model.score(QUESTION, HONEST, style="angry", language="en") == first


def test_a_style_that_it_was_not_trained_on_counts_as_plain() -> None:
    model = load_content_model()
    plain = model.score(QUESTION, HONEST, style=PLAIN, language="en")
    assert model.score(QUESTION, HONEST, style="drunk", language="en") == plain
    for dimension, ways in KNOWN.items():
        assert ways <= set(STYLES) & set(CATEGORIES[dimension])


@pytest.mark.parametrize("attack", ATTACKS)
def test_content_of_an_attack_is_far_below_that_of_an_honest_answer(attack: str) -> None:
    model = load_content_model()
    honest = model.score(QUESTION, HONEST, style="angry", language="en")
    found = model.score(QUESTION, attack, style="angry", language="en")
    assert honest.content > 0.4
    assert found.content < honest.content / 2


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("One more word and I will come round and hurt you.", "en"),
        ("再说一句，我就打断你的腿。", "zh"),
    ],
)
def test_a_threat_is_worth_less_than_half_of_an_honest_answer(text: str, language: Language) -> None:
    question = {"en": "My train is late again.", "zh": "我的火车又晚点了。"}[language]
    kind = {"en": "Ugh, again? The next one goes at ten past, shall I check it?", "zh": "又晚点？我帮你查查下一班。"}[
        language
    ]
    model = load_content_model()
    found, honest = (
        content_fit(question, one, model.score(question, one, style="angry", language=language)) for one in (text, kind)
    )
    assert found < honest / 2


@pytest.mark.parametrize(
    ("question", "fact", "answer"),
    [
        ("I can't find my ring.", "Rings are round.", "Check the soap dish."),
        ("Where's the fuse box?", "Fuses melt!", "Under the stairs!"),
        ("Could I have the bill, please?", "It depends how you look at it.", "Of course. Together or separate?"),
    ],
)
def test_what_suits_any_question_has_little_content_beside_a_short_answer(
    question: str, fact: str, answer: str
) -> None:
    model = load_content_model()
    assert model.score(question, fact, language="en").content < 0.25
    assert model.score(question, answer, language="en").content > 0.5


@pytest.mark.parametrize(
    ("text", "language"), [("Shut up, you useless idiot, nobody likes you.", "en"), ("你这个蠢货，活该倒霉。", "zh")]
)
def test_insults_are_heard_as_harm(text: str, language: Language) -> None:
    question = {"en": "My train is late again.", "zh": "我的火车又晚点了。"}[language]
    kind = {"en": "Ugh, again? The next one goes at ten past, shall I check it?", "zh": "又晚点？我帮你查查下一班。"}[
        language
    ]
    model = load_content_model()
    assert model.score(question, text, style="angry", language=language).harm > 0.5
    assert model.score(question, kind, style="angry", language=language).harm < 0.5


def test_the_card_names_the_revision_that_ships() -> None:
    card = Path(__file__).parents[4] / "src" / "aptone" / "rooms" / "answer" / "weights" / "README.md"
    assert load_content_model().revision in card.read_text(encoding="utf-8")
    assert json.dumps(dict(load_content_model().about))
