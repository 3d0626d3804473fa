"""The JSON of replies, field by field: OpenAPI is made of it. That of requests is in `bodies`."""

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

LanguageCode = Literal["en", "zh"]
RoleName = Literal["annotator", "adjudicator", "admin"]
StageName = Literal["calibration", "qualification", "rating"]
Texts = dict[str, str]


class Reply(BaseModel):
    """What we send."""

    model_config: ClassVar[ConfigDict] = {"extra": "forbid"}


class ErrorInMandarin(Reply):
    """The sentence for people and the next step, for those who read Mandarin."""

    message: str
    next: str


class ErrorDetail(Reply):
    """What went wrong: a code for programs, a sentence for people, and the next step; both in Mandarin, too."""

    code: str
    message: str
    next: str
    mandarin: ErrorInMandarin


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
