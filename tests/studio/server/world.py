"""A project with everybody in it, and a browser for each of them."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from anyio.from_thread import BlockingPortal, start_blocking_portal
from sqlalchemy import text
from starlette.testclient import TestClient

from aptone.audio import write
from aptone.studio.project import Project
from aptone.studio.server.app import cookie_name, create_app
from aptone.studio.server.routing import CSRF_HEADER
from aptone.studio.sign_in.flow import SignIns
from aptone.studio.store.records import Role
from aptone.types import Audio, AudioRef, Choice, Control, RatingItem, RatingTask, Shown
from aptone.web.addresses import Addresses
from aptone.web.rate_limit import RateLimit
from benchmarks.attacks.lying_provider import FakeProvider

ADDRESS = "http://localhost"
SECONDS = 0.2
HIDDEN = ("hidden-system-", "hidden-category-", "hidden-file-", 0.987654)
"""What a rater must never be sent, in any reply."""


def listening_task(name: str = "listening", items: int = 4, *, must_listen: bool = False) -> RatingTask:
    """A scale, a closed question, a preference of two clips and free text about a sentence; all else is hidden."""
    return RatingTask(
        name=name,
        title={"en": "Listening", "zh": "听音"},
        guide={"en": "Listen.", "zh": "请听。"},
        shown=(Shown("sentence", "text"), Shown("pair", "pair")),
        controls=(
            Control("fit", "scale", {"en": "Fit"}, low=0, high=5, step=1, judged_by="score"),
            Control(
                "mood", "choice", {"en": "Mood"}, choices=(Choice("glad", {"en": "glad"}), Choice("sad", {"en": "sad"}))
            ),
            Control("better", "preference", {"en": "Better"}, prefill="pair"),
            Control("note", "text", {"en": "Note"}, required=False),
        ),
        items=tuple(
            RatingItem(
                f"item/{number}",
                audio={
                    f"hidden-system-{system}": AudioRef(
                        f"clips/hidden-file-{system}-{number % 2}.flac", start=0.1, end=0.1 + SECONDS
                    )
                    for system in "ab"
                },
                fields={"sentence": f"Sentence {number}.", "pair": ["hidden-system-a", "hidden-system-b"]},
                hidden={
                    "category": f"hidden-category-{number}",
                    "score": 0.987654,
                    "systems": {f"hidden-system-{system}": f"hidden-name-{system}" for system in "ab"},
                },
                gold={"fit": 3} if number == 0 else {},
            )
            for number in range(items)
        ),
        raters_per_item=2,
        calibration=("item/0",),
        must_listen=must_listen,
        shuffled=False,
    )


def write_clips(folder: Path) -> None:
    """The recordings of `listening_task`."""
    (folder / "clips").mkdir(parents=True, exist_ok=True)
    for place, system in enumerate("ab"):
        for number in range(2):
            wave = 0.3 * np.sin(np.arange(8000) * (0.1 + 0.05 * place + 0.02 * number))
            write(folder / "clips" / f"hidden-file-{system}-{number}.flac", Audio(wave.astype(np.float32), rate=16_000))


@dataclass
class Browser:
    """Somebody's browser: keeps the cookie, and sends the CSRF value when it changes something."""

    client: TestClient
    person: str = ""
    csrf: str = ""

    def ask(self, method: str, path: str, **options: Any) -> Any:
        headers = {**({CSRF_HEADER: self.csrf} if self.csrf else {}), **options.pop("headers", {})}
        return self.client.request(method, path, headers=headers, follow_redirects=False, **options)

    def get(self, path: str, **options: Any) -> Any:
        return self.ask("GET", path, **options)

    def enter(self, token: str) -> Any:
        reply = self.ask("POST", "/api/session", json={"token": token})
        if reply.status_code == 200:
            self.csrf, self.person = reply.json()["csrf"], reply.json()["person"]["id"]
        return reply

    def from_provider(self, provider: FakeProvider, *, at: str = "/api/sign-in") -> Any:
        """Go to the provider, sign in there and come back."""
        begun = self.ask("POST", at, json={"provider": "university"})
        assert begun.status_code == 200, begun.text
        back = provider.agree(begun.json()["url"])
        reply = self.ask("POST", "/api/session/provider", json={"provider": "university", **back})
        if reply.status_code == 200:
            self.csrf, self.person = reply.json()["csrf"], reply.json()["person"]["id"]
        return reply

    def next(self, task: str = "listening") -> Any:
        return self.ask("POST", f"/api/tasks/{task}/next", json={}).json()["assignment"]

    def answer(self, view: Any, *, fit: int = 3, note: str = "fine") -> Any:
        """Answer everything that is asked and hand the item in."""
        answers = {"fit": fit, "mood": "glad", "better": view["pairs"]["pair"][0], "note": note}
        changes = [change(control, value, place + 1) for place, (control, value) in enumerate(answers.items())]
        return self.ask("POST", f"/api/assignments/{view['id']}/submit", json={"changes": changes})


def change(control: str, value: object, sequence: int = 1) -> dict[str, object]:
    return {"id": str(uuid.uuid4()), "control": control, "value": value, "sequence": sequence}


@dataclass
class World:
    """The project, its application and its people."""

    project: Project
    app: Any
    portal: BlockingPortal
    provider: FakeProvider
    people: dict[str, Browser] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)

    def stranger(self) -> Browser:
        client = TestClient(self.app, base_url=ADDRESS, raise_server_exceptions=False)
        client.portal = self.portal  # one event loop for all: a new one for every request would take most of the time
        return Browser(client)

    def join(self, name: str, role: Role) -> Browser:
        self.tokens[name] = self.project.people.invite(role, name=name).result().token
        browser = self.people[name] = self.stranger()
        assert browser.enter(self.tokens[name]).status_code == 200
        return browser

    def session_token(self, name: str) -> str:
        """Token in the cookie of a person's browser."""
        return str(self.people[name].client.cookies[cookie_name(self.project, secure=False)])

    def pass_time(self, seconds: float) -> None:
        """Make every item look as if it had been opened that much earlier."""
        earlier = text("UPDATE assignments SET opened = opened - :seconds")
        self.project.writer.call(lambda connection: connection.execute(earlier, {"seconds": seconds}).close()).result()

    def __getitem__(self, name: str) -> Browser:
        return self.people[name]


@contextmanager
def new_world(folder: Path, *, task: RatingTask | None = None, **options: Any) -> Iterator[World]:
    """An open project with an annotator, another, an adjudicator and an admin."""
    write_clips(folder)
    with Project.open(folder) as project, start_blocking_portal() as portal:
        project.tasks.put(task or listening_task()).result()
        entries = options.pop("entries", RateLimit(each=1000, together=10_000, seconds=60.0))
        provider = FakeProvider()
        sign_ins = SignIns([provider.provider()], ask=provider.ask)
        where = options.pop("addresses", Addresses())
        app = create_app(project, addresses=where, entries=entries, sign_ins=sign_ins, **options)
        world = World(project, app, portal, provider)
        roles: dict[str, Role] = {"ada": "annotator", "bea": "annotator", "cleo": "adjudicator", "dora": "admin"}
        for name, role in roles.items():
            world.join(name, role)
        yield world
