"""The option ``--plan``: JSON, or a file with JSON."""

from pathlib import Path

from aptone.errors import UsageError
from aptone.rooms.aptness.data import read_plan
from aptone.types import Json, Plan, loads


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
