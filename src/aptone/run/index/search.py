"""Search in the texts of an index: words of any script, found anywhere within the text.

Texts are indexed by all their runs of three characters (the trigram tokenizer of SQLite's FTS5), which find a word of
three or more characters without looking at the texts of the others. Shorter words, as most of Mandarin are, and a
SQLite without that tokenizer, look through all texts.
"""

import sqlite3
from collections.abc import Sequence

from aptone.run.index.columns import Numbers, fetch_numbers

TABLE = "CREATE TABLE texts (number INTEGER PRIMARY KEY, text TEXT NOT NULL)"
TRIGRAMS = "CREATE VIRTUAL TABLE trigrams USING fts5(text, content='', tokenize='trigram case_sensitive 1')"
SHORTEST = 3
"""Characters of a word that trigrams find."""


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
    words = list(dict.fromkeys(text.casefold().split()))
    phrases = [word for word in words if trigrams and len(word) >= SHORTEST]
    others = [word for word in words if word not in phrases]
    held = " AND ".join("instr(t.text, ?) > 0" for _ in others)
    if not phrases:
        return fetch_numbers(connection, f"SELECT t.number FROM texts t WHERE {held}", others)
    quoted = " AND ".join('"' + word.replace('"', '""') + '"' for word in phrases)
    if not others:
        return fetch_numbers(connection, "SELECT rowid FROM trigrams WHERE trigrams MATCH ?", (quoted,))
    joined = "SELECT t.number FROM trigrams f CROSS JOIN texts t ON t.number = f.rowid WHERE trigrams MATCH ?"
    return fetch_numbers(connection, f"{joined} AND {held}", (quoted, *others))
