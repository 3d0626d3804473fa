"""The studio's HTTP interface against what its OpenAPI promises, in cases made by schemathesis: no reply is a fault.

Every route is sent data that fit its schema and data that do not, in equal parts, by somebody who may use it: the rater
who owns the item, or an admin. In half of the cases the parts of the address are real ones (a task, an item, an
assignment, a clip, a person), so that the route itself is reached; in the others they are made up. The other half of
the promise is checked on every reply: its status is one that the route lists, its type and its JSON are as described.
Whoever is signed out by a case signs in again, and a task that was closed is opened again.

Usage::

    python -m benchmarks.studio_schemathesis [--cases 2000] [--seed 0] [--database sqlite postgresql] [--output FILE]

It exits with 1 and says which case broke a promise.
"""

import argparse
import contextlib
import json
import platform
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import schemathesis
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
from aptone.studio.project import Project
from aptone.studio.server.app import all_routes, cookie_name, create_app, document
from aptone.studio.server.routing import CSRF_HEADER, StudioRoute
from aptone.studio.sign_in.flow import SignIns
from aptone.studio.store.records import Identity
from aptone.types import Audio, AudioRef, Choice, Control, RatingItem, RatingTask, Shown, dumps, to_json
from aptone.web.rate_limit import RateLimit
from benchmarks.attacks.lying_provider import FakeProvider

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
TASK = "listening"
ANSWERS: tuple[tuple[str, object], ...] = (
    ("fit", 2.5),
    ("mood", "glad"),
    ("note", "well"),
    ("part", [0.1, 0.4]),
    ("words", "Well, then."),
    ("better", "c0"),
    ("fit", "high"),
    ("part", [0.4, 0.1]),
    ("nothing", None),
)
"""Answers for real controls, right ones and wrong ones."""


@dataclass
class Findings:
    """Results of the cases.

    Args:
        statuses: how often each was the reply.
        by_route: how many cases each route had.
        reached: how many cases each route answered with success.
        broken: promises that were broken, in words.
    """

    statuses: Counter[int] = field(default_factory=Counter)
    by_route: Counter[str] = field(default_factory=Counter)
    reached: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)


def example_task() -> RatingTask:
    """One control of each kind about two clips."""
    choices = (Choice("glad", {"en": "glad"}), Choice("sad", {"en": "sad"}))
    return RatingTask(
        name=TASK,
        title={"en": "Listening"},
        guide={"en": "Listen."},
        shown=(Shown("clip", "audio"), Shown("sentence", "text"), Shown("pair", "pair")),
        controls=(
            Control("fit", "scale", {"en": "Fit"}, low=0, high=5, step=0.5),
            Control("mood", "choice", {"en": "Mood"}, choices=choices),
            Control("note", "text", {"en": "Note"}, required=False),
            Control("part", "boundaries", {"en": "Part"}, required=False),
            Control("words", "edit", {"en": "Words"}, prefill="sentence", required=False),
            Control("better", "preference", {"en": "Better"}, prefill="pair"),
        ),
        items=tuple(
            RatingItem(
                f"item-{number}",
                audio={"clip": AudioRef("clips/a.flac"), "other": AudioRef("clips/a.flac", start=0.1, end=0.2)},
                fields={"sentence": "Well then.", "pair": ["clip", "other"]},
            )
            for number in range(20)
        ),
        raters_per_item=2,
        must_listen=False,
    )


class Visitor:
    """Somebody who sends cases, and comes in again when one of them has ended the session."""

    def __init__(self, project: Project, token: str) -> None:
        self._project = project
        self.token = token
        self.enter()

    def enter(self) -> None:
        """Sign in."""
        new = self._project.people.enter(self.token).result()
        self.person = new.session.person.id
        self.headers = {CSRF_HEADER: new.session.csrf}
        self.cookies = {cookie_name(self._project, secure=False): new.token}


class Room:
    """A studio with a rater, an admin and somebody to be administered."""

    def __init__(self, folder: Path, *, database_url: str) -> None:
        (folder / "clips").mkdir(parents=True)
        wave = 0.3 * np.sin(np.arange(8000) * 0.1)
        write(folder / "clips" / "a.flac", Audio(wave.astype(np.float32), rate=16_000))
        self.project = Project.open(folder, database_url=database_url)
        self.project.tasks.put(example_task()).result()
        people = self.project.people
        self.rater, self.admin, self.other = (
            Visitor(self.project, people.invite(role, name=role).result().token)
            for role in ("annotator", "admin", "annotator")
        )
        provider = FakeProvider()
        self.app = create_app(
            self.project,
            entries=RateLimit(each=10**9, together=10**9, seconds=1.0),
            sign_ins=SignIns([provider.provider()], ask=provider.ask),
        )

    def visitor(self, route: StudioRoute) -> Visitor:
        """Return the user who sends cases to a route."""
        return self.rater if "annotator" in route.roles else self.admin

    def make_real(self, case: Any, route: StudioRoute, visitor: Visitor, answer: tuple[str, object]) -> None:
        """Give a case an address that exists, and a body that means something where its form allows that."""
        case.headers.pop(CSRF_HEADER, None)  # made up for the security scheme; the visitor's own is sent
        case.cookies.clear()
        named = [one.strip("{}") for one in route.path_format.split("/") if one.startswith("{")]
        case.path_parameters = {**(case.path_parameters or {}), **{name: self._part(name) for name in named}}
        if route.path == "/api/clips":
            case.body = (self.project.folder / "clips" / "a.flac").read_bytes()
        elif route.path == "/api/tasks" and route.method == "POST":
            case.body = dumps(to_json(example_task())).encode()
        elif isinstance(case.body, dict) and isinstance(case.body.get("token"), str):
            case.body = {**case.body, "token": visitor.token}
        elif isinstance(case.body, dict) and isinstance(case.body.get("provider"), str):
            case.body = {**case.body, "provider": "university"}
        elif isinstance(case.body, dict) and isinstance(case.body.get("answers"), dict):
            case.body = {**case.body, "answers": {answer[0]: answer[1]}}
        elif isinstance(case.body, dict) and isinstance(case.body.get("clip"), str):
            case.body = {**case.body, "clip": "c0"}
        elif isinstance(case.body, dict) and isinstance(case.body.get("changes"), list):
            named_answer = {"control": answer[0], "value": answer[1]}
            changes = [{**one, **named_answer} if isinstance(one, dict) else one for one in case.body["changes"]]
            case.body = {**case.body, "changes": changes}

    def _part(self, name: str) -> str:
        if name == "assignment":
            return self._assignment()
        if name == "invitation":
            return self.project.people.invite("annotator", name="somebody").result().invitation.id
        if name in ("session", "identity"):
            session = self.project.people.enter(self.admin.token).result().session
            if name == "session":
                return session.id
            self.project.identities.connect(session, Identity("https://login.example.org", "admin")).result()
            return self.project.identities.own(session)[0].id
        known = {"task": TASK, "item": "item-0", "clip": "c0", "person": self.other.person, "template": "s3bench"}
        return known.get(name, "0")  # a headphone check and its trials are asked for by what is made up

    def _assignment(self) -> str:
        self.project.tasks.set_open(TASK, open=True).result()
        found = self.project.assignments.next(TASK, self.rater.person).result()
        if found.view is not None:
            return found.view.id
        mine = self.project.assignments.mine(TASK, self.rater.person)
        return mine[-1].id if mine else "0"  # a case has written a consent text, to which nobody has agreed yet


