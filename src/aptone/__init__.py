"""Aptone: is it said the way its context asks for?

Everything that a user needs is one import deep. Names are loaded when they are used, so that ``import aptone`` costs
next to nothing.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aptone.audio import read_audio
    from aptone.ear.hearing import hear
    from aptone.ear.reference import References, reference
    from aptone.errors import (
        AptoneError,
        AudioError,
        MissingExtraError,
        RecordError,
        RegistryError,
        RunError,
        TransientError,
        UnusableReplyError,
        UsageError,
    )
    from aptone.rooms.answer.api import answer
    from aptone.rooms.aptness.api import plan, score
    from aptone.rooms.aptness.delivery.api import plan_book
    from aptone.rooms.aptness.takes.rank import rank
    from aptone.rooms.caption.api import caption
    from aptone.rooms.dialogue.api import dialogue
    from aptone.rooms.style.api import search, style
    from aptone.run import load_run, run_items
    from aptone.run.compare import compare
    from aptone.types import (
        Annotation,
        Audio,
        AudioRef,
        Estimate,
        Item,
        Line,
        Outcome,
        Perception,
        Plan,
        RatingTask,
        Sample,
        Score,
        TrustCard,
        from_json,
        to_json,
    )

__all__ = [
    "Annotation",
    "AptoneError",
    "Audio",
    "AudioError",
    "AudioRef",
    "Estimate",
    "Item",
    "Line",
    "MissingExtraError",
    "Outcome",
    "Perception",
    "Plan",
    "RatingTask",
    "RecordError",
    "References",
    "RegistryError",
    "RunError",
    "Sample",
    "Score",
    "TransientError",
    "TrustCard",
    "UnusableReplyError",
    "UsageError",
    "answer",
    "caption",
    "compare",
    "dialogue",
    "from_json",
    "hear",
    "load_run",
    "plan",
    "plan_book",
    "rank",
    "read_audio",
    "reference",
    "run_items",
    "score",
    "search",
    "style",
    "to_json",
]

_ELSEWHERE = {
    "answer": ("aptone.rooms.answer.api", "answer"),
    "caption": ("aptone.rooms.caption.api", "caption"),
    "compare": ("aptone.run.compare", "compare"),
    "dialogue": ("aptone.rooms.dialogue.api", "dialogue"),
    "hear": ("aptone.ear.hearing", "hear"),
    "load_run": ("aptone.run", "load_run"),
    "plan": ("aptone.rooms.aptness.api", "plan"),
    "plan_book": ("aptone.rooms.aptness.delivery.api", "plan_book"),
    "rank": ("aptone.rooms.aptness.takes.rank", "rank"),
    "read_audio": ("aptone.audio", "read_audio"),
    "reference": ("aptone.ear.reference", "reference"),
    "References": ("aptone.ear.reference", "References"),
    "run_items": ("aptone.run", "run_items"),
    "score": ("aptone.rooms.aptness.api", "score"),
    "search": ("aptone.rooms.style.api", "search"),
    "style": ("aptone.rooms.style.api", "style"),
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("aptone")
    if name not in __all__:
        raise AttributeError(f"module 'aptone' has no attribute {name!r}")
    default = "aptone.errors" if name.endswith("Error") else "aptone.types"
    module, attribute = _ELSEWHERE.get(name, (default, name))
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
