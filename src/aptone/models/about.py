"""Requirements and limits of planners, judges and models."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from shutil import which
from typing import Self

from aptone.errors import MissingExtraError, UsageError
from aptone.messages import joined, message
from aptone.types import Json


@dataclass(frozen=True, slots=True)
class Engine:
    """Engine: a planner and a judge under the name of ``--engine``.

    Args:
        name: name on the command line.
        summary: one line for `aptone doctor`.
        planner: name of the default planner.
        judge: name of the default judge.
        width: default number of items in parallel.
        settings: default options of its parts, as ``planner.<option>`` and ``judge.<option>``.
    """

    name: str
    summary: str
    planner: str
    judge: str
    width: int = 1
    settings: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class About:
    """Requirements of a part, machines that receive audio, and limits of its scores.

    Args:
        modules: modules that it imports.
        extra: extra of aptone that installs those modules; empty for the core.
        sends_audio_to: machines that receive recordings; empty when they stay on this one.
        notes: notes for readers of its scores.
        licence: licence of its weights, after their name if any: ``ear: full (CC-BY-NC-SA-4.0)``; empty without one.
        parameters: number of trained parameters; 0 where unknown.
        programs: programs that it runs, each with the command that installs it.
    """

    modules: tuple[str, ...] = ()
    extra: str = ""
    sends_audio_to: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    licence: str = ""
    parameters: int = 0
    programs: tuple[tuple[str, str], ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Modules that are not installed."""
        return tuple(name for name in self.modules if not _is_installed(name))

    def require(self, what: str) -> None:
        """Make sure that it can run here.

        Raises:
            MissingExtraError: if a module is missing.
            UsageError: if a program is missing.
        """
        if self.missing:
            raise MissingExtraError(
                message("models.it-lacks", what=what, names=", ".join(self.missing)), extra=self.extra
            )
        for program, install in self.programs:
            if which(program) is None:
                raise UsageError(message("models.program-missing", what=what, program=program, why=install))

    def __add__(self, other: Self) -> "About":
        """Return the requirements and limits of two parts that work together."""
        return About(
            modules=self.modules + other.modules,
            extra=self.extra or other.extra,
            sends_audio_to=tuple(sorted({*self.sends_audio_to, *other.sends_audio_to})),
            notes=tuple(dict.fromkeys(self.notes + other.notes)),
            licence=joined(dict.fromkeys(filter(None, (self.licence, other.licence))), "text.clause"),
            parameters=self.parameters + other.parameters if self.parameters and other.parameters else 0,
            programs=tuple(dict.fromkeys(self.programs + other.programs)),
        )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around a submodule is missing
        return False
