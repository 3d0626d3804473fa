"""Keys: removed from everything that servers and programs say, and refused in addresses, which are stored in runs."""

import base64
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from aptone.errors import RecordError, UsageError
from aptone.messages import message
from aptone.types import Json

HIDDEN = "(key)"
SHORTEST_KEY = 8
"""Characters of a key that is looked for in replies; servers that need none are often given ``EMPTY`` or ``x``."""
DEEPEST = 100
"""Levels of nesting of a reply that is read."""

_KEY_NAME = re.compile(r"api[_-]?key|access[_-]?(key|token)|authorization|passw|secret|credential", re.IGNORECASE)
_QUERY_NAME = re.compile(r"(?i:(^|[_.-])(key|token|auth|bearer|pwd|sig|signature)$)|[a-z](Key|Token)$")
_SIGNING = re.compile(
    r"x-(amz|goog|oss|cos|tos|bce|obs)-.*|expires|policy|key-pair-id|(aws|oss)accesskeyid|googleaccessid", re.IGNORECASE
)
"""Fields of presigned addresses: Amazon and what speaks as it does, Google, CloudFront, Alibaba and others."""
_AZURE = re.compile(r"s[eprtv]|spr|sip|sk[oidtesv]{1,4}|ss|srt")
"""Fields of a shared access signature of Azure, beside its ``sig``."""
_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD)$")


def read_key(variable: str) -> str:
    """Return the key in an environment variable; empty for none.

    Raises:
        UsageError: if no header can hold it.
    """
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise UsageError(message("run.no-key", variable=variable))
    return key


def hide_key(text: str, key: str) -> str:
    """Return a text without a key: as it is or in another case, percent-encoded, in hexadecimal digits or base64.

    >>> hide_key("quota of sk-1234567 is used up", "sk-1234567")
    'quota of (key) is used up'
    """
    return _forms(key).sub(HIDDEN, text) if key else text


def without_key(value: Json, key: str, *, depth: int = 0) -> Json:
    """Return a decoded reply whose texts and names do not hold a key; see `hide_key`.

    Raises:
        RecordError: if it is nested more than `DEEPEST` levels deep.
    """
    if depth > DEEPEST:
        raise RecordError(message("run.reply-too-deep", count=DEEPEST))
    if isinstance(value, str):
        return hide_key(value, key) if len(key) >= SHORTEST_KEY else value
    if isinstance(value, Mapping):
        return {
            str(without_key(name, key, depth=depth)): without_key(inner, key, depth=depth + 1)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [without_key(inner, key, depth=depth + 1) for inner in value]
    return value


def hide_environment_keys(text: str) -> str:
    """Return a text without the values of environment variables that are named as keys are."""
    for key in _environment_keys():
        text = hide_key(text, key)
    return text


def check_address(url: str, *, what: str, variable: str) -> None:
    """Check that an address holds no key: it is written into run folders.

    Args:
        what: name of the option, for the error.
        variable: environment variable that keys belong in.

    Raises:
        UsageError: if it holds a user name, a password, a query that is named as keys are, or a key of the environment.
    """
    parts = urlsplit(url)
    names = [name for name, _ in parse_qsl(f"{parts.query}&{parts.fragment}", keep_blank_values=True)]
    named = any(is_key_name(name) or _QUERY_NAME.search(name) for name in names)
    if parts.username is not None or named or holds_key(url):
        raise UsageError(message("run.key-in-address", what=what, variable=variable))


def holds_key(text: str) -> bool:
    """Return whether a text holds a key of the environment."""
    return hide_environment_keys(text) != text


def is_key_name(name: str) -> bool:
    """Return whether a field is named as keys are.

    >>> is_key_name("api_key"), is_key_name("top_k"), is_key_name("min_tokens")
    (True, False, False)
    """
    return _KEY_NAME.search(name) is not None


def shown_address(url: str) -> str:
    """Return an address without user name, password, query and fragment, short, for messages.

    >>> shown_address("https://anna:secret@example.org/a.tar?sig=abc")
    'https://example.org/a.tar'
    """
    return re.sub(r"(^|//)[^/?#]*@|[?#].*", r"\1", url)[:200]


def unsigned_query(query: str) -> str:
    """Return the query of an address without what signs it for a while, and without fields that are named as keys are.

    >>> unsigned_query("id=3&X-Amz-Expires=60&X-Amz-Signature=ab"), unsigned_query("sv=1&se=2&sig=c")
    ('id=3', '')
    """
    fields = [(field.partition("=")[0], field) for field in query.split("&")]
    names = {unquote(name) for name, _ in fields}
    is_signed = any(is_key_name(name) or _QUERY_NAME.search(name) for name in names)
    if not is_signed:
        return query

    def signs(name: str) -> bool:
        is_key = is_key_name(name) or _QUERY_NAME.search(name) or _SIGNING.fullmatch(name)
        return bool(is_key or ("sig" in names and _AZURE.fullmatch(name)))

    return "&".join(field for name, field in fields if not signs(unquote(name)))


def _environment_keys() -> tuple[str, ...]:
    held = {value.strip() for name, value in os.environ.items() if _VARIABLE.search(name)}
    return tuple(sorted((key for key in held if len(key) >= SHORTEST_KEY), key=lambda key: (-len(key), key)))


@lru_cache(maxsize=64)
def _forms(key: str) -> re.Pattern[str]:
    forms = {key}
    if len(key) >= SHORTEST_KEY:
        data = key.encode("utf-8", "surrogateescape")
        forms |= {quote(data, safe=""), quote(data), data.hex(), "".join(f"%{byte:02x}" for byte in data)}
        for before in range(3):  # bytes before it in the same group of three, such as those of "Bearer "
            whole = before + len(data)
            encoded = base64.b64encode(bytes(before) + data).decode()[(0, 2, 3)[before] : whole * 8 // 6]
            forms |= {encoded, encoded.translate(str.maketrans("+/", "-_"))}
    longest_first = sorted(forms, key=lambda form: (-len(form), form))
    return re.compile("|".join(map(re.escape, longest_first)), re.IGNORECASE)
