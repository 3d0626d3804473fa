"""Words are found anywhere within texts, of any script and length, with trigrams and without."""

import sqlite3
from collections.abc import Iterator

import pytest

from aptone.run.index.search import add_texts, find_texts, make_search, remove_text, remove_texts
from tests.tables import for_each

TEXTS = {
    1: "the lighthouse keeper said nothing.",
    2: "“风停了。”他说。",
    3: 'a "quoted" word, 100 % of it',
    4: "lamp camp damp: lam amp, but apart",
    5: "风又停了，灯也灭了",
}


@pytest.fixture(params=[True, False], ids=["trigrams", "no trigrams"])
def held(request: pytest.FixtureRequest) -> Iterator[tuple[sqlite3.Connection, bool]]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    can = make_search(connection)
    trigrams = bool(request.param)
    if trigrams and not can:
        pytest.skip("this SQLite has no trigram tokenizer")
    add_texts(connection, list(TEXTS.items()), trigrams=trigrams)
    yield connection, trigrams
    connection.close()


@for_each(
    "text",
    [
        "house",
        "HOUSE",
        "e",
        "风停了",
        "风停",
        "停",
        "停了 灯",
        "said keep",
        '"quoted"',
        "100 %",
        "%",
        "lamp",
        "lam amp",
        "AND OR NOT",
        "* ^ ( : -",
        "nothing at all",
        "keeper " * 28,
        "lighthouse keeper said nothing at all, whatever anybody asked him " * 3,
    ],
)
def test_texts_with_all_words_are_found(held: tuple[sqlite3.Connection, bool], text: str) -> None:
    connection, trigrams = held
    expected = [number for number, one in TEXTS.items() if all(word in one for word in text.casefold().split())]
    assert find_texts(connection, text, trigrams=trigrams).tolist() == expected


def test_texts_that_are_removed_are_not_found(held: tuple[sqlite3.Connection, bool]) -> None:
    connection, trigrams = held
    remove_text(connection, 1, trigrams=trigrams)
    add_texts(connection, [(1, "another lamp")], trigrams=trigrams)
    assert find_texts(connection, "lighthouse", trigrams=trigrams).tolist() == []
    assert find_texts(connection, "lamp", trigrams=trigrams).tolist() == [1, 4]
    remove_texts(connection, trigrams=trigrams)
    assert find_texts(connection, "lamp", trigrams=trigrams).tolist() == []
