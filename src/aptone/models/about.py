"""What a user must know of a planner, a judge or a model before it runs."""

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
    """What stands behind a name that users give with ``--engine``.

    Args:
        name: what users type.
        summary: one line for `aptone doctor`.
        planner: name of the planner it uses unless told otherwise.
        judge: name of the judge it uses unless told otherwise.
        width: how many items it works on at once unless told otherwise.
        settings: what its parts are made with, as ``planner.<option>`` and ``judge.<option>``, unless told otherwise.
    """

    name: str
    summary: str
    planner: str
    judge: str
    width: int = 1
    settings: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class About:
    """What a part needs, where audio goes, and what its scores are worth.

    Args:
        modules: what must be importable for it to run.
        extra: the extra of aptone that brings those modules; empty for the core.
        sends_audio_to: machines that receive recordings; empty when they stay on this one.
        notes: what a reader of its scores must know.
        licence: of its weights, with what they are where they have a name: ``ear: full (CC-BY-NC-SA-4.0)``; empty when
            it has none.
        parameters: how many numbers its model has learned; 0 when it has not said.
        programs: that must be installed on this machine, each with what installs it.
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
        """What must be known of two parts that work together."""
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
