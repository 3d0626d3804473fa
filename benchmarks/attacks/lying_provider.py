"""A small provider of identities, which can lie in every way: OpenID Connect with code and PKCE, in this process."""

import base64
import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

from joserfc import jwk, jws

from aptone.run.http.post import HttpReply
from aptone.studio.sign_in.providers import Provider

Claims = dict[str, Any]


@cache
def rsa_key(name: str) -> jwk.RSAKey:
    """A key pair; one for each name."""
    return jwk.RSAKey.generate_key(2048, parameters={"kid": name, "use": "sig"})


def part(value: object) -> str:
    """A part of a token."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def signed(claims: Claims, *, key: jwk.Key, algorithm: str = "RS256", header: Claims | None = None) -> str:
    """Claims with a signature."""
    named = {"alg": algorithm, "kid": key.kid, **(header or {})}
    return jws.serialize_compact(named, json.dumps(claims).encode(), key, algorithms=[algorithm])


@dataclass
class FakeProvider:
    """A provider with one person.

    Args:
        spoil: changes the claims before they are signed.
        sign: makes a token of claims; by default signed by `key`.
        answers: replies in place of the honest ones, by the end of the address.
    """

    issuer: str = "https://login.example.org"
    client_id: str = "aptone"
    secret: str = "correct horse"
    claims: Claims = field(default_factory=lambda: {"sub": "u-1", "email": "Ada@Example.org", "email_verified": True})
    metadata: Claims = field(default_factory=dict)
    key: jwk.Key = field(default_factory=lambda: rsa_key("first"))
    spoil: Callable[[Claims], object] = lambda claims: None
    sign: Callable[[Claims], str] | None = None
    answers: dict[str, HttpReply] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    _codes: dict[str, Mapping[str, str]] = field(default_factory=dict)

    def provider(self, name: str = "university") -> Provider:
        """It, as a studio knows it."""
        return Provider(name, name.title(), self.issuer, self.client_id, self.secret)

    def agree(self, url: str) -> dict[str, str]:
        """Sign somebody in at the address that the studio sent the browser to; what comes back in the query."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert url.startswith(f"{self.issuer}/authorize?")
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        code = f"code-{len(self._codes)}"
        self._codes[code] = asked
        return {"state": asked["state"], "code": code}

    async def ask(self, url: str, headers: Mapping[str, str], form: Mapping[str, str] | None) -> HttpReply:
        """Answer a request of the studio."""
        self.asked.append(url)
        for ending, reply in self.answers.items():
            if url.endswith(ending):
                return reply
        if url == f"{self.issuer}/.well-known/openid-configuration":
            return _json(self.published())
        if url == f"{self.issuer}/keys":
            return _json({"keys": [self.key.as_dict(private=False)]})
        assert url == f"{self.issuer}/token"
        assert form is not None
        return self._token(headers, form)

    def published(self) -> Claims:
        """Metadata."""
        ends = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "keys"}
        urls = {name: f"{self.issuer}/{end}" for name, end in ends.items()}
        return {"issuer": self.issuer, **urls, **self.metadata}

    def _token(self, headers: Mapping[str, str], form: Mapping[str, str]) -> HttpReply:
        asked = self._codes.pop(form["code"], None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).rstrip(b"=")
        if (
            asked is None
            or challenge.decode() != asked["code_challenge"]
            or form["redirect_uri"] != asked["redirect_uri"]
        ):
            return _json({"error": "invalid_grant"}, status=400)
        pair = base64.b64encode(f"{self.client_id}:{self.secret.replace(' ', '%20')}".encode()).decode()
        in_form = (form.get("client_id"), form.get("client_secret", "")) == (self.client_id, self.secret)
        if self.secret and headers.get("Authorization") != f"Basic {pair}" and not in_form:
            return _json({"error": "invalid_client"}, status=401)
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": self.client_id, "iat": now, "exp": now + 300, "nonce": asked["nonce"]}
        claims |= self.claims
        self.spoil(claims)
        token = self.sign(claims) if self.sign else signed(claims, key=self.key)
        return _json({"access_token": "a", "token_type": "Bearer", "id_token": token})


def _json(value: object, *, status: int = 200) -> HttpReply:
    return HttpReply(status, {"content-type": "application/json"}, json.dumps(value).encode())
