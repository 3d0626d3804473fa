"""Records of the store: people, invitations, sessions, assignments and the views of raters.

Times are seconds since 1970; ids are random.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from aptone.types import Json, Rating, RatingItem, RatingTask

Role = Literal["annotator", "adjudicator", "admin"]
ROLES: tuple[Role, ...] = ("annotator", "adjudicator", "admin")

Stage = Literal["calibration", "qualification", "rating"]
"""Stage of a person in a task."""

STAGES: tuple[Stage, ...] = ("calibration", "qualification", "rating")

Purpose = Literal["calibration", "qualification", "rating", "attention"]
"""Purpose of an item. Raters see the stage only: an attention check looks like any other item."""

AssignmentState = Literal["open", "submitted", "released"]
"""``released``: it was left alone while others waited, and another person has its place."""


def stage_of(purpose: Purpose) -> Stage:
    """Stage of an item's purpose.

    >>> stage_of("attention")
    'rating'
    """
    return "rating" if purpose == "attention" else purpose


@dataclass(frozen=True, slots=True)
class Person:
    """Person with an account; others see the pseudonym. `seen` is the last request, to the minute."""

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
    """Invitation by a personal link: its first use makes the person, later uses sign the same person in.

    The id is not the token; `person` is empty before its first use. With an e-mail address it is used, too, by
    whoever a provider knows by it.
    """

    id: str
    role: Role
    name: str
    person: str
    created: float
    expires: float
    revoked: bool
    email: str = ""


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """Invitation with its token, which is stored nowhere."""

    invitation: Invitation
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Session:
    """Signed-in person, and the CSRF value that changing requests must carry.

    Args:
        id: what the person knows it by; no secret.
        invitation: link that opened it; empty if a password or a provider did.
    """

    person: Person
    csrf: str = field(repr=False)
    expires: float
    id: str = ""
    invitation: str = ""


@dataclass(frozen=True, slots=True)
class NewSession:
    """Session with its token, which is stored nowhere."""

    session: Session
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class OwnSession:
    """One of the own sessions; `current` is the one that asks, `seen` its last request, to the minute."""

    id: str
    device: str
    by: Literal["link", "password", "provider"]
    created: float
    seen: float
    expires: float
    current: bool


@dataclass(frozen=True, slots=True)
class Identity:
    """Somebody as a provider knows them; `email` is empty unless the provider says that it was verified."""

    issuer: str
    subject: str
    email: str = ""


@dataclass(frozen=True, slots=True)
class OwnIdentity:
    """One of the own connections with a provider."""

    id: str
    issuer: str
    created: float


@dataclass(frozen=True, slots=True)
class OwnAccount:
    """How a person signs in: the name, when the password was set (``None`` for none), providers, and open sessions."""

    name: str
    password_set: float | None
    sessions: tuple[OwnSession, ...]
    identities: tuple[OwnIdentity, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredTask:
    """Task of the project.

    Args:
        version: number that rises whenever the task is replaced.
        seconds: item to clip to duration.
        totals: stage to the most items that a person meets in it.
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
        id: unique id from the page; a second arrival changes nothing.
        value: the answer, clips by their blind names; ``None`` takes the answer back.
        sequence: sequence number; of two changes of one control the higher stands.
    """

    id: str
    control: str
    value: Json
    sequence: int


@dataclass(frozen=True, slots=True)
class Superseded:
    """Stale change: it is kept, and does not count, for a newer one of its control stands.

    Args:
        id: of the stale change.
        value: the answer that stands, clips by their blind names; ``None`` if it was taken back.
        sequence: that of the newer change.
    """

    id: str
    control: str
    value: Json
    sequence: int


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of the changes of a request: ids of those that stand or stood last, and the stale ones."""

    saved: tuple[str, ...]
    superseded: tuple[Superseded, ...]


@dataclass(frozen=True, slots=True)
class Assignment:
    """Item that was assigned to a person. Raters see neither its id nor its purpose, only the stage.

    Args:
        position: number among the person's assignments in this task, from 0 on.
        orders: field of a pair or set to its clips, in the random order of this person.
        submitted: seconds since 1970; NaN before.
        seconds: working time without long pauses; NaN before it is submitted.
    """

    id: str
    task: str
    item: str
    person: str
    purpose: Purpose
    state: AssignmentState
    position: int
    orders: Mapping[str, tuple[str, ...]]
    opened: float
    submitted: float
    seconds: float


