"""Random styles for the tests of the descriptions."""

import random
from typing import Any

from aptone.ear.describe import ATTRIBUTES, Style, VocalEvent, values_of


def random_style(dice: random.Random, *, filled: float) -> Style:
    """A style in which each attribute is judged with that probability; it need not be a likely one."""
    values: dict[str, Any] = {}
    for attribute in ATTRIBUTES:
        if attribute not in ("events", "intensity") and dice.random() < filled:
            values[attribute] = dice.choice(values_of(attribute))
    if values.get("emotion", "neutral") != "neutral" and dice.random() < filled:
        values["intensity"] = dice.choice(values_of("intensity"))
    if dice.random() < filled:
        values["events"] = tuple(dice.sample(list(VocalEvent), dice.randint(1, 2)))
    return Style(**values)


def random_styles(count: int, *, seed: int) -> list[Style]:
    """From nearly empty to full styles."""
    dice = random.Random(seed)
    return [random_style(dice, filled=dice.choice((0.1, 0.3, 0.6, 1.0))) for _ in range(count)]
