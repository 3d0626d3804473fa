"""An engine: which planner and judge work together."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
