"""Passwords: which ones are taken, and their hashes.

A hash is ``scrypt$N$r$p$SALT$HASH`` (RFC 7914), with its parameters in it, so that they can be raised later. N = 2^14,
r = 8, p = 5 is one of the settings that OWASP recommends; a hash takes 16 MiB and some tenths of a second.
"""

import base64
import hashlib
import hmac
import secrets
import unicodedata

from aptone.messages import message
from aptone.studio.refusals import NotAnAnswerError

SHORTEST, LONGEST = 12, 200
"""Characters of a password."""
FEWEST_DIFFERENT = 5
"""Different characters of a password: fewer are a pattern."""
_COST, _BLOCK, _PARALLEL = 2**14, 8, 5
_SALT_BYTES, _HASH_BYTES = 16, 32
_MEMORY = 64 * 1024 * 1024


def check_password(password: str, *, known: tuple[str, ...]) -> None:
    """Check a new password.

    Args:
        known: what others know about the person, and no password may hold: the names.

    Raises:
        NotAnAnswerError: if it is too short, too long, a pattern, or holds a name.
    """
    plain = _normal(password)
    if not SHORTEST <= len(plain) <= LONGEST:
        why = message("studio.password-length", low=SHORTEST, high=LONGEST)
    elif len(set(plain)) < FEWEST_DIFFERENT:
        why = message("studio.password-pattern", count=FEWEST_DIFFERENT)
    elif any(len(word) >= 3 and _normal(word).casefold() in plain.casefold() for word in (*known, "password")):
        why = message("studio.password-holds-name")
    else:
        return
    raise NotAnAnswerError(why, code="weak-password", next=message("studio.take-several-words"))


def hash_password(password: str) -> str:
    """Hash a password with a random salt."""
    salt = secrets.token_bytes(_SALT_BYTES)
    return _encoded(salt, _digest(password, salt, cost=_COST, block=_BLOCK, parallel=_PARALLEL))


def _encoded(salt: bytes, digest: bytes) -> str:
    return "$".join(["scrypt", str(_COST), str(_BLOCK), str(_PARALLEL), _text(salt), _text(digest)])


def matches(password: str, stored: str) -> bool:
    """True if a password is the one of a hash; takes as long if it is not."""
    _, cost, block, parallel, salt, digest = stored.split("$")
    found = _digest(password, _bytes(salt), cost=int(cost), block=int(block), parallel=int(parallel))
    return hmac.compare_digest(found, _bytes(digest))


def _digest(password: str, salt: bytes, *, cost: int, block: int, parallel: int) -> bytes:
    return hashlib.scrypt(
        _normal(password).encode("utf-8", "surrogatepass"),
        salt=salt,
        n=cost,
        r=block,
        p=parallel,
        maxmem=_MEMORY,
        dklen=_HASH_BYTES,
    )


def _normal(password: str) -> str:
    """Return one form of a password, however a keyboard composes its characters."""
    return unicodedata.normalize("NFKC", password)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)


UNKNOWN = _encoded(secrets.token_bytes(_SALT_BYTES), secrets.token_bytes(_HASH_BYTES))
"""Hash that no password has: whoever does not exist, or has no password, is checked against it, which takes as long."""
