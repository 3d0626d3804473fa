"""Routes of the own account: signing in by a password, changing it, and the list of open sessions.

A password is checked in a thread, two at a time, so that those who guess keep nobody else waiting. Attempts are limited
by address before a body is read, and by name after it, for names that do not exist as for those that do.
"""

from dataclasses import replace

import anyio
from starlette.responses import Response

from aptone.messages import message
from aptone.studio.server.account_schemas import Account, Ended, PasswordBody, PasswordSessionBody
from aptone.studio.server.devices import device_name
from aptone.studio.server.routing import EVERYONE, SIGNED_IN, Call, router_for
from aptone.studio.server.schemas import Me
from aptone.studio.server.studio import committed, in_thread
from aptone.studio.store.records import OwnAccount, Session
from aptone.web.parameters import PathPart
from aptone.web.refusals import TooOftenError
from aptone.web.routing import error_statuses

entry = router_for(EVERYONE, rate_limited=True)
own = router_for(SIGNED_IN)
_HASHING = anyio.CapacityLimiter(2)
"""Passwords hashed at a time: each takes 16 MiB and a processor."""


@entry.post("/api/session/password", response_model=Me, responses=error_statuses(401, 422, 429))
async def enter(call: Call, body: PasswordSessionBody, response: Response) -> Session:
    """Sign in by name and password."""
    accounts = call.studio.project.accounts
    _count_attempt(call, body.name.strip().upper())
    known = await anyio.to_thread.run_sync(accounts.authenticate, body.name, body.password, limiter=_HASHING)
    new = await committed(accounts.enter(known, device=device_of(call)))
    call.studio.sessions.give(response, new)
    return new.session


@own.get("/api/me/account", response_model=Account)
async def account(call: Call) -> OwnAccount:
    """Sign-in name, password and open sessions of the person."""
    return await in_thread(_own, call)


@own.put("/api/me/password", response_model=Account, responses=error_statuses(422, 429))
async def set_password(call: Call, body: PasswordBody) -> OwnAccount:
    """Set or change the own password; all other sessions end."""
    accounts, session = call.studio.project.accounts, call.user_session
    if not session.invitation:
        _count_attempt(call, session.person.pseudonym)
    written = await anyio.to_thread.run_sync(
        lambda: accounts.set_password(session, body.password, current=body.current), limiter=_HASHING
    )
    await committed(written)
    call.studio.sessions.forget()
    return await in_thread(_own, call)


@own.delete("/api/me/sessions/{session}")
async def end_session(call: Call, session: PathPart) -> Ended:
    """End one of the own sessions."""
    ended = await committed(call.studio.project.accounts.end_session(call.user_session, session))
    call.studio.sessions.forget()
    return Ended(ended=ended)


@own.delete("/api/me/sessions")
async def end_other_sessions(call: Call) -> Ended:
    """End all own sessions but this one."""
    ended = await committed(call.studio.project.accounts.end_other_sessions(call.user_session))
    call.studio.sessions.forget()
    return Ended(ended=ended)


def _own(call: Call) -> OwnAccount:
    project, session = call.studio.project, call.user_session
    return replace(project.accounts.own(session), identities=project.identities.own(session))


def device_of(call: Call) -> str:
    """Name of the device that a request comes from."""
    return device_name(call.headers.get("user-agent", ""))


def _count_attempt(call: Call, name: str) -> None:
    if seconds := call.studio.passwords.wait(name):
        raise TooOftenError(message("studio.too-many-passwords"), seconds=seconds)
