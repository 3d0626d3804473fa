"""CEAEval's benchmark: judges × context sizes × with and without CoT × story or plan × prompt language.

Every cell of the grid is a run of its own below the folder of the benchmark: kill it at any moment, type the same
command, and it goes on. `aptone.rooms.aptness.bench.results` says what is computed from the runs.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

from aptone.errors import UsageError
from aptone.files import write_whole
from aptone.messages import with_messages
from aptone.report.people_agreement import human_ceiling
from aptone.report.run_report import finish_card
from aptone.rooms.aptness.bench.contestants import Condition, Contestant, Grid, check_names, folder_name
from aptone.rooms.aptness.bench.results import (
    RESAMPLES,
    TOLERANCE,
    BenchResult,
    CellResult,
    JudgeFacts,
    cell_result,
    paired_tests,
    with_choice,
)
from aptone.rooms.aptness.bench.statistics import set_statistics
from aptone.rooms.aptness.data import make_items
from aptone.rooms.aptness.rated_lines import SCORE_NAMES, RatedLine, RatedSet, read_rated
from aptone.rooms.aptness.step import ONE_CLIP, AptnessStep, CarryOut
from aptone.run import AnyStep, BatchStep, Ended, InProcess, RunConfig, display_for, run_items, surroundings
from aptone.run.probes import PROBED_ITEMS, batch_check
from aptone.types import Item, Json, Language, Sample, dumps, to_json

RESULTS, TABLE, CELLS, CLIPS = "results.json", "results.csv", "cells", "clips"


@dataclass(frozen=True, slots=True)
class Cell:
    """A judge under one condition, before it is run; `folder` is relative to that of the benchmark."""

    contestant: Contestant
    condition: Condition
    folder: Path


def grid_cells(contestants: Sequence[Contestant], grid: Grid, *, with_plans: bool) -> list[Cell]:
    """The cells of a grid, judge by judge: only what each judge can do.

    Raises:
        UsageError: if there is no judge, two have one name, or a judge can do nothing of the grid.
    """
    check_names(contestants)
    folders: dict[str, str] = {}
    cells: list[Cell] = []
    for contestant in contestants:
        name = folder_name(contestant.name)
        if folders.setdefault(name.casefold(), contestant.name) != contestant.name:
            raise UsageError(
                f"the judges {folders[name.casefold()]!r} and {contestant.name!r} would share the folder {name!r}; "
                "name one of them otherwise, with name=…."
            )
        conditions = list(contestant.conditions(grid, with_plans=with_plans))
        if not conditions:
            raise UsageError(
                f"judge {contestant.name!r} can do nothing of this grid: it goes by plans, or by the story, and "
                f"--guide allows only {', '.join(grid.guides)}."
            )
        cells += [Cell(contestant, condition, Path(CELLS) / name / condition.slug) for condition in conditions]
    return cells


def bench_ceaeval(
    rated: RatedSet | Sequence[RatedLine | Sample] | str | Path,
    contestants: Sequence[Contestant],
    *,
    folder: str | Path,
    grid: Grid | None = None,
    seed: int = 0,
    language: Language = "en",
    carry_out: CarryOut | None = None,
    command: Sequence[str] = (),
    consent: Mapping[str, tuple[str, ...]] | None = None,
    batch_checked: bool = False,
    resamples: int = RESAMPLES,
) -> BenchResult:
    """Run the benchmark, or go on with it, and write ``results.json`` and ``results.csv`` into its folder.

    Args:
        rated: lines with human scores: a data set or manifest on the disk, or read already; those without are left out.
            Where no line has one, proxy scores count instead, and the result says so.
        folder: folder of the benchmark; the runs of its cells lie below it.
        grid: conditions to evaluate; by default the paper's.
        language: language of the names of classes in the statistics.
        carry_out: runner of a cell; by default in this process, with a progress bar and without a reply cache.
        consent: judge to the machines that the user agreed to send audio to.
        batch_checked: whether to check that scores do not depend on the batch size, for judges that work in batches.

    Raises:
        RunError: if the folder of a cell holds a run of another kind, or cannot be used.
        UsageError: if no line has a human score, or the judges cannot be used.
    """
    rated = as_rated_set(rated, clips=Path(folder) / CLIPS)
    grid = grid or Grid()
    lines = rated.rated_lines
    if not lines:
        source, names = rated.source or "the set", ", ".join(SCORE_NAMES)
        raise UsageError(f"{source}: no line has a human score; expected one of {names}.")
    cells = grid_cells(contestants, grid, with_plans=any(line.sample.plan is not None for line in lines))
    runner = _Runner(
        lines=lines,
        proxy=rated.is_proxy,
        folder=Path(folder),
        seed=seed,
        source=rated.source,
        carry_out=carry_out or _in_process,
        command=tuple(command),
        consent=consent or {},
        batch_checked=batch_checked,
        resamples=resamples,
    )
    results: list[CellResult] = []
    stopped = ""
    for number, cell in enumerate(cells, start=1):
        label = f"{number}/{len(cells)} {cell.contestant.name} {cell.condition.slug}"
        scored, stopped = runner.run(cell, label=label)
        results.append(scored)
        if stopped:
            break
    chosen, means = with_choice(results)
    human = {line.sample.id: line.score(proxy=rated.is_proxy) for line in lines}
    counting, display = [cell for cell in chosen if cell.chosen], display_for(label="paired tests")
    result = BenchResult(
        cells=tuple(chosen),
        judges=tuple(_facts(contestant, cells, chosen, means) for contestant in contestants),
        tests=tuple(paired_tests(counting, human, seed=seed, resamples=resamples, display=display)),
        ceiling=human_ceiling(by_rater(lines), tolerance=TOLERANCE),
        statistics=set_statistics(rated, context_sizes={*range(16), *grid.context_sizes}, language=language),
        source=rated.source,
        proxy=rated.is_proxy,
        cells_wanted=len(cells),
        stopped=stopped,
        seed=seed,
        version=version("aptone"),
    )
    write_whole(Path(folder) / RESULTS, dumps(with_messages(result_json(result), of=result), indent=2))
    write_whole(Path(folder) / TABLE, as_csv(result.rows()))
    return result


def as_rated_set(rated: RatedSet | Sequence[RatedLine | Sample] | str | Path, *, clips: Path) -> RatedSet:
    """Lines from the disk or from memory as one set; recordings inside a Parquet file are unpacked to `clips`."""
    if isinstance(rated, RatedSet):
        return rated
    if isinstance(rated, str | Path):
        return read_rated(Path(rated), unpack_to=clips)
    return RatedSet(tuple(RatedLine(line) if isinstance(line, Sample) else line for line in rated))


def result_json(result: BenchResult) -> dict[str, Json]:
    """The result as it is written down; the single scores are in the journals of the cells."""
    slim = replace(result, cells=tuple(replace(cell, scores={}) for cell in result.cells))
    return {**to_json(slim), "rows": result.rows()}


def as_csv(rows: Sequence[Mapping[str, Json]]) -> str:
    """Rows as a table with commas; what is undefined is an empty cell."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: "" if value is None or value != value else str(value) for name, value in row.items()})
    return text.getvalue()


