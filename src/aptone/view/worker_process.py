"""A worker process, seen from both ends: it prepares operations once, and then answers one request after the other."""

import contextlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Self

import numpy as np

from aptone.audio import encode_lossless
from aptone.errors import AptoneError, StepError
from aptone.rooms.operation import Answer, ClipFile, Operation, OperationSettings, Prepared, Request
from aptone.run import RunConfig
from aptone.run.executors.lifeline import CONTEXT, Lifeline, hold
from aptone.types import Audio


@dataclass(frozen=True, slots=True)
class Task:
    """One request."""

    operation: str
    request: Request
    figures: bool


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception that is none of ours, as text: its class may not be known elsewhere, and is a bug anyway."""

    trace: str


@dataclass(frozen=True, slots=True)
class Started:
    """First words of a worker: what its operations are configured by, or why it cannot begin."""

    configs: Mapping[str, RunConfig]
    problem: AptoneError | Fault | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """Result of a task, and the bytes of memory that the process holds behind it."""

    result: Answer | AptoneError | Fault
    resident: int


def serve(
    connection: Connection,
    lifeline: Connection,
    operations: Sequence[Operation],
    settings: OperationSettings,
    memory: int,
) -> None:
    """Prepare operations, say so, and answer tasks until the other side closes the connection.

    Args:
        memory: bytes that may be allocated (on Linux); 0 for no limit.
    """
    hold(lifeline)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a stop reaches all processes of a service; the parent decides
    limit_memory(memory)
    prepared: dict[str, Prepared] = {}
    try:
        for one in operations:
            prepared[one.name] = one.make(settings)
            prepared[one.name](example_request(one))  # so that the first who asks does not wait for the models
        connection.send(Started({name: made.config for name, made in prepared.items()}))
    except Exception as error:
        connection.send(Started({}, problem=_sendable(error)))
        return
    while True:
        try:
            task: Task = connection.recv()
        except EOFError:
            return
        connection.send_bytes(_answered(prepared[task.operation], task))


def example_request(operation: Operation) -> Request:
    """The example of an operation with a second of noise for every recording."""
    noise = np.random.default_rng(0).normal(0.0, 0.1, 16_000).clip(-1.0, 1.0).astype(np.float32)
    data, ending = encode_lossless(Audio(noise, rate=16_000, source="noise"))
    clip = ClipFile(f"noise.{ending}", data)
    clips = {one.name: [clip] if one.is_repeated else clip for one in operation.clip_fields}
    return operation.read({**operation.example, **clips})


def _answered(prepared: Prepared, task: Task) -> bytes:
    """The pickled result of a task; whatever goes wrong is a result too."""
    result: Answer | AptoneError | Fault
    try:
        result = prepared(task.request, figures=task.figures)
    except Exception as error:
        if _is_out_of_memory(error):
            os._exit(OUT_OF_MEMORY)  # nobody knows what else has failed; a fresh worker may have room
        result = _sendable(error)
    try:
        return bytes(ForkingPickler.dumps(Done(result, resident_bytes())))
    except Exception as error:
        return bytes(ForkingPickler.dumps(Done(_fault(error), resident_bytes())))


OUT_OF_MEMORY = 137
"""Exit code of a worker without memory, as if the system had killed it."""


def _is_out_of_memory(error: Exception) -> bool:
    if isinstance(error, StepError):
        return str(error).partition(":")[0].endswith("MemoryError")
    return isinstance(error, MemoryError)


def _sendable(error: Exception) -> AptoneError | Fault:
    """An error of ours as it is, if it survives the way; any other as text."""
    if isinstance(error, StepError):
        return Fault(error.trace)
    if not isinstance(error, AptoneError):
        return _fault(error)
    try:
        copied = ForkingPickler.loads(ForkingPickler.dumps(error))
    except Exception:
        return _fault(error)
    return error if isinstance(copied, AptoneError) else _fault(error)


def _fault(error: Exception) -> Fault:
    return Fault("".join(traceback.format_exception(error)))


def limit_memory(most: int) -> None:
    """Refuse this process more than so many bytes of memory of its own; without effect where the system has no such."""
    if sys.platform == "linux" and most:
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))


def resident_bytes() -> int:
    """Bytes of memory that this process holds; 0 where the system is not Linux."""
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""Variables for the threads of numerical libraries: one in each worker, so that workers do not wait for one another."""


class LostError(Exception):
    """The worker is gone."""


class StuckError(Exception):
    """The worker did not answer in time."""


class Worker:
    """The parent's side of one worker process."""

    def __init__(self, process: BaseProcess, connection: Connection) -> None:
        self.process = process
        self._connection = connection
        self.asked = 0
        self.resident = 0

    @classmethod
    def spawn(
        cls, lifeline: Lifeline, operations: Sequence[Operation], settings: OperationSettings, *, memory: int, name: str
    ) -> Self:
        """Start the process; its first message is `Started`.

        Raises:
            OSError: if the system has no room for it.
        """
        here, there = CONTEXT.Pipe()
        arguments = (there, lifeline.end, tuple(operations), settings, memory)
        process = CONTEXT.Process(target=serve, args=arguments, name=name, daemon=True)
        try:
            with _one_thread_each():
                process.start()
        except OSError:
            here.close()
            raise
        finally:
            there.close()
        return cls(process, here)

    def receive(self, seconds: float) -> object:
        """The next message.

        Raises:
            LostError: if the process has ended.
            StuckError: if none came in time.
        """
        try:
            if self._connection not in (ready := wait([self._connection, self.process.sentinel], timeout=seconds)):
                raise LostError if ready else StuckError
            return self._connection.recv()
        except (EOFError, OSError) as error:
            raise LostError from error

    def ask(self, task: bytes, *, seconds: float) -> Done:
        """The result of a pickled task; errors as those of `receive`."""
        self.asked += 1
        try:
            self._connection.send_bytes(task)
        except OSError as error:
            raise LostError from error
        done = self.receive(seconds)
        assert isinstance(done, Done)
        self.resident = done.resident
        return done

    def end(self, *, patience: float = 10.0) -> None:
        """Let it end; kill it if it does not."""
        self._connection.close()
        self.process.join(patience)
        self.kill()

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.join()
        self._connection.close()


_STARTING = threading.Lock()


@contextlib.contextmanager
def _one_thread_each() -> Iterator[None]:
    """Let processes that are started meanwhile compute on one thread each; who has set the variables is obeyed."""
    with _STARTING:
        missing = [name for name in THREADS if name not in os.environ]
        os.environ.update(dict.fromkeys(missing, "1"))
        try:
            yield
        finally:
            for name in missing:
                del os.environ[name]
