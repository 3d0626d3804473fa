"""Groups of items that share a story, a system or the reason why they have no score.

Groups by a value have the mean of a score, those by a reason a count: two hundred time-outs are one row.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Generic, TypeVar

import numpy as np

from aptone.messages import Message, message
from aptone.report.notation import exponent_of, one_line
from aptone.stats import bootstrap
from aptone.types import Entry, Estimate, Json, Score, State

MOST_GROUPS = 50
"""A key with more values than this tells items apart rather than groups."""

MOST_KEYS = 6
"""Keys that get a table each; the others are named."""

RESAMPLES = 1000
MANY_VALUES, RESAMPLES_OF_MANY = 20_000, 200
"""Numbers above which the bootstrap draws less often: it takes long, and the interval is narrow."""
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


def group_by(entries: Iterable[Entry], key: str, *, score: str) -> Grouping:
    """Mean of a score in each group of entries without repeats, with a bootstrap interval (95 %, a fixed seed)."""
    counts: Counter[str] = Counter()
    members: defaultdict[str, list[float]] = defaultdict(list)
    scores: list[Score] = []
    without = 0
    for entry in entries:
        value = grouped_by(entry).get(key)
        if value is None:
            without += 1
            continue
        counts[value] += 1
        given = counted_score(entry, score)
        if given is not None and given.is_defined:
            scores.append(given)
            members[value].append(given.value)
    is_lower_better = bool(scores) and scores[0].higher_is_better is False
    groups = {name: (count, members[name]) for name, count in counts.items()}
    ranges = {given.range for given in scores}
    return make_grouping(key, groups, without=without, ranges=ranges, is_lower_better=is_lower_better)


def make_grouping(
    key: str,
    members: Mapping[str, tuple[int, Sequence[float]]],
    *,
    without: int,
    ranges: Set[tuple[float, float] | None],
    is_lower_better: bool,
) -> Grouping:
    """Return groups with their means.

    Args:
        members: number of items and their scores as far as they are numbers, by the name of the group.
        ranges: scales of the scores.
    """
    sign = 1.0 if is_lower_better else -1.0
    groups = [Group(name, items, mean_of(values)) for name, (items, values) in members.items()]
    groups.sort(
        key=lambda group: (not group.mean.is_defined, sign * group.mean.value if group.mean.is_defined else 0.0)
    )
    return Grouping(key, tuple(groups), without, _scale(ranges, groups))


def grouped_by(entry: Entry) -> dict[str, str]:
    """The ``ids`` of an item by which it can be grouped."""
    ids: Json = entry.item.payload.get("ids")
    if not isinstance(ids, Mapping):
        return {}
    return {key: str(value) for key, value in ids.items() if isinstance(value, str | int) and value != ""}


def mean_of(values: Sequence[float]) -> Estimate:
    """Return the mean of some numbers, with a bootstrap interval (95 %, a fixed seed; fewer resamples of very many)."""
    if not len(values):
        return Estimate(math.nan, reason=message("report.no-item-group-number"))
    exponent = exponent_of(values)
    scaled = np.ldexp(np.asarray(values, dtype=np.float64), -exponent)
    resamples = RESAMPLES if len(values) <= MANY_VALUES else RESAMPLES_OF_MANY
    estimate = bootstrap(np.mean, scaled, seed=SEED, resamples=resamples)
    least, most = float(scaled.min()), float(scaled.max())

    def back(number: float) -> float:
        # A mean lies among its values; rounding could put that of the largest floats beyond them. NaN stays NaN.
        return math.ldexp(float(np.clip(number, least, most)), exponent)

    return replace(estimate, value=back(estimate.value), low=back(estimate.low), high=back(estimate.high))


def _scale(ranges: Set[tuple[float, float] | None], groups: Sequence[Group]) -> tuple[float, float] | None:
    if len(ranges) == 1 and (one := next(iter(ranges))) is not None:
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

MOST_PER_REASON = 50
"""Items without a score that are listed under one reason."""

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


@dataclass(slots=True)
class ReasonGroup(Generic[Member]):
    """Members with one reason: their number, and the first of them."""

    reason: str
    shared: str
    count: int = 0
    members: list[Member] = field(default_factory=list)


class ReasonGroups(Generic[Member]):
    """Groups of members by their reason, counted as they come.

    Reasons with the same shared part are one group. Its name is the reason in full where all members give the very
    same one, and the shared part where they differ.

    Args:
        most: the most members of a group that are held; ``None`` for all.
    """

    def __init__(self, *, most: int | None = MOST_PER_REASON) -> None:
        self._most = most
        self._groups: dict[str, ReasonGroup[Member]] = {}

    def add(self, reason: str, member: Member) -> None:
        """Add a member to the group of its reason."""
        shared, full = shorten_reason(reason), _reworded(reason, partial(one_line, limit=LONGEST_REASON))
        group = self._groups.setdefault(shared, ReasonGroup(full, shared))
        if full != group.reason:
            group.reason = group.shared
        group.count += 1
        if self._most is None or len(group.members) < self._most:
            group.members.append(member)

    def groups(self) -> list[ReasonGroup[Member]]:
        """Return the groups, the largest first, equal sizes by name."""
        named: dict[str, ReasonGroup[Member]] = {}
        for group in self._groups.values():  # joined: two long reasons may share what is shown of them
            whole = named.setdefault(group.reason, ReasonGroup(group.reason, group.shared))
            whole.count += group.count
            whole.members = [*whole.members, *group.members][: self._most]
        return sorted(named.values(), key=lambda group: (-group.count, group.reason))


def group_by_reason(members: Iterable[tuple[str, Member]]) -> dict[str, list[Member]]:
    """Members by their reason as `ReasonGroups` names them; the order within a group is kept."""
    groups: ReasonGroups[Member] = ReasonGroups(most=None)
    for reason, member in members:
        groups.add(reason, member)
    return {group.reason: group.members for group in groups.groups()}


def count_reasons(reasons: Iterable[str]) -> dict[str, int]:
    """Reasons and how many items each explains, the most frequent first.

    >>> count_reasons(["timed out after 30 s", "no score in the reply", "timed out after 31 s"])
    {'timed out after … s': 2, 'no score in the reply': 1}
    """
    groups: ReasonGroups[None] = ReasonGroups(most=0)
    for reason in reasons:
        groups.add(reason, None)
    return {group.reason: group.count for group in groups.groups()}


def most_frequent_first(counts: Mapping[str, int]) -> dict[str, int]:
    """Counts in the order in which they are shown; needed again after a card comes back from a file."""
    return dict(sorted(counts.items(), key=lambda row: (-row[1], row[0])))


def without_path(why: str, path: str) -> str:
    """Return a reason without the path of the file before it, for a table that has the path in another column.

    >>> without_path("a.wav：文件是空的", "a.wav"), without_path("no speech found", "a.wav")
    ('文件是空的', 'no speech found')
    """
    return why.removeprefix(f"{path}: ").removeprefix(f"{path}：")
