"""A rating task as data: what people are shown, what they are asked, and when their answers count.

Rooms export tasks; a web room serves them. A new kind of task needs no code: it is another `RatingTask`.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from aptone.messages import message
from aptone.types.audio import AudioRef
from aptone.types.codec import Json

Words = Mapping[str, str]
"""Text by language code, for instance ``{"en": "How well does it fit?", "zh": "有多合适？"}``."""

SAME = "same"  # the choice by which a control of the kind ``preference`` allows the answer that both clips are alike

SET_KINDS = ("ratings", "ranking", "best-worst")
"""Kinds of control that ask about every clip of a set at once."""
LARGEST_SET = 12
"""Clips in one set: ITU-R BS.1534-3 (5.3) allows twelve signals on a page, hidden reference and anchors included."""
BEST, WORST = "best", "worst"
"""Keys of the answer to a control of the kind ``best-worst``."""

TestName = Literal["", "mos", "cmos", "ab", "abx", "mushra", "best-worst", "aptness"]
"""Listening test that a task is, by which its results are computed; empty for a task of another kind."""


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of a scale and what it means, shown beside the control."""

    low: float
    high: float
    meaning: Words


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer of a closed question."""

    value: str
    label: Words


@dataclass(frozen=True, slots=True)
class Control:
    """One question.

    Args:
        name: under which the answer is stored.
        kind: ``scale`` (a number), ``choice`` (one of `choices`), ``text`` (free), ``boundaries`` (start and end on
            the waveform), ``edit`` (text to be corrected, filled from the item), ``preference`` (one of two clips), and
            three about all clips of a set: ``ratings`` (a number for each), ``ranking`` (the clips, best first),
            ``best-worst`` (the best and the worst one).
        low, high, step: ends of a scale, and the distance of its neighbouring values.
        choices: choices of a closed question. A ``preference`` with the choice ``same`` may be answered with it.
        prefill: field of the item that fills an ``edit`` (a text or a list of texts; the answer has the same form),
            holds the pair of a ``preference``, the set of clips of ``ratings``, ``ranking`` and ``best-worst``, or the
            first ``boundaries``.
        agreement: comparison of the answers: ``""`` by the kind of control, ``vad`` for words of feeling, which are
            compared as points of valence, arousal and dominance.
        judged_by: hidden field of the items with an automatic judge's answer; empty for none.

    Raises:
        ValueError: if a scale has no ends, or a closed question has no choices.
    """

    name: str
    kind: Literal["scale", "choice", "text", "boundaries", "edit", "preference", "ratings", "ranking", "best-worst"]
    label: Words
    low: float = math.nan
    high: float = math.nan
    step: float = math.nan
    choices: tuple[Choice, ...] = ()
    bands: tuple[Band, ...] = ()
    prefill: str = ""
    required: bool = True
    agreement: Literal["", "vad"] = ""
    judged_by: str = ""

    def __post_init__(self) -> None:
        if self.kind in ("scale", "ratings") and not (self.low < self.high and self.step > 0):
            raise self._wrong(message("types.scale-needs-ends"))
        if self.kind == "choice" and len(self.choices) < 2:
            raise self._wrong(message("types.question-needs-choices"))
        if self.kind == "edit" and not self.prefill:
            raise self._wrong(message("types.edit-needs-field"))
        if self.kind in SET_KINDS and not self.prefill:
            raise self._wrong(message("types.set-needs-field"))

    @property
    def allows_same(self) -> bool:
        """Check that a preference may be answered with "both are alike"."""
        return self.kind == "preference" and any(choice.value == SAME for choice in self.choices)

    def _wrong(self, why: str) -> ValueError:
        return ValueError(message("types.control", name=repr(self.name), why=why))


@dataclass(frozen=True, slots=True)
class Shown:
    """One thing that a rater sees or hears.

    Args:
        kind: ``audio``, ``text``, ``story`` (``{"lines": [{"text", "role", "clip"}], "target": index}``, scrolled to
            the target; ``clip`` names one of the item's clips, or none), ``pair`` (a field that names two of the item's
            clips, which are shown in a balanced random order), ``set`` (the same with two to twelve clips) or
            ``switch`` (a set whose clips run in step, so that one can switch between them without a gap).
        reference: clip of the items that a ``switch`` plays openly as the reference; empty for none.
    """

    name: str
    kind: Literal["audio", "text", "story", "pair", "set", "switch"]
    label: Words = field(default_factory=dict)
    reference: str = ""


@dataclass(frozen=True, slots=True)
class RatingItem:
    """One thing to be rated.

    Args:
        id: unique within the task.
        audio: clips by field name.
        fields: everything else that is shown, by field name.
        hidden: fields that raters must not see: system, model score, category.
        gold: right answers by control, for calibration, qualification and attention checks.
        instruction: what to do with this item, shown above the questions: for an attention check, such as "Please
            answer 2 here". Empty for none, or where the clip says it.
    """

    id: str
    audio: Mapping[str, AudioRef] = field(default_factory=dict)
    fields: Mapping[str, Json] = field(default_factory=dict)
    hidden: Mapping[str, Json] = field(default_factory=dict)
    gold: Mapping[str, Json] = field(default_factory=dict)
    instruction: Words = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HeadphoneCheck:
    """Check that a person wears headphones, before the first item.

    Args:
        kind: ``huggins`` (a pitch that only both ears together hear; Milne et al. 2021) or ``antiphase`` (a tone that
            loudspeakers cancel; Woods et al. 2017). Each trial has three sounds, and one of them is right.
        trials: trials of one attempt.
        needed: right answers that pass; with three of three, guessing passes once in 27 attempts.
        attempts: attempts that a person has.
        required: whether only those who pass may rate; otherwise the result is only recorded.

    Raises:
        ValueError: if no number of right answers passes.
    """

    kind: Literal["huggins", "antiphase"] = "huggins"
    trials: int = 3
    needed: int = 3
    attempts: int = 3
    required: bool = True

    def __post_init__(self) -> None:
        if not (1 <= self.needed <= self.trials <= 12 and 1 <= self.attempts <= 100):
            raise ValueError(message("types.wrong-headphone-check"))


@dataclass(frozen=True, slots=True)
class Breaks:
    """Rests of a person at work on a task.

    Args:
        items: rated items after which a rest is due; 0 for no such rule.
        minutes: minutes of work after which it is; 0 for no such rule.
        seconds: length of a rest. Whoever was away that long has rested.
        forced: whether the next item waits until it is over; otherwise a rest is suggested.

    Raises:
        ValueError: if a number is negative, or no rest is ever due.
    """

    items: int = 0
    minutes: float = 0.0
    seconds: float = 60.0
    forced: bool = False

    def __post_init__(self) -> None:
        if not (self.items >= 0 and self.minutes >= 0 and 0 < self.seconds <= 3600 and (self.items or self.minutes)):
            raise ValueError(message("types.wrong-breaks"))


@dataclass(frozen=True, slots=True)
class Qualification:
    """The test before answers count; `tolerance` is the largest distance of a scale answer from gold."""

    items: tuple[str, ...]
    tolerance: float = 1.0
    pass_share: float = 0.7


@dataclass(frozen=True, slots=True)
class RatingTask:
    """A whole task.

    Args:
        name: short, for files and addresses.
        accept: an item is accepted only if all its raters give these answers, by control; empty for no such rule.
        quota_per_rater: most items one person may rate; 0 for no limit.
        outlier_distance: an answer on a scale that lies further than this from the mean of the others is an outlier.
        outlier_share: a rater with more than this share of outliers is set aside; NaN for no such rule.
        calibration: ids of items that everyone rates first, with feedback.
        attention: ids of items with gold answers that are mixed in unseen, to find raters who do not listen.
        attention_every: number of rated items with one of them; its place is random for each person.
        attention_share: share of right answers to them below which a rater is set aside; NaN for that of the test.
        headphones: check that people wear headphones, before the first item; ``None`` for none.
        breaks: rests that are suggested or forced; ``None`` for none.
        must_listen: whether a clip must be played to its end before an answer is taken.
        shuffled: whether items come in random order, another for each person.
        test: listening test that this is, by which its results are computed; empty for none.
        balanced_by: hidden field of the items, such as ``system``: a person gets an item with the value that this
            person has met least; empty for no such rule.

    Raises:
        ValueError: if ids or names repeat, a control or display names a field that an item lacks, or an id is unknown.
    """

    name: str
    title: Words
    guide: Words
    shown: tuple[Shown, ...]
    controls: tuple[Control, ...]
    items: tuple[RatingItem, ...]
    raters_per_item: int = 1
    accept: Mapping[str, Json] = field(default_factory=dict)
    quota_per_rater: int = 0
    outlier_distance: float = math.nan
    outlier_share: float = math.nan
    calibration: tuple[str, ...] = ()
    qualification: Qualification | None = None
    attention: tuple[str, ...] = ()
    attention_every: int = 20
    attention_share: float = math.nan
    must_listen: bool = True
    shuffled: bool = True
    test: TestName = ""
    balanced_by: str = ""

    headphones: HeadphoneCheck | None = None
    breaks: Breaks | None = None

    def __post_init__(self) -> None:
        if self.raters_per_item < 1:
            raise self._wrong(message("types.no-raters", count=self.raters_per_item))
        known = {item.id for item in self.items}
        if len(known) != len(self.items):
            twice = next(name for name, count in Counter(item.id for item in self.items).items() if count > 1)
            raise self._wrong(message("types.same-id", name=repr(twice)))
        if len({control.name for control in self.controls}) != len(self.controls):
            raise self._wrong(message("types.same-control"))
        if self.attention_every < 1:
            raise self._wrong(message("types.wrong-attention", count=self.attention_every))
        named = [*self.calibration, *(self.qualification.items if self.qualification else ()), *self.attention]
        if missing := [name for name in named if name not in known]:
            raise self._wrong(message("types.no-such-id", name=repr(missing[0])))
        asked = {control.name for control in self.controls}
        golden = {name for item in self.items for name in item.gold}
        if unasked := sorted((golden | set(self.accept)) - asked):
            raise self._wrong(message("types.no-such-control", name=repr(unasked[0])))
        if not math.isnan(self.outlier_share) and math.isnan(self.outlier_distance):
            raise self._wrong(message("types.outlier-needs-distance"))
        self._check_fields()

    def _wrong(self, why: str, item: RatingItem | None = None) -> ValueError:
        if item is None:
            return ValueError(message("types.task", name=repr(self.name), why=why))
        return ValueError(message("types.task-item", name=repr(self.name), item=repr(item.id), why=why))

    def _check_fields(self) -> None:
        played = [shown.name for shown in self.shown if shown.kind == "audio"]
        pairs = [shown.name for shown in self.shown if shown.kind == "pair"]
        read = [shown.name for shown in self.shown if shown.kind != "audio"]
        read += [control.prefill for control in self.controls if control.prefill]
        sets = [shown.name for shown in self.shown if shown.kind in ("set", "switch")]
        sets += [control.prefill for control in self.controls if control.kind in SET_KINDS]
        played += [shown.reference for shown in self.shown if shown.reference]
        for item in self.items:
            absent = [name for name in played if name not in item.audio]
            absent += [name for name in read if name not in item.fields]
            if absent:
                raise self._wrong(message("types.no-field-to-show", name=repr(absent[0])), item)
            for name in pairs:
                pair = item.fields[name]
                if not isinstance(pair, list | tuple) or len(pair) != 2 or any(clip not in item.audio for clip in pair):
                    raise self._wrong(message("types.not-two-clips", name=repr(name)), item)
            for name in dict.fromkeys(sets):
                if not _is_set(item.fields[name], item):
                    raise self._wrong(message("types.not-a-set", name=repr(name), most=LARGEST_SET), item)


def _is_set(value: Json, item: RatingItem) -> bool:
    """Return whether a field names two to twelve different clips of its item."""
    if not isinstance(value, list | tuple) or not 2 <= len(value) <= LARGEST_SET:
        return False
    names = [clip for clip in value if isinstance(clip, str) and clip in item.audio]
    return len(set(names)) == len(value)


@dataclass(frozen=True, slots=True)
class Rating:
    """Answers of one person about one item.

    Args:
        rater: pseudonym of the person.
        answers: control to answer: a number, a choice, text, ``[start, end]`` in seconds, lines, a clip's name; of a
            set ``{clip: number}``, the clips from best to worst, or ``{"best": clip, "worst": clip}``.
        seconds: time that it took, without long pauses; NaN when not known.
        finished: time in UTC (ISO 8601).
        shown: clips in the order in which they were shown, where the order was random.
        active_seconds: time in which the person was at it: the page in sight, and a clip playing or a key, pointer or
            finger moving within half a minute; NaN when not known.
    """

    task: str
    item: str
    rater: str
    answers: Mapping[str, Json]
    seconds: float = math.nan
    finished: str = ""
    shown: tuple[str, ...] = ()
    active_seconds: float = math.nan