@dataclass(frozen=True, slots=True)
class ShownClip:
    """Clip as a rater sees it.

    Args:
        name: field that shows it; for a pair and for lines of a story that of the pair or story.
        must_play: whether it must be heard before the item can be submitted.
    """

    clip: str
    name: str
    seconds: float
    must_play: bool


@dataclass(frozen=True, slots=True)
class View:
    """Everything that a rater may see of an item; `README.md` has its JSON.

    Args:
        position: number within the stage, from 0 on.
        pairs: field of a pair or set to the blind names of its clips, in the random order of this person.
        answers: control to current answer, clips by their blind names.
        sequence: highest sequence number; 0 for none.
        played: blind names of the clips that were heard to their end.
        instruction: what to do with this item, by language; empty for nothing special.
    """

    id: str
    task: str
    stage: Stage
    state: AssignmentState
    position: int
    total: int
    fields: Mapping[str, Json]
    clips: tuple[ShownClip, ...]
    pairs: Mapping[str, tuple[str, ...]]
    answers: Mapping[str, Json]
    sequence: int
    played: tuple[str, ...]
    instruction: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OwnAssignment:
    """One of a person's own assignments, in short."""

    id: str
    position: int
    stage: Stage
    state: AssignmentState


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a person in a task.

    Args:
        quota_left: items that the person may still meet, attention checks included: if they were not counted, one would
            be known by it; ``None`` for no limit.
    """

    stage: Stage
    done: int
    total: int
    quota_left: int | None


Gate = Literal["", "consent", "headphones", "no-headphones"]
"""What a person has to do before rating: agree to the consent text, or pass the headphone check while attempts last."""

Reason = Literal[
    "", "done", "quota", "not-qualified", "waiting", "closed", "break", "consent", "headphones", "no-headphones"
]
"""Reason why there is no next item. ``waiting``: others are at work on the rest, and may leave it."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Rest that is due: after so many items, for so many seconds; forced or suggested."""

    items: int
    seconds: float
    forced: bool


@dataclass(frozen=True, slots=True)
class ConsentText:
    """Consent text of the project, by language; its version rises with every change."""

    version: int
    words: Mapping[str, str]
    written: float


@dataclass(frozen=True, slots=True)
class Consent:
    """Consent text that stands, and when a person agreed to it; NaN for not yet. ``None`` for a project without one."""

    text: ConsentText | None
    given: float


@dataclass(frozen=True, slots=True)
class HeadphoneTest:
    """One attempt at the headphone check; what is right stays with the store."""

    id: str
    kind: Literal["huggins", "antiphase"]
    trials: int
    needed: int
    attempts_left: int


@dataclass(frozen=True, slots=True)
class HeadphoneResult:
    """Result of an attempt."""

    right: int
    passed: bool
    attempts_left: int


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What a withdrawal removed: the number of answered items, and whether they were kept without a name."""

    answers: int
    kept: bool


@dataclass(frozen=True, slots=True)
class Next:
    """Next item, or the reason why there is none; with a rest that is due."""

    view: View | None
    reason: Reason = ""
    rest: Rest | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    """Feedback on one answer to a calibration item."""

    given: Json
    gold: Json
    within: bool


@dataclass(frozen=True, slots=True)
class Submitted:
    """Result of a submission; feedback by control for calibration items with right answers, else ``None``."""

    state: AssignmentState
    feedback: Mapping[str, Feedback] | None


@dataclass(frozen=True, slots=True)
class RatedRow:
    """Rating, the rater by pseudonym, with purpose and state of its assignment; only submitted ones are complete."""

    rating: Rating
    purpose: Purpose
    state: AssignmentState


@dataclass(frozen=True, slots=True)
class Adjudication:
    """Decision of an adjudicator about an item; controls left out stay as the raters answered."""

    item: str
    answers: Mapping[str, Json]
    note: str
    adjudicator: str
    written: float


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """Progress of one person in a task; `seconds` is the median of work an item, all stages; NaN before the first."""

    person: Person
    stage: Stage
    done: int
    total: int
    rated: int
    seconds: float
