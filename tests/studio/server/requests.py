"""A request for every route that would succeed if the person may send it."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from aptone.studio.store.records import Identity
from aptone.studio.store.recruitment import Recruitment
from aptone.types import HeadphoneCheck, dumps, to_json
from tests.studio.server.world import World, change, listening_task


@dataclass(frozen=True)
class Sent:
    """Request to a route: an address, and options of the client."""

    path: str
    options: dict[str, Any] = field(default_factory=dict)


def json_sent(path: str, body: object) -> Sent:
    return Sent(path, {"json": body})


def _assignment(world: World) -> str:
    """An item of Ada's."""
    return str(world["ada"].next()["id"])


def _task_file(world: World) -> Sent:
    content = dumps(to_json(listening_task("another"))).encode()
    return Sent("/api/tasks", {"content": content, "headers": {"Content-Type": "application/json"}})


def _clip_file(world: World) -> Sent:
    content = next((world.project.folder / "clips").iterdir()).read_bytes()
    return Sent("/api/clips", {"content": content, "headers": {"Content-Type": "audio/flac"}})


def _played(world: World) -> Sent:
    number = _assignment(world)
    world.pass_time(1.0)
    return json_sent(f"/api/assignments/{number}/played", {"clip": "c0"})


def _submitted(world: World) -> Sent:
    view = world["ada"].next()
    answers = {"fit": 3, "mood": "sad", "better": "c0"}
    changes = [change(control, value) for control, value in answers.items()]
    return json_sent(f"/api/assignments/{view['id']}/submit", {"changes": changes})


def _invitation(world: World) -> str:
    return world.project.people.invite("annotator", name="Gil").result().invitation.id


def draft(name: str = "drafted") -> dict[str, Any]:
    """The task of the world under another name, as the editor sends it."""
    task = to_json(listening_task(name))
    assert isinstance(task, dict)
    return task


def _draft_file(world: World) -> Sent:
    content = dumps(to_json(listening_task("another"))).encode()
    return Sent("/api/drafts/file", {"content": content, "headers": {"Content-Type": "application/json"}})


TABLE = "id,sentence,one,two\nnew,Good morning.,clips/hidden-file-a-0.flac,clips/hidden-file-b-0.flac\n"
COLUMNS = {"id": "id", "sentence": "sentence", "pair:1": "one", "pair:2": "two"}

PASSWORD = "seven grey mountain goats"


def _by_password(world: World) -> Sent:
    ada = world.project.people.session(world.session_token("ada"))
    world.project.accounts.set_password(ada, PASSWORD).result()
    return json_sent("/api/session/password", {"name": ada.person.pseudonym, "password": PASSWORD})


def _participant(world: World) -> Sent:
    secret = world.project.recruitments.set(Recruitment("prolific", "C0DE")).result()
    return json_sent("/api/session/participant", {"secret": secret, "participant": "5f0c1d2e"})


def _other_session(world: World) -> Sent:
    """Another session of Ada's."""
    new = world.project.people.enter(world.tokens["ada"]).result()
    return Sent(f"/api/me/sessions/{new.session.id}")


def _returned(world: World) -> Sent:
    """What no provider has sent; see `tests/studio/server/test_sign_in_routes.py` for what one has."""
    return json_sent("/api/session/provider", {"provider": "university", "state": "unknown"})


def _identity(world: World) -> Sent:
    """A connection of Ada's."""
    identities, session = world.project.identities, world.project.people.enter(world.tokens["ada"]).result().session
    identities.connect(session, Identity(world.provider.issuer, "u-1")).result()
    (one,) = identities.own(session)
    return Sent(f"/api/me/identities/{one.id}")


TASK = "/api/tasks/listening"
ITEM = f"{TASK}/items/item%2F1"


def _agreed(world: World) -> Sent:
    version = world.project.gates.set_consent({"en": "Listen, and agree."}).result().version
    return json_sent("/api/consent", {"version": version})


def _with_headphones(world: World) -> None:
    task = replace(listening_task("checked"), headphones=HeadphoneCheck())
    world.project.tasks.put(task).result()


def _headphones(world: World) -> Sent:
    _with_headphones(world)
    return json_sent("/api/tasks/checked/headphones", {})


def _attempt(world: World) -> str:
    _with_headphones(world)
    return world.project.gates.begin_headphones("checked", world["ada"].person).result().id


def _active(world: World) -> Sent:
    view = world.project.assignments.next("listening", world["ada"].person).result().view
    assert view is not None
    return json_sent(f"/api/assignments/{view.id}/active", {"seconds": 1.5})


def _withdrawn(world: World) -> Sent:
    """The reply to others than Ada is that it is not their name."""
    name = world.project.people.person(world["ada"].person).pseudonym
    return json_sent("/api/me/withdrawal", {"name": name})


def _withdrawn_person(world: World) -> Sent:
    name = world.project.people.person(world["bea"].person).pseudonym
    return json_sent(f"/api/people/{world['bea'].person}/withdrawal", {"name": name})


