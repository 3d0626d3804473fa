"""Text in a third language is never read as English."""

from aptone.planner.built_in import foreign_language
from tests.tables import for_each


@for_each(
    ("text", "name"),
    [
        ("Er zitterte vor Angst und sagte: „Geh weg!“", "German"),
        ("Elle avait peur. « Va-t'en ! » dit-elle.", "French"),
        ("Ella temblaba de miedo. «¡Vete de aquí!», dijo.", "Spanish"),
        ("Drżała ze strachu. „Odejdź!” powiedziała.", "Polish"),
        ("彼女は恐怖で震えていた。「行って！」", "Japanese"),
        ("그녀는 두려움에 떨었다.", "Korean"),
        ("Она дрожала от страха.", "a language in Cyrillic letters"),
    ],
)
def test_other_languages_are_named(text: str, name: str) -> None:
    assert foreign_language(text) == name


@for_each(
    "text",
    [
        "Get out!",
        "Yes.",
        "",
        "1984 — 42!",
        "“Mein Gott,” said Hans. “What are you doing here?”",
        "Zut alors! cried Pierre, and he ran down to the quay.",
        "他害怕地小声问：“有人吗？”",
        "“睡吧，Tom。” said 张三.",
    ],
)
def test_english_mandarin_and_what_is_too_short_to_say_pass(text: str) -> None:
    assert foreign_language(text) == ""
