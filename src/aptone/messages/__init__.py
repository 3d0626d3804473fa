"""Every sentence that a person reads: an id with values, and one gettext catalogue for each language and part.

`message` makes a sentence where it arises; `translate` gives it in the language of its reader; `words` reads the labels
of pages and terminals. `README.md` in this folder says how to add a sentence or a language.
"""

from aptone.messages.catalogue import (
    LANGUAGE_VARIABLE,
    LANGUAGES,
    Language,
    MessageError,
    name_in,
    reader_language,
    words,
)
from aptone.messages.message import (
    Message,
    bracketed,
    collect,
    joined,
    known_name,
    labelled,
    message,
    messages_in,
    replaced,
    restore,
    sentence,
    split_messages,
    translate,
    with_messages,
)

__all__ = [
    "LANGUAGES",
    "LANGUAGE_VARIABLE",
    "Language",
    "Message",
    "MessageError",
    "bracketed",
    "collect",
    "joined",
    "known_name",
    "labelled",
    "message",
    "messages_in",
    "name_in",
    "reader_language",
    "replaced",
    "restore",
    "sentence",
    "split_messages",
    "translate",
    "with_messages",
    "words",
]
