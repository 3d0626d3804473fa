"""JSON of requests and replies, field by field: requests are checked against it, and OpenAPI is made of it."""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, StringConstraints

from aptone.studio.store.changes import HIGHEST_SEQUENCE, MOST_CHANGES
from aptone.studio.store.records import Gate, Reason, Role, Stage
from aptone.web.schemas import Body, Reply

LanguageCode = Literal["en", "zh"]
Texts = dict[str, str]


class Health(Reply):
    """Health of the server, and its version."""

    status: Literal["ok"]
    version: str


class Person(Reply):
    """Signed-in person."""

    id: str
    name: str
    role: Role
    language: str


class Me(Reply):
    """Signed-in person, and the CSRF value of changing requests."""

    person: Person
    csrf: str


class Left(Reply):
    """End of the session."""

    left: Literal[True]


class Progress(Reply):
    """Progress of a person in a task."""

    stage: Stage
    done: int
    total: int
    quota_left: int | None


class TaskRow(Reply):
    """Task in a list; `results`: whether it compares systems."""

    name: str
    title: Texts
    open: bool
    progress: Progress
    results: bool


class Task(Reply):
    """Texts and questions of a task, without items, and what the person has to do first."""

    name: str
    title: Texts
    guide: Texts
    shown: list[dict[str, Any]]
    controls: list[dict[str, Any]]
    must_listen: bool
    open: bool
    gate: Gate = ""


class Clip(Reply):
    """Clip by its blind name."""

    clip: str
    name: str
    seconds: float | None
    must_play: bool


class View(Reply):
    """Item as a rater sees it."""

    id: str
    task: str
    stage: Stage
    state: str
    position: int
    total: int
    fields: dict[str, Any]
    clips: list[Clip]
    pairs: dict[str, list[str]]
    answers: dict[str, Any]
    sequence: int
    played: list[str]
    instruction: Texts = Field(default_factory=dict)


class Rest(Reply):
    """Rest that is due: after so many items, for so many seconds; forced or suggested."""

    items: int
    seconds: float
    forced: bool


class Completion(Reply):
    """Code and address with which a participant of a platform goes back there; empty for others."""

    code: str
    url: str


class Next(Reply):
    """Next item, or the reason why there is none; with a rest that is due, and what a participant leaves with."""

    assignment: View | None
    reason: Reason
    rest: Rest | None = None
    completion: Completion


class Mine(Reply):
    """One of the own assignments, in short."""

    id: str
    position: int
    stage: Stage
    state: str


class Superseded(Reply):
    """Stale change, by its id: it does not count, for a newer answer stands, with this value and sequence number."""

    id: str
    control: str
    value: Any
    sequence: int


class Saved(Reply):
    """Ids of the stored changes; stale ones apart, with the newer answers."""

    saved: list[str]
    superseded: list[Superseded]


class Played(Reply):
    """Clips that were heard to their end."""

    played: list[str]


class Feedback(Reply):
    """Comparison of an answer to a calibration item with the right one."""

    given: Any
    gold: Any
    within: bool


class Submitted(Reply):
    """Result of a submission."""

    state: str
    feedback: dict[str, Feedback] | None


class Disagreement(Reply):
    """Disagreement of the raters of an item."""

    item: str
    distance: float
    raters: int
    controls: list[str]
    settled: bool


class Disagreements(Reply):
    """Page of the items, the largest disagreement first."""

    total: int
    offset: int
    items: list[Disagreement]


class RatedAnswers(Reply):
    """Answers of one rater, by pseudonym."""

    rater: str
    answers: dict[str, Any]
    seconds: float | None


class Adjudication(Reply):
    """Adjudication of an item."""

    answers: dict[str, Any]
    note: str
    by: str
    written: float


class Item(Reply):
    """Item with the answers of all raters; clips by blind names in the order of the task."""

    item: str
    fields: dict[str, Any]
    clips: list[Clip]
    pairs: dict[str, list[str]]
    ratings: list[RatedAnswers]
    adjudication: Adjudication | None


class Flag(Reply):
    """Rule that a rater broke."""

    kind: Literal["not-qualified", "attention", "outlier"]
    share: float | None


class PersonProgress(Reply):
    """Progress of one rater."""

    person: str
    pseudonym: str
    stage: Stage
    done: int
    total: int
    rated: int
    seconds: float | None
    seen: float
    flags: list[Flag]
    set_aside: str
    headphones: Literal["", "passed", "failed"]


class TaskProgress(Reply):
    """Progress of a task."""

    items: int
    complete: int
    answers: int
    needed: int
    people: list[PersonProgress]


class PersonRow(Reply):
    """Person, for admins, with the version of the consent text that the person agreed to last; 0 for none."""

    id: str
    name: str
    pseudonym: str
    role: Role
    language: str
    active: bool
    created: float
    seen: float
    consent: int


class Invitation(Reply):
    """Invitation, without its token."""

    id: str
    role: Role
    name: str
    person: str
    created: float
    expires: float
    revoked: bool
    email: str


class NewInvitation(Invitation):
    """Invitation with its token, which is shown here and nowhere else."""

    token: str


class TaskState(Reply):
    """Task, for admins."""

    name: str
    title: Texts
    open: bool
    items: int


class Created(Reply):
    """Path of an uploaded clip in the project."""

    path: str


Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
ANSWERS_BYTES = 1 << 20
"""1 MiB: a body with answers; the longest one that is taken fits in, whatever its script."""


class Nothing(Body):
    """Empty object."""


class SessionBody(Body):
    """Token of a personal link, with the name and language of its owner."""

    token: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    name: Annotated[str, StringConstraints(max_length=200)] | None = None
    language: LanguageCode | None = None


class ParticipantBody(Body):
    """Secret of a study's link, and the ids that a platform has added to it."""

    secret: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    participant: Annotated[str, StringConstraints(max_length=200)]
    study: Annotated[str, StringConstraints(max_length=200)] = ""
    language: LanguageCode = "en"


class MeBody(Body):
    """Account fields that users may edit themselves."""

    language: LanguageCode


class ChangeBody(Body):
    """One change of one answer."""

    id: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z-]{8,64}$")]
    control: Name
    value: Any
    sequence: Annotated[int, Field(ge=0, le=HIGHEST_SEQUENCE)]


class ChangesBody(Body):
    """Changes of one item, stored all or none."""

    most_bytes: ClassVar[int] = ANSWERS_BYTES

    changes: Annotated[list[ChangeBody], Field(max_length=MOST_CHANGES)]


class SubmitBody(Body):
    """Last changes, stored before the submission."""

    most_bytes: ClassVar[int] = ANSWERS_BYTES

    changes: list[ChangeBody] = Field(default=[], max_length=MOST_CHANGES)


class PlayedBody(Body):
    """Clip that was heard to its end."""

    clip: Name


class AdjudicationBody(Body):
    """Final answers by control, and the reason."""

    most_bytes: ClassVar[int] = ANSWERS_BYTES

    answers: dict[str, Any]
    note: Annotated[str, StringConstraints(max_length=10_000)] = ""


class PersonBody(Body):
    """Account fields that an admin may edit."""

    role: Role | None = None
    active: bool | None = None


class InvitationBody(Body):
    """New invitation; ``person``: id of somebody who needs another link; ``email``: by which a provider may let in."""

    role: Role
    name: Name
    days: Annotated[float, Field(gt=0, le=3650)] = 30.0
    person: Annotated[str, StringConstraints(max_length=200)] = ""
    email: Annotated[str, StringConstraints(max_length=254)] = ""


class TaskBody(Body):
    """State of a task: open for work or closed."""

    open: bool
