"""Usage of models: calls and tokens, as servers report them or as they are estimated."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Self

from aptone.run.entries import entries_naming
from aptone.types import Entry, Json

EVIDENCE = "usage"
"""Key of an item's usage in the evidence of its outcome."""


@dataclass(slots=True)
class Usage:
    """Calls that were sent, and their tokens.

    Args:
        audio_tokens: input tokens that are sound.
        estimated_calls: calls whose tokens are estimated, since the server did not report them.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    audio_tokens: int = 0
    estimated_calls: int = 0

    def count(self, details: Mapping[str, Json]) -> None:
        """Add a reply by its details; one without token counts, such as a transcript, is not counted."""
        if "input_tokens" not in details:
            return
        self.calls += 1
        for name in ("input_tokens", "output_tokens", "audio_tokens"):
            value = details.get(name)
            setattr(self, name, getattr(self, name) + (value if isinstance(value, int) else 0))
        self.estimated_calls += bool(details.get("estimated"))

    def __add__(self, other: Self) -> "Usage":
        """Return the sum of both."""
        return Usage(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(self)))

    def json(self) -> dict[str, Json]:
        """Return it as JSON."""
        return asdict(self)

    @classmethod
    def of(cls, entry: Entry | None) -> "Usage":
        """Return the usage that the journal has for an item."""
        kept = entry.outcome.evidence.get(EVIDENCE) if entry is not None else None
        if not isinstance(kept, Mapping):
            return cls()
        found = {one.name: kept.get(one.name) for one in fields(cls)}
        return cls(**{name: value for name, value in found.items() if isinstance(value, int)})


def total_usage(entries: Iterable[Entry]) -> Usage:
    """Return the usage of all items together."""
    total = Usage()
    for entry in entries_naming(entries, EVIDENCE):
        total = total + Usage.of(entry)
    return total