def run_cases(folder: Path, *, cases: int, seed: int, database_url: str = "") -> Findings:
    """Send cases to every route in turn, as many to each."""
    room, findings = Room(folder, database_url=database_url), Findings()
    routes = {(route.method, route.path_format): route for route in all_routes()}
    name = cookie_name(room.project, secure=False)
    schema = schemathesis.openapi.from_dict(document(list(routes.values()), cookie=name, version=version("aptone")))
    schema.app = room.app
    each = -(-cases // len(routes))
    for result in schema.get_all_operations():
        operation: Any = result.ok()  # type: ignore[union-attr]  # a description of ours that is wrong must raise
        route = routes[operation.method.upper(), operation.path]
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            _send(room, operation, route, findings, mode=mode, count=-(-each // 2), seed=seed)
    room.project.close()
    return findings


def _send(
    room: Room, operation: Any, route: StudioRoute, findings: Findings, *, mode: GenerationMode, count: int, seed: int
) -> None:
    label = f"{route.method} {route.path_format}"

    @with_seed(seed)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode), st.booleans(), st.sampled_from(ANSWERS))
    def send(case: Any, real: bool, answer: tuple[str, object]) -> None:
        visitor = room.visitor(route)
        if real:
            room.make_real(case, route, visitor, answer)
        reply = case.call(base_url="http://localhost", headers=visitor.headers, cookies=visitor.cookies)
        findings.statuses[reply.status_code] += 1
        findings.by_route[label] += 1
        findings.reached[label] += reply.status_code < 300
        try:
            case.validate_response(reply, checks=CHECKS)
        except (Exception, BaseExceptionGroup) as error:  # a broken promise is counted, whatever kind of error says so
            findings.broken.append(f"{label}: {' '.join(str(error).split())[:600]}")
        if reply.status_code == 401 or (route.method, route.path) == ("DELETE", "/api/session"):
            visitor.enter()

    try:
        send()
    except Unsatisfiable:  # without parameters or body there is nothing that could be wrong
        _send(room, operation, route, findings, mode=GenerationMode.POSITIVE, count=count, seed=seed + 1)


@contextlib.contextmanager
def _database(kind: str) -> Iterator[str]:
    """The address of a database; empty for SQLite in the project."""
    if kind == "sqlite":
        yield ""
        return
    from benchmarks.postgres_server import postgres_server  # only what is asked for is started

    with postgres_server() as url:
        yield url


def _summary(findings: Findings, *, seconds: float) -> dict[str, Any]:
    return {
        "cases": sum(findings.statuses.values()),
        "faults": sum(count for status, count in findings.statuses.items() if status >= 500),
        "broken": findings.broken[:50],
        "seconds": round(seconds, 1),
        "statuses": {str(status): count for status, count in sorted(findings.statuses.items())},
        "routes": {
            label: {"cases": count, "succeeded": findings.reached[label]} for label, count in findings.by_route.items()
        },
    }


def main() -> int:
    """Run, print and keep the findings."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], nargs="+", default=["sqlite"])
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/studio_schemathesis.json"))
    options = parser.parse_args()
    summaries: dict[str, Any] = {}
    for kind in options.database:
        began = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder, _database(kind) as url:
            findings = run_cases(Path(folder) / "project", cases=options.cases, seed=options.seed, database_url=url)
        summaries[kind] = _summary(findings, seconds=time.perf_counter() - began)
        print(kind, json.dumps({name: summaries[kind][name] for name in ("cases", "faults", "statuses", "seconds")}))
        print("\n".join(findings.broken[:20]))
    about = {"seed": options.seed, "schemathesis": version("schemathesis"), "python": platform.python_version()}
    options.output.write_text(json.dumps({**about, **summaries}, indent=1) + "\n", encoding="utf-8")
    return int(any(one["faults"] or one["broken"] or one["cases"] < options.cases for one in summaries.values()))


if __name__ == "__main__":
    sys.exit(main())
