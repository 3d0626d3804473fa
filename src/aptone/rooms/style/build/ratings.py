"""What came back from the raters: who passed, whose ratings count, and how far they agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aptone.rooms.style.data import FIT, Ratings
from aptone.rooms.style.records import StylePair
from aptone.rooms.style.score import Agreement, rater_agreement
from aptone.ratings.rules import set_aside, unrated_items
from aptone.types import Rating, RatingTask


@dataclass(frozen=True, slots=True)
class Imported:
    """Ratings that count.

    Args:
        ratings: by pair and rater.
        raters: how many people they are of.
        set_aside: rater to the reason why their ratings do not count.
        short: pairs with fewer ratings than the task asks for.
        agreement: of the raters with each other.
    """

    ratings: Ratings
    raters: int
    set_aside: Mapping[str, str]
    short: int
    agreement: tuple[Agreement, ...]


def count_ratings(answers: Ratings, task: RatingTask) -> tuple[Ratings, dict[str, str]]:
    """The ratings of those who passed the test and do not stray, and why others are set aside.

    Args:
        answers: everything that was answered, the test included.
        task: what was asked, with the rules (`aptone.ratings.rules.set_aside`).
    """
    given = [
        Rating(task.name, pair, rater, {FIT: score}) for pair, by in answers.items() for rater, (score, _) in by.items()
    ]
    aside, test = set_aside(task, given), unrated_items(task)
    counted = {
        pair: {rater: one for rater, one in by.items() if rater not in aside}
        for pair, by in answers.items()
        if pair not in test
    }
    return {pair: by for pair, by in counted.items() if by}, aside


def imported(pairs: Sequence[StylePair], answers: Ratings, task: RatingTask, *, seed: int = 0) -> Imported:
    """Everything about the answers to a task; arguments as those of `count_ratings`, and the pairs of the set.

    Raises:
        ValueError: if a rating lies outside of the scale.
    """
    ratings, aside = count_ratings(answers, task)
    rated = [
        StylePair(pair.id, pair.audio, pair.description, pair.language, ratings={r: s for r, (s, _) in by.items()})
        for pair in pairs
        if (by := ratings.get(pair.id))
    ]
    several = any(len(pair.ratings) > 1 for pair in rated)
    return Imported(
        ratings=ratings,
        raters=len({rater for by in ratings.values() for rater in by}),
        set_aside=aside,
        short=sum(len(ratings.get(pair.id, {})) < task.raters_per_item for pair in pairs),
        agreement=tuple(rater_agreement(rated, seed=seed)) if several else (),
    )
