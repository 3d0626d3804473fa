"""Two runs on the same items: did it get better?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aptone.errors import UsageError
from aptone.messages import message
from aptone.run.folder import Run, load_run
from aptone.stats import paired_difference
from aptone.types import Displayed, Entry, Estimate, Json


@dataclass(frozen=True, slots=True)
class Change:
    """One item in both runs.

    Args:
        first: score in run A.
        second: score in run B.
        line: text of the item, for tables.
    """

    id: str
    first: float
    second: float
    line: str = ""

    @property
    def difference(self) -> float:
        """B minus A."""
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class Comparison(Displayed):
    """The scores of run B against those of run A.

    Args:
        difference: mean of B minus A over the items that both scored, with its interval.
        p_value: p-value of a permutation test: how often a mean at least this far from 0 comes from swapping A and B
            at random.
        changes: all items that both scored, the largest change first.
        only_first, only_second: ids that only A or only B scored.
        judges: number of different judges of both runs' scores.
        warnings: reasons to doubt the comparison, for instance two different judges.
    """

    score: str
    difference: Estimate
    p_value: float
    mean_first: float
    mean_second: float
    higher_is_better: bool | None
    changes: tuple[Change, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    judges: int
    warnings: tuple[str, ...]


def compare(
    first: Run | str | Path, second: Run | str | Path, *, score: str | None = None, seed: int = 0
) -> Comparison:
    """Compare two runs item by item, matched by id. Their recordings may differ: that is often the point.

    Args:
        first: run A, the one to beat; a run, or its folder.
        second: run B, likewise.
        score: name of the score; by default the main score of A.

    Raises:
        RunError: if a folder is not that of a run.
        UsageError: if no item was scored in both, or no run has such a score.
    """
    first, second = (run if isinstance(run, Run) else load_run(run) for run in (first, second))
    chosen = score or first.main_score
    scores_first, scores_second = _scores(first, chosen), _scores(second, chosen)
    shared = sorted(scores_first.keys() & scores_second.keys())
    if not shared:
        if scores_first and scores_second:
            raise UsageError(
                f"{first.folder} and {second.folder} have no item that both scored: items are matched by id, and the "
                f"ids differ ({next(iter(scores_first))!r} in the first, {next(iter(scores_second))!r} in the second). "
                "Give a line the same id in both manifests."
            )
        known = sorted({score for run in (first, second) for entry in run.entries for score in entry.outcome.scores})
        raise UsageError(
            f"{first.folder} and {second.folder} have no item that both scored with {chosen!r}. "
            f"Scores in these runs: {', '.join(known) or 'none'}."
        )
    a = np.array([scores_first[name] for name in shared])
    b = np.array([scores_second[name] for name in shared])
    result = paired_difference(a, b, seed=seed)
    scored = (entry.outcome.scores for entry in first.entries)
    changes = [Change(name, float(one), float(two)) for name, one, two in zip(shared, a, b, strict=True)]
    return Comparison(
        score=chosen,
        difference=result.difference,
        p_value=result.p_value,
        mean_first=float(a.mean()),
        mean_second=float(b.mean()),
        higher_is_better=next(found[chosen].higher_is_better for found in scored if chosen in found),
        changes=tuple(sorted(changes, key=lambda change: -abs(change.difference))),
        only_first=tuple(sorted(scores_first.keys() - scores_second.keys())),
        only_second=tuple(sorted(scores_second.keys() - scores_first.keys())),
        judges=len(_signatures(first, second)),
        warnings=_warnings(first, second),
    )


def _scores(run: Run, name: str) -> Mapping[str, float]:
    return {
        entry.item.id: entry.outcome.scores[name].value
        for entry in run.entries
        if entry.repeat == 0 and name in entry.outcome.scores and entry.outcome.scores[name].is_defined
    }


def _warnings(first: Run, second: Run) -> tuple[str, ...]:
    found = []
    signatures = _signatures(first, second)
    if len(signatures) > 1:
        found.append(message("run.other-judges", names="; ".join(sorted(signatures))))
    contents = [{entry.item.id: _content(entry) for entry in _main(run)} for run in (first, second)]
    shared = contents[0].keys() & contents[1].keys()
    if shared and all(contents[0][name] == contents[1][name] for name in shared) and not found:
        found.append(message("run.same-recordings"))
    return tuple(found)


def _content(entry: Entry) -> tuple[str, Json]:
    """What was judged of an item: its own content, and the answers that a system under test gave to it."""
    answers = entry.outcome.evidence.get("answers")
    known = answers if isinstance(answers, Sequence) and not isinstance(answers, str) else ()
    return entry.item.content_hash, [one.get("sha256") for one in known if isinstance(one, Mapping)]


def _signatures(*runs: Run) -> set[str]:
    return {entry.outcome.signature for run in runs for entry in _main(run) if entry.outcome.scores}


def _main(run: Run) -> list[Entry]:
    return [entry for entry in run.entries if entry.repeat == 0]
