"""The description of the service is true."""

import sys
from pathlib import Path

import pytest

from aptone.view.operations import find_operations
from aptone.view.service.admission import ServiceLimits
from aptone.view.service.openapi import document
from tests.view.odd_operations import operation


def test_every_operation_and_its_batch_are_described_with_all_fields() -> None:
    operations = find_operations()
    assert {"score", "rank", "hear", "plan", "style", "caption"} <= set(operations)
    described = document(operations, ServiceLimits(), has_tokens=False)
    paths = described["paths"]
    assert isinstance(paths, dict)
    for name, one in operations.items():
        content = paths[f"/v1/{name}"]["post"]["requestBody"]["content"]
        for kind in ("application/json", "multipart/form-data"):
            schema = content[kind]["schema"]
            assert set(schema["properties"]) == {field.name for field in one.fields}
            assert set(schema["required"]) == {field.name for field in one.fields if field.required}
        assert {"200", "400", "413", "415", "422", "429"} <= set(paths[f"/v1/{name}"]["post"]["responses"])
        assert paths[f"/v1/batch/{name}"]["post"]["requestBody"]["required"]


def test_limits_of_fields_are_in_their_schemas() -> None:
    described = document(find_operations(), ServiceLimits(batch=7), has_tokens=True)
    paths = described["paths"]
    assert isinstance(paths, dict)
    rank = paths["/v1/rank"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]
    assert (rank["clips"]["minItems"], rank["clips"]["maxItems"]) == (1, 20)
    assert (rank["min_lead"]["minimum"], rank["min_lead"]["maximum"]) == (0.0, 5.0)
    assert rank["lang"]["enum"] == ["en", "zh"]
    assert rank["line"]["maxLength"] == 2_000
    batch = paths["/v1/batch/rank"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert batch["properties"]["requests"]["maxItems"] == 7
    assert described["security"] == [{"token": []}]


@pytest.mark.slow
def test_cases_made_from_the_description_meet_no_fault_and_no_reply_that_it_does_not_promise(tmp_path: Path) -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    from benchmarks.service_schemathesis import run_cases

    findings = run_cases(tmp_path, operations=operation(), cases=100, seed=1)
    assert findings.broken == []
    assert sum(findings.statuses.values()) >= 100
    assert max(findings.statuses) < 500
