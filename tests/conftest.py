"""What every test process shares: one thread for arithmetic, and no garbage collection while tests are collected.

Torch and BLAS start a thread for every core. Two workers on two cores then have four threads that wait for each other
in loops, which took training tests up to ten times as long. Sums also come in one order, whatever the machine. The
variables are read when a library is loaded, so they are set before any test is collected, and the processes that tests
start inherit them.

Hypothesis sets no time limit to an example: on a crowded machine the limit would fail, and not the code.

Collecting imports everything and keeps it: looking through it again and again for garbage took a quarter of the time.
"""

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

from tests.quick import Quick

settings.register_profile("aptone", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("aptone")

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

gc.disable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="no torch, no browser, no other programs, nothing slow")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--quick"):
        config.pluginmanager.register(Quick())


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()  # what was collected stays to the end, so no later search looks at it
    gc.enable()
