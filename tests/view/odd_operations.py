"""Operations that misbehave in every way that a worker has to survive."""

import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from aptone.errors import AptoneError, UsageError
from aptone.messages import message
from aptone.rooms.operation import Answer, Field, Operation, OperationSettings, Request
from aptone.run import Call, RunConfig
from aptone.run.attempts import perform_once
from aptone.types import Outcome
from aptone.view.worker_process import THREADS

PATIENCE = 120.0
"""Seconds after which something that was waited for counts as never coming."""


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something holds, however busy the machine is."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)


class UnsendableError(AptoneError):
    """An error that cannot be pickled."""

    def __init__(self) -> None:
        super().__init__("stuck")
        self.thing = lambda: None


def end_badly(what: str | None, path: Path) -> None:
    """End this process, or never end, or wait until a file is there."""
    match what:
        case "die":
            os._exit(3)
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "die once" if not path.exists():
            path.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        case "wait":
            wait_for(path.exists)
        case "never end":
            while True:
                time.sleep(1)
        case "hold the interpreter":
            re.match(r"(a+)+$", "a" * 60 + "b")


def fail(call: Call) -> Outcome:
    raise RuntimeError("oops")


def allocate(call: Call) -> Outcome:
    np.ones(1 << 30)  # 8 GiB
    raise AssertionError("there was room")


class Odd:
    """Does what its request says."""

    def __init__(self, settings: OperationSettings) -> None:
        self.answered = 0
        self.kept: list[object] = []

    @property
    def config(self) -> RunConfig:
        return RunConfig(verb="odd", engine="none", settings={"worker": "any"})

    def __call__(self, request: Request, /, *, figures: bool = False) -> Answer:
        self.answered += 1
        found: object = None
        end_badly(request["what"], Path(request["path"] or "."))
        match request["what"]:
            case "allocate":
                self.kept.append(np.ones(1 << 30))  # 8 GiB
            case "refuse":
                raise UsageError(message("audio.file-empty", name=request["path"]))
            case "fail":
                raise RuntimeError("oops")
            case "fail in a step":
                perform_once(fail, id="a")
            case "allocate in a step":
                perform_once(allocate, id="a")
            case "refuse strangely":
                raise UnsendableError
            case "answer strangely":
                return Answer({"thing": lambda: None})  # type: ignore[dict-item]
            case "threads":
                found = {name: os.environ.get(name) for name in THREADS}
        return Answer(
            {"process": os.getpid(), "answered": self.answered, "found": found, "figures": figures},  # type: ignore[dict-item]
            audio_seconds=float(len(request["audio"].data)) if request["audio"] else 0.0,
        )


def refused(settings: OperationSettings) -> Odd:
    """Cannot begin, and says why."""
    raise UsageError(message("audio.file-empty", name="weights"))


def broken(settings: OperationSettings) -> Odd:
    """Cannot begin."""
    raise RuntimeError("no weights")


def dying(settings: OperationSettings) -> Odd:
    """Takes its worker down before it begins."""
    os._exit(4)


BLOCK = "ODD_OPERATIONS_BLOCK"
"""Environment variable with the path of a file; while it is there, no worker can begin."""


def blocked(settings: OperationSettings) -> Odd:
    """Begins only while a file is not there."""
    if Path(os.environ[BLOCK]).exists():
        raise UsageError("blocked")
    return Odd(settings)


def operation(prepare: str = "Odd") -> dict[str, Operation]:
    """The operation, prepared by one of these functions."""
    fields = (
        Field("what", "text", "What to do."),
        Field("path", "text", "A file."),
        Field("audio", "clip", "A recording."),
    )
    made = Operation("odd", "Odd.", fields, prepare=f"tests.view.odd_operations:{prepare}")
    return {"odd": made}
