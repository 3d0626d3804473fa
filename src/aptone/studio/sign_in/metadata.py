"""Metadata of a provider: its addresses (OpenID Connect Discovery) and its keys (JSON Web Key Set)."""

import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aptone.errors import UsageError
from aptone.run.http.post import ConnectionFailedError, HttpReply, get, post
from aptone.run.http.reading import Limits, ReplyRefusedError
from aptone.studio.sign_in.providers import Provider, is_safe_address

LIMITS = Limits(size=1 << 20, seconds=10.0)
KEPT_SECONDS = 3600.0
RENEWED_SECONDS = 60.0
"""Keys are asked for again when a token names an unknown one, but not more often."""
MOST_KEYS = 100

Ask = Callable[[str, Mapping[str, str], Mapping[str, str] | None], Awaitable[HttpReply]]
"""Asks an address, with headers; posts the form, if there is one."""


class ProviderError(Exception):
    """Provider's reply that cannot be used, or is missing; the text is ours and for the log."""


class ProviderUnreachableError(ProviderError):
    """The provider cannot be asked just now."""


async def ask_over_http(url: str, headers: Mapping[str, str], form: Mapping[str, str] | None) -> HttpReply:
    """Ask an address within `LIMITS`; redirects are not followed."""
    try:
        if form is None:
            return await get(url, LIMITS, headers=headers)
        return await post(url, LIMITS, headers=headers, data=form)
    except (TimeoutError, ConnectionFailedError) as error:
        raise ProviderUnreachableError(f"no reply: {type(error).__name__}") from error
    except UsageError as error:  # a proxy that cannot be used, for instance
        raise ProviderUnreachableError(str(error)) from error
    except ReplyRefusedError as error:
        raise ProviderError(f"reply not read: {type(error).__name__}") from error


@dataclass(frozen=True, slots=True)
class Metadata:
    """Addresses of a provider.

    Args:
        names_itself: whether its answers in the browser name the issuer (RFC 9207), against mix-up.
        secret_in_form: whether the client secret goes into the form instead of a header.
    """

    authorization: str
    token: str
    keys: str
    names_itself: bool
    secret_in_form: bool


@dataclass(slots=True)
class Published:
    """Addresses and keys of one provider, asked for when they are needed and kept for an hour."""

    provider: Provider
    ask: Ask = ask_over_http
    clock: Callable[[], float] = time.monotonic
    _metadata: tuple[float, Metadata] | None = field(default=None, init=False)
    _keys: tuple[float, tuple[Mapping[str, Any], ...]] | None = field(default=None, init=False)

    async def metadata(self) -> Metadata:
        """Addresses.

        Raises:
            ProviderError: if they cannot be had, are of another issuer, or unsafe.
        """
        if self._metadata is None or self.clock() - self._metadata[0] > KEPT_SECONDS:
            url = self.provider.issuer.rstrip("/") + "/.well-known/openid-configuration"
            self._metadata = self.clock(), self._checked(await self._document(url))
        return self._metadata[1]

    async def keys(self, *, renew: bool = False) -> tuple[Mapping[str, Any], ...]:
        """Keys that sign; with `renew` asked for again, at most once a minute."""
        age = self.clock() - self._keys[0] if self._keys else KEPT_SECONDS + 1
        if self._keys is None or age > KEPT_SECONDS or (renew and age > RENEWED_SECONDS):
            found = (await self._document((await self.metadata()).keys)).get("keys")
            if not isinstance(found, list) or len(found) > MOST_KEYS:
                raise ProviderError("its key set is none")
            signing = (one for one in found if isinstance(one, dict) and one.get("use", "sig") == "sig")
            self._keys = self.clock(), tuple(signing)
        return self._keys[1]

    async def _document(self, url: str) -> dict[str, Any]:
        reply = await self.ask(url, {"Accept": "application/json"}, None)
        if reply.status != 200:
            raise ProviderUnreachableError(f"status {reply.status} at a published address")
        return json_object(reply.body)

    def _checked(self, document: Mapping[str, Any]) -> Metadata:
        if document.get("issuer") != self.provider.issuer:
            raise ProviderError("its metadata are of another issuer")
        names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
        authorization, token, keys = (str(document.get(name, "")) for name in names)
        if not all(map(is_safe_address, (authorization, token, keys))):
            raise ProviderError("its metadata name an address that is missing or not safe")
        methods = document.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        in_form = isinstance(methods, list) and "client_secret_basic" not in methods and "client_secret_post" in methods
        named = document.get("authorization_response_iss_parameter_supported") is True
        return Metadata(authorization, token, keys, names_itself=named, secret_in_form=in_form)


def json_object(body: bytes) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        ProviderError: if it is something else.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProviderError("its reply is no JSON") from error
    if not isinstance(found, dict):
        raise ProviderError("its reply is no JSON object")
    return found
