"""Ear, planner and judge that a result was made with: ``made_with`` in every result that depends on one of them.

`tests/test_revisions.py` compares it with what is installed, so that no figure outlives what it was measured on
unnoticed: a result of something older is made again, or stands in ``results/OUTDATED.md`` with the reason.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from aptone.ear import load_ear
from aptone.judge import BuiltInJudge
from aptone.planner.built_in import BuiltInPlanner

PARTS: Mapping[str, Callable[[], str]] = {
    "ear": lambda: load_ear("full").signature,
    "permissive ear": lambda: load_ear("permissive").signature,
    "planner": lambda: BuiltInPlanner().signature,
    "judge": lambda: BuiltInJudge().signature,
}
"""Parts that figures depend on, and their signatures."""


def revision(part: str) -> str:
    """The present revision of a part: of its code, and of what it has learned.

    Options that a caller chooses do not count, nor does the ear inside a judge, which is a part of its own.
    """
    signed = re.sub(r'"[^"]*"', "", PARTS[part]())
    found = dict(re.findall(r"(revision|weights|parameters|prompts):(\w+)", signed))
    return " ".join(
        f"{name} {found[name]}" for name in ("revision", "weights", "parameters", "prompts") if name in found
    )


def with_revisions(record: Mapping[str, Any], *parts: str) -> dict[str, Any]:
    """A result with the revisions of the parts that its figures depend on; without any, it says that there are none."""
    return {**record, "made_with": {part: revision(part) for part in parts}}
