"""Listening tests of systems: items of the ready tests from clips of the same texts by several systems.

========================  ============================================================================================
test                      an item
========================  ============================================================================================
``mos``                   a clip of one system; each person meets the systems equally often
``cmos``, ``ab``          a text by two systems, in balanced order; every pair of systems
``abx``                   a text by two systems and X, which is one of the two, each equally often
``mushra``                a text by all systems, with the hidden reference and the anchors among them
``best-worst``            a text by four of the systems (or all, if there are fewer), chosen so that pairs are balanced
``aptness``               a line of a story by all systems, to be rated; ``aptness-rank``: to be ranked
========================  ============================================================================================

Which system a clip is of stands in the hidden fields, under `SYSTEM` or `SYSTEMS`; raters see blind names.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from aptone.errors import UsageError
from aptone.messages import message
from aptone.ratings.designs import balanced_tuples
from aptone.ratings.screening import ROLES
from aptone.ratings.tasks import task_template, with_items
from aptone.types import AudioRef, Json, RatingItem, RatingTask
from aptone.types.rating import LARGEST_SET

SYSTEM, SYSTEMS = "system", "systems"
"""Hidden fields: the system of an item's only clip; clip to system."""
TEXT_ID = "text_id"
"""Hidden field: id of the words that several systems say."""
X_IS = "x_is"
"""Hidden field of an ABX trial: the clip that X is."""
REFERENCE = "reference"
LOW_ANCHOR, MID_ANCHOR = "anchor 3.5 kHz", "anchor 7 kHz"
"""Conditions of ITU-R BS.1534-3: the reference through a low-pass."""
HIDDEN_REFERENCE = "hidden reference"
"""Condition of a MUSHRA page that is the reference itself."""
TUPLE_SIZE = 4
"""Clips that best-worst scaling shows at a time."""
TESTS = ("ab", "abx", "aptness", "aptness-rank", "best-worst", "cmos", "mos", "mushra")
"""Names of the ready tests, which are names of templates."""


@dataclass(frozen=True, slots=True)
class Take:
    """A clip with its words; `story` holds ``{"lines", "target"}``, `judged` a judge's score by system."""

    clip: AudioRef
    words: str = ""
    story: Json = None
    judged: float | None = None


Clips = Mapping[str, Mapping[str, Take]]
"""System to text to take."""


@dataclass(frozen=True, slots=True)
class MushraExtras:
    """Clips beside the systems: text to the reference, and anchor to text to clip."""

    reference: Mapping[str, AudioRef] = field(default_factory=dict)
    anchors: Mapping[str, Mapping[str, AudioRef]] = field(default_factory=dict)


def shared_texts(systems: Clips) -> list[str]:
    """Texts that every system says, in the order of the first.

    Raises:
        UsageError: if there is none.
    """
    first, *others = systems.values()
    shared = [text for text in first if all(text in other for other in others)]
    if not shared:
        raise UsageError(message("run.systems-share-nothing", names=", ".join(systems)))
    return shared


def build_test(
    test: str,
    systems: Clips,
    *,
    extras: MushraExtras | None = None,
    name: str = "",
    raters: int | None = None,
    quota: int = 0,
    calibration: int = 0,
    trials: int = 1,
    seed: int = 0,
) -> RatingTask:
    """Build a ready test from the clips of systems.

    Args:
        test: one of `TESTS`.
        systems: what each system says; only texts that all of them say are used (``mos`` takes every clip).
        extras: reference and anchors of ``mushra``.
        raters: people who rate an item; by default as many as the template says.
        quota: most items that one person rates; 0 for no limit.
        calibration: number of first items that everyone rates before the others, as a training.
        trials: ABX trials of each text and pair; odd and even ones have another X.

    Raises:
        UsageError: if the test is unknown, there are too few or too many systems, or they share no text.
    """
    if test not in TESTS:
        raise UsageError(message("run.no-such-test", name=repr(test), names=", ".join(TESTS)))
    if len(systems) < (1 if test in ("mos", "mushra") else 2):
        raise UsageError(message("run.test-needs-systems", name=test, count=2))
    readers: Mapping[str, Callable[[], list[RatingItem]]] = {
        "mos": lambda: _single(systems),
        "cmos": lambda: _pairs(systems),
        "ab": lambda: _pairs(systems),
        "abx": lambda: _trials(systems, trials=trials, seed=seed),
        "mushra": lambda: _mushra(systems, extras or MushraExtras()),
        "best-worst": lambda: _tuples(systems, seed=seed),
        "aptness": lambda: _stories(systems),
        "aptness-rank": lambda: _stories(systems),
    }
    items = readers[test]()
    if not 0 <= calibration <= len(items):
        raise UsageError(message("run.calibration-of-items", count=calibration, all=len(items)))
    task = with_items(task_template(test), items, name=name, calibration=[item.id for item in items[:calibration]])
    return replace(task, raters_per_item=raters or task.raters_per_item, quota_per_rater=quota)


def _single(systems: Clips) -> list[RatingItem]:
    return [
        RatingItem(
            f"{text}/{system}",
            {"clip": take.clip},
            {"line": take.words},
            {SYSTEM: system, TEXT_ID: text} | ({} if take.judged is None else {"judge_score": take.judged}),
        )
        for system, takes in systems.items()
        for text, take in takes.items()
    ]


