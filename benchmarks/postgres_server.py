"""A PostgreSQL server of its own for a while, in a folder of its own, from the distribution's packages.

Durable as in production (``fsync`` on) unless told otherwise, reachable through a socket in that folder only.
PostgreSQL refuses to run as root; then the system's user ``postgres`` runs it.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

PATIENCE = 300
"""Seconds after which a program of the server counts as hanging, on a machine however crowded."""


def binaries() -> Path | None:
    """The folder of the newest server that is installed; ``None`` for none."""
    if (found := shutil.which("pg_ctl")) is not None:
        return Path(found).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), key=lambda path: float(path.parts[-3]))
    return installed[-1].parent if installed else None


def missing() -> str:
    """Return the reason why no server can be started; empty when one can."""
    if sys.platform != "linux":
        return "starts a server on Linux only"
    if binaries() is None:
        return "no PostgreSQL server is installed (Debian: apt install postgresql)"
    if os.getuid() == 0 and _user() is None:
        return "PostgreSQL refuses to run as root, and there is no user postgres"
    return ""


@contextmanager
def postgres_server(*, durable: bool = True) -> Iterator[str]:
    """The address of a running server's database; the server ends with the context.

    Args:
        durable: whether what is written outlives a failure of the whole machine. Where it need not, nothing waits for
            the disk; what was committed outlives an end of the server by any means all the same.
    """
    programs = binaries()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="aptone-postgres-"))
    if os.getuid() == 0:
        user = _user()
        assert user is not None
        os.chown(folder, user.pw_uid, user.pw_gid)
    data = folder / "data"
    control: list[str | Path] = [programs / "pg_ctl", "-D", data, "-w", "-t", str(PATIENCE), "-s"]
    try:
        _run([programs / "initdb", "-D", data, "-U", "aptone", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"])
        # The socket lies in the folder; no port of the machine is used.
        options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c max_connections=60"
        if not durable:
            options += " -c fsync=off -c full_page_writes=off -c autovacuum=off"
        _run([*control, "-o", options, "-l", folder / "log", "start"])
        try:
            yield f"postgresql://aptone@/postgres?host={folder}"
        finally:
            _run([*control, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def restart(url: str) -> None:
    """End a server of ours and start it again; whoever was connected is cut off."""
    programs = binaries()
    assert programs is not None
    (folder,) = parse_qs(urlsplit(url).query)["host"]
    data, log = Path(folder) / "data", Path(folder) / "log"
    _run([programs / "pg_ctl", "-D", data, "-w", "-t", str(PATIENCE), "-s", "-m", "fast", "-l", log, "restart"])


def _user() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return None


def _run(command: Sequence[str | Path]) -> None:
    as_user: dict[str, object] = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
    done = subprocess.run(  # type: ignore[call-overload]
        [str(part) for part in command],
        check=False,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        **as_user,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{Path(command[0]).name} ended with {done.returncode}: {done.stdout[-500:]}")
