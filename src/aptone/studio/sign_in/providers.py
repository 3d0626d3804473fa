"""Providers that people may sign in by, as a TOML file names them.

.. code-block:: toml

    [university]
    name = "University of Example"
    issuer = "https://login.example.org"
    client_id = "aptone"
    client_secret_variable = "APTONE_SIGN_IN_SECRET"
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from urllib.parse import urlsplit

from aptone.errors import UsageError
from aptone.messages import message
from aptone.run.http.keys import read_key
from aptone.run.http.route import is_this_machine

MOST_PROVIDERS = 10
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class Provider:
    """Provider of identities, trusted to say who somebody is.

    Args:
        id: part of the address that the provider sends people back to.
        name: on the button.
        issuer: exact issuer; its keys and addresses are found from there.
        client_secret: empty for a public client.
    """

    id: str
    name: str
    issuer: str
    client_id: str
    client_secret: str = field(default="", repr=False)


def read_providers(path: Path) -> tuple[Provider, ...]:
    """Read a file of providers; client secrets stand in environment variables, whose names it gives.

    Raises:
        UsageError: if it cannot be read, or holds something else.
    """
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(message("studio.sign-in-file-unreadable", path=path, why=why)) from error
    providers = tuple(_provider(path, name, table) for name, table in found.items())
    if not 1 <= len(providers) <= MOST_PROVIDERS:
        raise UsageError(message("studio.sign-in-file-count", path=path, most=MOST_PROVIDERS))
    if len({one.issuer for one in providers}) < len(providers):
        raise UsageError(message("studio.sign-in-issuer-twice", path=path))
    return providers


_KEYS = {one.name for one in fields(Provider)} - {"id", "client_secret"}
_VARIABLE = "client_secret_variable"


def _provider(path: Path, name: str, table: object) -> Provider:
    if not _ID.fullmatch(name) or not isinstance(table, Mapping):
        raise UsageError(message("studio.sign-in-name", path=path, name=repr(name)))
    values = {key: value for key, value in table.items() if isinstance(value, str) and value.strip()}
    if values.keys() != set(table) or not _KEYS <= values.keys() <= _KEYS | {_VARIABLE}:
        raise UsageError(
            message("studio.sign-in-keys", path=path, name=name, needed=", ".join(sorted(_KEYS)), maybe=_VARIABLE)
        )
    if not is_safe_address(values["issuer"]) or urlsplit(values["issuer"]).query:
        raise UsageError(message("studio.sign-in-issuer", path=path, name=name))
    variable = values.get(_VARIABLE, "")
    secret = read_key(variable) if variable else ""
    if variable and not secret:
        raise UsageError(message("studio.sign-in-no-secret", path=path, name=name, variable=variable))
    return Provider(name, values["name"], values["issuer"], values["client_id"], secret)


def is_safe_address(url: str) -> bool:
    """Return whether an address may be asked for keys and tokens: https, or http on this machine.

    >>> is_safe_address("https://login.example.org"), is_safe_address("http://login.example.org")
    (True, False)
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        plain = parts.username is None and not parts.fragment and url.isascii() and url.isprintable() and " " not in url
    except ValueError:
        return False
    return plain and bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_this_machine(host)))
