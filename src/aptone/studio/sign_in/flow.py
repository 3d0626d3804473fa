"""Signing in by a provider: authorization code with PKCE, state and nonce (RFC 9700).

What was begun stays in this process for ten minutes, each for one browser, one provider and one use. The browser holds
a secret in a cookie; so nobody can finish, or have somebody else finish, what another browser began.
"""

import base64
import hashlib
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit

from aptone.messages import message
from aptone.studio.sign_in.identity_tokens import check_identity_token
from aptone.studio.sign_in.metadata import (
    Ask,
    Metadata,
    ProviderError,
    ProviderUnreachableError,
    Published,
    ask_over_http,
    json_object,
)
from aptone.studio.sign_in.providers import Provider
from aptone.studio.store.records import Identity
from aptone.web.refusals import BusyError, NotFoundError, NotSignedInError, RefusedError
from aptone.web.security import same_secret

LOG = logging.getLogger("aptone.studio.sign_in")
MINUTES = 10
MOST_PENDING = 1000
"""Sign-ins that may be under way; of more, the oldest give way."""
LONGEST_CODE = 4096


@dataclass(frozen=True, slots=True)
class Begun:
    """Sign-in that begins: where the browser goes, and the secret that it keeps."""

    url: str
    secret: str


@dataclass(frozen=True, slots=True)
class Returned:
    """Provider's answer in the browser; empty where it says nothing."""

    state: str
    code: str = ""
    issuer: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class _Pending:
    provider: str
    secret: str
    nonce: str
    verifier: str
    back: str
    person: str
    until: float


class SignIns:
    """Sign-ins by the providers of a studio."""

    def __init__(
        self,
        providers: Sequence[Provider] = (),
        *,
        ask: Ask = ask_over_http,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.providers: Mapping[str, Provider] = {one.id: one for one in providers}
        self._published = {one.id: Published(one, ask, clock) for one in providers}
        self._ask = ask
        self._clock = clock
        self._pending: dict[str, _Pending] = {}

    async def begin(self, provider: str, *, address: str, person: str = "") -> Begun:
        """Begin a sign-in.

        Args:
            address: of the studio, as the browser knows it.
            person: who connects a provider with their account; empty for somebody who wants to come in.

        Raises:
            NotFoundError: if there is no such provider.
            BusyError: if it cannot be reached, or has published something unusable.
        """
        published = self._of(provider)
        try:
            metadata = await published.metadata()
        except ProviderError as error:
            raise _refusal(provider, error) from error
        state, secret, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(4))
        back = f"{address.rstrip('/')}/signed-in/{provider}"
        self._forget_old()
        until = self._clock() + 60 * MINUTES
        self._pending[state] = _Pending(provider, secret, nonce, verifier, back, person, until)
        query = {
            "response_type": "code",
            "client_id": published.provider.client_id,
            "redirect_uri": back,
            "scope": "openid email",
            "state": state,
            "nonce": nonce,
            "code_challenge": _challenge(verifier),
            "code_challenge_method": "S256",
        }
        joint = "&" if urlsplit(metadata.authorization).query else "?"
        return Begun(metadata.authorization + joint + urlencode(query), secret)

    async def finish(self, provider: str, returned: Returned, *, secret: str) -> tuple[Identity, str]:
        """Finish a sign-in; return who it is, and the person who wanted to connect the provider, if any.

        Raises:
            NotFoundError: if there is no such provider.
            NotSignedInError: if this browser did not begin it, it is too old, was declined, or is not to be trusted.
            BusyError: if the provider cannot be reached.
        """
        published = self._of(provider)
        pending = self._pending.get(returned.state)
        if pending is None or not same_secret(secret, pending.secret):
            raise _failed("sign-in-expired")  # what another browser began stays for that one
        del self._pending[returned.state]
        if pending.until < self._clock() or pending.provider != provider:
            raise _failed("sign-in-expired")
        try:
            metadata = await published.metadata()
            if returned.issuer != published.provider.issuer and (returned.issuer or metadata.names_itself):
                raise ProviderError("an answer of another issuer")
            if returned.error or not returned.code:
                raise _failed("sign-in-declined")
            token = await self._exchange(published, metadata, pending, returned.code)
            identity = await check_identity_token(token, published, nonce=pending.nonce, clock=self._clock)
        except ProviderError as error:
            raise _refusal(provider, error) from error
        return identity, pending.person

    async def _exchange(self, published: Published, metadata: Metadata, pending: _Pending, code: str) -> str:
        provider = published.provider
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": pending.back,
            "code_verifier": pending.verifier,
        }
        headers = {"Accept": "application/json"}
        if provider.client_secret and not metadata.secret_in_form:
            pair = f"{quote(provider.client_id, safe='')}:{quote(provider.client_secret, safe='')}"
            headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        else:
            form["client_id"] = provider.client_id
            if provider.client_secret:
                form["client_secret"] = provider.client_secret
        reply = await self._ask(metadata.token, headers, form)
        if reply.status >= 500:
            raise ProviderUnreachableError(f"status {reply.status} at its token address")
        if reply.status != 200:
            raise ProviderError(f"status {reply.status} at its token address")
        token = json_object(reply.body).get("id_token")
        if not isinstance(token, str):
            raise ProviderError("no ID token")
        return token

    def _of(self, provider: str) -> Published:
        if provider not in self._published:
            raise NotFoundError(message("studio.no-such-provider"))
        return self._published[provider]

    def _forget_old(self) -> None:
        now = self._clock()
        self._pending = {state: one for state, one in self._pending.items() if one.until >= now}
        while len(self._pending) >= MOST_PENDING:
            del self._pending[next(iter(self._pending))]


def _challenge(verifier: str) -> str:
    """Challenge of a verifier (RFC 7636): its SHA-256 in base64 for addresses.

    >>> _challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    """
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def _failed(code: str) -> NotSignedInError:
    return NotSignedInError(message(f"studio.{code}"), code=code, next=message("studio.sign-in-again"))


def _refusal(provider: str, error: ProviderError) -> RefusedError:
    LOG.warning("%s: %s", provider, error)
    if isinstance(error, ProviderUnreachableError):
        return BusyError(
            message("studio.sign-in-unreachable"),
            code="sign-in-unreachable",
            next=message("studio.try-again-few-seconds"),
        )
    return _failed("sign-in-untrusted")
