"""Routes for signing in and out, and for the own account."""

from starlette.responses import Response

from aptone.studio.server.refusals import TooOftenError
from aptone.studio.server.routing import EVERYONE, SIGNED_IN, Call, error_statuses, router_for
from aptone.studio.server.schemas import Health, Left, Me, MeBody, Person, SessionBody
from aptone.studio.server.studio import committed
from aptone.studio.store.records import Session

door, inside = router_for(EVERYONE), router_for(SIGNED_IN)


@door.get("/api/health")
async def health(call: Call) -> Health:
    """Health of the server, and its version."""
    return Health(status="ok", version=call.studio.version)


@door.post("/api/session", response_model=Me, responses=error_statuses(401, 403, 422, 429))
async def enter(call: Call, body: SessionBody, response: Response) -> Session:
    """Sign in by the token of a personal link."""
    if seconds := call.studio.entries.wait(call.client.host if call.client else ""):
        raise TooOftenError(seconds)
    people = call.studio.project.people
    new = await committed(people.enter(body.token, name=body.name or "", language=body.language or ""))
    call.studio.sessions.give(response, new)
    return new.session


@inside.delete("/api/session")
async def leave(call: Call, response: Response) -> Left:
    """End the session."""
    sessions = call.studio.sessions
    await committed(call.studio.project.people.leave(sessions.token(call)))
    sessions.forget()
    sessions.take_back(response)
    return Left(left=True)


@inside.get("/api/me", response_model=Me)
async def me(call: Call) -> Session:
    """Signed-in person, and the CSRF value of changing requests."""
    return call.user_session


@inside.patch("/api/me", responses=error_statuses(422))
async def change_me(call: Call, body: MeBody) -> Me:
    """Choose the language of the interface."""
    person = await committed(call.studio.project.people.change(call.user_session.person.id, language=body.language))
    call.studio.sessions.forget()
    return Me(person=Person.model_validate(person, from_attributes=True), csrf=call.user_session.csrf)
