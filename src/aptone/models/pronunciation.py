"""Pronunciations of English words that no dictionary has: names, inventions, compounds.

A word is a known one with an ending, two known ones in one, or else its letters by rules: the longest group of letters
that a rule knows, as in Elovitz et al. (1976), "Letter-to-sound rules for automatic translation of English text to
phonetics", with far fewer of them. That is good enough to find a word in a recording, not to say it.
"""

from collections.abc import Callable, Iterator

Lookup = Callable[[str], str | None]
"""Function that returns the phones of a known word, separated by spaces, or ``None``."""

SHORTEST_PART = 3
"""Letters of each part of a compound."""

VOICELESS = frozenset(["P", "T", "K", "F", "TH"])
SIBILANTS = frozenset(["S", "Z", "SH", "ZH", "CH", "JH"])

_ENDINGS = {
    "ing": "IH NG", "ings": "IH NG Z", "ly": "L IY", "er": "ER", "ers": "ER Z", "est": "IH S T", "ness": "N AH S",
    "less": "L AH S", "ful": "F AH L", "able": "AH B AH L", "ish": "IH SH", "like": "L AY K", "ship": "SH IH P",
    "ships": "SH IH P S", "man": "M AH N", "men": "M EH N",
}  # fmt: skip

_BEGINNINGS = {"kn": "N", "gn": "N", "wr": "R", "ps": "S", "pn": "N", "x": "Z", "wh": "W", "mc": "M AH K", "y": "Y"}
_ENDS = {
    "tion": "SH AH N", "sion": "ZH AH N", "cious": "SH AH S", "tious": "SH AH S", "ous": "AH S", "ture": "CH ER",
    "age": "IH JH", "ique": "IY K", "ies": "IY Z", "ied": "IY D", "le": "AH L", "re": "ER", "es": "IH Z", "y": "IY",
    "mb": "M", "gue": "G", "que": "K", "a": "AH", "o": "OW", "i": "IY", "u": "UW", "e": "",
}  # fmt: skip
_GROUPS = {
    "ough": "AO", "augh": "AO", "eigh": "EY", "tion": "SH AH N", "sion": "ZH AH N", "igh": "AY", "tch": "CH",
    "sch": "SH", "dge": "JH", "eau": "OW", "ear": "IH R", "eer": "IH R", "air": "EH R", "are": "EH R", "oor": "AO R",
    "our": "AW R", "ire": "AY ER", "ure": "Y UH R", "ore": "AO R", "qu": "K W", "ch": "CH", "sh": "SH", "th": "TH",
    "ph": "F", "wh": "W", "gh": "G", "ck": "K", "ng": "NG", "nk": "NG K", "cc": "K", "sc": "S K", "ee": "IY",
    "ea": "IY", "oo": "UW", "ou": "AW", "ow": "OW", "oi": "OY", "oy": "OY", "oa": "OW", "oe": "OW", "ai": "EY",
    "ay": "EY", "au": "AO", "aw": "AO", "ei": "EY", "ey": "IY", "eu": "UW", "ew": "UW", "ie": "IY", "ue": "UW",
    "ui": "UW", "ae": "IY", "er": "ER", "ir": "ER", "ur": "ER", "ar": "AA R", "or": "AO R", "al": "AE L", "zh": "ZH",
    "a": "AE", "b": "B", "c": "K", "d": "D", "e": "EH", "f": "F", "g": "G", "h": "HH", "i": "IH", "j": "JH", "k": "K",
    "l": "L", "m": "M", "n": "N", "o": "AA", "p": "P", "q": "K", "r": "R", "s": "S", "t": "T", "u": "AH", "v": "V",
    "w": "W", "x": "K S", "y": "IH", "z": "Z",
}  # fmt: skip
_LONG = {"a": "EY", "e": "IY", "i": "AY", "o": "OW", "u": "UW", "y": "AY"}
_SOFT = {"c": "S", "g": "JH"}
_VOWELS = "aeiouy"


def pronounce(word: str, lookup: Lookup) -> str:
    """Return the phones of a word in ARPAbet, without stress, separated by spaces.

    >>> known = {"star": "S T AA R", "ship": "SH IH P", "wug": "W AH G"}.get
    >>> pronounce("starship", known), pronounce("wugs", known), pronounce("glorp", known)
    ('S T AA R SH IH P', 'W AH G Z', 'G L AO R P')
    """
    return lookup(word) or _inflected(word, lookup) or _compound(word, lookup) or spell(word)


def _inflected(word: str, lookup: Lookup) -> str | None:
    """The phones of a known word with an ending."""
    if word.endswith("s") and (stem := lookup(word[:-1]) or (lookup(word[:-2]) if word.endswith("es") else None)):
        last = stem.rsplit(" ", 1)[-1]
        return f"{stem} {'IH Z' if last in SIBILANTS else 'S' if last in VOICELESS else 'Z'}"
    if word.endswith("ed") and (stem := lookup(word[:-2]) or lookup(word[:-1])):
        last = stem.rsplit(" ", 1)[-1]
        return f"{stem} {'IH D' if last in ('T', 'D') else 'T' if last in VOICELESS | {'S', 'SH', 'CH'} else 'D'}"
    for ending, phones in _ENDINGS.items():
        stem_letters = word.removesuffix(ending)
        if len(stem_letters) < len(word) and (stem := lookup(stem_letters) or lookup(stem_letters + "e")):
            return f"{stem} {phones}"
    return None


def _compound(word: str, lookup: Lookup) -> str | None:
    """The phones of two known words in one; the longest first word wins."""
    for cut in range(len(word) - SHORTEST_PART, SHORTEST_PART - 1, -1):
        if (first := lookup(word[:cut])) and (second := lookup(word[cut:])):
            return f"{first} {second}"
    return None


def spell(word: str) -> str:
    """Return the phones of a word by its letters alone; those of a murmur where it has no Latin letter.

    >>> spell("spathiwa"), spell("knave")
    ('S P AE TH IH W AH', 'N EY V')
    """
    letters = "".join(letter for letter in word.casefold() if "a" <= letter <= "z")
    return " ".join(filter(None, _phones(letters))) or "AH"


def _phones(letters: str) -> Iterator[str]:
    place = 0
    for size in (2, 1):
        if len(letters) > size and letters[:size] in _BEGINNINGS:
            yield _BEGINNINGS[letters[:size]]
            place = size
            break
    while place < len(letters):
        rest = letters[place:]
        if place and rest in _ENDS:
            yield _ENDS[rest]
            return
        if place and rest[0] == letters[place - 1] and rest[0] not in _VOWELS:
            place += 1  # a double consonant is one sound
            continue
        if len(rest) == 3 and rest[0] in _LONG and rest[1] not in _VOWELS + "rx" and rest[2] == "e":
            yield _LONG[rest[0]]  # the silent e at the end makes it long
            place += 1
            continue
        if rest[0] in _SOFT and rest[1:2] and rest[1] in "eiy":
            yield _SOFT[rest[0]]
            place += 1
            continue
        size = next(size for size in (4, 3, 2, 1) if rest[:size] in _GROUPS)
        yield _GROUPS[rest[:size]]
        place += size
