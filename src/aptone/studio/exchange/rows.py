"""Ratings and aggregates as flat rows with typed columns, for tables of every kind, and their train/test split.

Columns of ``ratings``: item, purpose, rater (by pseudonym), one a question, seconds (without long pauses),
active_seconds (at the item), finished, shown (clips in the order of that person, where it is random), consent_version
and headphones (``passed``, ``failed`` or empty) of the rater, set_aside (why the row does not count; empty where it
does). A comparison of CMOS has a second column, ``NAME.corrected``: the second clip of the item's pair against the
first, whatever order the person had; for an item it is the mean of those that count. Columns of
``items``: id, purpose, clips and fields under their own names, one a question with what the raters say together,
raters, adjudicated, accepted (for a task with such a rule), ids (what was hidden: story, system, a judge's score),
annotations (every rating that counts). The names are those that `aptone.rooms.aptness.rated_lines` reads, so that what
people annotated in ``ceaeval-d`` is a data set for ``aptone bench ceaeval`` and for training as it is.

The split is by whole stories, so that no story, character or scene leaks into the test items: two items that share one
belong together, and so does everything that hangs on them. A component of such items goes to one side whole.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from aptone.errors import UsageError
from aptone.ratings.rules import unrated_items
from aptone.studio.agreement.items import Adjudications, Aggregate, CountedRatings, aggregate
from aptone.studio.exchange.pseudonyms import Screening
from aptone.studio.results.observations import corrected_comparison
from aptone.studio.store.handout import purposes
from aptone.types import AudioRef, Control, Json, Rating, RatingItem, RatingTask, dumps, is_finite_number, to_json

Kind = Literal["text", "number", "whole", "truth", "texts", "numbers", "audio", "ids", "annotations"]
Columns = Mapping[str, Kind]
Row = dict[str, Json]

ANNOTATOR = "annotator"

_KINDS: Mapping[str, Kind] = {
    "scale": "number",
    "choice": "text",
    "text": "text",
    "preference": "text",
    "ratings": "text",
    "ranking": "texts",
    "best-worst": "text",
}
"""Kind of control to the kind of its column; numbers and choices by clip are JSON."""
_RATING = ("item", "purpose", "rater")
_AFTER_RATING = ("seconds", "active_seconds", "finished", "shown", "consent_version", "headphones", "set_aside")
_ITEM, _AFTER_ITEM = ("id", "purpose"), ("raters", "adjudicated", "accepted", "ids", "annotations")
_OWN_KINDS: Mapping[str, Kind] = {
    "seconds": "number",
    "active_seconds": "number",
    "shown": "texts",
    "consent_version": "whole",
    "raters": "whole",
    "adjudicated": "texts",
    "accepted": "truth",
    "ids": "ids",
    "annotations": "annotations",
}
"""Kinds of our own columns that are not text."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns of a table; a name that is already taken gets a prefix."""

    before: tuple[str, ...]
    clips: Mapping[str, str]
    fields: Mapping[str, str]
    answers: Mapping[str, str]
    after: tuple[str, ...]
    kinds: Columns

    @property
    def columns(self) -> dict[str, Kind]:
        """Every column with its kind, in order."""
        names = (*self.before, *self.clips, *self.fields, *self.answers, *self.after)
        return {name: self.kinds.get(name, "text") for name in names}


def answer_kinds(task: RatingTask) -> dict[str, Kind]:
    """Map each question to the column kind of its answers."""
    kinds: dict[str, Kind] = {}
    for control in task.controls:
        if control.kind == "boundaries":
            kinds[control.name] = "numbers"
        elif control.kind == "edit":
            lines = any(isinstance(item.fields.get(control.prefill), list | tuple) for item in task.items)
            kinds[control.name] = "texts" if lines else "text"
        else:
            kinds[control.name] = _KINDS[control.kind]
    return kinds


def rating_layout(task: RatingTask) -> Layout:
    """Columns of single ratings."""
    kinds = answer_kinds(task)
    answers = _columns(kinds, taken=(*_RATING, *_AFTER_RATING), prefix="answer")
    own = {column: kinds[name] for column, name in answers.items()}
    after = (*_corrected(task), *_AFTER_RATING)
    return Layout(_RATING, {}, {}, answers, after, {**_OWN_KINDS, **own, **dict.fromkeys(_corrected(task), "number")})


