"""Parts of rooms that hear by a built-in ear, and can hear clips against what their voices usually sound like."""

from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Protocol, Self, TypeVar, cast

from aptone.ear.reference import References
from aptone.ear.reference import reference as make_reference_of
from aptone.errors import UsageError
from aptone.messages import message
from aptone.types import Json, Perception

VOICE_IDS = ("speaker", "voice", "system")
"""Identifiers of a record that say whose voice it is; the first that there is counts."""
MARK = "|reference:"


class Referenced:
    """Part that hears by an ear, and has references of voices or none; they belong to its signature and its notes.

    A class that inherits has the name of the ear as ``ear``, and ``references``, at first ``None``.
    """

    __slots__ = ()

    ear: str
    references: References | None

    def with_references(self, references: References, /) -> Self:
        """Return the same part, which hears clips against what their voices usually sound like."""
        part = copy(self)
        object.__setattr__(part, "references", references)
        return part

    def heard_against(self, perception: Perception, *, voice: str = "") -> Perception:
        """Return what is heard against the reference of the voice; see `References.applied`."""
        return perception if self.references is None else self.references.applied(perception, voice=voice)

    @property
    def reference_signature(self) -> dict[str, Json]:
        """Part of a signature that references add."""
        return {} if self.references is None else {"reference": self.references.signature}

    @property
    def reference_notes(self) -> tuple[str, ...]:
        """Notes on the references for readers of scores."""
        return () if self.references is None else (self.references.note,)


class _Signed(Protocol):
    @property
    def signature(self) -> str: ...


Part = TypeVar("Part", bound=_Signed)


def referenced(part: _Signed) -> Referenced:
    """Return the part, if it can hear against a reference.

    Raises:
        UsageError: if it does not hear by a built-in ear.
    """
    if not isinstance(part, Referenced):
        raise UsageError(no_reference(part))
    return part


def no_reference(part: _Signed) -> str:
    """Return why a part takes no reference."""
    return message("ear.takes-no-reference", part=part.signature.partition("|")[0])


def with_reference(part: Part, reference: References | str | Path | None) -> Part:
    """Return the part with references of voices, or with those of a folder; as it is without any.

    Raises:
        UsageError: if it takes none, or the folder has too few recordings.
    """
    if reference is None:
        return part
    hearing = referenced(part)
    made = reference if isinstance(reference, References) else make_reference_of(reference, ear=hearing.ear)
    return cast(Part, hearing.with_references(made))


def voice_in(ids: Mapping[str, str], names: Sequence[str] = VOICE_IDS) -> str:
    """Return whose voice a record is by its identifiers; empty where they do not say.

    >>> voice_in({"system": "mine", "speaker": "anna"}), voice_in({"book": "2"})
    ('anna', '')
    """
    return next((ids[name] for name in names if ids.get(name)), "")
