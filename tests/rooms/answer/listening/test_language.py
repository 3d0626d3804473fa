"""In which language a transcript is, where that can be told."""

from aptone.rooms.answer.listening.listener import SMALL_WORDS, language_spoken
from tests.tables import for_each

SAID = {
    "en": "I am sorry that you have to wait, and I will look for it.",
    "de": "Das tut mir leid, ich verstehe, dass du dich ärgerst, und wir finden eine Lösung.",
    "fr": "Je suis désolé, je comprends que vous soyez en colère, et nous allons chercher le colis.",
    "es": "Lo siento mucho, entiendo que estés triste y estoy aquí para lo que necesites de mi.",
    "it": "Mi dispiace molto, capisco che non è facile e io sono qui per te, con il cuore.",
    "pt": "Sinto muito, eu entendo que você está triste e que isso não é fácil para você.",
    "nl": "Het spijt mij, ik begrijp dat je boos bent en wij zoeken het voor je op.",
    "pl": "Bardzo mi przykro, rozumiem, że to nie jest łatwe, i jestem z tobą, tak jak co dzień.",
    "zh": "别担心，我们明天就把包裹给您送到。",
    "ja": "申し訳ありません、すぐに確認します。",
    "ko": "죄송합니다, 바로 확인하겠습니다.",
    "ru": "Мне очень жаль, я сейчас посмотрю.",
    "ar": "أنا آسف جدا لذلك",
}


@for_each(("language", "text"), SAID.items())
def test_a_sentence_is_told_by_its_script_or_its_small_words(language: str, text: str) -> None:
    assert language_spoken(text) == language


@for_each("text", ["", "...", "Okay!", "42", "Hm, la la la.", "Berlin", "\u200b"])
def test_what_is_too_short_or_mixed_is_not_told(text: str) -> None:
    assert language_spoken(text) == ""


def test_a_foreign_name_in_an_english_answer_changes_nothing() -> None:
    assert language_spoken("You can find the shop of 田中 in the street that is behind the station.") == "en"


def test_the_small_words_of_two_languages_are_never_the_same() -> None:
    for name, words in SMALL_WORDS.items():
        others = [other for language, other in SMALL_WORDS.items() if language != name]
        assert all(len(words & other) <= len(words) // 2 for other in others), name
