"""What listeners of a study said about the items of a run, beside its journal; scores of the run stay as they are.

``people.jsonl`` in a run folder holds `Rating` records. Their answers are ``{"score": number}`` on the scale of the
run's score, or of a comparison ``{"over": ID}``: this item is better than that one (``under``: worse, ``tie``: as
good). An item of another run has its score beside it, as the same judge gave it: ``{"under": ID, "rival": number}``.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aptone.errors import RecordError
from aptone.files import write_whole
from aptone.messages import labelled, message
from aptone.ratings.storage import studio_rating
from aptone.run.sources.manifest import json_records
from aptone.types import Rating, is_finite_number
from aptone.types.codec import dumps_record

RUN_PEOPLE = "people.jsonl"
SCORE, RIVAL = "score", "rival"
OVER, UNDER, TIE = "over", "under", "tie"


@dataclass(frozen=True, slots=True)
class Vote:
    """Choice of one listener between two items; with `tie` they are alike.

    Args:
        scores: item of another run to its score there.
    """

    rater: str
    better: str
    worse: str
    tie: bool = False
    scores: Mapping[str, float] = field(default_factory=dict)

    @property
    def pair(self) -> tuple[str, str]:
        """The two items, the same whoever won."""
        first, second = sorted((self.better, self.worse))
        return first, second


@dataclass(frozen=True, slots=True)
class PeopleRatings:
    """Ratings of listeners: item to rater to number, and choices between two items."""

    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    votes: tuple[Vote, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.scores or self.votes)

    def means(self) -> dict[str, float]:
        """Item to the mean over its raters."""
        return {item: math.fsum(by.values()) / len(by) for item, by in self.scores.items()}


def write_people(folder: Path, ratings: Iterable[Rating]) -> None:
    """Write what listeners said about the items of a run, in place of what was there."""
    lines = sorted(dumps_record(rating) for rating in ratings)
    write_whole(folder / RUN_PEOPLE, "".join(f"{line}\n" for line in lines), private=True)


def read_people(folder: Path) -> PeopleRatings:
    """Read what listeners said about the items of a run; nothing where nobody was asked.

    Raises:
        RecordError: if the file cannot be understood; the message names the line.
    """
    path = folder / RUN_PEOPLE
    if not path.is_file():
        return PeopleRatings()
    scores: defaultdict[str, dict[str, float]] = defaultdict(dict)
    votes = []
    for where, data in json_records(path.read_text(encoding="utf-8"), path):
        rating = studio_rating(data)
        answers = {} if rating is None else rating.answers
        if rating is not None and is_finite_number(number := answers.get(SCORE)):
            scores[rating.item][rating.rater] = float(number)
        elif rating is not None and (vote := _vote(rating)) is not None:
            votes.append(vote)
        else:
            raise RecordError(labelled(where, message("run.not-a-listener-rating", name=SCORE)))
    return PeopleRatings(dict(scores), tuple(votes))


def _vote(rating: Rating) -> Vote | None:
    how = next((name for name in (OVER, UNDER, TIE) if isinstance(rating.answers.get(name), str)), "")
    if not how:
        return None
    other = str(rating.answers[how])
    rival = rating.answers.get(RIVAL)
    scores = {other: float(rival)} if is_finite_number(rival) else {}
    better, worse = (other, rating.item) if how == UNDER else (rating.item, other)
    return Vote(rating.rater, better, worse, tie=how == TIE, scores=scores)
