"""Local copies of recordings that lie inside tables and tar files, or on other machines.

A run reads recordings by their paths, in several processes and on a later day. What has no path gets one in the cache:
bytes under their hash, files of other machines under a path that mirrors their address, so that relative paths in a
list from another machine lead to its neighbours there. Paths stand in journals, so what signs an address for a while
(presigned addresses of object stores) is no part of them: it waits in a file of its owner until the file is fetched.
"""

import contextlib
import hashlib
import os
import re
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote, urlsplit

from platformdirs import user_cache_path

from aptone.audio import RECORDINGS
from aptone.errors import UsageError
from aptone.files import make_folder, write_bytes_whole
from aptone.messages import message
from aptone.run.http.keys import shown_address, unsigned_query

VARIABLE = "APTONE_AUDIO_CACHE"
_ADDRESS = re.compile(r"(?P<scheme>[a-z][a-z0-9+]{1,15})://(?P<rest>.+)", re.DOTALL)
_KEPT, _FETCHED = "kept", "fetched"
_SAFE = "!$&'()+,;=@._-~[]{}^ "  # what file names may hold as it is
_QUERY = "%3F"  # the question mark before the query of an address
_SIGNED = ".address"  # ending of the file beside one that is yet to be fetched, with its signed address


def audio_cache() -> Path:
    """Return the folder of the cache: ``APTONE_AUDIO_CACHE``, or one in the user's cache folder."""
    named = os.environ.get(VARIABLE)
    return Path(named).absolute() if named else user_cache_path("aptone") / "audio"


def keep(data: bytes, name: str) -> Path:
    """Path of a file in the cache with these bytes, written unless it is there.

    Raises:
        RunError: if it cannot be written.
    """
    ending = PurePosixPath(name).suffix.lower()
    digest = hashlib.sha256(data).hexdigest()
    path = audio_cache() / _KEPT / digest[:2] / f"{digest}{ending if ending in RECORDINGS else ''}"
    if not path.is_file() or path.stat().st_size != len(data):
        make_folder(audio_cache(), private=True)  # it holds voices of people
        make_folder(path.parent)
        write_bytes_whole(path, data)
    return path


def is_address(text: str) -> bool:
    """Return whether a text is the address of a file on another machine.

    >>> is_address("s3://bucket/a.wav"), is_address("C:/a.wav"), is_address("clips/a.wav")
    (True, False, False)
    """
    return _ADDRESS.fullmatch(text) is not None


def mirrored(address: str) -> Path:
    """Path in the cache of a file with an address, whether it is there or not; ``file://`` is the file itself.

    Raises:
        UsageError: if the address has no host, holds steps upwards or a password, or is that of a folder.
    """
    parts = urlsplit(address)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return Path(unquote(parts.path))
    if parts.path.endswith("/") and not parts.query:
        raise UsageError(message("sources.remote-folder", name=address[:200]))
    host, at, _ = parts.netloc.rpartition("@")
    segments = [unquote(part) for part in parts.path.split("/") if part not in ("", ".")]
    is_secret = bool(at) and (":" in host or parts.scheme in ("http", "https"))  # sftp://anna@host/ is none
    if not parts.netloc or is_secret or ".." in segments or "\0" in address:
        raise UsageError(message("sources.strange-address", name=shown_address(address)))
    names = [quote(part, safe=_SAFE) for part in segments]
    query = unsigned_query(parts.query)
    if query and names:
        names[-1] += quote(f"?{query}", safe=_SAFE)
    path = audio_cache().joinpath(_FETCHED, parts.scheme, quote(parts.netloc, safe=_SAFE), *names)
    if query != parts.query and not path.is_file():
        make_folder(audio_cache(), private=True)
        make_folder(path.parent)
        write_bytes_whole(_signed(path), address.encode(), private=True)
    return path


def fetched(path: Path) -> None:
    """Forget the signed address of a file that has been fetched."""
    _signed(path).unlink(missing_ok=True)


def _signed(path: Path) -> Path:
    return path.with_name(path.name + _SIGNED)


def address_of(path: Path) -> str | None:
    """Address of the file that a path in the cache mirrors, signed if it still has to be; ``None`` for other paths."""
    root = audio_cache() / _FETCHED
    plain = Path(os.path.normpath(path.absolute()))
    if not plain.is_relative_to(root) or len(plain.relative_to(root).parts) < 3:
        return None
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return _signed(plain).read_text(encoding="utf-8")
    scheme, host, *names = plain.relative_to(root).parts
    last, query, asked = names[-1].partition(_QUERY)
    quoted = [quote(unquote(name)) if scheme in ("http", "https") else unquote(name) for name in (*names[:-1], last)]
    return f"{scheme}://{unquote(host)}/{'/'.join(quoted)}" + (f"?{unquote(asked)}" if query else "")
