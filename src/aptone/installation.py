"""Origin of this installation of Aptone, and the command that adds to it.

Messages that ask for an extra name a command that works for this copy: in a clone the folder itself is installed again,
a wheel or repository is named by its address, and what came from an index comes from there.
"""

import functools
from pathlib import Path
from typing import NamedTuple

NAME = "aptone"


class Origin(NamedTuple):
    """Origin of an installation; without anything: a package index.

    Args:
        folder: source tree that it was installed from, or runs in.
        address: address of a wheel, an archive or a repository, as pip takes it behind ``@``.
    """

    folder: Path | None = None
    editable: bool = False
    address: str = ""


def install_command(extra: str = "") -> str:
    """Return the command that installs an extra, or without one the core with all that it needs, for this copy."""
    return _pip("install", origin(), extra)


def upgrade_command(extra: str = "") -> str:
    """Return the command that brings a newer Aptone from where this copy came from."""
    found = origin()
    if found.folder is not None:
        return _in_folder(found, f"git pull && {_pip_alone('install', found, extra)}")
    return _pip("install --upgrade", found, extra)


def repair_command() -> str:
    """Return the command that brings back weights which are missing or damaged."""
    found = origin()
    if found.editable:  # a clone is not repaired by pip
        return _in_folder(found, 'git restore ":(glob)src/**/weights/**"')
    return _pip("install --force-reinstall", found, "")


@functools.cache
def origin() -> Origin:
    """Return where this copy came from: a source tree around it, else what pip wrote down (PEP 610)."""
    from importlib import metadata  # this and what reads addresses is slow, and every command imports this module

    package = Path(__file__).resolve().parent
    root = package.parents[1]
    if package.parent.name == "src" and (root / "pyproject.toml").is_file():
        return Origin(folder=root, editable=True)
    try:
        written = metadata.distribution(NAME).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        written = None
    return read_origin(written)


def read_origin(written: str | None) -> Origin:
    """Return what a ``direct_url.json`` says; the index if there is none, or what it names on this machine is gone."""
    import json
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        said = json.loads(written or "{}")
        url = str(said.get("url", ""))
        parts = urlsplit(url)
        local = Path(url2pathname(parts.path)) if parts.scheme == "file" else None
    except (AttributeError, ValueError):  # not JSON, or none of pip's
        return Origin()
    if not url or (local is not None and not local.exists()):
        return Origin()
    if "dir_info" in said and local is not None:
        return Origin(folder=local, editable=bool(said["dir_info"].get("editable")))
    if "vcs_info" in said:
        revision = said["vcs_info"].get("requested_revision")
        return Origin(address=f"{said['vcs_info'].get('vcs', 'git')}+{url}" + (f"@{revision}" if revision else ""))
    return Origin(address=url)


def _pip(verb: str, found: Origin, extra: str) -> str:
    return _in_folder(found, _pip_alone(verb, found, extra))


def _in_folder(found: Origin, command: str) -> str:
    return command if found.folder is None else f'cd "{found.folder}" && {command}'


def _pip_alone(verb: str, found: Origin, extra: str) -> str:
    wanted = f"[{extra}]" if extra else ""
    if found.folder is not None:
        return f'pip {verb} {"-e " if found.editable else ""}".{wanted}"'
    if found.address:
        return f'pip {verb} "{NAME}{wanted} @ {found.address}"'
    return f'pip {verb} "{NAME}{wanted}"'
