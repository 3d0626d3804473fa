"""The shape of a word list: the ways to say one value, the plainest first."""

from typing import NamedTuple


class Words(NamedTuple):
    """The ways to say one value of an attribute, by their place in a sentence; the first of each is the plainest.

    Args:
        adjectives: before the noun or after "is": "slow", 缓慢.
        adverbs: after the verb: "slowly", "over the phone". English only.
        nouns: after "with" or "has": "a slow pace", 笑声.
        clauses: what needs no more than a subject, or nothing: "pace is slow", 语速缓慢.
    """

    adjectives: tuple[str, ...] = ()
    adverbs: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
