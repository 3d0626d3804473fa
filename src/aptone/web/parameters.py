"""Parameters of addresses: variable parts of a path, and checked values of a query."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Path
from pydantic_core import CoreSchema, core_schema

from aptone.messages import message
from aptone.web.refusals import NotUnderstoodError

PathPart = Annotated[str, Path(json_schema_extra={"minLength": 1})]
"""A variable part of the address; its length is described and not checked, for an empty one is simply not found."""


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """Annotation of an integer query parameter."""

    name: str
    low: int
    high: int

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> CoreSchema:
        inner = core_schema.int_schema(ge=self.low, le=self.high)
        return core_schema.no_info_before_validator_function(self.read, inner)

    def read(self, given: str) -> int:
        """Parse the number."""
        if not (given.isascii() and given.isdigit() and len(given) < 12 and self.low <= int(given) <= self.high):
            raise NotUnderstoodError(message("web.expected-whole-number", name=self.name, low=self.low, high=self.high))
        return int(given)


@dataclass(frozen=True, slots=True)
class OneOf:
    """Annotation of a query parameter with a few values."""

    name: str
    values: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: object, handler: object) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self.read, core_schema.literal_schema(list(self.values)))

    def read(self, given: str) -> str:
        """Check the value."""
        if given not in self.values:
            raise NotUnderstoodError(message("web.wrong-choice", name=self.name, names=", ".join(self.values)))
        return given
