"""The service against what its OpenAPI promises, in cases made by schemathesis: no reply is a fault.

Every path is sent data that fit its schema and data that do not, in equal parts, to the real operations in a worker. In
half of the cases recordings are real ones of half a second, so that the operation itself is reached; in the others they
are made up. The other half of the promise is checked on every reply: its status is one that the path lists, its type
and its JSON are as described.

Usage::

    python -m benchmarks.service_schemathesis [--cases 2000] [--seed 0] [--output FILE]

It exits with 1 and says which case broke a promise.
"""

import argparse
import asyncio
import base64
import json
import platform
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as with_seed
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from aptone.audio import write
from aptone.rooms.operation import Operation
from aptone.types import Audio
from aptone.view.app import View, create_app
from aptone.view.kept_run import KeptRuns
from aptone.view.on_demand import OnDemandPool
from aptone.view.operations import find_operations
from aptone.view.service.admission import ServiceLimits
from aptone.view.service.openapi import document
from aptone.view.service.service import Service
from aptone.view.shelf import Shelf

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
BATCH = "/v1/batch/"


@dataclass
class Findings:
    """Results of the cases.

    Args:
        statuses: how often each was the reply.
        by_path: how many cases each path had.
        reached: how many cases each path answered with success.
        broken: promises that were broken, in words.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    by_path: Counter[str] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)


def short_clip(folder: Path) -> bytes:
    """A recording of half a second."""
    wave = 0.3 * np.sin(np.arange(8000) * 0.1)
    write(folder / "a.flac", Audio(wave.astype(np.float32), rate=16_000))
    return (folder / "a.flac").read_bytes()


def make_real(case: Any, operation: Operation, clip: bytes) -> None:
    """Put a real recording in the place of each made-up one, and texts that mean something beside it."""
    in_form = "multipart" in str(case.media_type)
    coded = {"name": "a.flac", "base64": base64.b64encode(clip).decode()}

    def real(request: Mapping[str, Any], recording: object) -> dict[str, Any]:
        clips = {
            one.name: [recording] * 2 if one.is_repeated else recording for one in operation.clip_fields if one.required
        }
        return {**request, **operation.example, **clips}

    if not isinstance(case.body, dict):
        return
    if not case.path.startswith(BATCH):
        case.body = real(case.body, clip if in_form else coded)
    elif in_form:
        case.body = {"requests": json.dumps([real({}, {"part": "a"})] * 2), "a": clip}
    elif isinstance(requests := case.body.get("requests"), list):
        case.body["requests"] = [real(one, coded) if isinstance(one, dict) else one for one in requests[:3]]


def run_cases(folder: Path, *, operations: Mapping[str, Operation], cases: int, seed: int) -> Findings:
    """Send cases to every path in turn, as many to each."""
    findings, clip = Findings(), short_clip(folder)
    pool = OnDemandPool(operations)
    asyncio.run(pool.start())
    limits = ServiceLimits(rate=10**9)
    try:
        with KeptRuns(folder / "kept", pool.pool.configs) as kept, Shelf([]) as shelf:
            app = create_app(View(shelf, pool, service=Service(pool, limits=limits, kept=kept)))
            _send_all(app, document(operations, limits, has_tokens=False), operations, findings, clip, cases, seed)
    finally:
        asyncio.run(pool.close())
    return findings


def _send_all(
    app: FastAPI,
    described: dict[str, Any],
    operations: Mapping[str, Operation],
    findings: Findings,
    clip: bytes,
    cases: int,
    seed: int,
) -> None:
    schema = schemathesis.openapi.from_dict(described)
    schema.app = app
    reading = 4
    each = -(-(cases - reading) // (len(described["paths"]) - reading))
    for result in schema.get_all_operations():
        endpoint: Any = result.ok()  # type: ignore[union-attr]  # a description of ours that is wrong must raise
        operation = operations.get(endpoint.path.rpartition("/")[2])
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            _send(endpoint, operation, findings, clip, mode=mode, count=-(-each // 2) if operation else 1, seed=seed)


def _send(
    endpoint: Any,
    operation: Operation | None,
    findings: Findings,
    clip: bytes,
    *,
    mode: GenerationMode,
    count: int,
    seed: int,
) -> None:
    label = f"{endpoint.method.upper()} {endpoint.path}"

    @with_seed(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(endpoint.as_strategy(generation_mode=mode), st.booleans())
    def send(case: Any, real: bool) -> None:
        if real and operation is not None:
            make_real(case, operation, clip)
        reply = case.call(base_url="http://localhost")
        findings.statuses[reply.status_code] += 1
        findings.by_path[label] += 1
        findings.reached[label] += reply.status_code < 300
        try:
            case.validate_response(reply, checks=CHECKS)
        except (Exception, BaseExceptionGroup) as error:  # a broken promise is counted, whatever kind of error says so
            findings.broken.append(f"{label}: {' '.join(str(error).split())[:600]}")

    try:
        send()
    except Unsatisfiable:  # without a body there is nothing that could be wrong
        return


def main() -> int:
    """Run, print and keep the findings."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/service_schemathesis.json"))
    options = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        findings = run_cases(Path(folder), operations=find_operations(), cases=options.cases, seed=options.seed)
    summary = {
        "seed": options.seed,
        "schemathesis": version("schemathesis"),
        "python": platform.python_version(),
        "cases": sum(findings.statuses.values()),
        "faults": sum(count for status, count in findings.statuses.items() if status >= 500),
        "broken": findings.broken[:50],
        "seconds": round(time.perf_counter() - began, 1),
        "statuses": {str(status): count for status, count in sorted(findings.statuses.items())},
        "paths": {
            label: {"cases": count, "succeeded": findings.reached[label]} for label, count in findings.by_path.items()
        },
    }
    print(json.dumps({name: summary[name] for name in ("cases", "faults", "statuses", "seconds")}))
    print("\n".join(findings.broken[:20]))
    options.output.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return int(bool(summary["faults"] or findings.broken or summary["cases"] < options.cases))


if __name__ == "__main__":
    sys.exit(main())
