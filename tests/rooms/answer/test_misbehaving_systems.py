"""A system that hangs, crashes, or answers with silence, noise, ten minutes, another language or nothing.

Each is scored or unscored with its reason, the run goes on, nothing is lost, and what failed is tried again when the
run is resumed.
"""

import shlex
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import from_array, read, write
from aptone.rooms.answer.report.results import answer_results
from aptone.rooms.answer.step import AnswerStep, answer_items, asked_as, assign_systems
from aptone.run import Ended, RunConfig, run_items
from aptone.run.attempts import RetryPolicy
from aptone.run.system import Asked, System, make_system
from aptone.types import Audio, State
from tests.rooms.answer.answer_parts import ENGLISH, MANDARIN, CalmListener, ListedTranscriber, TableJudge, sample

RATE = 8_000
GOOD = "good"
EXPECTED = {
    GOOD: (State.DONE, ""),
    "silence": (State.UNSCORED, "no speech can be heard in the answer"),
    "noise": (State.UNSCORED, "no speech can be heard in the answer"),
    "ten-minutes": (State.UNSCORED, "the answer lasts 600 s, and at most 120 s are judged"),
    "mandarin": (State.UNSCORED, "the answer is in zh, the question in en"),
    "nothing": (State.UNSCORED, "the system wrote no answer"),
    "page": (State.UNSCORED, "the system's answer is no usable recording"),
    "slow": (State.FAILED, "the system was not done after"),
    "crash": (State.FAILED, "the system failed with 3: out of memory"),
}
"""What a system does, and what becomes of it."""
SERVED = {
    **EXPECTED,
    "nothing": (State.UNSCORED, "the system's answer is no usable recording"),
    "crash": (State.FAILED, "the system answered 500: out of memory"),
}
"""The same over HTTP, where nothing is an empty body, and a crash a status."""
KINDS = {asked_as(sample(kind).prompt).dialogue: kind for kind in EXPECTED}
"""What it does, by the name under which a system is asked: the name itself tells nothing."""


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write one answer file for each kind of system."""
    folder = tmp_path_factory.mktemp("recordings")
    random = np.random.default_rng(0)
    write(folder / "good.wav", read(ENGLISH, rate=None, channel="mix"))
    write(folder / "mandarin.wav", read(MANDARIN, rate=None, channel="mix"))
    write(folder / "silence.wav", from_array(np.zeros(2 * RATE, np.float32), rate=RATE))
    noise = 0.1 * random.standard_normal(3 * RATE)
    write(folder / "noise.wav", from_array(noise.astype(np.float32), rate=RATE))
    write(folder / "ten-minutes.wav", from_array(np.zeros(600 * RATE, np.float32), rate=RATE))
    (folder / "page.wav").write_bytes(b"<html>")
    return folder


@dataclass(frozen=True)
class Patient:
    """A system that has all the time it needs, except for the question on which it hangs.

    Args:
        system: for all other questions, on a machine however crowded.
        hasty: the same system with a short time-out.
    """

    system: System
    hasty: System

    @property
    def signature(self) -> str:
        return self.system.signature

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        return self.system.sends_audio_to

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        return (self.hasty if KINDS[asked.dialogue] == "slow" else self.system).respond(question, asked)


def command(recordings: Path, folder: Path) -> System:
    """A program that misbehaves as `KINDS` says of the question, until there is a file that heals it."""
    program = folder / "system.py"
    program.write_text(
        f"""
import pathlib, shutil, sys, time
kind = {KINDS!r}[sys.argv[3].removesuffix("-1")]
with open({str(folder / "asked.txt")!r}, "a") as asked:
    asked.write(kind + "\\n")
if pathlib.Path({str(folder / "healed")!r}).exists() and kind in ("slow", "crash"):
    kind = "good"
if kind == "slow":
    time.sleep(900)
if kind == "crash":
    print("out of memory", file=sys.stderr)
    sys.exit(3)
if kind != "nothing":
    shutil.copy({str(recordings)!r} + "/" + kind + ".wav", sys.argv[2])
