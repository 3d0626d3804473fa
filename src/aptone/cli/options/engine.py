"""Options that choose what plans and what judges, for every verb that scores lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from aptone.cli.commands import gather_options
from aptone.cli.options.language import names_of
from aptone.cli.options.reference import NONE, asked_reference, read_references, reference_option
from aptone.cli.options.values import PATH, setting, settings_option, shown_option
from aptone.ear.referenced import Referenced, referenced, with_reference
from aptone.errors import UsageError
from aptone.models import Engine
from aptone.registry import Registry
from aptone.rooms.aptness.data import read_plan
from aptone.rooms.aptness.step import AptnessStep, make_step, voice_clips
from aptone.types import Json, Language, Plan, Sample, loads


def read_plan_option(plan: str | None) -> Plan | None:
    """The plan that was typed, or that stands in the file that was named; ``None`` without one.

    Raises:
        UsageError: if it is neither JSON nor a file that can be read.
        RecordError: if it is no plan.
    """
    return read_plan(_plan_json(plan), where="--plan") if plan else None


def _plan_json(plan: str) -> Json:
    if plan.lstrip().startswith("{"):
        return loads(plan, what="--plan")
    try:
        return loads(Path(plan).read_bytes(), what=plan)
    except OSError as error:
        raise UsageError(f"--plan: neither JSON nor a file that can be read ({error}).") from error


@dataclass(frozen=True, slots=True)
class Parts:
    """Planner and judge of a run.

    Args:
        settings: options of the parts, as they were typed.
        calibration: file that fits the judge's scores to somebody's ratings.
        reference: clips that say what a voice usually sounds like: those of the run, or of a folder.
    """

    engine: str
    planner: str | None
    judge: str | None
    settings: tuple[str, ...]
    calibration: Path | None
    reference: str | None

    @property
    def options(self) -> dict[str, Json]:
        """The options of the parts, by name."""
        given = dict(map(setting, self.settings))
        return given if self.calibration is None else {**given, "judge.calibration": str(self.calibration)}

    def options_of(self, *parts: str) -> dict[str, Json]:
        """The options of some parts only."""
        return {name: value for name, value in self.options.items() if name.partition(".")[0] in parts}

    def load_engine(self) -> Engine:
        """The engine behind the name."""
        return Registry("engines", Engine).load(self.engine)

    def step(self, *, without: tuple[str, ...] = (), lang: Language | None = None) -> AptnessStep:
        """Return planner and judge; options of parts in `without` are ignored; `lang` is the language of reasons."""
        settings = {name: value for name, value in self.options.items() if name.partition(".")[0] not in without}
        return make_step(self.load_engine(), planner=self.planner, judge=self.judge, settings=settings, lang=lang)

    def recorded(self, step: AptnessStep, *, reference: str = NONE) -> Mapping[str, Json]:
        """Return the settings that a score depends on; `reference` counts where nobody asked for another one."""
        asked = asked_reference(self._reference(step, reference))
        return {**step.settings(), **self.load_engine().settings, **self.options, **asked}

    def with_reference(
        self, step: AptnessStep, samples: Sequence[Sample], *, folder: Path | None = None, reference: str = NONE
    ) -> AptnessStep:
        """Return the step with the references that were asked for; see `read_references`.

        Those that nobody asked for (`reference`) are left out where clips are too few.
        """
        typed = self._reference(step, reference)
        if typed == NONE:
            return step
        ear, asked = referenced(step.judge).ear, self.reference is not None
        found = read_references(typed, voice_clips(samples), ear=ear, folder=folder, required=asked)
        return step if found.whole is None else replace(step, judge=with_reference(step.judge, found))

    def _reference(self, step: AptnessStep, otherwise: str) -> str:
        """Return what was asked for, or else what is used where the judge hears by an ear of ours."""
        return self.reference or (otherwise if isinstance(step.judge, Referenced) else NONE)


_OPTIONS = (
    shown_option(
        "--engine", default="built-in", shell_complete=names_of("engines"), help="Judge engine; see aptone doctor."
    ),
    click.option("--planner", shell_complete=names_of("planners"), help="Another planner than the engine's."),
    click.option("--judge", shell_complete=names_of("judges"), help="Another judge than the engine's."),
    settings_option("the planner or the judge"),
    click.option(
        "--calibration", type=PATH, help="File of aptone calibrate, which fits the judge's scores to your ratings."
    ),
    reference_option(more=" A book is heard against itself by default."),
)

engine_options = gather_options(Parts, argument="parts", options=_OPTIONS)
"""Adds the options of `Parts` to a verb, which receives them as its argument ``parts``."""
