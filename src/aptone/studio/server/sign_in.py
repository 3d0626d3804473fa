"""Routes for coming in and leaving, and for who one is."""

from starlette.responses import Response

from aptone.studio.server.bodies import MeBody, SessionBody
from aptone.studio.server.refusals import TooOftenError
from aptone.studio.server.routing import EVERYONE, SIGNED_IN, Call, refuses, router_for
from aptone.studio.server.schemas import Health, Left, Me, Person
from aptone.studio.server.studio import written
from aptone.studio.store.records import Session

door, inside = router_for(EVERYONE), router_for(SIGNED_IN)


@door.get("/api/health")
async def health(call: Call) -> Health:
    """Whether the server answers."""
    return Health(status="ok", version=call.studio.version)


@door.post("/api/session", response_model=Me, responses=refuses(401, 403, 422, 429))
async def enter(call: Call, body: SessionBody, response: Response) -> Session:
    """Sign in by the token of a personal link."""
    if seconds := call.studio.entries.wait(call.client.host if call.client else ""):
        raise TooOftenError(seconds)
    people = call.studio.project.people
    new = await written(people.enter(body.token, name=body.name or "", language=body.language or ""))
    call.studio.sessions.give(response, new)
    return new.session


@inside.delete("/api/session")
async def leave(call: Call, response: Response) -> Left:
    """End the session."""
    sessions = call.studio.sessions
    await written(call.studio.project.people.leave(sessions.token(call)))
    sessions.forget()
    sessions.take_back(response)
    return Left(left=True)


@inside.get("/api/me", response_model=Me)
async def me(call: Call) -> Session:
    """Who is signed in, and the value that changing requests must carry."""
    return call.user_session


@inside.patch("/api/me", responses=refuses(422))
async def change_me(call: Call, body: MeBody) -> Me:
    """Choose the language of the interface."""
    person = await written(call.studio.project.people.change(call.user_session.person.id, language=body.language))
    call.studio.sessions.forget()
    return Me(person=Person.model_validate(person, from_attributes=True), csrf=call.user_session.csrf)
