"""Closing the loop: what people said in a study, as ratings of the runs that its items came from.

Each item of a task made from a run (`aptone studio from-run`) knows which item of the run each of its clips is. Numbers
on a scale that differs from that of the run's score are mapped to it linearly, end to end. Only ratings that count are
taken: nobody who failed the rules of the task, no calibration items, tests or attention checks.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from aptone.errors import UsageError
from aptone.messages import message
from aptone.ratings.people import OVER, RIVAL, SCORE, TIE, UNDER
from aptone.ratings.rules import set_aside, unrated_items
from aptone.studio.exchange.from_run import JUDGE_SCORES, RUN, RUN_ITEMS
from aptone.types import Control, Json, Rating, RatingItem, RatingTask, is_finite_number
from aptone.types.rating import BEST, SAME, WORST

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class RunItem:
    """Item of a run that a clip is: name of the run's folder, and the id there."""

    run: str
    item: str


def origins(item: RatingItem) -> dict[str, RunItem]:
    """Map clip to where it came from; empty for an item that came from no run."""
    run, items = item.hidden.get(RUN), item.hidden.get(RUN_ITEMS)
    if not isinstance(items, Mapping) or not isinstance(run, str | Mapping):
        return {}
    return {
        clip: RunItem(run if isinstance(run, str) else str(run.get(clip, "")), str(name))
        for clip, name in items.items()
    }


def run_names(task: RatingTask) -> list[str]:
    """Names of the runs that the items of a task came from, in their order."""
    return list(dict.fromkeys(one.run for item in task.items for one in origins(item).values()))


def people_ratings(
    task: RatingTask, ratings: Sequence[Rating], *, ranges: Mapping[str, Range | None], control: str = ""
) -> dict[str, list[Rating]]:
    """Return the ratings of each run, as `aptone.ratings.people` stores them.

    Args:
        ranges: run to the range of its score; ``None`` for an open one, whose ratings stay on their own scale.
        control: question whose numbers are taken; by default the one that names a judge, or else the first of its kind.

    Raises:
        UsageError: if the task came from no run, or has no question that could be held against a score.
    """
    if not run_names(task):
        raise UsageError(message("exchange.task-of-no-run", name=repr(task.name)))
    asked = asked_control(task, control)
    apart, aside = unrated_items(task), set_aside(task, ratings)
    items = {item.id: item for item in task.items}
    found: defaultdict[tuple[str, str, str], list[float]] = defaultdict(list)
    votes: dict[str, list[Rating]] = defaultdict(list)
    for rating in ratings:
        if rating.item in apart or rating.rater in aside or rating.item not in items:
            continue
        where = origins(items[rating.item])
        answer = rating.answers.get(asked.name)
        for one, number in _numbers(asked, answer, where):
            found[one.run, one.item, rating.rater].append(_mapped(number, asked, ranges.get(one.run)))
        for run, item, answers in _choices(asked, answer, items[rating.item]):
            votes[run].append(Rating(task.name, item, rating.rater, answers, finished=rating.finished))
    made: dict[str, list[Rating]] = {run: [] for run in run_names(task)}
    for (run, item, rater), numbers in found.items():
        made[run].append(Rating(task.name, item, rater, {SCORE: math.fsum(numbers) / len(numbers)}))
    for run, given in votes.items():
        made[run] += given
    return made


def asked_control(task: RatingTask, name: str = "") -> Control:
    """Return the question that is held against the scores of a run.

    Raises:
        UsageError: if there is none, or none of that name.
    """
    usable = [one for one in task.controls if one.kind in ("scale", "ratings", "preference", "ranking", "best-worst")]
    if name:
        usable = [one for one in usable if one.name == name]
    if not usable:
        asked = ", ".join(one.name for one in task.controls)
        raise UsageError(message("exchange.no-question", name=repr(task.name), names=asked))
    return next((one for one in usable if one.judged_by), usable[0])


def _numbers(control: Control, answer: Json, where: Mapping[str, RunItem]) -> Iterator[tuple[RunItem, float]]:
    if control.kind == "scale" and is_finite_number(answer) and len(where) == 1:
        yield next(iter(where.values())), float(answer)
    elif control.kind == "ratings" and isinstance(answer, Mapping):
        for clip, number in answer.items():
            if clip in where and is_finite_number(number):
                yield where[clip], float(number)


def _choices(control: Control, answer: Json, item: RatingItem) -> Iterator[tuple[str, str, dict[str, Json]]]:
    """Yield the run, its item and the answer about it, for each choice between two clips; of two runs, one for each."""
    where, scores = origins(item), item.hidden.get(JUDGE_SCORES)
    for better, worse, tie in _pairs(control, answer, list(where)):
        if better not in where or worse not in where:
            continue
        one, other = where[better], where[worse]
        if one.run == other.run:
            yield one.run, one.item, {TIE if tie else OVER: other.item}
        elif isinstance(scores, Mapping) and better in scores and worse in scores:
            yield one.run, one.item, {TIE if tie else OVER: f"{other.run}/{other.item}", RIVAL: scores[worse]}
            yield other.run, other.item, {TIE if tie else UNDER: f"{one.run}/{one.item}", RIVAL: scores[better]}


def _pairs(control: Control, answer: Json, clips: Sequence[str]) -> Iterable[tuple[str, str, bool]]:
    if control.kind == "preference" and isinstance(answer, str) and len(clips) == 2:
        if answer == SAME:
            yield clips[0], clips[1], True
        elif answer in clips:
            yield answer, next(clip for clip in clips if clip != answer), False
    elif control.kind == "ranking" and isinstance(answer, list | tuple):
        order = [str(clip) for clip in answer]
        yield from ((one, other, False) for place, one in enumerate(order) for other in order[place + 1 :])
    elif control.kind == "best-worst" and isinstance(answer, Mapping):
        best, worst = str(answer.get(BEST, "")), str(answer.get(WORST, ""))
        between = [clip for clip in clips if clip not in (best, worst)]
        yield from ((best, other, False) for other in (*between, worst))
        yield from ((other, worst, False) for other in between)


def _mapped(number: float, control: Control, range: Range | None) -> float:
    """Map a number from the scale of a question to that of a score."""
    if range is None or math.isnan(control.low) or range == (control.low, control.high):
        return number
    low, high = range
    return low + (number - control.low) / (control.high - control.low) * (high - low)
