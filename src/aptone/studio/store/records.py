"""What the store gives out: people, invitations, sessions, assignments and what a rater may see of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from aptone.types import Json, Rating, RatingItem, RatingTask

Role = Literal["annotator", "adjudicator", "admin"]
ROLES: tuple[Role, ...] = ("annotator", "adjudicator", "admin")

Stage = Literal["calibration", "qualification", "rating"]
"""Where a person stands in a task."""

STAGES: tuple[Stage, ...] = ("calibration", "qualification", "rating")

Purpose = Literal["calibration", "qualification", "rating", "attention"]
"""What an item is for. Raters are told the stage only: an attention check looks like any other item."""

AssignmentState = Literal["open", "submitted", "released"]
"""``released``: it was left alone while others waited, and another person has its place."""


def stage_of(purpose: Purpose) -> Stage:
    """The stage in which items of a purpose come.

    >>> stage_of("attention")
    'rating'
    """
    return "rating" if purpose == "attention" else purpose


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who may enter.

    Args:
        id: in addresses; says nothing.
        name: for the person and the admin.
        role: what the person may do.
        language: of the interface.
        active: whether the person may still enter.
        pseudonym: under which others see the answers.
        created: seconds since 1970.
        seen: when the person was last here, to the minute.
    """

    id: str
    name: str
    role: Role
    language: str
    active: bool
    pseudonym: str
    created: float
    seen: float


@dataclass(frozen=True, slots=True)
class Invitation:
    """A personal link: its first use makes the person, later uses let the same person in.

    Args:
        id: for the admin; it is not the token.
        role: of the person that it makes.
        name: whom it is for.
        person: whom it has made; empty before its first use.
        created: seconds since 1970.
        expires: when it stops working.
        revoked: whether it was taken back.
    """

    id: str
    role: Role
    name: str
    person: str
    created: float
    expires: float
    revoked: bool


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """An invitation and its token, which is nowhere else."""

    invitation: Invitation
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Session:
    """Who is signed in.

    Args:
        person: whose session it is.
        csrf: what a changing request must carry.
        expires: when it ends.
    """

    person: Person
    csrf: str = field(repr=False)
    expires: float


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session and its token, which is nowhere else."""

    session: Session
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class StoredTask:
    """A task of the project.

    Args:
        task: whole, with its items.
        open: whether people may work on it.
        version: rises whenever the task is replaced.
        seconds: item to clip to duration.
        items: the task's items by id.
        purposes: item to what it is for.
        totals: how many items a person meets in each stage at most.
    """

    task: RatingTask
    open: bool
    version: int
    seconds: Mapping[str, Mapping[str, float]]
    items: Mapping[str, RatingItem]
    purposes: Mapping[str, Purpose]
    totals: Mapping[Stage, int]


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one answer, as the page sends it.

    Args:
        id: given by the page, unique for ever; a second arrival changes nothing.
        control: of the task.
        value: the answer, clips by their blind names; ``None`` takes the answer back.
        sequence: of two changes of one control the higher stands.
    """

    id: str
    control: str
    value: Json
    sequence: int


@dataclass(frozen=True, slots=True)
class Assignment:
    """An item that was given to a person.

    Args:
        id: in addresses; says nothing.
        task: name of the task.
        item: id of the item; raters are not told.
        person: to whom.
        purpose: what the item is for; raters are told its stage only.
        state: where it stands.
        position: among the person's assignments in this task, from 0 on.
        orders: field of a pair to its clips, in the order drawn for this person.
        opened: seconds since 1970.
        submitted: the same; NaN before.
        seconds: of work, long pauses left out; NaN before it is submitted.
    """

    id: str
    task: str
    item: str
    person: str
    purpose: Purpose
    state: AssignmentState
    position: int
    orders: Mapping[str, tuple[str, str]]
    opened: float
    submitted: float
    seconds: float


@dataclass(frozen=True, slots=True)
class ShownClip:
    """A clip as a rater meets it.

    Args:
        clip: blind name.
        name: the field where it is shown; for a pair and for lines of a story that of the pair or story.
        seconds: duration.
        must_play: whether it must be heard before the item can be submitted.
    """

    clip: str
    name: str
    seconds: float
    must_play: bool


@dataclass(frozen=True, slots=True)
class View:
    """What a rater may see of an item, and nothing else; `README.md` has its JSON.

    Args:
        id: of the assignment.
        task: name of the task.
        stage: where the person stands.
        state: of the assignment.
        position: within the stage, from 0 on.
        total: items of the stage.
        fields: what is shown or edited.
        clips: what can be played.
        pairs: field of a pair to the blind names of its clips, in the order drawn for this person.
        answers: what stands, clips by their blind names.
        sequence: highest so far; 0 for none.
        played: blind names of the clips that were heard to their end.
    """

    id: str
    task: str
    stage: Stage
    state: AssignmentState
    position: int
    total: int
    fields: Mapping[str, Json]
    clips: tuple[ShownClip, ...]
    pairs: Mapping[str, tuple[str, str]]
    answers: Mapping[str, Json]
    sequence: int
    played: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mine:
    """One of a person's own assignments, in short."""

    id: str
    position: int
    stage: Stage
    state: AssignmentState


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a person is in a task.

    Args:
        stage: where the person stands.
        done: items of the stage that were submitted.
        total: items of the stage.
        quota_left: items that the person may still meet, attention checks included: if they were not counted, one would
            be known by it; ``None`` for no limit.
    """

    stage: Stage
    done: int
    total: int
    quota_left: int | None


Reason = Literal["", "done", "quota", "not-qualified", "waiting", "closed"]
"""Why there is no next item. ``waiting``: others are at work on what is left, and may leave it."""


@dataclass(frozen=True, slots=True)
class Next:
    """What comes next: an item, or why there is none."""

    view: View | None
    reason: Reason = ""


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person is told about one answer to a calibration item."""

    given: Json
    gold: Json
    within: bool


@dataclass(frozen=True, slots=True)
class Submitted:
    """What comes back on submission; feedback by control for calibration items with right answers, else ``None``."""

    state: AssignmentState
    feedback: Mapping[str, Feedback] | None


@dataclass(frozen=True, slots=True)
class RatedRow:
    """A rating and what it is worth.

    Args:
        rating: what was answered; the rater by pseudonym.
        purpose: what the item is for.
        state: of the assignment; only what is submitted is complete.
    """

    rating: Rating
    purpose: Purpose
    state: AssignmentState


@dataclass(frozen=True, slots=True)
class Adjudication:
    """What an adjudicator settled about an item.

    Args:
        item: id of the item.
        answers: by control; those that were left out stay as the raters gave them.
        note: why.
        adjudicator: by pseudonym.
        written: seconds since 1970.
    """

    item: str
    answers: Mapping[str, Json]
    note: str
    adjudicator: str
    written: float


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """How one person is getting on in a task, for those who run the study.

    Args:
        person: who.
        stage: where the person stands.
        done: items of the stage that were submitted.
        total: items of the stage.
        rated: rating items that were submitted.
        seconds: median of work an item, all stages; NaN before the first.
    """

    person: Person
    stage: Stage
    done: int
    total: int
    rated: int
    seconds: float
