"""A system under test: what it answers, and what becomes of it when it misbehaves."""

import asyncio
import gzip
import json
import os
import select
import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import read, write
from aptone.audio.write import wav_bytes
from aptone.errors import AudioError, TransientError, UnusableReplyError, UsageError
from aptone.files import file_hash
from aptone.run import Call, RunConfig, run_items
from aptone.run.attempts import RetryPolicy
from aptone.run.system import (
    KEY_VARIABLE,
    Asked,
    CommandSystem,
    FolderSystem,
    Limits,
    ServedSystem,
    System,
    kept_answer,
    make_system,
)
from aptone.types import Audio, Item, Outcome
from tests.tables import for_each

QUESTION = Audio(0.25 * np.sin(np.arange(8000) / 10).astype(np.float32), rate=16_000)
PYTHON = shlex.quote(sys.executable)
COPY = f"{PYTHON} -c 'import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])' {{input}} {{output}}"


def python(code: str) -> str:
    return f"{PYTHON} -c {shlex.quote(code)} {{input}} {{output}}"


def test_a_command_answers_with_the_file_that_it_writes() -> None:
    answer = make_system(COPY).respond(QUESTION, Asked("a"))
    assert (answer.rate, answer.samples.size) == (16_000, 8000)
    assert answer.samples == pytest.approx(QUESTION.samples, abs=1e-4)


def test_a_command_is_told_the_dialogue_and_the_turn_without_a_shell(tmp_path: Path) -> None:
    told = tmp_path / "told.txt"
    code = f"import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2]); open({str(told)!r}, 'w').write(sys.argv[3])"
    system = make_system(f"{python(code)} '{{dialogue}}/{{turn}}; $(whoami)'")
    system.respond(QUESTION, Asked("../a b", turn=2))
    assert told.read_text(encoding="utf-8") == "a_b-2/2; $(whoami)"


