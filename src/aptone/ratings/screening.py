"""Post-screening of assessors in MUSHRA tests, as ITU-R BS.1534-3 (4.1.2) has it."""

from collections.abc import Iterable, Mapping

from aptone.messages import message
from aptone.types import Json, Rating, RatingTask, is_finite_number

ROLES = "roles"
"""Hidden field of a MUSHRA item: condition to ``reference`` (the hidden one), ``low`` or ``mid`` (the anchors)."""
REFERENCE_LIMIT, ANCHOR_LIMIT, MOST_FAILURES = 90.0, 90.0, 0.15


def failing_share(scores: Iterable[float], *, below: float | None = None, above: float | None = None) -> float:
    """Share of scores below or above a limit; 0 without scores.

    >>> failing_share([100, 85, 95, 88], below=90)
    0.5
    """
    numbers = list(scores)
    failed = sum((below is not None and one < below) or (above is not None and one > above) for one in numbers)
    return failed / len(numbers) if numbers else 0.0


def mushra_screening(task: RatingTask, ratings: Iterable[Rating]) -> dict[str, str]:
    """Map each assessor whom the recommendation excludes to the reason; empty for another test.

    An assessor is excluded who rates the hidden reference below 90 in more than 15 % of the items, or the mid-range
    anchor above 90 in more than 15 % of them.
    """
    if task.test != "mushra":
        return {}
    control = next((one.name for one in task.controls if one.kind == "ratings"), "")
    roles = {item.id: item.hidden.get(ROLES) for item in task.items if item.id not in task.calibration}
    scores: dict[str, dict[str, list[float]]] = {}
    for rating in ratings:
        given, known = rating.answers.get(control), roles.get(rating.item)
        if isinstance(given, Mapping) and isinstance(known, Mapping):
            own = scores.setdefault(rating.rater, {"reference": [], "mid": [], "low": []})
            for condition, role in known.items():
                if is_finite_number(number := given.get(condition)):
                    own[str(role)].append(float(number))
    found: dict[str, str] = {}
    for rater, by_role in scores.items():
        reference = failing_share(by_role["reference"], below=REFERENCE_LIMIT)
        anchor = failing_share(by_role["mid"], above=ANCHOR_LIMIT)
        if reference > MOST_FAILURES:
            found[rater] = message(
                "run.hidden-reference-missed", share=100 * reference, count=len(by_role["reference"])
            )
        elif anchor > MOST_FAILURES:
            found[rater] = message("run.mid-anchor-too-high", share=100 * anchor, count=len(by_role["mid"]))
    return found


def condition_role(hidden: Mapping[str, Json], condition: str) -> str:
    """Role of a condition: ``reference``, ``low``, ``mid``, ``anchor`` for another one that was made, or empty."""
    roles = hidden.get(ROLES)
    known = roles.get(condition) if isinstance(roles, Mapping) else None
    return str(known) if known else ""
