"""The shape in which `english_cues` and `mandarin_cues` list their phrases."""

from typing import NamedTuple

from aptone.types import Intonation, RecordingCondition, Rhythm

Value = Rhythm | Intonation | RecordingCondition


class CueList(NamedTuple):
    """Phrases that say the same about a line.

    Args:
        value: a rhythm, an intonation or a recording condition.
        phrases: as `aptone.lexicon.phrases` reads them.
        not_after: words right before a phrase (with at most one word between) that make it mean something else.
        not_before: words right after a phrase that make it mean something else.
    """

    value: Value
    phrases: str
    not_after: str = ""
    not_before: str = ""