@dataclass(frozen=True, slots=True)
class _Runner:
    lines: Sequence[RatedLine]
    proxy: bool
    folder: Path
    seed: int
    source: str
    carry_out: CarryOut
    command: tuple[str, ...]
    consent: Mapping[str, tuple[str, ...]]
    batch_checked: bool
    resamples: int
    hashes: dict[Path, str] = field(default_factory=dict)

    def run(self, cell: Cell, *, label: str) -> tuple[CellResult, str]:
        """The result of a cell, and why its run ended early."""
        condition, contestant = cell.condition, cell.contestant
        lines = [line for line in self.lines if condition.guide != "given" or line.sample.plan is not None]
        items = list(make_items([condition.apply(line.sample) for line in lines], hashes=self.hashes))
        step = contestant.step(condition)
        folder = self.folder / cell.folder
        ended = self.carry_out(
            items, step, folder=folder, config=self._config(cell, step), width=contestant.width, label=label
        )
        probe_now = self.batch_checked or not isinstance(step, BatchStep)
        batch = batch_check(items[:PROBED_ITEMS], step, seed=self.seed) if probe_now else None
        human = {line.sample.id: line.score(proxy=self.proxy) for line in lines}
        # an earlier session may have had lines that are not in the set any more
        run = replace(ended.run, entries=tuple(entry for entry in ended.run.entries if entry.item.id in human))
        result = cell_result(
            run,
            human,
            judge=contestant.name,
            condition=condition,
            card=finish_card(run, stopped=ended.stopped, batch=batch, order=ONE_CLIP),
            folder=cell.folder.as_posix(),
            seed=self.seed,
            resamples=self.resamples,
        )
        return result, ended.stopped

    def _config(self, cell: Cell, step: AptnessStep) -> RunConfig:
        return RunConfig(
            verb="bench ceaeval",
            engine=cell.contestant.name,
            settings={**step.settings(), **cell.condition.settings()},
            seed=self.seed,
            version=version("aptone"),
            inputs=(self.source,) if self.source else (),
            command=self.command,
            surroundings=surroundings(),
            consent=self.consent.get(cell.contestant.name, ()),
            notes=step.about.notes,
            licence=step.about.licence,
        )


def _in_process(
    items: Sequence[Item], step: AnyStep, *, folder: Path, config: RunConfig, width: int, label: str
) -> Ended:
    executor, display = InProcess(width), display_for(label=label)
    return run_items(items, step, folder=folder, config=config, executor=executor, display=display)


def _facts(
    contestant: Contestant,
    cells: Sequence[Cell],
    results: Sequence[CellResult],
    means: Mapping[str, Mapping[str, float]],
) -> JudgeFacts:
    own = [cell for cell in cells if cell.contestant is contestant]
    planned = next((cell for cell in own if cell.condition.guide == "plan"), None)
    step = contestant.step((planned or own[0]).condition)
    chosen = {cell.condition.prompt_language for cell in results if cell.judge == contestant.name and cell.chosen}
    return JudgeFacts(
        name=contestant.name,
        parameters=contestant.judge.parameter_count(step.judge.about),
        planner_parameters=contestant.planner.parameter_count(step.planner.about) if planned else 0,
        prompt_language=next(iter(chosen), None),
        language_means=means.get(contestant.name, {}),
        licence=step.about.licence,
        notes=step.about.notes,
        sends_audio_to=step.about.sends_audio_to,
    )


def by_rater(lines: Sequence[RatedLine]) -> dict[str, dict[str, float]]:
    """Rater to line to rating, where single ratings are there."""
    raters: dict[str, dict[str, float]] = {}
    for line in lines:
        for rater, rating in line.sample.ratings.items():
            raters.setdefault(rater, {})[line.sample.id] = rating
    return raters
