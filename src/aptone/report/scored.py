"""Which scores count: those of entries that are done, and no others."""

from collections.abc import Mapping

from aptone.types import Entry, Score, State


def counted_scores(entry: Entry) -> Mapping[str, Score]:
    """The scores of an entry by name; none at all unless it is done, whatever the record holds besides."""
    return entry.outcome.scores if entry.outcome.state is State.DONE else {}


def counted_score(entry: Entry, name: str) -> Score | None:
    """The score of one name, if the entry is done and has it; it may still be undefined."""
    return counted_scores(entry).get(name)
