"""The rating task of S3Bench, as data for a room where people listen: what they are told, asked, and held to.

Words and rules are those of the task file ``s3bench``; the paper names no distance that makes a rating an outlier, so
that the two points there are ours.
"""

import math
from collections.abc import Sequence

from aptone.ratings.tasks import JUDGE_SCORE, task_template, with_items
from aptone.rooms.style.data import FIT, StylePair
from aptone.types import RatingItem, RatingTask

TASK = "s3bench"
CLIP, DESCRIPTION = "clip", "description"
QUALIFYING = 10
RIGHT, WRONG = 4.5, 0.5
"""What pairs of the test should get: with the file's tolerance of 1.5, right ones 3 or more, wrong ones 2 or less."""


def rating_task(
    pairs: Sequence[StylePair], *, qualifying: Sequence[tuple[StylePair, float]] = (), name: str = TASK
) -> RatingTask:
    """The task: five people a pair, 250 pairs a person, a test of ten pairs first, nothing shown but clip and text.

    Args:
        pairs: to be rated; what else is known of them is hidden.
        qualifying: pairs of the test, and what they should get.
    """
    items = [*(rating_item(pair) for pair in pairs), *(rating_item(pair, gold=gold) for pair, gold in qualifying)]
    return with_items(task_template(TASK), items, name=name, qualification=[pair.id for pair, _ in qualifying])


def rating_item(pair: StylePair, *, gold: float | None = None, judged: float = math.nan) -> RatingItem:
    """A pair as raters get it: clip and description, all else hidden.

    Args:
        gold: what it should get, for a pair of the test.
        judged: what a judge gave it; NaN for none.
    """
    score = {} if math.isnan(judged) else {JUDGE_SCORE: judged}
    return RatingItem(
        id=pair.id,
        audio={CLIP: pair.audio},
        fields={DESCRIPTION: pair.description},
        hidden={"language": pair.language, **pair.ids, **score},
        gold={} if gold is None else {FIT: gold},
    )
