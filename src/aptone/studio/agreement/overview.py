"""Agreement, live: how well people agree with each other, each with the rest, and the automatic judge with them.

Pure: `aptone.types.Rating` rows and a task in, one record out, fast enough to be asked for with every page. Calibration
items are apart from rated ones, since people are told there what others think; tests and attention checks are in
neither.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aptone.judge.aspects.feelings import FeelingLexicon
from aptone.ratings.rules import checked_ratings, set_aside, unrated_items
from aptone.studio.agreement.controls import ControlAgreement, Figure, Options, control_agreement
from aptone.studio.agreement.feeling_places import read_lexicon
from aptone.studio.agreement.judge import JudgeAgreement, judge_agreement
from aptone.studio.agreement.raters import RaterControl, RaterFigures, rater_figures
from aptone.studio.agreement.tables import Answers
from aptone.types import Rating, RatingTask

__all__ = [
    "AgreementReport",
    "ControlAgreement",
    "Figure",
    "JudgeAgreement",
    "RaterControl",
    "RaterFigures",
    "agreement_report",
    "read_lexicon",
    "systems_of",
]

RESAMPLES = 200
"""Of the bootstraps while raters are at work; ask for more where an interval is to be published."""

SYSTEMS = "systems"
"""Hidden field of an A/B item: clip to the system whose it is."""


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Everything about the agreement on a task.

    Args:
        task: its name.
        items: rated by at least one person; calibration, tests and checks not among them.
        ratings: how many of these.
        people: how many gave them.
        set_aside: raters whose ratings do not count, and why; only α over everybody holds them.
        controls: question by question, on rated items.
        calibration: the same on the items that everyone rates first.
        raters: person by person, on rated items.
        judge: the automatic judge beside the people, on rated items, for the questions that name one.
    """

    task: str
    items: int
    ratings: int
    people: int
    set_aside: Mapping[str, str]
    controls: tuple[ControlAgreement, ...]
    calibration: tuple[ControlAgreement, ...]
    raters: tuple[RaterFigures, ...]
    judge: tuple[JudgeAgreement, ...]


def agreement_report(
    task: RatingTask,
    ratings: Iterable[Rating],
    *,
    lexicon: FeelingLexicon | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> AgreementReport:
    """How well people agree on a task, as far as they have come.

    Args:
        task: what was asked, with the rules by which raters are set aside.
        ratings: finished ones, in any order.
        lexicon: of feelings (`read_lexicon`), in place of the built-in words and embedding.
        seed: of the bootstraps.
        resamples: of the bootstraps; at least 40.

    Raises:
        RecordError: if a rating is of another task's item, or somebody rated an item twice.
    """
    known = checked_ratings(task, ratings)
    aside = set_aside(task, known)
    apart, shared = unrated_items(task), set(task.calibration)
    rated, counted = _answers([rating for rating in known if rating.item not in apart], aside)
    calibrating = _answers([rating for rating in known if rating.item in shared], aside)
    systems = systems_of(task)
    options = Options(lexicon, seed, resamples, systems)
    judged = [
        judge_agreement(task, control, counted, systems=systems, seed=seed, resamples=resamples)
        for control in task.controls
    ]
    return AgreementReport(
        task=task.name,
        items=len({rating.item for rating in rated.ratings}),
        ratings=len(rated.ratings),
        people=len({rating.rater for rating in rated.ratings}),
        set_aside=aside,
        controls=tuple(control_agreement(control, rated, counted, options=options) for control in task.controls),
        calibration=tuple(
            control_agreement(control, *calibrating, options=options)
            for control in task.controls
            if calibrating[0].ratings
        ),
        raters=rater_figures(task, known, rated, aside=aside, seed=seed, resamples=resamples),
        judge=tuple(one for one in judged if one is not None),
    )


def _answers(ratings: Sequence[Rating], aside: Mapping[str, str]) -> tuple[Answers, Answers]:
    """Those of everybody, and those that count: the same object where all do."""
    everybody = Answers(ratings)
    if not aside:
        return everybody, everybody
    return everybody, Answers([rating for rating in ratings if rating.rater not in aside])


def systems_of(task: RatingTask) -> dict[str, dict[str, str]]:
    """Item to clip to system, for items that hide whose clips they hold."""
    found = {}
    for item in task.items:
        named = item.hidden.get(SYSTEMS)
        if isinstance(named, Mapping):
            found[item.id] = {clip: str(system) for clip, system in named.items()}
    return found
