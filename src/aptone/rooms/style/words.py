"""Counts of a build's steps in words."""

from collections.abc import Mapping

from aptone.messages import name_in
from aptone.types import Language


def counted(counts: Mapping[str, int], language: Language) -> str:
    """What a step of a build let through, in words.

    >>> counted({"recordings": 70, "too short": 2}, "en"), counted({"recordings": 70, "too short": 2}, "zh")
    ('recordings 70, too short 2', '录音 70，过短 2')
    """
    comma = {"en": ", ", "zh": "，"}[language]
    return comma.join(f"{name_in(language, name, 'style.counted')} {count}" for name, count in counts.items())
