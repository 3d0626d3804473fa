"""Search in the texts of an index: words of any script, found anywhere within the text.

Texts are indexed by all their runs of three characters (the trigram tokenizer of SQLite's FTS5), which find a word of
three or more characters without looking at the texts of the others. Shorter words, as most of Mandarin are, and a
SQLite without that tokenizer, look through all texts.
"""

import sqlite3
from collections.abc import Sequence

from aptone.run.index.columns import Numbers, fetch_numbers

TABLE = "CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT NOT NULL)"
TRIGRAMS = (
    "CREATE VIRTUAL TABLE trigrams USING fts5(text, content='', detail=none, tokenize='trigram case_sensitive 1')"
)
LENGTH = 3
MOST_PARTS = 24
"""Trigrams that are looked up; texts with all of these are few, and are looked through."""


def make_search(connection: sqlite3.Connection) -> bool:
    """Make the tables, and return whether trigrams can be indexed."""
    connection.execute(TABLE)
    try:
        connection.execute(TRIGRAMS)
    except sqlite3.OperationalError:  # no FTS5, or one that is older than the tokenizer
        return False
    return True


def add_texts(connection: sqlite3.Connection, texts: Sequence[tuple[int, str]], *, trigrams: bool) -> None:
    """Keep the texts of new entries, by their numbers."""
    connection.executemany("INSERT INTO texts VALUES (?, ?)", texts)
    if trigrams:
        connection.executemany("INSERT INTO trigrams (rowid, text) VALUES (?, ?)", texts)


def remove_text(connection: sqlite3.Connection, number: int, *, trigrams: bool) -> None:
    """Forget the text of an entry."""
    if trigrams:
        connection.execute(
            "INSERT INTO trigrams (trigrams, rowid, text) SELECT 'delete', number, text FROM texts WHERE number = ?",
            (number,),
        )
    connection.execute("DELETE FROM texts WHERE number = ?", (number,))


def remove_texts(connection: sqlite3.Connection, *, trigrams: bool) -> None:
    """Forget all texts."""
    if trigrams:
        connection.execute("INSERT INTO trigrams (trigrams) VALUES ('delete-all')")
    connection.execute("DELETE FROM texts")


def find_texts(connection: sqlite3.Connection, text: str, *, trigrams: bool) -> Numbers:
    """Numbers of the entries whose texts hold all words of a text."""
    words = text.casefold().split()
    held = " AND ".join("instr(t.text, ?) > 0" for _ in words)
    parts = list(dict.fromkeys(part for word in words for part in _parts(word)))[:MOST_PARTS] if trigrams else []
    if not parts:
        return fetch_numbers(connection, f"SELECT t.number FROM texts t WHERE {held}", words)
    quoted = " AND ".join('"' + part.replace('"', '""') + '"' for part in parts)
    found = "trigrams f CROSS JOIN texts t ON t.number = f.rowid"
    return fetch_numbers(
        connection, f"SELECT t.number FROM {found} WHERE trigrams MATCH ? AND {held}", (quoted, *words)
    )


def _parts(word: str) -> list[str]:
    return [word[at : at + LENGTH] for at in range(len(word) - LENGTH + 1)]
