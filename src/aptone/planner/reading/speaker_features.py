"""Candidates for the speaker of a unit, and what speaks for each: the input of the scorer.

Features are those of research on attribution: who does something beside the speech, what its tag says, who was
mentioned and spoke last, who is called by name. All are 0 or 1, but for a few logarithms.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from aptone.planner.reading.mandarin_people import follows_object_mark
from aptone.planner.reading.mandarin_tags import is_mandarin
from aptone.planner.reading.mentions import NARRATOR, People
from aptone.planner.reading.speech_units import Events, Told, Unit
from aptone.types import Language

NOBODY = ""
"""Candidate for a speaker who is not among the others."""

MOST = 11
"""Most candidates of a unit, with nobody among them."""

BACK, AHEAD = 100, 6
"""Events before and behind a unit in which candidates are mentioned."""

NOUN_BACK = 20
"""Events before a unit in which candidates who are only described are mentioned."""

CALLED_BACK = 6
"""Events between a unit and a speech that calls a candidate by name."""

_SLOTS = (
    ("before", "opens"), ("before", "in"), ("before", "out"), ("before2", "in"), ("before2", "out"),
    ("after", "tag"), ("after", "next"), ("after", "in"), ("after", "out"),
    ("after2", "in"), ("after2", "out"),
)  # fmt: skip
_PARTS = (
    "subject", "last subject", "first", "only", "last", "other", "object", "owner", "absent, one acts",
    "absent, one is mentioned", "absent, nobody", "pronoun fits", "pronoun fits nearest", "pronoun may fit",
    "pronoun does not fit",
)  # fmt: skip
_TAGS = ("he", "she", "they", "somebody", "")
_FITS = ("fits", "may fit", "does not fit")
_LAST = ("1", "2", "4", "8", "16", "more", "never")
_SORTS = ("name", "noun", "narrator", "group", "nobody")
_BETWEEN = ("last subject", "first subject", "mentioned", "absent, one acts", "absent, nobody acts")
"""Places of a candidate in all narration since the speech before."""


def _names() -> Iterator[str]:
    yield from (f"{slot} {where}: {part}" for (slot, where), part in product(_SLOTS, _PARTS))
    yield from (f"tag {tag}: {fit}" for tag, fit in product(_TAGS, _FITS))
    yield from (f"tag {tag}: {what}" for tag, what in product(_TAGS, ("nearest subject", "nearest")))
    yield from (f"tag {tag}: {sort}" for tag, sort in product(_TAGS, _SORTS))
    yield from (
        f"{what} {far}" for what, far in product(("mentioned", "subject", "spoke", "said later", "later"), _LAST)
    )
    yield from (f"{what} rank {rank}" for what, rank in product(("mentioned", "spoke"), ("0", "1", "2")))
    yield from (
        f"{who} {how}" for who, how in product(("own", "previous", "next", "previous 2", "next 2"), ("calls", "names"))
    )
    yield from ("log mentions", "log tags", "log near mentions", "candidates", "no beat", "no beat: narrator")
    yield from (f"between: {part}" for part in _BETWEEN)
    yield from (f"short story: {sort}" for sort in _SORTS)
    yield from ("short story: acted first", "short story: never spoke", "calls anybody")
    yield from ("nobody: no beat", "nobody: few", "nobody: none spoke", "nobody: beat acts", "nobody: beat pronoun")


FEATURES: tuple[str, ...] = tuple(_names())
_INDEX = {name: number for number, name in enumerate(FEATURES)}


@dataclass(slots=True)
class Candidates:
    """Candidates of each unit, and their features.

    Args:
        names: roles by unit; the first is nobody.
        features: units × candidates × features.
    """

    names: list[list[str]] = field(default_factory=list)
    features: list[NDArray[np.float32]] = field(default_factory=list)


def fits_pronoun(features: NDArray[np.float32], tag: str) -> list[bool]:
    """Return of each candidate of a unit whether the pronoun of its tag may mean it; nobody never."""
    if tag not in ("he", "she", "they"):
        return [False] * len(features)
    fits = [_INDEX[f"tag {tag}: {fit}"] for fit in ("fits", "may fit")]
    return [bool(row[fits].any()) for row in features]


@dataclass(slots=True)
class _Seen:
    """Events at which each person is mentioned, acts and speaks."""

    mentioned: dict[str, list[int]] = field(default_factory=dict)
    subject: dict[str, list[int]] = field(default_factory=dict)
    spoke: dict[str, list[int]] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class FeatureReader:
    """Reads candidates and features of the units of a story."""

    events: Events
    people: People
    language: Language
    seen: _Seen = field(default_factory=_Seen)

    def read(self) -> Candidates:
        """Return candidates and features of all units."""
        self._see()
        found = Candidates()
        for number, unit in enumerate(self.events.units):
            names = self._names(unit)
            found.names.append(names)
            found.features.append(self._features(number, unit, names))
        return found

    def _see(self) -> None:
        seen = self.seen
        for event in self.events.all:
            if isinstance(event, Unit):
                if event.role:
                    seen.spoke.setdefault(event.role, []).append(event.event)
                    seen.mentioned.setdefault(event.role, []).append(event.event)
                    seen.kinds.setdefault(event.role, "noun" if event.role[:1].islower() else "name")
                continue
            for one in event.mentions:
                if not one.person:
                    continue
                seen.mentioned.setdefault(one.person, []).append(event.event)
                if one.is_subject and not one.owns:
                    seen.subject.setdefault(one.person, []).append(event.event)
                if one.kind != "pronoun":
                    seen.kinds.setdefault(one.person, one.kind)
        seen.kinds[NARRATOR[self.language]] = "narrator"

    def _names(self, unit: Unit) -> list[str]:
        """Return the candidates of a unit: who is mentioned near it, the nearest first."""
        near: dict[str, int] = {}
        for far in range(BACK + 1):
            self._add_near(near, unit, unit.event - far, far)
            if 0 < far <= 2 * AHEAD and far % 2 == 0:
                self._add_near(near, unit, unit.event + far // 2, far)
            if far % 8 == 0 and sum(weight <= far for weight in near.values()) >= MOST - 1:
                break
        ordered = sorted(near, key=lambda name: (near[name], name))[: MOST - 1]
        if unit.role and unit.role not in ordered:
            ordered = [unit.role, *ordered[: MOST - 2]]
        return [NOBODY, *ordered]

    def _add_near(self, near: dict[str, int], unit: Unit, place: int, far: int) -> None:
        """Add who is mentioned at an event, which is so far from a unit; who is only described counts as farther."""
        if not 0 <= place < len(self.events.all):
            return
        event = self.events.all[place]
        if isinstance(event, Unit):
            found = [event.role] if event.role else []
            found += [name for name in event.called if far <= CALLED_BACK]
        else:
            found = [one.person for one in event.mentions if one.person]
        for name in found:
            noun = self.seen.kinds.get(name) == "noun" and name not in self.seen.spoke
            if not noun or far <= NOUN_BACK:
                near[name] = min(near.get(name, 2 * BACK), far + (8 if noun else 0))

    def _features(self, number: int, unit: Unit, names: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(names), len(FEATURES)), np.float32)
        rows = {name: row for row, name in enumerate(names)}
        slots = list(self._slots(unit))
        for where, told in slots:
            self._slot_features(found, names, where, told)
        beat = any(where.startswith(("before o", "before i", "after t", "after i")) for where, _ in slots)
        tag = unit.tag if unit.tag in _TAGS else "somebody" if unit.tag else ""
        order = self._order(self.seen.mentioned, names, unit.event)
        spoken = self._order(self.seen.spoke, names, unit.event)
        subjects = self._order(self.seen.subject, names, unit.event)
        sex = {"he": "m", "she": "f", "they": "p"}.get(tag, "")
        near = next((name for name in order if _fit(sex, self._sex(name)) != "does not fit"), None) if sex else None
        near_subject = (
            next((one for one in subjects if _fit(sex, self._sex(one)) != "does not fit"), None) if sex else None
        )
        self._between_features(found, names, unit)
        if self.events.is_short:
            self._short_features(found, names, acted=bool(subjects))
        for name, row in rows.items():
            put = found[row]
            sort = self._sort(name)
            put[_INDEX[f"tag {tag}: {sort}"]] = 1
            if name == NOBODY:
                continue
            put[_INDEX["calls anybody"]] = bool(unit.called)
            if sex:
                put[_INDEX[f"tag {tag}: {_fit(sex, self._sex(name))}"]] = 1
                put[_INDEX[f"tag {tag}: nearest"]] = name == near
                put[_INDEX[f"tag {tag}: nearest subject"]] = name == near_subject
            self._recency(put, name, unit.event)
            for what, ordered in (("mentioned", order), ("spoke", spoken)):
                if name in ordered[:3]:
                    put[_INDEX[f"{what} rank {ordered.index(name)}"]] = 1
            self._call_features(put, name, number)
            put[_INDEX["no beat"]] = not beat
            put[_INDEX["no beat: narrator"]] = not beat and sort == "narrator"
        nobody = found[0]
        nobody[_INDEX["candidates"]] = math.log(len(names))
        nobody[_INDEX["nobody: few"]] = len(names) <= 2
        nobody[_INDEX["nobody: no beat"]] = not beat
        nobody[_INDEX["nobody: none spoke"]] = not spoken
        for where, told in slots:
            if where in ("before opens", "before in", "after tag", "after in"):
                acts = [one for one in told.mentions if one.is_subject and not one.owns]
                nobody[_INDEX["nobody: beat acts"]] = any(one.person for one in acts)
                nobody[_INDEX["nobody: beat pronoun"]] = any(not one.person for one in acts)
        return found

    def _call_features(self, put: NDArray[np.float32], name: str, number: int) -> None:
        """Fill in whether a unit and those beside it call a candidate, or speak of it."""
        units = self.events.units
        for who, step in (("own", 0), ("previous", -1), ("next", 1), ("previous 2", -2), ("next 2", 2)):
            if 0 <= number + step < len(units):
                other = units[number + step]
                if abs(other.place - units[number].place) <= 3 * max(1, abs(step)):
                    put[_INDEX[f"{who} calls"]] = name in other.called
                    put[_INDEX[f"{who} names"]] = name in other.named

    def _short_features(self, found: NDArray[np.float32], names: Sequence[str], *, acted: bool) -> None:
        """Fill in what counts in a short story only: there, people speak of whom the story says little else."""
        first = self._first_acting(names) if acted else NOBODY
        for row, name in enumerate(names):
            found[row, _INDEX[f"short story: {self._sort(name)}"]] = 1
            if name != NOBODY:
                found[row, _INDEX["short story: never spoke"]] = name not in self.seen.spoke
                found[row, _INDEX["short story: acted first"]] = name == first

    def _first_acting(self, names: Sequence[str]) -> str:
        """Return the candidate who acts first in the story."""
        return min(names[1:], key=lambda name: (self.seen.subject.get(name, (len(self.events.all),))[0], name))

    def _between_features(self, found: NDArray[np.float32], names: Sequence[str], unit: Unit) -> None:
        """Fill in what all narration between a unit and the speech before it tells of each candidate."""
        at = unit.event - 1
        acting: list[str] = []
        mentioned: set[str] = set()
        while at >= unit.event - NOUN_BACK and (told := self.events.told(at)) is not None:
            acts = [one.person for one in told.mentions if one.person and one.is_subject and not one.owns]
            acting = acts + acting
            mentioned |= {one.person for one in told.mentions if one.person}
            at -= 1
        for row, name in enumerate(names):
            if not row:
                continue
            put = found[row]
            put[_INDEX["between: last subject"]] = bool(acting) and acting[-1] == name
            put[_INDEX["between: first subject"]] = bool(acting) and acting[0] == name
            put[_INDEX["between: mentioned"]] = name in mentioned
            put[_INDEX["between: absent, one acts"]] = name not in mentioned and bool(acting)
            put[_INDEX["between: absent, nobody acts"]] = name not in mentioned and not acting

    def _slots(self, unit: Unit) -> Iterator[tuple[str, Told]]:
        """Yield the sentences beside a unit with their slots."""
        at = unit.event
        if (one := self.events.told(at - 1)) is not None:
            opens = one.opens and one.place >= unit.place - 1
            yield f"before {'opens' if opens else 'in' if one.place == unit.place else 'out'}", one
            if (two := self.events.told(at - 2)) is not None:
                yield f"before2 {'in' if two.place == unit.place else 'out'}", two
        if (one := self.events.told(at + 1)) is not None:
            inside = one.place == unit.place
            follows = one.opens and self.language == "zh" and self._is_unit_in(at + 2, unit.place)
            tagged = inside and (bool(unit.tag or unit.role) or one.text.lstrip(" —–-,")[:1].islower())
            slot = "next" if follows else "tag" if tagged else "in"
            yield f"after {slot if inside else 'out'}", one
            if not follows and (two := self.events.told(at + 2)) is not None:
                yield f"after2 {'in' if two.place == unit.place else 'out'}", two

    def _is_unit_in(self, event: int, place: int) -> bool:
        """Return whether speech of a paragraph begins at an event; what lies within a unit is not told of the next."""
        found = self.events.all[event] if event < len(self.events.all) else None
        return isinstance(found, Unit) and found.place == place

    def _slot_features(self, found: NDArray[np.float32], names: Sequence[str], where: str, told: Told) -> None:
        acting = [one for one in told.mentions if one.is_subject and not one.owns]
        first = acting[0] if acting else None
        people = [one for one in told.mentions if one.person]
        own = {name: [one for one in people if one.person == name] for name in names[1:]}
        distinct = {one.person for one in people}
        pronoun = next(
            (one for one in told.mentions if one.kind == "pronoun" and not one.person and one.is_subject), None
        )
        nearest = None
        if pronoun is not None and pronoun.sex in ("m", "f"):
            order = self._order(self.seen.mentioned, names, told.event - 1)
            nearest = next((one for one in order if _fit(pronoun.sex, self._sex(one)) != "does not fit"), None)
        for row, name in enumerate(names):
            if not row:
                continue
            put = found[row]
            if mentions := own[name]:
                one = mentions[0]
                if first is not None and first.person == name:
                    put[_INDEX[f"{where}: subject"]] = 1
                elif one.owns:
                    put[_INDEX[f"{where}: owner"]] = 1
                else:
                    put[_INDEX[f"{where}: other"]] = 1
                put[_INDEX[f"{where}: last subject"]] = bool(acting) and acting[-1].person == name
                put[_INDEX[f"{where}: first"]] = people[0].person == name
                put[_INDEX[f"{where}: last"]] = people[-1].person == name
                put[_INDEX[f"{where}: only"]] = len(distinct) == 1
                if is_mandarin(told.text):
                    put[_INDEX[f"{where}: object"]] = follows_object_mark(told.text, one.start)
            elif first is not None and first.person:
                put[_INDEX[f"{where}: absent, one acts"]] = 1
            elif people:
                put[_INDEX[f"{where}: absent, one is mentioned"]] = 1
            elif not told.mentions:
                put[_INDEX[f"{where}: absent, nobody"]] = 1
            if pronoun is not None and pronoun is (first or pronoun):
                fit = _fit(pronoun.sex, self._sex(name))
                put[_INDEX[f"{where}: pronoun {fit}"]] = 1
                put[_INDEX[f"{where}: pronoun fits nearest"]] = name == nearest

    def _recency(self, put: NDArray[np.float32], name: str, at: int) -> None:
        for what, places in (
            ("mentioned", self.seen.mentioned),
            ("subject", self.seen.subject),
            ("spoke", self.seen.spoke),
        ):
            put[_INDEX[f"{what} {_far(_before(places.get(name, ()), at))}"]] = 1
        put[_INDEX[f"said later {_far(_behind(self.seen.spoke.get(name, ()), at))}"]] = 1
        put[_INDEX[f"later {_far(_behind(self.seen.mentioned.get(name, ()), at))}"]] = 1
        mentioned = self.seen.mentioned.get(name, ())
        put[_INDEX["log mentions"]] = math.log1p(len(mentioned)) / 3
        put[_INDEX["log tags"]] = math.log1p(len(self.seen.spoke.get(name, ()))) / 3
        low, high = _bounds(mentioned, at - 20, at + 6)
        put[_INDEX["log near mentions"]] = math.log1p(high - low)

    def _order(self, places: dict[str, list[int]], names: Sequence[str], at: int) -> list[str]:
        """Return candidates by how near before an event they are."""
        far = {name: _before(places.get(name, ()), at) for name in names[1:]}
        return sorted((name for name in far if far[name] is not None), key=lambda name: (far[name] or 0, name))

    def _sex(self, name: str) -> str:
        return "1" if name == NARRATOR[self.language] else self.people.sex_of(name)

    def _sort(self, name: str) -> str:
        if name == NOBODY:
            return "nobody"
        if name == NARRATOR[self.language]:
            return "narrator"
        if self._sex(name) == "p":
            return "group"
        return "noun" if self.seen.kinds.get(name) == "noun" else "name"


@cache
def _fit(wanted: str, sex: str) -> str:
    if wanted == sex:
        return "fits"
    return "may fit" if not sex and wanted in ("m", "f") else "does not fit"


def _bounds(places: Sequence[int], low: int, high: int) -> tuple[int, int]:
    return bisect_left(places, low), bisect_right(places, high)


def _before(places: Sequence[int], at: int) -> int | None:
    low, _ = _bounds(places, at, at)
    return at - places[low - 1] if low else None


def _behind(places: Sequence[int], at: int) -> int | None:
    _, high = _bounds(places, at, at)
    return places[high] - at if high < len(places) else None


def _far(distance: int | None) -> str:
    if distance is None:
        return "never"
    return next((str(step) for step in (1, 2, 4, 8, 16) if distance <= step), "more")