def test_a_command_that_hangs_ends_with_its_children(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    child = f"import os, time; os.write(os.open({str(pipe)!r}, os.O_WRONLY), b'x'); time.sleep(900)"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(900)"
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as held:
        for timeout in (0.5, 4.0, 32.0, 256.0):  # until the child has had the time to begin
            with pytest.raises(TransientError, match=rf"not done after {timeout:g} s"):
                CommandSystem(python(code), timeout=timeout).respond(QUESTION, Asked("a"))
            if held.read(1) == b"x":
                break
        readable, _, _ = select.select([held], [], [], 300.0)
        assert readable, "the child lives on and holds the pipe"
        assert held.read(1) == b""  # nobody holds it any more


def test_a_command_that_fails_is_worth_another_try_and_says_why() -> None:
    code = "import sys; print('no \\x1b[2J GPU', file=sys.stderr); sys.exit(3)"
    with pytest.raises(TransientError, match=r"the system failed with 3: no \[2J GPU"):
        make_system(python(code)).respond(QUESTION, Asked("a"))


@pytest.mark.parametrize("code", [126, 127])
def test_a_command_that_runs_nothing_is_not_tried_again(code: int) -> None:
    with pytest.raises(UsageError, match=f"failed with {code}: gone. That means that there is nothing to run"):
        make_system(python(f"import sys; print('gone'); sys.exit({code})")).respond(QUESTION, Asked("a"))


@pytest.mark.parametrize(("is_there", "problem"), [(True, "Exec format error"), (False, "No such file or directory")])
def test_a_program_that_cannot_be_started_is_not_tried_again(tmp_path: Path, is_there: bool, problem: str) -> None:
    program = tmp_path / "answer"
    program.write_bytes(b"\x00 no program")
    program.chmod(0o755)
    system = make_system(f"{shlex.quote(str(program))} {{input}} {{output}}")
    if not is_there:
        program.unlink()  # since the command was typed
    with pytest.raises(UsageError, match=rf"cannot be started \({problem}\). Next: check '{program}'"):
        system.respond(QUESTION, Asked("a"))


def tried(system: System, *, times: int, question: str = "a") -> list[type[Exception]]:
    kinds: list[type[Exception]] = []
    for _ in range(times):
        with pytest.raises((TransientError, UsageError)) as raised:
            system.respond(QUESTION, Asked(question))
        kinds.append(raised.type)
    return kinds


BROKEN = "import sys; sys.exit('no file ' + sys.argv[1])"
"""Its words name the file of this try, which is another one at the next."""


def test_a_command_that_never_answers_and_fails_alike_is_given_up() -> None:
    system = make_system(python(BROKEN))
    assert tried(system, times=4) == [TransientError, TransientError, UsageError, UsageError]
    assert tried(system, times=1, question="b") == [UsageError]  # whatever it is asked
    assert tried(make_system(python(BROKEN)), times=1) == [TransientError]


def test_a_command_that_fails_in_ever_new_ways_is_worth_another_try() -> None:
    code = "import sys, time; sys.exit(str(time.perf_counter_ns()))"
    assert tried(make_system(python(code)), times=4) == [TransientError] * 4


def test_a_command_that_has_answered_once_is_worth_another_try(tmp_path: Path) -> None:
    full = tmp_path / "full"
    code = f"import os, shutil, sys; os.path.exists({str(full)!r}) and sys.exit('full'); shutil.copy(*sys.argv[1:])"
    system = make_system(python(code))
    full.touch()
    assert tried(system, times=3) == [TransientError, TransientError, UsageError]
    full.unlink()
    assert system.respond(QUESTION, Asked("b")).seconds == 0.5
    full.touch()
    assert tried(system, times=4) == [TransientError] * 4


def test_a_command_that_was_killed_is_worth_another_try() -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    assert tried(make_system(python(code)), times=4) == [TransientError] * 4


def test_a_broken_command_costs_a_run_few_starts(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    system = make_system(python(f"import sys; open({str(starts)!r}, 'a').write('x'); sys.exit('no module')"))

    def step(item: Item, call: Call) -> Outcome:
        system.respond(QUESTION, Asked(item.id))
        return Outcome.failed("it answered")

    items = [Item.make(name, {}, position=place) for place, name in enumerate("abcd")]
    config = RunConfig(verb="test", engine="test")
    ended = run_items(items, step, folder=tmp_path / "run", config=config, retry=RetryPolicy(first_wait=0.0))
    assert len(starts.read_text(encoding="utf-8")) == 3 + 1 + 1 + 1  # not 4 * 5
    assert all("failed with 1: no module. It fails in the same way" in one.outcome.reason for one in ended.run.entries)


@for_each(
    ("code", "reason"),
    [
        ("pass", "wrote no answer"),
        ("import sys; open(sys.argv[2], 'wb').write(b'<html>')", "no usable recording"),
        ("import sys; open(sys.argv[2], 'wb')", "no usable recording"),
    ],
)
def test_an_answer_that_is_no_recording_is_unusable(code: str, reason: str) -> None:
    with pytest.raises(UnusableReplyError, match=reason):
        make_system(python(code)).respond(QUESTION, Asked("a"))


def test_an_answer_that_goes_on_forever_is_unusable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.run.system.protocol.LONGEST_ANSWER", 0.3)
    with pytest.raises(UnusableReplyError, match=r"longer than 0\.3 s"):
        make_system(COPY).respond(QUESTION, Asked("a"))
    monkeypatch.setattr("aptone.run.system.protocol.LARGEST_ANSWER", 100)
    with pytest.raises(UnusableReplyError, match="exceeds"):
        make_system(COPY).respond(QUESTION, Asked("a"))


@for_each(
    ("text", "message"),
    [
        ("nonsense", "is no system"),
        ("echo {input}", r"where does \{output\} stand"),
        ("echo {input} {output} {text}", r"\{text\} means nothing"),
        ("no-such-program-here {input} {output}", "there is no program"),
        ("echo '{input} {output}", "cannot be split"),
        ("http://", "no address"),
        ("http://me:secret@example.org/", "no user name, password or key"),
        ("http://me:secret@[::1/", "no address"),
        ("http://example.org/?api_key=secret", "no user name, password or key"),
        ("http://example.org/?voice=anna&access-token=secret", "no user name, password or key"),
        ("http://example.org/answer?sig=secret", "no user name, password or key"),
    ],
)
def test_what_is_no_system_is_refused_before_anything_runs(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        make_system(text)
    assert "secret" not in str(caught.value)


def test_a_command_that_holds_a_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "t0ken-0123456789")
    with pytest.raises(UsageError, match="the command holds a key of the environment") as caught:
        make_system("echo --token t0ken-0123456789 {input} {output}")
    assert "t0ken" not in str(caught.value)


def test_an_address_may_have_a_query_that_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    assert make_system("http://localhost:1/?voice=anna&keyframes=2").sends_audio_to == ()
    monkeypatch.setenv(KEY_VARIABLE, "k3y-0123456789")
    with pytest.raises(UsageError, match="APTONE_SYSTEM_KEY"):
        make_system("http://localhost:1/hooks/k3y-0123456789")


def test_a_time_out_is_positive() -> None:
    with pytest.raises(UsageError, match="positive number of seconds"):
        make_system(COPY, timeout=0)


Reply = tuple[int, dict[str, str], bytes]


class _Quiet(ThreadingHTTPServer):
    """Says nothing of clients that hang up: that is what a test is about."""

    def handle_error(self, request: object, client_address: object) -> None:
        pass


class Served:
    """A server that answers what it is told, and notes what it was sent."""

    def __init__(self) -> None:
        self.received: list[tuple[dict[str, str], bytes]] = []
        self.reply: Callable[[bytes], Reply] = lambda body: (200, {}, body)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.received.append((dict(self.headers), body))
                status, headers, answer = outer.reply(body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = _Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/answer"


@pytest.fixture
def served() -> Iterator[Served]:
    one = Served()
    thread = threading.Thread(target=one.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield one
    one.server.shutdown()
    one.server.server_close()
    thread.join()


def test_a_server_gets_a_wav_file_and_its_reply_is_the_answer(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "k3y")
    answer = make_system(served.url).respond(QUESTION, Asked("a/ü", turn=2, of=3))
    ((headers, body),) = served.received
    assert body == wav_bytes(QUESTION)
    assert (headers["X-Aptone-Dialogue"], headers["X-Aptone-Turn"], headers["X-Aptone-Turns"]) == (
        "a%2F%C3%BC",
        "2",
        "3",
    )
    assert headers["Authorization"] == "Bearer k3y"
    assert answer.samples.size == QUESTION.samples.size


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_is_worth_another_try(served: Served, status: int) -> None:
    served.reply = lambda body: (status, {"Retry-After": "2.5"}, b"later")
    with pytest.raises(TransientError, match=f"answered {status}: later") as raised:
        make_system(served.url).respond(QUESTION, Asked("a"))
    assert raised.value.retry_after == 2.5


def test_a_server_that_refuses_is_not_asked_again_and_keeps_the_key(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "k3y")
    served.reply = lambda body: (401, {}, b"your key k3y is wrong")
    with pytest.raises(UsageError, match=r"401: your key \(key\) is wrong"):
        make_system(served.url).respond(QUESTION, Asked("a"))


def test_what_a_program_says_of_its_environment_holds_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    code = "import sys; print('env', 'sk-' + '0123456789'); sys.exit(3)"
    with pytest.raises(TransientError, match=r"env \(key\)"):
        make_system(python(code)).respond(QUESTION, Asked("a"))


def test_a_reply_that_is_compressed_is_not_unpacked(served: Served) -> None:
    served.reply = lambda body: (200, {"Content-Encoding": "gzip"}, gzip.compress(body))
    with pytest.raises(UsageError, match="the system: the reply is compressed"):
        make_system(served.url).respond(QUESTION, Asked("a"))
    assert served.received[0][0]["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("is_running", [False, True])
def test_a_server_is_asked_from_a_running_loop_too(served: Served, is_running: bool) -> None:
    async def within() -> Audio:
        return make_system(served.url).respond(QUESTION, Asked("a"))

    answer = asyncio.run(within()) if is_running else make_system(served.url).respond(QUESTION, Asked("a"))
    assert answer.samples.size == QUESTION.samples.size


def test_a_redirect_is_not_followed(served: Served) -> None:
    served.reply = lambda body: (302, {"Location": "http://example.org/"}, b"")
    with pytest.raises(UsageError, match="answered 302"):
        make_system(served.url).respond(QUESTION, Asked("a"))


def test_a_server_that_sends_no_sound_or_too_much_is_unusable(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    served.reply = lambda body: (200, {}, b"<html>")
    with pytest.raises(UnusableReplyError, match="no usable recording"):
        make_system(served.url).respond(QUESTION, Asked("a"))
    monkeypatch.setattr("aptone.run.system.protocol.LARGEST_ANSWER", 3)
    with pytest.raises(UnusableReplyError, match="exceeds"):
        make_system(served.url).respond(QUESTION, Asked("a"))


def test_a_server_that_stalls_or_is_gone_is_worth_another_try(served: Served) -> None:
    over = threading.Event()
    served.reply = lambda body: (over.wait(300.0), (200, {}, body))[1]
    with pytest.raises(TransientError, match=r"not done after 0\.1 s"):
        make_system(served.url, timeout=0.1).respond(QUESTION, Asked("a"))
    over.set()
    with pytest.raises(TransientError, match="connection to the system failed"):
        make_system("http://127.0.0.1:9/").respond(QUESTION, Asked("a"))


def test_only_another_machine_receives_recordings(tmp_path: Path) -> None:
    assert ServedSystem("http://localhost:1/").sends_audio_to == ()
    assert ServedSystem("https://example.org/x").sends_audio_to == ("example.org",)
    assert make_system(COPY).sends_audio_to == make_system(str(tmp_path)).sends_audio_to == ()


def test_answers_are_found_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("a/2.flac", "b.wav", "c_1.wav"):
        write(tmp_path / name, QUESTION)
    system = FolderSystem(tmp_path)
    assert system.find(Asked("a", turn=2, of=2)).name == "2.flac"
    assert system.find(Asked("c", turn=1, of=2)).name == "c_1.wav"
    assert system.respond(QUESTION, Asked("b")).seconds == 0.5
    with pytest.raises(AudioError, match=r"no answer to turn 1 of 'b'; expected b/1\.wav"):
        system.find(Asked("b", turn=1, of=2))
    with pytest.raises(AudioError, match=r"no answer to turn 1 of 'd'; expected d/1\.wav, or d\.wav\."):
        system.find(Asked("d"))


def test_no_id_leads_out_of_the_folder(tmp_path: Path) -> None:
    inner = tmp_path / "answers"
    inner.mkdir()
    write(tmp_path / "secret.wav", QUESTION)
    with pytest.raises(AudioError, match="no answer"):
        FolderSystem(inner).find(Asked("../secret"))


@for_each("name", ["/", "..", ".", "a\0b", "x" * 5000, "\ud800"])
def test_an_id_that_is_no_name_of_a_file_has_no_answer(tmp_path: Path, name: str) -> None:
    with pytest.raises(AudioError, match="there is no answer"):
        FolderSystem(tmp_path).find(Asked(name))


def test_an_answer_is_asked_for_once(tmp_path: Path, served: Served) -> None:
    system = make_system(served.url)
    first = kept_answer(system, QUESTION, Asked("a", turn=1), folder=tmp_path / "answers")
    again = kept_answer(system, QUESTION, Asked("a", turn=1), folder=tmp_path / "answers")
    assert first == again
    assert len(served.received) == 1
    kept_answer(system, QUESTION, Asked("a", turn=2), folder=tmp_path / "answers")
    assert len(served.received) == 2
    assert read(first.path, rate=None).samples.size == QUESTION.samples.size
    assert first.sha256 == file_hash(Path(first.path))


def test_answers_of_a_folder_stay_where_they_are(tmp_path: Path) -> None:
    write(tmp_path / "a.wav", QUESTION)
    kept = kept_answer(FolderSystem(tmp_path), QUESTION, Asked("a"), folder=tmp_path / "kept")
    assert Path(kept.path) == (tmp_path / "a.wav").resolve()
    assert kept.sha256 == file_hash(tmp_path / "a.wav")
    assert not (tmp_path / "kept").exists()


def test_the_signature_names_the_system(tmp_path: Path) -> None:
    signatures = {make_system(text).signature for text in (COPY, "http://localhost:1/", str(tmp_path))}
    assert len(signatures) == 3


def test_a_command_gets_few_variables_and_those_that_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APTONE_SYSTEM_KEY", "secret")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("MY_MODEL", "large")
    told = tmp_path / "told.json"
    code = f"import json, os, shutil, sys; json.dump(dict(os.environ), open({str(told)!r}, 'w')); "
    code += "shutil.copy(sys.argv[1], sys.argv[2])"
    CommandSystem(python(code), environment=("MY_MODEL",)).respond(QUESTION, Asked("a"))
    given = json.loads(told.read_text(encoding="utf-8"))
    assert (given["LC_ALL"], given["MY_MODEL"], given["PATH"]) == ("C.UTF-8", "large", os.environ["PATH"])
    assert "secret" not in given.values()
    assert not Path(given["TMPDIR"]).exists(), "its temporary files are gone with it"
    with pytest.raises(UsageError, match="there is no environment variable NOT_SET_ANYWHERE"):
        make_system(COPY, environment=("NOT_SET_ANYWHERE",))


LIMITED = sys.platform == "linux"


@for_each(
    ("code", "limits", "problem"),
    [
        ("while True: print('x' * 1000)", Limits(output=1 << 20), "printed more than 1 MiB"),
        (
            "import os, time; open(os.path.join(os.environ['TMPDIR'], 'x'), 'wb').truncate(3 << 20); time.sleep(900)",
            Limits(files=2 << 20),
            "wrote more than 2 MiB",
        ),
        (
            "held = bytearray(b'x') * (400 << 20); import time; time.sleep(900)",
            Limits(memory=200 << 20),
            "than 200 MiB",
        ),
        (
            "import subprocess, time; held = [subprocess.Popen(['sleep', '900']) for _ in range(8)]; time.sleep(900)",
            Limits(processes=4),
            "more than 4 processes",
        ),
    ],
    ids=["output", "files", "memory", "processes"],
)
@pytest.mark.skipif(not LIMITED, reason="memory and processes are watched on Linux only")
def test_a_command_that_passes_a_limit_is_ended(code: str, limits: Limits, problem: str) -> None:
    with pytest.raises(TransientError, match=problem):
        CommandSystem(python(code), timeout=600.0, limits=limits).respond(QUESTION, Asked("a"))


@pytest.mark.skipif(not LIMITED, reason="descendants are found on Linux only")
def test_a_child_that_leaves_the_session_ends_with_the_program(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    child = f"import os, time; os.write(os.open({str(pipe)!r}, os.O_WRONLY), b'x'); time.sleep(900)"
    code = (
        "import subprocess, sys, time; "
        f"subprocess.Popen([sys.executable, '-c', {child!r}], start_new_session=True); time.sleep(900)"
    )
    with os.fdopen(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as held:
        for timeout in (1.0, 8.0, 64.0, 256.0):  # until the child has had the time to begin
            with pytest.raises(TransientError, match="not done"):
                CommandSystem(python(code), timeout=timeout).respond(QUESTION, Asked("a"))
            if held.read(1) == b"x":
                break
        readable, _, _ = select.select([held], [], [], 300.0)
        assert readable, "the child lives on and holds the pipe"
        assert held.read(1) == b""
