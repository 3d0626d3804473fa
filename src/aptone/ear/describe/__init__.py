"""Words for what is heard: from a Perception or from labels to a style, from a style to English or Mandarin, and back.

`Style` is the core, a record of attributes with closed values; `style_of` fills it from what an ear heard and
`style_from` from a corpus's labels. `describe` puts it into words, `flip` changes one attribute and keeps the rest
coherent, `lexicon` and `mentions` read descriptions, ours and other people's.
"""

from collections.abc import Collection

from aptone.ear.describe.attributes import (
    ATTRIBUTES,
    Attribute,
    Chooser,
    Intensity,
    Length,
    Music,
    Pitch,
    PitchVariation,
    Rate,
    Style,
    Texture,
    VocalEvent,
    Volume,
    attributes_of,
    excerpt,
    narrow,
    style_from,
    values_of,
)
from aptone.ear.describe.english_grammar import English
from aptone.ear.describe.flip import Flipped, contradictions, different_values, flip
from aptone.ear.describe.levels import Distance, emotion_phrase, intensity_step, style_of, texture_of
from aptone.ear.describe.lexicon import Entry, Mention, Sense, lexicon, mentions, style_in
from aptone.ear.describe.mandarin_grammar import Mandarin
from aptone.errors import UsageError
from aptone.types import Language

__all__ = [
    "ATTRIBUTES",
    "Attribute",
    "Distance",
    "Entry",
    "Flipped",
    "Intensity",
    "Length",
    "Mention",
    "Music",
    "Pitch",
    "PitchVariation",
    "Rate",
    "Sense",
    "Style",
    "Texture",
    "VocalEvent",
    "Volume",
    "attributes_of",
    "contradictions",
    "describe",
    "different_values",
    "emotion_phrase",
    "excerpt",
    "flip",
    "intensity_step",
    "lexicon",
    "mentions",
    "narrow",
    "style_from",
    "style_in",
    "style_of",
    "texture_of",
    "values_of",
]


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
