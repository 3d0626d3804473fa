"""Groups of items that share a story, a system or the reason why they have no score.

Groups by a value have the mean of a score, those by a reason a count: two hundred time-outs are one row.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from aptone.messages import Message, message
from aptone.report.notation import exponent_of, one_line
from aptone.stats import bootstrap
from aptone.types import Entry, Estimate, Json, Score, State

FEWEST_GROUPS = 2
"""One group says nothing that the overview does not say."""

MOST_GROUPS = 50
"""A key with more values than this tells items apart rather than groups."""

MOST_KEYS = 6
"""Keys that get a table each; the others are named."""

RESAMPLES = 1000
SEED = 0


@dataclass(frozen=True, slots=True)
class Group:
    """Items that share a value; `mean` is over those with a number (`Estimate.count`), with its interval."""

    name: str
    items: int
    mean: Estimate


@dataclass(frozen=True, slots=True)
class Grouping:
    """One way to group the items of a run.

    Args:
        key: property that the groups differ in, for instance ``story`` or ``system``.
        groups: the best mean first, or the highest where neither end is better; those without a number last.
        without: items that do not name the key.
        scale: lower and upper end of a drawing of the means; ``None`` when no group has a mean.
    """

    key: str
    groups: tuple[Group, ...]
    without: int
    scale: tuple[float, float] | None


def group_keys(entries: Sequence[Entry]) -> list[str]:
    """The keys in the items' ``ids`` that group them: 2 to 50 values, of which at least one is shared by two items."""
    counts: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    for entry in entries:
        for key, value in _ids(entry).items():
            counts[key][value] += 1
    return [
        key
        for key, values in counts.items()
        if FEWEST_GROUPS <= len(values) <= MOST_GROUPS and max(values.values()) > 1
    ]


def group_by(entries: Sequence[Entry], key: str, *, score: str) -> Grouping:
    """Mean of a score in each group of entries without repeats, with a bootstrap interval (95 %, a fixed seed)."""
    members: defaultdict[str, list[Score | None]] = defaultdict(list)
    without = 0
    for entry in entries:
        value = _ids(entry).get(key)
        if value is None:
            without += 1
        else:
            members[value].append(counted_score(entry, score))
    scores = [given for group in members.values() for given in group if given is not None and given.is_defined]
    sign = 1.0 if scores and scores[0].higher_is_better is False else -1.0
    groups = [Group(name, len(group), mean_score(group)) for name, group in members.items()]
    groups.sort(
        key=lambda group: (not group.mean.is_defined, sign * group.mean.value if group.mean.is_defined else 0.0)
    )
    return Grouping(key, tuple(groups), without, _scale(scores, groups))


def _ids(entry: Entry) -> dict[str, str]:
    ids: Json = entry.item.payload.get("ids")
    if not isinstance(ids, Mapping):
        return {}
    return {key: str(value) for key, value in ids.items() if isinstance(value, str | int) and value != ""}


def mean_score(scores: Sequence[Score | None]) -> Estimate:
    """Return the mean over scores with a number, with a bootstrap interval (95 %, a fixed seed)."""
    values = [score.value for score in scores if score is not None and score.is_defined]
    if not values:
        return Estimate(math.nan, reason=message("report.no-item-group-number"))
    exponent = exponent_of(values)
    scaled = [math.ldexp(value, -exponent) for value in values]
    estimate = bootstrap(np.mean, scaled, seed=SEED, resamples=RESAMPLES)

    def back(number: float) -> float:
        # A mean lies among its values; rounding could put that of the largest floats beyond them. NaN stays NaN.
        return math.ldexp(float(np.clip(number, min(scaled), max(scaled))), exponent)

    return replace(estimate, value=back(estimate.value), low=back(estimate.low), high=back(estimate.high))


def _scale(scores: Sequence[Score], groups: Sequence[Group]) -> tuple[float, float] | None:
    ranges = {score.range for score in scores}
    if len(ranges) == 1 and (one := ranges.pop()) is not None:
        return one
    seen = [number for group in groups for number in (group.mean.value, group.mean.low, group.mean.high)]
    numbers = [number for number in seen if not math.isnan(number)]
    return (min(numbers), max(numbers)) if numbers else None


def counted_scores(entry: Entry) -> Mapping[str, Score]:
    """The scores of an entry by name; none at all unless it is done, whatever the record holds besides."""
    return entry.outcome.scores if entry.outcome.state is State.DONE else {}