def item_layout(task: RatingTask) -> Layout:
    """Columns of items."""
    after = (*_corrected(task), *(name for name in _AFTER_ITEM if name != "accepted" or task.accept))
    of_answers, of_fields = answer_kinds(task), _field_kinds(task)
    answers = _columns(of_answers, taken=(*_ITEM, *_AFTER_ITEM), prefix="answer")
    clips = _columns(_clip_names(task), taken=(*_ITEM, *_AFTER_ITEM, *answers), prefix="clip")
    stories = {shown.name for shown in task.shown if shown.kind == "story"}
    lasting = {f"{name}.lines" if name in stories else name: name for name in of_fields}
    taken = (*_ITEM, *_AFTER_ITEM, *answers, *clips)
    fields = {column: lasting[name] for column, name in _columns(lasting, taken=taken, prefix="item").items()}
    kinds: dict[str, Kind] = {**_OWN_KINDS, **dict.fromkeys(clips, "audio")}
    kinds |= dict.fromkeys(_corrected(task), "number")
    kinds |= {column: of_fields[name] for column, name in fields.items()}
    kinds |= {column: of_answers[name] for column, name in answers.items()}
    return Layout(_ITEM, clips, fields, answers, after, kinds)


def annotation_kinds(task: RatingTask) -> dict[str, Kind]:
    """Field to kind, of the ``annotations`` of an item."""
    kinds = answer_kinds(task)
    columns = _columns(kinds, taken=(ANNOTATOR,), prefix="answer")
    return {ANNOTATOR: "text", **{column: kinds[name] for column, name in columns.items()}}


def hidden_names(task: RatingTask) -> list[str]:
    """Names in the ``ids`` of the items, in the order of first appearance."""
    return list(dict.fromkeys(name for item in task.items for name in item.hidden))


def _corrected(task: RatingTask) -> dict[str, Control]:
    """Map column to control, for the comparisons of CMOS, whose sign depends on the order shown."""
    scales = [control for control in task.controls if control.kind == "scale"]
    return {f"{control.name}.corrected": control for control in scales} if task.test == "cmos" else {}


def rating_rows(
    task: RatingTask, counted: CountedRatings, screened: Mapping[str, Screening] | None = None
) -> Iterator[Row]:
    """Yield a row for each rating, those that do not count included; `screened` by the name of the rater."""
    known, layout, items = purposes(task), rating_layout(task), {item.id: item for item in task.items}
    unknown = Screening()
    for rating in counted.ratings:
        person = (screened or {}).get(rating.rater, unknown)
        yield {
            "item": rating.item,
            "purpose": known[rating.item],
            "rater": rating.rater,
            **{
                column: _fitted(rating.answers.get(name), layout.kinds[column])
                for column, name in layout.answers.items()
            },
            **{
                column: _fitted(corrected_comparison(rating, items[rating.item], control), "number")
                for column, control in _corrected(task).items()
            },
            "seconds": _fitted(rating.seconds, "number"),
            "active_seconds": _fitted(rating.active_seconds, "number"),
            "finished": rating.finished,
            "shown": list(rating.shown) or None,
            "consent_version": person.consent_version or None,
            "headphones": person.headphones,
            "set_aside": counted.set_aside.get(rating.rater, ""),
        }


def exported_items(task: RatingTask) -> list[RatingItem]:
    """Return the rating and calibration items, without tests and attention checks."""
    apart = unrated_items(task) - set(task.calibration)
    return [item for item in task.items if item.id not in apart]


def aggregates(task: RatingTask, counted: CountedRatings, adjudications: Adjudications) -> list[Aggregate]:
    """Aggregate the ratings of each exported item."""
    return [
        aggregate(task, item, counted.by_item.get(item.id, ()), adjudications.get(item.id))
        for item in exported_items(task)
    ]


