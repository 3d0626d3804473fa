"""Words for what is heard: from a Perception or from labels to a style, from a style to English or Mandarin, and back.

`Style` is the core, a record of attributes with closed values; `style_of` fills it from what an ear heard and
`style_from` from a corpus's labels. `describe` puts it into words, `flip` changes one attribute and keeps the rest
coherent, `lexicon` and `mentions` read descriptions, ours and other people's.
"""

from aptone.ear.describe.attributes import (
    ATTRIBUTES,
    Attribute,
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
from aptone.ear.describe.flip import Flipped, contradictions, different_values, flip
from aptone.ear.describe.grammar import describe
from aptone.ear.describe.levels import Distance, emotion_phrase, intensity_step, style_of, texture_of
from aptone.ear.describe.lexicon import Entry, Mention, Sense, lexicon, mentions, style_in

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