def _pairs(systems: Clips) -> list[RatingItem]:
    items = []
    several = len(systems) > 2
    for text in shared_texts(systems):
        for pair in itertools.combinations(systems, 2):
            takes = {system: systems[system][text] for system in pair}
            hidden: dict[str, Json] = {SYSTEMS: {system: system for system in pair}, TEXT_ID: text}
            scores = [take.judged for take in takes.values()]
            if None not in scores and scores[0] != scores[1]:
                hidden["judge_choice"] = max(pair, key=lambda system: takes[system].judged or 0.0)
            items.append(
                RatingItem(
                    f"{text}/{pair[0]}-{pair[1]}" if several else text,
                    {system: take.clip for system, take in takes.items()},
                    {"line": _words(takes.values()), "takes": [*pair]},
                    hidden,
                )
            )
    return items


def _trials(systems: Clips, *, trials: int, seed: int) -> list[RatingItem]:
    texts = [(text, pair) for text in shared_texts(systems) for pair in itertools.combinations(systems, 2)]
    # X is each of the two equally often: of the texts in random order, every other one
    swapped = np.empty(len(texts), dtype=np.intp)
    swapped[np.random.default_rng(seed).permutation(len(texts))] = np.arange(len(texts)) % 2
    items = []
    for (text, pair), odd in zip(texts, swapped.tolist(), strict=True):
        for trial in range(trials):
            x_is = pair[(odd + trial) % 2]
            clips = {system: systems[system][text].clip for system in pair}
            ending = f"/{pair[0]}-{pair[1]}" if len(systems) > 2 else ""
            items.append(
                RatingItem(
                    f"{text}{ending}" + (f"#{trial + 1}" if trials > 1 else ""),
                    {**clips, "x": clips[x_is]},
                    {"takes": [*pair]},
                    {SYSTEMS: {system: system for system in pair}, X_IS: x_is, TEXT_ID: text},
                )
            )
    return items


def _mushra(systems: Clips, extras: MushraExtras) -> list[RatingItem]:
    if not extras.reference:
        raise UsageError(message("run.mushra-needs-reference"))
    conditions = [HIDDEN_REFERENCE, *extras.anchors, *systems]
    if len(set(conditions)) < len(conditions):
        raise UsageError(message("run.system-named-as-condition", names=", ".join(conditions)))
    if len(conditions) > LARGEST_SET:
        raise UsageError(message("run.too-many-conditions", count=len(conditions), most=LARGEST_SET))
    roles: dict[str, Json] = {HIDDEN_REFERENCE: "reference"}
    roles |= {name: role for name, role in ((LOW_ANCHOR, "low"), (MID_ANCHOR, "mid")) if name in extras.anchors}
    items = []
    for text in shared_texts(systems):
        if text not in extras.reference:
            continue
        clips = {HIDDEN_REFERENCE: extras.reference[text]}
        clips |= {anchor: made[text] for anchor, made in extras.anchors.items()}
        clips |= {system: takes[text].clip for system, takes in systems.items()}
        items.append(
            RatingItem(
                text,
                {REFERENCE: extras.reference[text], **clips},
                {"line": _words(takes[text] for takes in systems.values()), "conditions": [*conditions]},
                {SYSTEMS: {condition: condition for condition in conditions}, ROLES: roles, TEXT_ID: text},
            )
        )
    if not items:
        raise UsageError(message("run.reference-shares-nothing"))
    return items


def _tuples(systems: Clips, *, seed: int) -> list[RatingItem]:
    texts = shared_texts(systems)
    names = list(systems)
    chosen = balanced_tuples(names, size=min(TUPLE_SIZE, len(names)), count=len(texts), seed=seed)
    return [
        _set_item(text, {name: systems[name][text] for name in shown})
        for text, shown in zip(texts, chosen, strict=True)
    ]


def _set_item(text: str, takes: Mapping[str, Take]) -> RatingItem:
    return RatingItem(
        text,
        {system: take.clip for system, take in takes.items()},
        {"line": _words(takes.values()), "takes": [*takes]},
        {SYSTEMS: {system: system for system in takes}, TEXT_ID: text, **_judged(takes)},
    )


def _stories(systems: Clips) -> list[RatingItem]:
    if len(systems) > LARGEST_SET:
        raise UsageError(message("run.too-many-conditions", count=len(systems), most=LARGEST_SET))
    items = []
    for text in shared_texts(systems):
        takes = {system: takes[text] for system, takes in systems.items()}
        story = next((take.story for take in takes.values() if take.story is not None), None)
        if story is None:
            raise UsageError(message("run.no-story-for", name=repr(text)))
        item = _set_item(text, takes)
        items.append(replace(item, fields={"story": story, "takes": item.fields["takes"]}))
    return items


def _judged(takes: Mapping[str, Take]) -> dict[str, Json]:
    scores: dict[str, Json] = {system: take.judged for system, take in takes.items() if take.judged is not None}
    return {"judge_scores": scores} if scores else {}


def _words(takes: Iterable[Take]) -> str:
    """Return the words of the first take that has any."""
    return next((take.words for take in takes if take.words), "")
