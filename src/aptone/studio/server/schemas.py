"""The JSON of requests and replies, field by field: requests are checked against it, and OpenAPI is made of it."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from aptone.studio.store_saving import HIGHEST_SEQUENCE, MOST_CHANGES

Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
LanguageCode = Literal["en", "zh"]
RoleName = Literal["annotator", "adjudicator", "admin"]
StageName = Literal["calibration", "qualification", "rating"]
Texts = dict[str, str]


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


class Reply(BaseModel):
    """What we send."""

    model_config: ClassVar[ConfigDict] = {"extra": "forbid"}


class ErrorDetail(Reply):
    """What went wrong: a code for programs, a sentence for people, and the next step."""

    code: str
    message: str
    next: str


class ErrorReply(Reply):
    """Every reply that is not a success."""

    error: ErrorDetail


class Health(Reply):
    """Whether the server answers."""

    status: Literal["ok"]
    version: str


class Person(Reply):
    """Who is signed in."""

    id: str
    name: str
    role: RoleName
    language: str


class Me(Reply):
    """Who is signed in, and what changing requests must carry."""

    person: Person
    csrf: str


class Left(Reply):
    """The session has ended."""

    left: Literal[True]


class Progress(Reply):
    """How far a person is in a task."""

    stage: StageName
    done: int
    total: int
    quota_left: int | None


class TaskRow(Reply):
    """A task in a list."""

    name: str
    title: Texts
    open: bool
    progress: Progress


class Task(Reply):
    """What is shown and asked; no items."""

    name: str
    title: Texts
    guide: Texts
    shown: list[dict[str, Any]]
    controls: list[dict[str, Any]]
    must_listen: bool
    open: bool


class Clip(Reply):
    """A sound by its blind name."""

    clip: str
    name: str
    seconds: float | None
    must_play: bool


class View(Reply):
    """What a rater may see of an item."""

    id: str
    task: str
    stage: StageName
    state: str
    position: int
    total: int
    fields: dict[str, Any]
    clips: list[Clip]
    pairs: dict[str, list[str]]
    answers: dict[str, Any]
    sequence: int
    played: list[str]


class Next(Reply):
    """The next item, or why there is none."""

    assignment: View | None
    reason: Literal["", "done", "quota", "not-qualified", "waiting", "closed"]


class Mine(Reply):
    """One of the own assignments."""

    id: str
    position: int
    stage: StageName
    state: str


class Saved(Reply):
    """Ids of the changes that are kept for good."""

    saved: list[str]


class Played(Reply):
    """Clips that were heard to their end."""

    played: list[str]


class Feedback(Reply):
    """How an answer to a calibration item compares."""

    given: Any
    gold: Any
    within: bool


class Submitted(Reply):
    """The item was handed in."""

    state: str
    feedback: dict[str, Feedback] | None


class Disagreement(Reply):
    """How far the raters of an item lie apart."""

    item: str
    distance: float
    raters: int
    controls: list[str]
    settled: bool


class Disagreements(Reply):
    """A part of the items, those furthest apart first."""

    total: int
    offset: int
    items: list[Disagreement]


class RatedAnswers(Reply):
    """What one rater answered, by pseudonym."""

    rater: str
    answers: dict[str, Any]
    seconds: float | None


class Adjudication(Reply):
    """What was settled about an item."""

    answers: dict[str, Any]
    note: str
    by: str
    written: float


class Item(Reply):
    """An item with everybody's answers; clips by blind names in the order of the task."""

    item: str
    fields: dict[str, Any]
    clips: list[Clip]
    pairs: dict[str, list[str]]
    ratings: list[RatedAnswers]
    adjudication: Adjudication | None


class Flag(Reply):
    """What calls for a look at a rater."""

    kind: Literal["not-qualified", "attention", "outlier"]
    share: float | None


class PersonProgress(Reply):
    """How one person is getting on."""

    person: str
    pseudonym: str
    stage: StageName
    done: int
    total: int
    rated: int
    seconds: float | None
    seen: float
    flags: list[Flag]
    set_aside: str


class TaskProgress(Reply):
    """How a task is getting on."""

    items: int
    complete: int
    answers: int
    needed: int
    people: list[PersonProgress]


class PersonRow(Reply):
    """A person, for admins."""

    id: str
    name: str
    pseudonym: str
    role: RoleName
    language: str
    active: bool
    created: float
    seen: float


class Invitation(Reply):
    """A personal link, without its token."""

    id: str
    role: RoleName
    name: str
    person: str
    created: float
    expires: float
    revoked: bool


class NewInvitation(Invitation):
    """A personal link with its token, which is shown here and nowhere else."""

    token: str


class TaskState(Reply):
    """A task, for admins."""

    name: str
    title: Texts
    open: bool
    items: int


class Created(Reply):
    """Where an uploaded clip lies in the project."""

    path: str


def many(row: type[Reply]) -> Any:
    """The type of a list of rows."""
    return list[row]  # type: ignore[valid-type]
