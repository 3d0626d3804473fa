"""Runs that the tasks of a project came from: where they lie, so that ratings find their way back."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from aptone.errors import AptoneError, RecordError, UsageError
from aptone.files import write_whole
from aptone.judge.calibration import Calibration
from aptone.messages import message
from aptone.ratings.people import read_people, write_people
from aptone.report.groups import counted_score
from aptone.report.run_report import finish_run
from aptone.rooms.aptness.calibration import fit_calibration, rated_items
from aptone.run import Run, load_run
from aptone.studio.exchange.apply_ratings import Range, people_ratings, run_names
from aptone.types import Language, Rating, RatingTask, TrustCard, dumps, loads, to_json

RUNS = "runs.json"
"""File in a project folder: name of a run to its folder."""
CALIBRATION = "calibration.json"
CALIBRATED_VERBS = ("score", "rank")


@dataclass(frozen=True, slots=True)
class AppliedRun:
    """Run that got the ratings of a study.

    Args:
        ratings: numbers and choices that it got.
        calibration: mapping that was fitted, in `CALIBRATION`; ``None`` where there is none, and `why` says why.
    """

    folder: Path
    ratings: int
    people: int
    card: TrustCard
    calibration: Calibration | None
    why: str = ""


def note_runs(project: Path, runs: Iterable[Path]) -> None:
    """Remember in a project where the runs of its tasks lie."""
    known = {**_known(project), **{run.resolve().name: str(run.resolve()) for run in runs}}
    write_whole(project / RUNS, dumps(known, indent=1) + "\n", private=True)


def runs_of(project: Path, task: RatingTask, given: Iterable[Path] = ()) -> dict[str, Path]:
    """Map the names of a task's runs to their folders: those that are given, or else where they were.

    Raises:
        UsageError: if one of them is not found.
    """
    known = {
        **{name: Path(path) for name, path in _known(project).items()},
        **{run.resolve().name: run for run in given},
    }
    found = {}
    for name in run_names(task):
        if name not in known or not known[name].is_dir():
            raise UsageError(message("exchange.run-not-found", name=repr(name)))
        found[name] = known[name]
    return found


def _known(project: Path) -> dict[str, str]:
    path = project / RUNS
    if not path.is_file():
        return {}
    data = loads(path.read_bytes(), what=str(path))
    if not isinstance(data, dict) or not all(isinstance(one, str) for one in data.values()):
        raise RecordError(message("exchange.damaged-runs", name=path))
    return {str(name): str(one) for name, one in data.items()}


def apply_ratings(
    task: RatingTask,
    ratings: Iterable[Rating],
    runs: dict[str, Path],
    *,
    control: str = "",
    language: Language = "en",
    version: str = "",
) -> list[AppliedRun]:
    """Write what people said into their runs: ratings, trust card, report and calibration. No score changes.

    Raises:
        UsageError: if the task came from no run, or has no question that could be held against a score.
    """
    loaded = {name: load_run(folder) for name, folder in runs.items()}
    ranges = {name: score_range(run) for name, run in loaded.items()}
    found = people_ratings(task, list(ratings), ranges=ranges, control=control)
    applied = []
    for name, run in loaded.items():
        records = found.get(name, [])
        write_people(run.folder, records)
        card = finish_run(run, language=language).card
        calibration, why = _calibrated(run, version)
        people = len({one.rater for one in records})
        applied.append(AppliedRun(run.folder, len(records), people, card, calibration, why))
    return applied


def score_range(run: Run) -> Range | None:
    """Range of a run's main score; ``None`` for an open scale, or a run without a score."""
    given = (counted_score(entry, run.main_score) for entry in run.entries)
    return next((one.range for one in given if one is not None and one.is_defined), None)


def _calibrated(run: Run, version: str) -> tuple[Calibration | None, str]:
    """Fit the judge's scores to the ratings of a run, or return why that is not possible."""
    judge, planner = (run.config.settings.get(part) for part in ("judge", "planner"))
    if run.config.verb not in CALIBRATED_VERBS or not isinstance(judge, str) or judge.startswith("judge:calibrated"):
        return None, message("exchange.not-calibrated", verb=run.config.verb)
    means = read_people(run.folder).means()
    if not means:
        return None, message("exchange.no-numbers")
    try:
        items = rated_items(run, means)
        fitted = fit_calibration(items, judge=judge, planner=str(planner or ""), version=version)
    except AptoneError as error:
        return None, str(error)
    write_whole(run.folder / CALIBRATION, dumps(to_json(fitted.calibration), indent=2) + "\n")
    return fitted.calibration, ""
