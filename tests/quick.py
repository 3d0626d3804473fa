"""Leaves out of a quick run what needs torch, a browser, Ray or another program, or takes long.

No list is kept by hand: whatever a test imports or starts decides, at the moment when it does. A module that imports
torch is skipped as a whole, a test that comes to it on its way is skipped there, and so is a test that starts a
process. What takes long without any of these is marked ``slow``.
"""

import multiprocessing.process
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import NoReturn

import pytest

HEAVY = frozenset({"accelerate", "peft", "playwright", "ray", "sphinx", "tensorboard", "torch", "transformers", "trl"})
"""Packages that take seconds to import, or that a quick run may not ask for."""


LONGEST = 10.0
"""Seconds of processor time that a test may take in a quick run. Those above half a second are marked ``slow``."""


def left_out(why: str) -> NoReturn:
    """Skip the test, or the module that is being collected."""
    pytest.skip(f"not in a quick run: {why}", allow_module_level=True)


class HeavyPackages(Loader):
    """Finds heavy packages first: whoever asks whether they are there is told so, whoever imports one is skipped."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> object:
        """A package of ours to load, or ``None`` for all others."""
        return ModuleSpec(name, self) if name.partition(".")[0] in HEAVY else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Skip."""
        left_out(f"imports {spec.name.partition('.')[0]}")

    def exec_module(self, module: ModuleType) -> None:
        """Nothing ever comes to this."""


class Quick:
    """A plugin of pytest, registered where ``--quick`` is given."""

    def __init__(self) -> None:
        sys.meta_path.insert(0, HeavyPackages())  # type: ignore[arg-type]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Forget a module that was skipped half way: pytest keeps it, and who imports it would find it broken."""
        if report.skipped:
            where = str(Path(report.fspath).resolve())
            for name in [name for name, module in sys.modules.items() if getattr(module, "__file__", None) == where]:
                del sys.modules[name]

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leave out what is marked."""
        marked = [item for item in items if item.get_closest_marker("slow") or item.get_closest_marker("browser")]
        if marked:
            config.hook.pytest_deselected(items=marked)
            items[:] = [item for item in items if item not in set(marked)]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Fail what takes long and is not marked, so that a quick run stays one. Counts processor time."""
        begun = time.process_time()
        yield
        if (seconds := time.process_time() - begun) > LONGEST:
            pytest.fail(f"{item.nodeid} took {seconds:.1f} s of processor time: mark it slow", pytrace=False)

    def pytest_collection_finish(self) -> None:
        """From now on, whoever starts a process is skipped; what distributes tests has started its own by now."""

        def start(*_: object, **__: object) -> NoReturn:
            left_out("starts another program")

        subprocess.Popen.__init__ = start  # type: ignore[method-assign]
        subprocess.Popen.__del__ = lambda _: None  # type: ignore[method-assign]
        multiprocessing.process.BaseProcess.start = start  # type: ignore[method-assign]
