"""Routes of signing in by a provider: it begins on the sign-in page or the account page, and ends on ``/signed-in``.

That page sends what the provider added to its address. The request comes from our own page, so it is checked as all
others are, and no address is ever taken from it: whoever is in goes to the list of tasks.
"""

from typing import Annotated

from pydantic import StringConstraints
from starlette.responses import Response

from aptone.messages import message
from aptone.studio.server.account import account, device_of
from aptone.studio.server.account_schemas import Account, ProviderReply
from aptone.studio.server.routing import EVERYONE, SIGNED_IN, Call, router_for
from aptone.studio.server.schemas import LanguageCode, Me
from aptone.studio.server.studio import committed
from aptone.studio.sign_in.flow import LONGEST_CODE, MINUTES, Begun, Returned
from aptone.studio.store.records import OwnAccount, Session
from aptone.web.parameters import PathPart
from aptone.web.refusals import NotSignedInError
from aptone.web.routing import error_statuses
from aptone.web.schemas import Body, Reply

door = router_for(EVERYONE)
entry = router_for(EVERYONE, rate_limited=True)
own = router_for(SIGNED_IN)

Short = Annotated[str, StringConstraints(max_length=200)]


class ProviderBody(Body):
    """Provider, by its id."""

    provider: Short


class SignInAddress(Reply):
    """Address of the provider, where the browser goes next."""

    url: str


class ReturnedBody(Body):
    """What a provider added to the address of the page that it sent the browser back to."""

    most_bytes = 1 << 15

    provider: Short
    state: Short
    code: Annotated[str, StringConstraints(max_length=LONGEST_CODE)] = ""
    iss: Annotated[str, StringConstraints(max_length=2000)] = ""
    error: Short = ""
    language: LanguageCode = "en"


@door.get("/api/sign-in")
async def providers(call: Call) -> list[ProviderReply]:
    """Providers that one can sign in by."""
    return [
        ProviderReply(id=one.id, name=one.name, issuer=one.issuer) for one in call.studio.sign_ins.providers.values()
    ]


@entry.post("/api/sign-in", responses=error_statuses(404, 422, 429, 503))
async def begin(call: Call, body: ProviderBody, response: Response) -> SignInAddress:
    """Begin to sign in by a provider."""
    return _sent_off(call, response, await call.studio.sign_ins.begin(body.provider, address=_address(call)))


@own.post("/api/me/identities", responses=error_statuses(404, 422, 503))
async def connect(call: Call, body: ProviderBody, response: Response) -> SignInAddress:
    """Begin to connect the own account with a provider."""
    person = call.user_session.person.id
    begun = await call.studio.sign_ins.begin(body.provider, address=_address(call), person=person)
    return _sent_off(call, response, begun)


@own.delete("/api/me/identities/{identity}", response_model=Account)
async def disconnect(call: Call, identity: PathPart) -> OwnAccount:
    """End one of the own connections with a provider, and the sessions that it opened."""
    await committed(call.studio.project.identities.disconnect(call.user_session, identity))
    call.studio.sessions.forget()
    return await account(call)


@entry.post("/api/session/provider", response_model=Me, responses=error_statuses(401, 403, 404, 409, 422, 429, 503))
async def finish(call: Call, body: ReturnedBody, response: Response) -> Session:
    """Come in by a provider, or connect it with the own account, after it has sent the browser back."""
    studio = call.studio
    secret = call.cookies.get(_cookie(call), "")
    returned = Returned(body.state, body.code, body.iss, body.error)
    identity, person = await studio.sign_ins.finish(body.provider, returned, secret=secret)
    response.delete_cookie(_cookie(call), path="/", secure=studio.addresses.secure, httponly=True, samesite="strict")
    if person:
        session = await studio.sessions.of(call)
        if session is None or session.person.id != person:
            raise NotSignedInError(message("studio.sign-in-expired"), code="sign-in-expired")
        await committed(studio.project.identities.connect(session, identity))
        return session
    new = await committed(studio.project.identities.enter(identity, language=body.language, device=device_of(call)))
    studio.sessions.give(response, new)
    return new.session


def _sent_off(call: Call, response: Response, begun: Begun) -> SignInAddress:
    response.set_cookie(
        _cookie(call),
        begun.secret,
        max_age=60 * MINUTES,
        path="/",
        secure=call.studio.addresses.secure,
        httponly=True,
        samesite="strict",
    )
    return SignInAddress(url=begun.url)


def _cookie(call: Call) -> str:
    return f"{call.studio.sessions.cookie}_sign_in"


def _address(call: Call) -> str:
    """Address of the studio as the browser knows it; the guard has checked its name."""
    return call.studio.addresses.public_url or f"http://{call.headers['host']}"