def counted_score(entry: Entry, name: str) -> Score | None:
    """The score of one name, if the entry is done and has it; it may still be undefined."""
    return counted_scores(entry).get(name)


Member = TypeVar("Member")

LONGEST_REASON = 140
"""Characters of a reason that are shown."""

_STATUS = r"(?i:\b(?:http|status|code|error|exit|signal)\b[\s:=#]{0,3}\d+)"  # HTTP 429 is not HTTP 500: it stays
_WORD = "[A-Za-z0-9_.~-]"  # ASCII only: in a Mandarin sentence, a number touches the words around it
_VARIABLE = (
    r"https?://\S+|"
    rf"(?:[A-Za-z]:)?(?:{_WORD}*[/\\])+{_WORD}+|"  # paths
    r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|“[^”]*”|「[^」]*」|`[^`]*`|"  # quotations of the reply
    r"(?<![A-Za-z0-9])(?=[0-9a-fA-F-]*\d)[0-9a-fA-F][0-9a-fA-F-]{7,}(?![A-Za-z0-9])|"  # hashes and request ids
    rf"{_WORD}*\d(?:{_WORD}*[A-Za-z0-9_])?"  # numbers, and names with numbers in them
)
_PART = re.compile(f"(?P<kept>{_STATUS})|(?P<variable>{_VARIABLE})")


def shorten_reason(reason: str) -> str:
    """The part of a reason that items share: numbers, paths, quotations, hashes and addresses become ``…``.

    Numbers that name a kind of failure (``HTTP 429``, ``exit 2``) stay. The result shortens to itself.

    >>> shorten_reason("timed out after 31.2 s (request 8f3a-77c01b2d)")
    'timed out after … s (request …)'
    >>> shorten_reason("HTTP 429 from https://example.org/v1 after 3 tries")
    'HTTP 429 from … after … tries'
    """
    return _reworded(reason, _shared, number="…")


def _shared(text: str) -> str:
    text = one_line(text, limit=8 * LONGEST_REASON)
    shared = _PART.sub(lambda match: match.group("kept") or "…", text)
    shared = re.sub(r"…(?:[\s,;]*…)+", "…", shared)
    return one_line(shared, limit=LONGEST_REASON)


def _reworded(reason: str, reword: Callable[[str], str], *, number: str = "") -> str:
    """A reason with its text changed; of a message, its values too, since it is put together again in a language.

    Args:
        number: placeholder for every number; empty where they stay.
    """
    if not isinstance(reason, Message):
        return reword(reason)
    values = {
        name: _reworded(value, reword, number=number) if isinstance(value, str) else number or value
        for name, value in reason.values.items()
    }
    return Message(reword(reason.text), id=reason.id, values=values)


def group_by_reason(members: Iterable[tuple[str, Member]]) -> dict[str, list[Member]]:
    """Members by their reason, the largest group first, equal sizes by name.

    Reasons with the same shared part are one group. Its name is the reason in full where all members give the very
    same one, and the shared part where they differ.

    Args:
        members: reason and member, in any order; the order within a group is kept.
    """
    groups: defaultdict[str, list[tuple[str, Member]]] = defaultdict(list)
    for reason, member in members:
        groups[shorten_reason(reason)].append((_reworded(reason, partial(one_line, limit=LONGEST_REASON)), member))
    named: defaultdict[str, list[Member]] = defaultdict(list)
    for shared, group in groups.items():
        full = {reason for reason, _ in group}
        # Extended, not set: two long reasons may share what is shown of them.
        named[full.pop() if len(full) == 1 else shared].extend(member for _, member in group)
    return dict(sorted(named.items(), key=lambda row: (-len(row[1]), row[0])))


def count_reasons(reasons: Iterable[str]) -> dict[str, int]:
    """Reasons and how many items each explains, the most frequent first.

    >>> count_reasons(["timed out after 30 s", "no score in the reply", "timed out after 31 s"])
    {'timed out after … s': 2, 'no score in the reply': 1}
    """
    return {reason: len(group) for reason, group in group_by_reason((reason, None) for reason in reasons).items()}


def most_frequent_first(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts in the order in which they are shown; needed again after a card comes back from a file."""
    return dict(sorted(counts.items(), key=lambda row: (-row[1], row[0])))


def without_path(why: str, path: str) -> str:
    """Return a reason without the path of the file before it, for a table that has the path in another column.

    >>> without_path("a.wav：文件是空的", "a.wav"), without_path("no speech found", "a.wav")
    ('文件是空的', 'no speech found')
    """
    return why.removeprefix(f"{path}: ").removeprefix(f"{path}：")
