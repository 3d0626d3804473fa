"""Free words of a plan and of a line brought to a common form: emotions, recording conditions, stage directions."""

import re
import unicodedata

from aptone.errors import RecordError
from aptone.types import ClosedSet, Emotion, Language, RecordingCondition

STAGE_DIRECTION = re.compile(r"[(（\[［【*＊]([^()（）\[\]［］【】*＊]{1,80})[)）\]］】*＊]")


def stage_directions(text: str) -> tuple[str, ...]:
    """Return the stage directions in a line, without their brackets.

    >>> stage_directions("(whispering) Come here. [sighs]")
    ('whispering', 'sighs')
    """
    return tuple(match[1] for match in STAGE_DIRECTION.finditer(text))


LONGEST_FIELD = 200
"""Most characters of an emotion or a recording condition."""

PASSES = 8
"""Most passes over a text; ordinary ones need two."""

_LIST = re.compile(r"\s*(?:[,;/、&+|]|(?<=\s)and(?=\s))\s*")
_MANDARIN_AND = re.compile(r"(.+)[和与且](.+)")
_MANDARIN_TAIL = re.compile(r"(?<=[\u4e00-\u9fff]{2})(?:的|地|感|情绪)$")
_NOTHING = frozenset({"", "none", "no", "no effect", "no effects", "n/a", "null", "无", "没有", "无特殊效果", "普通"})


def normalise_emotion(text: str, *, language: Language) -> str:
    """Normalise an emotion; empty if it says nothing.

    >>> normalise_emotion(" ANGRY. ", language="en"), normalise_emotion("生气", language="en")
    ('angry', 'angry')
    >>> normalise_emotion("Joy  and relief", language="en")
    'happy, relief'
    """
    return _normalise(text, Emotion, language)


def normalise_condition(text: str, *, language: Language) -> str:
    """Normalise a recording condition; one that says nothing is the normal one.

    >>> normalise_condition("Over the phone", language="en"), normalise_condition("", language="zh")
    ('phone', '正常说话')
    """
    plain = "" if _bare(_folded(text)) in _NOTHING else _normalise(text, RecordingCondition, language)
    return RecordingCondition.NORMAL.label(language) if plain in _NOTHING else plain


def _normalise(text: str, known: type[ClosedSet], language: Language) -> str:
    """Repeat passes until the text no longer changes: splitting a list may reveal what can be split further."""
    for _ in range(PASSES):
        again = _normalise_once(text, known, language)
        if again == text:
            break
        text = again
    return text


def _normalise_once(text: str, known: type[ClosedSet], language: Language) -> str:
    whole = _folded(text)
    parts = [whole] if _member(whole, known) else _parts(whole, known)
    names = [member.label(language) if (member := _member(part, known)) else _bare(part) for part in parts]
    return ("、" if language == "zh" else ", ").join(dict.fromkeys(names))


def _parts(text: str, known: type[ClosedSet]) -> list[str]:
    parts: list[str] = []
    for part in filter(_bare, _LIST.split(text)):
        pair = _MANDARIN_AND.fullmatch(part)
        # 和 is an "and" between two names that are known; elsewhere it may be part of a word, such as 温和.
        is_pair = pair is not None and all(_member(side, known) for side in pair.groups())
        parts += pair.groups() if pair is not None and is_pair else [part]
    return parts


def _member(text: str, known: type[ClosedSet]) -> ClosedSet | None:
    for spelling in (text, _bare(text)):
        try:
            return known.parse(spelling)
        except RecordError:
            continue
    return None


def _folded(text: str) -> str:
    seen = "".join(" " if unicodedata.category(character)[0] in "CZ" else character for character in text)
    return " ".join(unicodedata.normalize("NFKC", seen).casefold().split())


def _bare(text: str) -> str:
    """Remove punctuation: at the ends none, between words a space, within a word unchanged."""
    words = (re.sub(r"^[\W_]+|[\W_]+$", "", word) for word in re.sub(r"\s*-\s*", "-", text).split())
    return _MANDARIN_TAIL.sub("", " ".join(filter(None, words)))
