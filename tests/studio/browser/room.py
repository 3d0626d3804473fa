"""A studio for browser tests: a project with short clips, the real server as a process, people with pages."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

from aptone.audio import write
from aptone.studio.project import Project
from aptone.studio.server.app import cookie_name
from aptone.studio.store.records import RatedRow, Role
from aptone.types import Audio, AudioRef, Band, Choice, Control, Json, RatingItem, RatingTask, Shown

RATE = 16000
SECONDS = 0.5
"""How long a clip lasts."""
PATIENCE = 120.0
"""Seconds after which something that should happen does not: bounds a hang, on a machine however crowded."""
WAIT = 1000 * PATIENCE
"""The same in milliseconds, as a page counts."""
STORY = 40
TARGET = 25


def words(text: str, zh: str = "") -> dict[str, str]:
    """Words of a task."""
    return {"en": text, "zh": zh or text}


def clip(folder: Path, name: str, hertz: float) -> AudioRef:
    """A short tone that swells and fades, inside a project."""
    times = np.arange(int(SECONDS * RATE)) / RATE
    samples = 0.4 * np.sin(2 * np.pi * hertz * times) * np.sin(np.pi * times / SECONDS)
    (folder / "clips").mkdir(parents=True, exist_ok=True)
    write(folder / "clips" / f"{name}.wav", Audio(samples.astype(np.float32), RATE))
    return AudioRef(f"clips/{name}.wav")


def story(number: int) -> dict[str, Json]:
    """A story whose target lies far down, with clips before and after it."""
    clips = {TARGET - 1: "before", TARGET: "audio"}
    lines: list[Json] = [
        {"text": f"Line {line} of story {number}.", "role": "Mara", "clip": clips.get(line, "")}
        for line in range(STORY)
    ]
    return {"lines": lines, "target": TARGET}


FIT = Control(
    "fit",
    "scale",
    words("How well does it fit?", "有多合适？"),
    low=0,
    high=5,
    step=1,
    bands=(Band(0, 1, words("Not at all")), Band(2, 3, words("Half")), Band(4, 5, words("Wholly"))),
    judged_by="machine",
)
TONE = Control(
    "tone",
    "choice",
    words("Tone", "语气"),
    choices=tuple(Choice(en.lower(), words(en, zh)) for en, zh in (("Warm", "温暖"), ("Cold", "冷淡"), ("None", "无"))),
)
FEELING = Control("feeling", "text", words("Which feeling?", "什么情绪？"))
HEARD = Shown("audio", "audio", words("Line", "台词"))


def listening(folder: Path, *, items: int = 4) -> RatingTask:
    """Story, clip, a scale, a closed question and free text."""
    return RatingTask(
        name="listening",
        title=words("Does it fit?", "合适吗？"),
        guide=words("Listen to the end, then answer.", "请听完再回答。"),
        shown=(Shown("story", "story", words("Story", "故事")), HEARD),
        controls=(FIT, TONE, FEELING),
        items=tuple(
            RatingItem(
                f"item-{number}",
                audio={
                    "audio": clip(folder, f"line-{number}", 220 + 20 * number),
                    "before": clip(folder, f"before-{number}", 440),
                },
                fields={"story": story(number)},
                hidden={"system": "secret-model", "machine": 1 + number},
            )
            for number in range(items)
        ),
        raters_per_item=50,
    )


def correcting(folder: Path) -> RatingTask:
    """Fine scale, boundaries, edited text and edited lines."""
    item = RatingItem(
        "only",
        audio={"audio": clip(folder, "only", 300)},
        fields={"line": "You came back at last", "context": ["It rained.", "Nobody spok."], "times": [0.1, 0.4]},
    )
    return RatingTask(
        name="correcting",
        title=words("Correct it"),
        guide=words("Correct what is wrong."),
        shown=(HEARD,),
        controls=(
            Control("score", "scale", words("Score"), low=0, high=5, step=0.1),
            Control("times", "boundaries", words("Boundaries"), prefill="times"),
            Control("words", "edit", words("Words"), prefill="line"),
            Control("before", "edit", words("Context"), prefill="context"),
        ),
        items=(item,),
        raters_per_item=50,
    )


def preferring(folder: Path) -> RatingTask:
    """Two recordings, the first item a calibration item."""
    return RatingTask(
        name="preferring",
        title=words("Which one?"),
        guide=words("Listen to both."),
        shown=(Shown("takes", "pair", words("Takes")),),
        controls=(
            Control("better", "preference", words("Better?"), prefill="takes", choices=(Choice("same", words("=")),)),
        ),
        items=tuple(
            RatingItem(
                name,
                audio={"one": clip(folder, f"{name}-one", 250), "two": clip(folder, f"{name}-two", 350)},
                fields={"takes": ["one", "two"]},
                gold={"better": "same"} if name == "gold" else {},
            )
            for name in ("gold", "open")
        ),
        calibration=("gold",),
        raters_per_item=50,
    )


B = Choice("b", words("b"))
HOSTILE = '<img src=x onerror="document.title=1"><script>alert(1)</script>'
TURNED = "\u202eevil\u202c \u200fabc"


def hostile(folder: Path) -> RatingTask:
    """Everything that is text tries to be more."""
    return RatingTask(
        name="hostile",
        title=words(f"Title {HOSTILE}"),
        guide=words(f"Guide {HOSTILE}"),
        shown=(Shown("text", "text", words(f"Label {HOSTILE}")), Shown("story", "story"), HEARD),
        controls=(
            Control("choice", "choice", words(f"Asked {HOSTILE}"), choices=(Choice("a", words(HOSTILE)), B)),
            Control("edited", "edit", words("Edit"), prefill="text"),
        ),
        items=(
            RatingItem(
                "only",
                audio={"audio": clip(folder, "hostile", 300)},
                fields={
                    "text": f"Text {HOSTILE} {TURNED}",
                    "story": {"lines": [{"text": HOSTILE, "role": TURNED, "clip": ""}], "target": 0},
                },
            ),
        ),
        must_listen=False,
        raters_per_item=50,
    )


def together(folder: Path) -> RatingTask:
    """One item for two people."""
    return RatingTask(
        name="together",
        title=words("Together"),
        guide=words("Listen."),
        shown=(HEARD,),
        controls=(FIT, TONE),
        items=(RatingItem("only", audio={"audio": clip(folder, "together", 260)}),),
        raters_per_item=2,
    )


TASKS: tuple[Callable[[Path], RatingTask], ...] = (listening, correcting, preferring, hostile, together)


@dataclass
class Room:
    """A project and its server.

    Args:
        folder: of the project.
        browser: in which people open their pages.
        port: given by the system at the first start, and kept when the server is started again.
        options: more options of the server.
        elsewhere: beginning of addresses that pages may go to besides.
    """

    folder: Path
    browser: Browser
    port: int = 0
    options: tuple[str, ...] = ()
    elsewhere: str = ""
    problems: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)
    server: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Address of the studio."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the server, and wait until it says where it listens."""
        command = [sys.executable, "-m", "aptone", "studio", "--project", str(self.folder), "--port", str(self.port)]
        with (self.folder / "server.log").open("ab") as log:
            self.server = subprocess.Popen(
                [*command, *self.options, "--no-browser", "--json"],
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
        assert self.server.stdout is not None
        told = ""
        alarm = threading.Timer(PATIENCE, self.server.kill)
        alarm.start()
        try:
            for line in self.server.stdout:  # ends with the server
                told += line.decode()
                if line.startswith(b"}"):
                    self.port = int(json.loads(told)["address"].rpartition(":")[2])
                    return
        finally:
            alarm.cancel()
        raise AssertionError((self.folder / "server.log").read_text(encoding="utf-8")[-2000:])

    def kill(self) -> None:
        """End the server without a word."""
        assert self.server is not None
        self.server.send_signal(signal.SIGKILL)
        self._gone()

    def stop(self) -> None:
        """Close every page and end the server."""
        for context in self.contexts:
            context.close()
        if self.server is not None and self.server.poll() is None:
            self.server.terminate()
            self._gone()

    def _gone(self) -> None:
        assert self.server is not None
        self.server.wait(timeout=PATIENCE)
        assert self.server.stdout is not None
        self.server.stdout.close()

    def invite(self, role: Role, name: str) -> str:
        """A personal link."""
        with Project.open(self.folder) as project:
            return f"{self.address}/join#{project.people.invite(role, name=name).result().token}"

    def enter(
        self, name: str, *, role: Role = "annotator", language: str = "en", at: str = "/", **options: Any
    ) -> Page:
        """Page of a new signed-in person with a browser context of its own; ``at``: path, empty for none."""
        context = self.browser.new_context(**{"locale": "en-GB", "viewport": {"width": 1280, "height": 800}, **options})
        self.contexts.append(context)
        with Project.open(self.folder) as project:
            invited = project.people.invite(role, name=name).result()
            session = project.people.enter(invited.token, language=language).result()
            cookie = cookie_name(project, secure=False)
        context.add_cookies([{"name": cookie, "value": session.token, "url": self.address}])
        page = self.open(context)
        if at:
            page.goto(f"{self.address}{at}")
        return page

    def open(self, context: BrowserContext) -> Page:
        """Another page of the same person; what it should not do is noted."""
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.on("console", self._note_message)
        page.on("pageerror", lambda error: self.problems.append(f"page error: {error}"))
        page.on("request", self._note_request)
        return page

    def ratings(self, task: str, name: str) -> dict[str, Mapping[str, Json]]:
        """Map item to the answers of a person so far; open and submitted ones."""
        return {row.rating.item: row.rating.answers for row in self.rows(task, name)}

    def rows(self, task: str, name: str) -> list[RatedRow]:
        """The rows of the last who came in by that name."""
        with Project.open(self.folder) as project:
            namesakes = [person for person in project.people.everyone() if person.name == name]
            last = max(namesakes, key=lambda person: person.created)
            rows = project.results.ratings(task, states=("open", "submitted"))
        return [row for row in rows if row.rating.rater == last.pseudonym]

    def _note_message(self, message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text or "violates" in message.text:
            self.problems.append(message.text)

    def _note_request(self, request: Request) -> None:
        known = (self.address, f"blob:{self.address}", *filter(None, [self.elsewhere]))
        if not request.url.startswith(known):
            self.problems.append(f"left the server: {request.url}")


def until(page: Page, met: Callable[[], bool]) -> None:
    """Wait for something outside of the page, while the page goes on."""
    end = time.monotonic() + PATIENCE
    while not met():
        assert time.monotonic() < end, "it did not happen"
        page.wait_for_timeout(20)


def furnish(folder: Path) -> None:
    """Make the project with its tasks."""
    with Project.open(folder) as project:
        for task in TASKS:
            project.tasks.put(task(project.folder)).result()