""",
        encoding="utf-8",
    )
    words = f"{shlex.quote(sys.executable)} -I -S {shlex.quote(str(program))} {{input}} {{output}} {{dialogue}}"
    return Patient(make_system(words, timeout=300.0), make_system(words, timeout=3.0))


@pytest.fixture
def served(recordings: Path) -> Iterator[System]:
    """The same over HTTP on the loopback."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            kind = KINDS[self.headers["X-Aptone-Dialogue"]]
            if kind == "slow":
                over.wait(900)
            recording = recordings / f"{kind}.wav"
            body = recording.read_bytes() if recording.exists() else b"out of memory" if kind == "crash" else b""
            self.send_response(500 if kind == "crash" else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # the client has hung up, as it should

    server = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    address = f"http://127.0.0.1:{server.server_port}/"
    yield Patient(make_system(address, timeout=300.0), make_system(address, timeout=1.0))
    over.set()
    server.shutdown()
    server.server_close()
    thread.join()


def judged(system: System, folder: Path) -> Ended:
    mandarin = round(read(MANDARIN, rate=16_000, channel="mix").seconds, 1)
    step = AnswerStep(
        TableJudge({"angry": 4.0}),
        CalmListener(),
        ListedTranscriber({mandarin: "别担心，我们明天就把包裹给您送到。"}),
        systems={"mock": system},
        answers=(folder / "answers").absolute(),
    )
    samples = assign_systems([sample(kind, answer=None) for kind in EXPECTED], ["mock"])
    config = RunConfig(verb="answer", engine="test", settings=step.settings())
    return run_items(answer_items(samples), step, folder=folder, config=config, retry=RetryPolicy(attempts=1))


def states(ended: Ended) -> dict[str, tuple[State, str]]:
    return {
        entry.item.id.removeprefix("mock/"): (entry.outcome.state, entry.outcome.reason) for entry in ended.run.entries
    }


def test_a_command_that_misbehaves_costs_no_more_than_its_own_questions(recordings: Path, tmp_path: Path) -> None:
    system = command(recordings, tmp_path)
    ended = judged(system, tmp_path / "run")
    found = states(ended)
    assert list(found) == list(EXPECTED)
    for kind, (state, reason) in EXPECTED.items():
        assert found[kind][0] is state, (kind, found[kind])
        assert reason in found[kind][1], kind
    (mock,) = answer_results(ended.run.entries).systems
    assert (mock.asked, mock.scored) == (9, 1)
    assert sum(mock.unscored.values()) == 8
    assert mock.average.value.value == 4.0
    assert mock.worst_case.value == pytest.approx((4 + 8 * 1) / 9)  # what is left out of the average cannot hide

    asked = tmp_path / "asked.txt"
    assert sorted(asked.read_text(encoding="utf-8").split()) == sorted(EXPECTED)
    asked.unlink()
    (tmp_path / "healed").touch()
    again = states(judged(system, tmp_path / "run"))
    assert sorted(asked.read_text(encoding="utf-8").split()) == ["crash", "slow"]  # what failed, and nothing else
    assert [kind for kind, (state, _) in again.items() if state is State.DONE] == [GOOD, "slow", "crash"]
    assert again["silence"][0] is State.UNSCORED


def test_a_server_that_misbehaves_costs_no_more_than_its_own_questions(served: System, tmp_path: Path) -> None:
    found = states(judged(served, tmp_path / "run"))
    for kind, (state, reason) in SERVED.items():
        assert found[kind][0] is state, (kind, found[kind])
        assert reason in found[kind][1], kind


def test_a_folder_without_an_answer_names_what_it_lacks(recordings: Path, tmp_path: Path) -> None:
    folder = tmp_path / "answers-of-mine"
    folder.mkdir()
    (folder / "good.wav").write_bytes((recordings / "good.wav").read_bytes())
    found = states(judged(make_system(str(folder)), tmp_path / "run"))
    assert found[GOOD][0] is State.DONE
    assert found["noise"][0] is State.FAILED
    assert "there is no answer to turn 1 of 'noise'" in found["noise"][1]
