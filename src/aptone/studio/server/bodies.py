"""The JSON of requests, field by field: they are checked against it, and OpenAPI is made of it."""

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from aptone.studio.server.schemas import LanguageCode, RoleName
from aptone.studio.store.saving import HIGHEST_SEQUENCE, MOST_CHANGES

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class Body(BaseModel):
    """What is sent to us: nothing that we do not know, nothing turned into another type."""

    model_config: ClassVar[ConfigDict] = {"extra": "forbid", "strict": True, "frozen": True}


class Nothing(Body):
    """An empty object."""


class SessionBody(Body):
    """The token of a personal link, and how its owner wants to be called and spoken to."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    name: Annotated[str, StringConstraints(max_length=200)] | None = None
    language: LanguageCode | None = None


class MeBody(Body):
    """What a person may change about the own account."""

    language: LanguageCode


class ChangeBody(Body):
    """One change of one answer."""

    id: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z-]{8,64}$")]
    control: Name
    value: Any
    sequence: Annotated[int, Field(ge=0, le=HIGHEST_SEQUENCE)]


class ChangesBody(Body):
    """Changes of one item, kept all or none."""

    changes: Annotated[list[ChangeBody], Field(max_length=MOST_CHANGES)]


class SubmitBody(Body):
    """The last changes, kept before the item is handed in."""

    changes: Annotated[list[ChangeBody], Field(max_length=MOST_CHANGES)] = []


class PlayedBody(Body):
    """Which clip was heard to its end."""

    clip: Name


class AdjudicationBody(Body):
    """What stands in the end, by control, and why."""

    answers: dict[str, Any]
    note: Annotated[str, StringConstraints(max_length=10_000)] = ""


class PersonBody(Body):
    """What an admin may change about a person."""

    role: RoleName | None = None
    active: bool | None = None


class InvitationBody(Body):
    """Whom to invite; ``person`` is somebody who is there already and needs another link."""

    role: RoleName
    name: Name
    days: Annotated[float, Field(gt=0, le=3650)] = 30.0
    person: Annotated[str, StringConstraints(max_length=200)] = ""


class TaskBody(Body):
    """Whether people may work on a task."""

    open: bool
