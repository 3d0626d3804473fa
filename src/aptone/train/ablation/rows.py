"""The paper's ablation (CEAEval, Table 4): thirteen recipes that differ in five switches, and their stages.

| row | distilled | CoT | planner | bias | RL |
| --- | --- | --- | --- | --- | --- |
| 0 | the base, untrained | | none | | |
| 1 | no | no | none | no | no |
| 2 | yes | no | none | no | no |
| 3 | yes | no | one window of 15 lines | no | no |
| 4 | yes | no | vote | no | no |
| 5 | yes | no | another model | no | no |
| 6 | yes | no | vote | no | yes |
| 7 | yes | only | vote | no | no |
| 8 | yes | mixed | vote | no | no |
| 9 | yes | mixed | vote | no | yes |
| 10 | yes | only | vote | yes | no |
| 11 | yes | mixed | vote | yes | no |
| 12 | yes | mixed | vote | yes | yes |

A judge that was trained to reason reasons when it is evaluated. Rows share stages: one distilled model, and a row with
RL starts from the fine-tuned one with the same switches.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from aptone.errors import UsageError

Planned = Literal["none", "one", "vote", "other", "true"]
"""Prompt of a judge: the story itself, or a plan by one window of 15 lines, the vote of all windows, another model, or
the truth (a topline that the paper does not have)."""
Thinking = Literal["none", "only", "mixed"]
"""Training on reasonings: never, always, or mixed with scores alone."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One row of the table.

    Args:
        trained: false for the base itself.
        reinforced: train with GRPO at the end.

    Raises:
        UsageError: if a switch has no such value.
    """

    trained: bool = True
    distilled: bool = True
    thinking: Thinking = "none"
    planned: Planned = "vote"
    bias: bool = False
    reinforced: bool = False

    def __post_init__(self) -> None:
        if self.thinking not in get_args(Thinking) or self.planned not in get_args(Planned):
            raise UsageError(
                f"reasoning is {', '.join(get_args(Thinking))}, a planner {', '.join(get_args(Planned))}; got "
                f"{self.thinking!r} and {self.planned!r}."
            )

    @property
    def reasons(self) -> bool:
        """True if it reasons when it is evaluated."""
        return self.thinking != "none"

    @property
    def fine_tuned(self) -> "Recipe":
        """The recipe before GRPO."""
        return replace(self, reinforced=False)

    @property
    def name(self) -> str:
        """Name for folders, from its switches.

        >>> ROWS[0].name, ROWS[4].name, ROWS[12].name
        ('untrained', 'distil-vote', 'distil-vote-mixed-bias-rl')
        """
        if not self.trained:
            return "untrained"
        parts = [
            "distil" if self.distilled else "plain",
            self.planned if self.planned != "none" else "story",
            {"none": "", "only": "cot", "mixed": "mixed"}[self.thinking],
            "bias" if self.bias else "",
            "rl" if self.reinforced else "",
        ]
        return "-".join(part for part in parts if part)


ROWS: Mapping[int, Recipe] = {
    0: Recipe(trained=False, distilled=False, planned="none"),
    1: Recipe(distilled=False, planned="none"),
    2: Recipe(planned="none"),
    3: Recipe(planned="one"),
    4: Recipe(),
    5: Recipe(planned="other"),
    6: Recipe(reinforced=True),
    7: Recipe(thinking="only"),
    8: Recipe(thinking="mixed"),
    9: Recipe(thinking="mixed", reinforced=True),
    10: Recipe(thinking="only", bias=True),
    11: Recipe(thinking="mixed", bias=True),
    12: Recipe(thinking="mixed", bias=True, reinforced=True),
}
"""Rows by their numbers in the paper."""
FULL = 12
CONTROLS: Mapping[str, Sequence[tuple[int, int]]] = {
    "distillation": ((1, 2),),
    "planner": ((2, 3), (3, 4), (4, 5)),
    "reasoning": ((4, 7), (4, 8), (4, 11)),
    "bias": ((7, 10), (8, 11)),
    "reinforcement": ((4, 6), (8, 9), (11, 12)),
}
"""Pairs of rows that differ in one switch, the one without it first."""


def chains(rows: Sequence[int]) -> list[tuple[int, ...]]:
    """Return groups of rows that must be made in order, since a row with RL starts from a fine-tuned one.

    >>> chains([2, 6, 4, 12])
    [(2,), (4, 6), (12,)]

    Raises:
        UsageError: if there is no such row.
    """
    if unknown := sorted(set(rows) - set(ROWS)):
        raise UsageError(f"the table has the rows 0 to {max(ROWS)}, got {unknown[0]}.")
    found: dict[Recipe, list[int]] = {}
    for row in sorted(set(rows)):
        found.setdefault(ROWS[row].fine_tuned, []).append(row)
    return [tuple(chain) for chain in found.values()]
