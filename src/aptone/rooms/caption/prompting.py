"""The prompts of this room: files that a folder of the user's can replace."""

from collections.abc import Mapping
from pathlib import Path

from aptone.ear.describe import ATTRIBUTES, values_of
from aptone.rooms.caption.data import shown_attribute
from aptone.types import Language

PROMPTS = Path(__file__).parent / "prompts"
REVISION = 2
"""Of how models are asked in this room; stands in signatures."""
DECOMPOSING: Mapping[str, tuple[str, ...]] = {
    "decompose_task": ("attributes", "values"),
    "decompose_material": ("caption",),
}
VERIFYING: Mapping[str, tuple[str, ...]] = {
    "verify_task": (),
    "verify_material": ("fact",),
    "verify_with_reference": ("fact", "reference"),
}
MATCHING: Mapping[str, tuple[str, ...]] = {"match_task": (), "match_material": ("reference", "caption")}
"""The prompts of a set, and the places for material that each has."""

BETWEEN = {"en": ", ", "zh": "、"}


def attribute_names() -> list[str]:
    """The names that a model is to use for attributes."""
    return [shown_attribute(attribute) for attribute in ATTRIBUTES]


def value_lists(language: Language) -> str:
    """The closed values of every attribute, a line each, as a prompt shows them."""
    join = BETWEEN[language].join
    return "\n".join(
        f"  {shown_attribute(one)}: {join(value.label(language) for value in values_of(one))}" for one in ATTRIBUTES
    )
