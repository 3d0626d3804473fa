"""A program under limits: few environment variables, a session of its own, bounded time, memory, processes and output.

Time and output are limited everywhere. Memory, processes and files are watched a few times a second where there is
``/proc`` (Linux), so a program can pass those limits for a moment. Processes are found by their session and by
their parents, so a child that leaves the session ends with the others, unless its parent ended between two looks.

A program is not locked in: it may read and write what the user may, use the network and the GPU, and memory that it
shares (``/dev/shm``) is not counted. Run it in a container if you do not trust it.
"""

import contextlib
import fnmatch
import os
import signal
import subprocess
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from aptone.errors import UsageError
from aptone.messages import Message, message
from aptone.run.system.protocol import MOST_BYTES_SHOWN, TIMEOUT

KEPT = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_*", "TZ", "LD_LIBRARY_PATH", "PYTHONPATH"),
    *("VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS"),
    *("SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA", "USERPROFILE"),
)
"""Environment variables that every program gets. Keys are not among them: they are passed by name or not at all."""

_PROCESSES = Path("/proc")
_FIRST_LOOK, _LOOK_EVERY, _ENDING = 0.02, 0.25, 5.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a program.

    Args:
        seconds: time until it must have ended.
        memory: bytes of all its processes together, shared ones not counted; 0 for three quarters of the machine's.
        processes: processes at a time.
        output: bytes that it prints.
        files: bytes of the files in its temporary folder, the answer included.
    """

    seconds: float = TIMEOUT
    memory: int = 0
    processes: int = 128
    output: int = 64 << 20
    files: int = 512 << 20


class Ended(NamedTuple):
    """End of a program: its exit code (negative for a signal), the last of what it printed, and the limit it passed."""

    code: int
    said: bytes
    passed: Message | None


def clean_environment(passed: Collection[str], folder: Path) -> dict[str, str]:
    """Return the environment variables that a program gets; its temporary files go to `folder`.

    Raises:
        UsageError: if one that is to be passed is not set.
    """
    if missing := sorted(set(passed) - set(os.environ)):
        raise UsageError(message("run.variable-not-set", name=missing[0]))
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in passed or any(fnmatch.fnmatchcase(name.upper(), pattern) for pattern in KEPT)
    }
    return kept | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder))


def run_limited(words: Sequence[str], *, environment: Mapping[str, str], folder: Path, limits: Limits) -> Ended:
    """Run a program to its end or to the first limit; in either case, whatever it has started ends with it.

    Raises:
        OSError: if it cannot be started.
    """
    process = subprocess.Popen(  # noqa: S603  (a list of arguments that the user typed, and no shell)
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        start_new_session=True,
    )
    family, printed = _Family(process.pid), _Printed(process, limits.output)
    try:
        passed = _first_limit_passed(process, family, printed, folder, limits)
    finally:
        _end(process, family)
        said = printed.last()
    return Ended(process.returncode, said, passed)


def _first_limit_passed(
    process: "subprocess.Popen[bytes]", family: "_Family", printed: "_Printed", folder: Path, limits: Limits
) -> Message | None:
    """Wait until a program ends by itself (``None``) or passes a limit."""
    deadline, look = time.monotonic() + limits.seconds, _FIRST_LOOK
    memory = limits.memory or _memory_of_machine() * 3 // 4
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, min(look, deadline - time.monotonic())))
        look = min(1.5 * look, _LOOK_EVERY)
        if printed.is_too_much:
            return message("run.system-printed-too-much", size=limits.output >> 20)
        if process.returncode is not None:
            return None
        if time.monotonic() >= deadline:
            return message("run.not-done-in-time", seconds=limits.seconds)
        if _size(folder) > limits.files:
            return message("run.system-wrote-too-much", size=limits.files >> 20)
        members = family.look()
        if len(members) > limits.processes:
            return message("run.system-too-many-processes", count=limits.processes)
        if memory and sum(map(_private_bytes, members)) > memory:
            return message("run.system-took-too-much-memory", size=memory >> 20)


class _Printed:
    """What a program prints, read as it comes. Beyond the limit nothing is read, so that the program has to wait."""

    def __init__(self, process: "subprocess.Popen[bytes]", limit: int) -> None:
        assert process.stdout is not None
        self._pipe, self._limit, self._count = process.stdout, limit, 0
        self._last = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    @property
    def is_too_much(self) -> bool:
        return self._count > self._limit

    def last(self) -> bytes:
        """Return the end of it; whoever has escaped and holds the pipe is not waited for."""
        self._thread.join(_ENDING)
        return self._last

    def _read(self) -> None:
        with self._pipe:
            while not self.is_too_much and (more := os.read(self._pipe.fileno(), 65536)):
                self._count += len(more)
                self._last = (self._last + more)[-MOST_BYTES_SHOWN:]


class _Family:
    """The processes of a program's session and their descendants, each known by its number and its start."""

    def __init__(self, session: int) -> None:
        self._session = session
        self._known: dict[int, str] = {}

    def look(self) -> list[int]:
        """Return the numbers of those that live now."""
        table = {pid: fields for pid, fields in _process_table() if fields[0] not in "ZX"}
        found = {
            pid
            for pid, (_, _, session, start) in table.items()
            if session == str(self._session) or self._known.get(pid) == start
        }
        while more := {pid for pid, (_, parent, _, _) in table.items() if int(parent) in found} - found:
            found |= more
        self._known = {pid: table[pid][3] for pid in found}
        return sorted(found)


def _process_table() -> Iterator[tuple[int, tuple[str, str, str, str]]]:
    """Yield each process with its state, parent, session and start; nothing where there is no ``/proc``."""
    for folder in _PROCESSES.glob("[1-9]*"):
        with contextlib.suppress(OSError, IndexError):  # it has ended meanwhile
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
            yield int(folder.name), (fields[0], fields[1], fields[3], fields[19])


def _private_bytes(pid: int) -> int:
    try:
        _, resident, shared = (_PROCESSES / str(pid) / "statm").read_text().split()[:3]
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def _memory_of_machine() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 0


def _size(folder: Path) -> int:
    size = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                size += os.lstat(os.path.join(root, name)).st_size  # noqa: PTH118  (twice as fast)
    return size


def _end(process: "subprocess.Popen[bytes]", family: _Family) -> None:
    """End a program and whatever it has started."""
    if os.name != "posix":
        process.kill()
        process.wait()
        return
    deadline = time.monotonic() + _ENDING
    members = family.look()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    while members and time.monotonic() < deadline:  # one that was being started may have been missed
        for pid in members:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)
        members = family.look()
