"""Experiments on a step itself, for the trust card."""

from collections.abc import Sequence

from aptone.messages import message
from aptone.run.attempts import Performer, Work, run_to_the_end
from aptone.run.step import AnyStep, BatchStep
from aptone.types import Item, Outcome, Probe, ProbeState

PROBED_ITEMS = 32  # items of a run that are judged again to see whether the batch size changes scores
SAME_SCORE = 1e-6
"""Scores that lie no further apart than this count as equal: the rounding of 32-bit arithmetic on a 0–5 scale."""


def batch_check(items: Sequence[Item], step: AnyStep, *, seed: int = 0) -> Probe:
    """Does it change an item's score which other items are worked on with it?

    Every item is worked on alone, in full batches, and in full batches in reverse order, without the cache. The probe
    passes if no score moves by more than `SAME_SCORE` and none appears or disappears. It counts as not run if no item
    got a score, for then there was nothing to compare.

    Args:
        items: a sample of the run's items; a few dozen are enough.
    """
    if not isinstance(step, BatchStep):
        return Probe(ProbeState.NOT_APPLICABLE, detail=message("run.one-item-at-a-time"))
    if step.batch_size < 2 or len(items) < 2:
        detail = message("run.no-batches-to-compare", items=len(items), size=step.batch_size)
        return Probe(ProbeState.NOT_APPLICABLE, detail=detail)
    alone, together, turned = run_to_the_end(_three_ways(Performer(step, seed=seed), items, size=step.batch_size))
    differences: list[float] = []
    for first, others in zip(alone, zip(together, turned, strict=True), strict=True):
        for other in others:
            if _shape(first) != _shape(other):
                states = (message(f"run.state-{one.state}") for one in (first, other))
                detail = message("run.other-state-in-batch", state_alone=next(states), state_together=next(states))
                return Probe(ProbeState.FAILED, items=len(items), detail=detail)
            pairs = ((score, other.scores[name]) for name, score in first.scores.items() if score.is_defined)
            differences += [abs(one.value - two.value) for one, two in pairs]
    if not differences:
        return Probe(ProbeState.NOT_RUN, items=len(items), detail=message("run.no-item-scored"))
    largest = max(differences)
    state = ProbeState.PASSED if largest <= SAME_SCORE else ProbeState.FAILED
    detail = message("run.alone-and-in-batches", size=step.batch_size)
    return Probe(state, value=largest, items=len(items), detail=detail)


async def _three_ways(
    performer: Performer, items: Sequence[Item], *, size: int
) -> tuple[list[Outcome], list[Outcome], list[Outcome]]:
    alone = await _outcomes(performer, items, size=1)
    together = await _outcomes(performer, items, size=size)
    turned = await _outcomes(performer, items[::-1], size=size)
    return alone, together, turned[::-1]


async def _outcomes(performer: Performer, items: Sequence[Item], *, size: int) -> list[Outcome]:
    found: list[Outcome] = []
    for start in range(0, len(items), size):
        works = [Work(item) for item in items[start : start + size]]
        found += [entry.outcome for entry in await performer(works)]
    return found


def _shape(outcome: Outcome) -> tuple[object, ...]:
    return outcome.state, {name: score.state for name, score in outcome.scores.items()}
