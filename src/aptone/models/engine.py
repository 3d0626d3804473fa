"""An engine: which planner and judge work together, what they need, and where audio goes."""

from dataclasses import dataclass
from importlib.util import find_spec

from aptone.errors import MissingExtraError


@dataclass(frozen=True, slots=True)
class Engine:
    """What stands behind a name that users give with ``--engine``.

    Args:
        name: what users type.
        summary: one line for `aptone doctor`.
        planner: name of the planner it uses unless told otherwise.
        judge: name of the judge it uses unless told otherwise.
        modules: what must be importable for it to run.
        extra: the extra of aptone that brings those modules; empty for the core.
        sends_audio_to: the machine that receives recordings; empty when they stay on this one.
        width: how many items it works on at once unless told otherwise.
        notes: what a reader of its scores must know.
        licence: of its weights; empty when it has none.
    """

    name: str
    summary: str
    planner: str
    judge: str
    modules: tuple[str, ...] = ()
    extra: str = ""
    sends_audio_to: str = ""
    width: int = 1
    notes: tuple[str, ...] = ()
    licence: str = ""

    @property
    def missing(self) -> tuple[str, ...]:
        """Modules that are not installed."""
        return tuple(name for name in self.modules if find_spec(name) is None)

    def require(self) -> None:
        """Make sure that it can run here.

        Raises:
            MissingExtraError: if a module is missing.
        """
        if self.missing:
            raise MissingExtraError(f"engine {self.name!r} (it lacks {', '.join(self.missing)})", extra=self.extra)
