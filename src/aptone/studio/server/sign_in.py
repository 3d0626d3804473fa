"""Routes for coming in and leaving, and for who one is."""

from starlette.responses import Response

from aptone.studio.server.bodies import MeBody, SessionBody
from aptone.studio.server.refusals import TooOftenError
from aptone.studio.server.routing import EVERYONE, SIGNED_IN, Call, Routes, reply_json
from aptone.studio.server.schemas import Health, Left, Me
from aptone.studio.server.studio import written
from aptone.studio.store.records import Person
from aptone.types import Json

routes = Routes()


@routes("GET", "/api/health", roles=EVERYONE, reply=Health)
async def health(call: Call) -> Response:
    """Whether the server answers."""
    return reply_json({"status": "ok", "version": call.studio.version})


@routes("POST", "/api/session", roles=EVERYONE, body=SessionBody, reply=Me, refuses=(401, 403, 422, 429))
async def enter(call: Call) -> Response:
    """Sign in by the token of a personal link."""
    client = call.request.client
    if seconds := call.studio.entries.wait(client.host if client else ""):
        raise TooOftenError(seconds)
    body = call.read(SessionBody)
    people = call.studio.project.people
    new = await written(people.enter(body.token, name=body.name or "", language=body.language or ""))
    response = reply_json({"person": person_json(new.session.person), "csrf": new.session.csrf})
    call.studio.sessions.give(response, new)
    return response


@routes("DELETE", "/api/session", roles=SIGNED_IN, reply=Left)
async def leave(call: Call) -> Response:
    """End the session."""
    sessions = call.studio.sessions
    await written(call.studio.project.people.leave(sessions.token(call.request)))
    sessions.forget()
    response = reply_json({"left": True})
    sessions.take_back(response)
    return response


@routes("GET", "/api/me", roles=SIGNED_IN, reply=Me)
async def me(call: Call) -> Response:
    """Who is signed in, and the value that changing requests must carry."""
    return reply_json({"person": person_json(call.session.person), "csrf": call.session.csrf})


@routes("PATCH", "/api/me", roles=SIGNED_IN, body=MeBody, reply=Me, refuses=(422,))
async def change_me(call: Call) -> Response:
    """Choose the language of the interface."""
    changed = call.studio.project.people.change(call.session.person.id, language=call.read(MeBody).language)
    person = await written(changed)
    call.studio.sessions.forget()
    return reply_json({"person": person_json(person), "csrf": call.session.csrf})


def person_json(person: Person) -> dict[str, Json]:
    """What a person is told about the own account."""
    return {"id": person.id, "name": person.name, "role": person.role, "language": person.language}
