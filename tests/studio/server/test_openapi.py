"""The description of the interface is true."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from aptone.studio.server.app import all_routes, document, refusals_of

BENCHMARK = Path(__file__).resolve().parents[3] / "benchmarks" / "studio_schemathesis.py"


def test_every_operation_names_its_security_its_refusals_and_itself() -> None:
    described = document(all_routes(), cookie="session", version="1")
    operations = {
        (method, path): operation
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
    }
    assert len(operations) == len(all_routes())
    assert len({operation["operationId"] for operation in operations.values()}) == len(operations)
    for route in all_routes():
        operation = operations[route.method.lower(), route.path_format]
        assert ("csrf" in str(operation["security"])) is (route.changes and bool(route.roles))
        assert ("session" in str(operation["security"])) is bool(route.roles)
        assert {str(status) for status in refusals_of(route)} < set(operation["responses"])
        assert operation["summary"]


@pytest.mark.slow
def test_cases_made_from_the_description_meet_no_fault_and_no_reply_that_it_does_not_promise(tmp_path: Path) -> None:
    findings = _benchmark().run_cases(tmp_path / "project", cases=100, seed=1)
    assert findings.broken == []
    assert sum(findings.statuses.values()) >= 100
    assert max(findings.statuses) < 500


def _benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("studio_schemathesis", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["studio_schemathesis"] = module  # its dataclasses look there for what their types mean
    spec.loader.exec_module(module)
    return module
