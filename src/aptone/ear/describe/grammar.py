"""Descriptions of a style in words: `describe`."""

from collections.abc import Collection

from aptone.ear.describe.attributes import Attribute, Chooser, Length, Style, excerpt
from aptone.ear.describe.english_grammar import English
from aptone.ear.describe.mandarin_grammar import Mandarin
from aptone.errors import UsageError
from aptone.types import Language

GRAMMARS: dict[Language, type[English] | type[Mandarin]] = {"en": English, "zh": Mandarin}


def describe(
    style: Style,
    *,
    language: Language = "en",
    length: Length = "sentence",
    seed: int | None = None,
    keep: Collection[Attribute] = (),
) -> str:
    """A style in words. Equal arguments give equal words.

    A phrase has two to eight words, begins in lower case and has no full stop; a sentence is one; a caption has
    up to four, as many as there is something to say, and names every attribute once. What the two shorter ones leave
    out, `excerpt` tells.

    Args:
        style: what there is to say; what was not judged is not mentioned.
        seed: picks among phrasings, and among attributes where there is no room for all; ``None`` for the plainest.
        keep: attributes that must be named.

    Raises:
        UsageError: if the language, the length or an attribute is not known.

    >>> from aptone.ear.describe import Rate, Texture
    >>> from aptone.types import Emotion, Sex
    >>> style = Style(emotion=Emotion.SAD, sex=Sex.MALE, rate=Rate.SLOW, texture=Texture.ROUGH)
    >>> describe(style, length="phrase")
    'a slow, rough, sad male voice'
    >>> describe(style, language="zh", length="phrase")
    '语速缓慢、沙哑、悲伤的男声'
    >>> describe(style)
    'A man speaks slowly in a rough, sad voice.'
    """
    grammar = GRAMMARS.get(language)
    if grammar is None:
        raise UsageError(f"descriptions are written in {' or '.join(GRAMMARS)}, got {language!r}.")
    words = grammar(excerpt(style, length=length, seed=seed, keep=keep), Chooser(seed))
    if length == "phrase":
        return words.phrase()
    if length == "sentence":
        return words.sentence()
    if length == "caption":
        return words.caption()
    raise UsageError(f"a description is a phrase, a sentence or a caption, got {length!r}.")