SENT: dict[tuple[str, str], Callable[[World], Sent]] = {
    ("GET", "/api/health"): lambda world: Sent("/api/health"),
    ("POST", "/api/session"): lambda world: json_sent("/api/session", {"token": world.tokens["ada"]}),
    ("DELETE", "/api/session"): lambda world: Sent("/api/session"),
    ("GET", "/api/me"): lambda world: Sent("/api/me"),
    ("PATCH", "/api/me"): lambda world: json_sent("/api/me", {"language": "zh"}),
    ("POST", "/api/session/password"): _by_password,
    ("POST", "/api/session/participant"): _participant,
    ("POST", "/api/session/provider"): _returned,
    ("GET", "/api/sign-in"): lambda world: Sent("/api/sign-in"),
    ("POST", "/api/sign-in"): lambda world: json_sent("/api/sign-in", {"provider": "university"}),
    ("POST", "/api/me/identities"): lambda world: json_sent("/api/me/identities", {"provider": "university"}),
    ("DELETE", "/api/me/identities/{identity}"): _identity,
    ("GET", "/api/me/account"): lambda world: Sent("/api/me/account"),
    ("PUT", "/api/me/password"): lambda world: json_sent("/api/me/password", {"password": PASSWORD}),
    ("DELETE", "/api/me/sessions"): lambda world: Sent("/api/me/sessions"),
    ("DELETE", "/api/me/sessions/{session}"): _other_session,
    ("GET", "/api/tasks"): lambda world: Sent("/api/tasks"),
    ("GET", "/api/tasks/{task}"): lambda world: Sent(TASK),
    ("POST", "/api/tasks/{task}/next"): lambda world: json_sent(f"{TASK}/next", {}),
    ("GET", "/api/tasks/{task}/mine"): lambda world: Sent(f"{TASK}/mine"),
    ("GET", "/api/assignments/{assignment}"): lambda world: Sent(f"/api/assignments/{_assignment(world)}"),
    ("PUT", "/api/assignments/{assignment}/changes"): lambda world: json_sent(
        f"/api/assignments/{_assignment(world)}/changes", {"changes": [change("fit", 2)]}
    ),
    ("POST", "/api/assignments/{assignment}/played"): _played,
    ("POST", "/api/assignments/{assignment}/submit"): _submitted,
    ("GET", "/api/assignments/{assignment}/clips/{clip}"): lambda world: Sent(
        f"/api/assignments/{_assignment(world)}/clips/c0"
    ),
    ("GET", "/api/tasks/{task}/disagreements"): lambda world: Sent(f"{TASK}/disagreements"),
    ("GET", "/api/tasks/{task}/items/{item}"): lambda world: Sent(ITEM),
    ("GET", "/api/tasks/{task}/items/{item}/clips/{clip}"): lambda world: Sent(f"{ITEM}/clips/c1"),
    ("PUT", "/api/tasks/{task}/items/{item}/adjudication"): lambda world: json_sent(
        f"{ITEM}/adjudication", {"answers": {"fit": 2}, "note": "both are right"}
    ),
    ("GET", "/api/tasks/{task}/agreement"): lambda world: Sent(f"{TASK}/agreement"),
    ("GET", "/api/tasks/{task}/results"): lambda world: Sent(f"{TASK}/results"),
    ("GET", "/api/tasks/{task}/results/file"): lambda world: Sent(f"{TASK}/results/file"),
    ("GET", "/api/tasks/{task}/progress"): lambda world: Sent(f"{TASK}/progress"),
    ("GET", "/api/people"): lambda world: Sent("/api/people"),
    ("PATCH", "/api/people/{person}"): lambda world: json_sent(
        f"/api/people/{world['bea'].person}", {"role": "annotator"}
    ),
    ("GET", "/api/invitations"): lambda world: Sent("/api/invitations"),
    ("POST", "/api/invitations"): lambda world: json_sent(
        "/api/invitations", {"role": "annotator", "name": "Hal", "days": 7}
    ),
    ("DELETE", "/api/invitations/{invitation}"): lambda world: Sent(f"/api/invitations/{_invitation(world)}"),
    ("POST", "/api/tasks"): _task_file,
    ("PATCH", "/api/tasks/{task}"): lambda world: json_sent(TASK, {"open": True}),
    ("POST", "/api/clips"): _clip_file,
    ("GET", "/api/tasks/{task}/export"): lambda world: Sent(f"{TASK}/export?format=csv"),
    ("GET", "/api/templates"): lambda world: Sent("/api/templates"),
    ("GET", "/api/templates/{template}"): lambda world: Sent("/api/templates/s3bench"),
    ("GET", "/api/tasks/{task}/draft"): lambda world: Sent(f"{TASK}/draft"),
    ("GET", "/api/tasks/{task}/file"): lambda world: Sent(f"{TASK}/file?format=yaml"),
    ("GET", "/api/clips/{clip}"): lambda world: Sent("/api/clips/clips/hidden-file-a-0.flac?begin=100&end=300"),
    ("POST", "/api/drafts"): lambda world: json_sent("/api/drafts", {"task": draft()}),
    ("POST", "/api/drafts/check"): lambda world: json_sent("/api/drafts/check", {"task": draft()}),
    ("POST", "/api/drafts/file"): _draft_file,
    ("POST", "/api/drafts/items"): lambda world: json_sent(
        "/api/drafts/items", {"task": draft(), "table": TABLE, "columns": COLUMNS}
    ),
    ("POST", "/api/drafts/preview"): lambda world: json_sent("/api/drafts/preview", {"task": draft()}),
    ("GET", "/api/consent"): lambda world: Sent("/api/consent"),
    ("POST", "/api/consent"): _agreed,
    ("PUT", "/api/consent"): lambda world: json_sent("/api/consent", {"text": {"en": "Agree to this."}}),
    ("POST", "/api/tasks/{task}/headphones"): _headphones,
    ("GET", "/api/headphones/{check}/{trial}"): lambda world: Sent(f"/api/headphones/{_attempt(world)}/0"),
    ("POST", "/api/headphones/{check}"): lambda world: json_sent(
        f"/api/headphones/{_attempt(world)}", {"answers": [0, 1, 2]}
    ),
    ("POST", "/api/assignments/{assignment}/active"): _active,
    ("POST", "/api/me/withdrawal"): _withdrawn,
    ("POST", "/api/people/{person}/withdrawal"): _withdrawn_person,
    ("GET", "/api/openapi.json"): lambda world: Sent("/api/openapi.json"),
}
