"""ID tokens: checked as OpenID Connect Core 1.0, section 3.1.3.7, asks for."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from joserfc import jwk, jwt
from joserfc.errors import JoseError

from aptone.studio.sign_in.metadata import ProviderError, Published
from aptone.studio.store.records import Identity
from aptone.web.security import same_secret

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""Signatures by a private key. No ``none``, and no shared secret that a public key could be taken for."""
LEEWAY = 60.0
"""Seconds by which clocks may differ."""
LONGEST_AGE = 600.0
"""Seconds between a token's making and its use: a sign-in is a matter of moments."""
LATEST = 1e12
"""Seconds since 1970 that no time reaches; NaN, which JSON may hold, is not below it either."""
LONGEST_TOKEN = 20_000
LONGEST_SUBJECT = 255
SMALLEST_RSA = 2048


async def check_identity_token(
    token: str, published: Published, *, nonce: str, clock: Callable[[], float] = time.time
) -> Identity:
    """Check signature, issuer, audience, times and nonce of an ID token.

    Raises:
        ProviderError: if one of them is wrong; the text names it and nothing of the token.
    """
    if len(token) > LONGEST_TOKEN or token.count(".") != 2:
        raise ProviderError("its ID token is none")
    claims = await _signed_claims(token, published)
    client, now = published.provider.client_id, clock()
    if claims.get("iss") != published.provider.issuer:
        raise ProviderError("ID token of another issuer")
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    if client not in audiences or (len(audiences) > 1 and claims.get("azp") != client):
        raise ProviderError("ID token for another audience")
    if claims.get("azp", client) != client:
        raise ProviderError("ID token for another party")
    if not same_secret(str(claims.get("nonce", "")), nonce):
        raise ProviderError("ID token with another nonce")
    expires, made, begins = (_moment(claims, name) for name in ("exp", "iat", "nbf"))
    if expires is None or made is None:
        raise ProviderError("ID token without times")
    if now > expires + LEEWAY or now > made + LONGEST_AGE + LEEWAY:
        raise ProviderError("ID token that has expired")
    if made > now + LEEWAY or (begins is not None and begins > now + LEEWAY):
        raise ProviderError("ID token of the future")
    subject = claims.get("sub")
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
        raise ProviderError("ID token without a subject")
    email = claims.get("email")
    # beyond ASCII, lower case makes one address of two: the Kelvin sign becomes a k
    verified = claims.get("email_verified") is True and isinstance(email, str) and email.isascii()
    return Identity(published.provider.issuer, subject, str(email).strip().lower() if verified else "")


def _moment(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < LATEST:
        raise ProviderError(f"ID token whose {name} is no time")
    return float(value)


async def _signed_claims(token: str, published: Published) -> dict[str, Any]:
    for renew in (False, True):  # a provider may have a new key since
        for key in await published.keys(renew=renew):
            try:
                found = jwt.decode(token, _public_key(key), algorithms=list(ALGORITHMS))
            except (JoseError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue
            wanted = found.header.get("kid")
            if wanted is not None and key.get("kid", wanted) != wanted:
                continue
            if key.get("alg", found.header["alg"]) != found.header["alg"]:
                continue
            return found.claims
    raise ProviderError("ID token that none of its keys has signed")


def _public_key(key: Mapping[str, Any]) -> jwk.Key:
    if key.get("kty") not in ("RSA", "EC", "OKP"):
        raise ValueError("no key pair")
    if key["kty"] == "RSA" and 6 * len(key["n"]) < SMALLEST_RSA:  # the modulus in base64
        raise ValueError("a key that is too short")
    return jwk.import_key(dict(key))