def item_rows(task: RatingTask, found: Iterable[Aggregate]) -> Iterator[Row]:
    """Yield a row for each item; clips by their paths."""
    layout, known, kinds = item_layout(task), purposes(task), annotation_kinds(task)
    asked = [control.name for control in task.controls]
    for one in found:
        item = one.item
        row: Row = {"id": item.id, "purpose": known[item.id]}
        row |= {column: _clip(item.audio.get(name)) for column, name in layout.clips.items()}
        row |= {column: _fitted(item.fields.get(name), layout.kinds[column]) for column, name in layout.fields.items()}
        row |= {column: _fitted(one.answers[name], layout.kinds[column]) for column, name in layout.answers.items()}
        row |= {column: _mean_corrected(one, control) for column, control in _corrected(task).items()}
        row |= {"raters": len(one.ratings), "adjudicated": list(one.adjudicated)}
        if task.accept:
            row["accepted"] = one.accepted
        row["ids"] = {name: _as_text(value) for name, value in item.hidden.items()}
        row["annotations"] = [_annotation(rating, asked, kinds) for rating in one.ratings]
        yield row


def _mean_corrected(one: Aggregate, control: Control) -> float | None:
    values = [corrected_comparison(rating, one.item, control) for rating in one.ratings]
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else None


def _annotation(rating: Rating, asked: Sequence[str], kinds: Columns) -> Row:
    answers = zip([column for column in kinds if column != ANNOTATOR], asked, strict=True)
    return {
        ANNOTATOR: rating.rater,
        **{column: _fitted(rating.answers.get(name), kinds[column]) for column, name in answers},
    }


def _columns(names: Iterable[str], *, taken: Iterable[str], prefix: str) -> dict[str, str]:
    """Map column to name: the name itself, with a prefix where it is taken."""
    others = set(taken)
    return {f"{prefix}.{name}" if name in others else name: name for name in names}


def _clip_names(task: RatingTask) -> list[str]:
    """Clips that are shown by themselves, in a pair or a set, without those of a story's lines."""
    names = [shown.name for shown in task.shown if shown.kind == "audio"]
    for shown in task.shown:
        if shown.kind in ("pair", "set", "switch"):
            names += [shown.reference] if shown.reference else []
            pairs = [item.fields[shown.name] for item in task.items]
            names += [str(clip) for pair in pairs if isinstance(pair, Sequence) for clip in pair]
    return list(dict.fromkeys(names))


def _field_kinds(task: RatingTask) -> dict[str, Kind]:
    names = dict.fromkeys(name for item in task.items for name in item.fields)
    return {
        name: _kind_of([value for item in task.items if (value := item.fields.get(name)) is not None]) for name in names
    }


def _kind_of(values: Sequence[Json]) -> Kind:
    if all(is_finite_number(value) for value in values):
        return "number"
    lists = [value for value in values if isinstance(value, list | tuple)]
    if len(lists) == len(values):
        flat = [one for value in lists for one in value]
        if flat and all(is_finite_number(one) for one in flat):
            return "numbers"
        if all(isinstance(one, str) for one in flat):
            return "texts"
    return "text"


def _fitted(value: Json, kind: Kind) -> Json:
    """Convert a value to a column's kind; ``None`` where there is none."""
    if value is None or value != value:
        return None
    if kind == "number":
        return float(value) if is_finite_number(value) else None
    if kind == "numbers":
        numbers = [float(one) for one in value if is_finite_number(one)] if isinstance(value, list | tuple) else []
        return numbers or None
    if kind == "texts":
        return [str(one) for one in value] if isinstance(value, list | tuple) else [str(value)]
    return _as_text(value)


def _as_text(value: Json) -> str:
    return value if isinstance(value, str) else dumps(value)


def _clip(audio: AudioRef | None) -> Json:
    if audio is None:
        return None
    is_whole = audio.start == 0 and audio.end is None
    return audio.path if is_whole else dumps(to_json(audio))


STORY_KEYS = ("story", "character", "scene")
"""Hidden fields whose values must not be shared across the split."""
NOBODY = frozenset({"", "narrator", "narration", "unknown", "旁白", "叙述者", "未知"})
"""Values that name nobody in particular: every story has a narrator, and none shares him for that."""
TOLERANCE = 0.1
"""Relative deviation from the requested share that needs no remark."""


