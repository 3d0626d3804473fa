"""Corrections of a text, token by token: what became of each token of the text that people were given.

Two people who correct the same text mostly write the same text: what they share was given to them. Agreement is about
what they did, so each token of the given text has a label: kept, or the words that took its place.
"""

import re
from collections.abc import Hashable, Mapping
from difflib import SequenceMatcher

from aptone.studio.agreement.items import ByItem

KEPT = "="
TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+(?:['’-][^\W\u3400-\u9fff]+)*|[^\w\s]", re.UNICODE)
"""A Chinese character, a word, or a mark."""
MOST_TOKENS = 20_000
"""Tokens of a text that are compared; the rest of a longer one is left out."""


def tokens(text: str) -> list[str]:
    """Split a text into words, Chinese characters and marks.

    >>> tokens("You came back, 回来了")
    ['You', 'came', 'back', ',', '回', '来', '了']
    """
    return TOKEN.findall(text)[:MOST_TOKENS]


def token_labels(given: str, edited: str) -> list[str]:
    """Label each token of the given text: ``=`` for kept, else what stands in its place, empty for nothing.

    Words that took the place of others stand with them one by one; what was put in stands with the token before it. A
    text without tokens has one label.

    >>> token_labels("It was cold", "It was very warm")
    ['=', '=', 'very warm']
    >>> token_labels("It was cold", "It cold.")
    ['=', '', '=.']
    """
    before, after = tokens(given), tokens(edited)
    labels = [KEPT] * max(1, len(before))
    if not before:
        return [" ".join(after) or KEPT]
    for kind, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        words = after[first:last]
        if kind == "insert":
            labels[max(0, start - 1)] += " ".join(words)
        elif kind != "equal":
            places = range(start, end)
            for place in places:
                labels[place] = words.pop(0) if words else ""
            labels[places[-1]] = " ".join(filter(None, [labels[places[-1]], *words]))
    return labels


def edit_units(edited: ByItem[str], given: Mapping[str, str]) -> tuple[list[list[Hashable]], list[str]]:
    """Labels of all people for each token of each item's given text, and the item of each token."""
    units: list[list[Hashable]] = []
    items: list[str] = []
    for item, by in edited.items():
        rows = [token_labels(given.get(item, ""), text) for text in by.values()]
        for labels in zip(*rows, strict=True):
            units.append(list(labels))
            items.append(item)
    return units, items