@dataclass(frozen=True, slots=True)
class Split:
    """Train and test items, which share no value of `keys`; `reason` why the share differs from the requested one."""

    train: tuple[str, ...]
    test: tuple[str, ...]
    keys: tuple[str, ...]
    components: int
    largest: int
    test_share: float
    reason: str = ""


def story_split(
    items: Sequence[RatingItem], *, test_share: float = 0.2, seed: int = 0, keys: Sequence[str] = STORY_KEYS
) -> Split:
    """Split items so that the two sides share no value of the keys, hidden fields as far as an item has them.

    The test side comes as near to its share as whole components allow; which ones it gets is random. An id means the
    same wherever it stands: an Anna of two stories joins them, unless the ids say that she is another one.

    Raises:
        UsageError: if the share is none, or the items fall into fewer than two components.
    """
    if not 0 < test_share < 1:
        raise UsageError(f"the share of the test side lies between 0 and 1, got {test_share:g}.")
    groups = components(items, keys=keys)
    if len(groups) < 2:
        raise UsageError(
            f"all {len(items)} items hang together by {', '.join(keys)}; a split that leaks nothing needs items of "
            "another story, without a character or scene of this one."
        )
    wanted = test_share * len(items)
    sizes = [len(group) for group in groups]
    order = [int(place) for place in np.random.default_rng(seed).permutation(len(groups))]
    test = {name for place in _nearest(sizes, order, wanted) for name in groups[place]}
    share = len(test) / len(items)
    reason = ""
    if abs(share - test_share) > TOLERANCE * test_share and abs(len(test) - wanted) >= 1:
        reason = (
            f"the test side has {share:.0%} of the items, not {test_share:.0%}: they fall into {len(groups)} "
            f"components that stay whole, the largest of {max(sizes)}"
        )
    return Split(
        train=tuple(item.id for item in items if item.id not in test),
        test=tuple(item.id for item in items if item.id in test),
        keys=tuple(keys),
        components=len(groups),
        largest=max(sizes),
        test_share=share,
        reason=reason,
    )


def _nearest(sizes: Sequence[int], order: Sequence[int], wanted: float) -> list[int]:
    """Choose components whose total size is nearest to a number of items: some of them, and never all."""
    last = {0: -1}  # number of items that can be had, to the component that is added last to have it
    most = min(2 * wanted, sum(sizes))  # from here on, any one component of those together is nearer
    for place in order:
        for before in list(last):
            together = before + sizes[place]
            if together < most or not before:
                last.setdefault(together, place)
        if any(number and abs(number - wanted) <= 0.5 for number in last):
            break
    number = min((number for number in last if number), key=lambda number: (abs(number - wanted), number))
    chosen = []
    while number:
        chosen.append(last[number])
        number -= sizes[last[number]]
    return chosen


def components(items: Sequence[RatingItem], *, keys: Sequence[str] = STORY_KEYS) -> list[list[str]]:
    """Group the ids of items that are connected by shared values of the keys, in the order of their first items."""
    parent = list(range(len(items)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    first: dict[tuple[str, str], int] = {}
    for place, item in enumerate(items):
        for value in shared_values(item, keys):
            other = root(first.setdefault(value, place))
            parent[max(other, root(place))] = min(other, root(place))
    found: defaultdict[int, list[str]] = defaultdict(list)
    for place, item in enumerate(items):
        found[root(place)].append(item.id)
    return list(found.values())


def shared_values(item: RatingItem, keys: Sequence[str] = STORY_KEYS) -> list[tuple[str, str]]:
    """Return each key with its value, where it names a person or thing that the two sides must not share.

    >>> shared_values(RatingItem("1", hidden={"story": "lighthouse", "character": "Narrator"}))
    [('story', 'lighthouse')]
    """
    named = [(key, str(item.hidden.get(key) or "").strip()) for key in keys]
    return [(key, value) for key, value in named if value.casefold() not in NOBODY]
