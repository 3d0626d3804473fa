"""Answers that were given out are on the disk, in runs like any other."""

import random
import resource
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from aptone.cli.main import main
from aptone.errors import RunError
from aptone.files import file_hash
from aptone.messages import translate
from aptone.rooms.operation import Answer, ClipFile, OperationSettings
from aptone.run import RunConfig, load_run
from aptone.run.folder import Whereabouts
from aptone.types import AudioRef, Entry, Item, Outcome, State, from_json
from aptone.view.kept_run import KeptRuns
from aptone.view.operations import find_operations
from tests.view.keep_until_killed import CONFIG, answer_about
from tests.view.odd_operations import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
CLIPS = ROOT / "examples" / "lighthouse" / "clips"
KILLS = 6


def ref_of(entry: Entry) -> AudioRef:
    return from_json(AudioRef, entry.item.payload["audio"])


def test_an_answer_is_kept_as_a_run_with_its_recordings(tmp_path: Path) -> None:
    request, answer = answer_about(7)
    with KeptRuns(tmp_path / "out", {"hear": CONFIG}) as kept:
        first, second = kept.keep("hear", request, answer), kept.keep("hear", request, answer)
    run = load_run(tmp_path / "out" / "hear")
    assert run.entries == (*first.entries, *second.entries)
    assert [entry.item.id for entry in first.entries] == [f"{first.id}-1", f"{first.id}-2"]
    assert [entry.item.position for entry in run.entries] == [0, 1, 2, 3]
    assert run.config.verb == "hear"
    refs = [ref_of(entry) for entry in run.entries]
    assert [Path(ref.path).name for ref in refs] == ["7.wav", "same.wav"] * 2
    assert all(file_hash(Path(ref.path)) == ref.sha256 for ref in refs)
    stored = [path for path in (tmp_path / "out" / "hear" / "clips").rglob("*") if path.is_file()]
    assert len(stored) == 2, "what comes twice is stored once"
    assert [entry.item.payload["ids"] for entry in first.entries] == [{"request": first.id}] * 2
    assert [entry.item.content_hash for entry in run.entries[:2]] == [one.item.content_hash for one in answer.entries]


def test_a_service_goes_on_where_it_was_and_ids_never_meet(tmp_path: Path) -> None:
    ids = []
    for _ in range(3):
        with KeptRuns(tmp_path, {"hear": CONFIG}) as kept:
            ids += [kept.keep("hear", *answer_about(number)).id for number in range(5)]
    run = load_run(tmp_path / "hear")
    assert len(set(ids)) == 15
    assert len(run.entries) == 30
    assert [entry.item.position for entry in run.entries] == list(range(30))


def test_runs_are_made_with_their_first_answer(tmp_path: Path) -> None:
    with KeptRuns(tmp_path, {"hear": CONFIG, "score": replace(CONFIG, verb="score")}) as kept:
        assert not (tmp_path / "hear").exists()
        kept.keep("hear", *answer_about(1))
    assert (tmp_path / "hear" / "config.json").is_file()
    assert not (tmp_path / "score").exists()


def test_names_of_recordings_do_not_leave_their_folder(tmp_path: Path) -> None:
    _, answer = answer_about(1)
    clips = [ClipFile(name, name.encode()) for name in ("../../x.wav", "/etc/passwd", "..", "x.partial", "录音.wav")]
    with KeptRuns(tmp_path / "out", {"hear": CONFIG}) as kept:
        for _ in range(2):
            kept.keep("hear", {"clips": tuple(clips)}, answer)
    stored = [path for path in (tmp_path / "out" / "hear" / "clips").rglob("*") if path.is_file()]
    assert sorted(path.name for path in stored) == ["clip", "passwd", "x.partial.clip", "x.wav", "录音.wav"]
    assert {path.parent.name for path in stored} == {clip.sha256 for clip in clips}
    assert {path.name for path in tmp_path.iterdir()} == {"out"}


def test_two_services_do_not_share_a_folder(tmp_path: Path) -> None:
    with KeptRuns(tmp_path, {"hear": CONFIG}):
        with pytest.raises(RunError, match="another service keeps its answers there") as refused:
            KeptRuns(tmp_path, {"hear": CONFIG}).__enter__()
        assert "另一个服务" in translate(str(refused.value), "zh")
    with KeptRuns(tmp_path, {"hear": CONFIG}):
        pass


def test_a_run_by_another_configuration_is_refused_and_nothing_stays_locked(tmp_path: Path) -> None:
    with KeptRuns(tmp_path, {"hear": CONFIG}) as kept:
        kept.keep("hear", *answer_about(1))
    for _ in range(2):
        with pytest.raises(RunError, match='ear: "any" then, "other" now'):
            KeptRuns(tmp_path, {"hear": replace(CONFIG, settings={"ear": "other"})}).__enter__()
    with KeptRuns(tmp_path, {"hear": CONFIG}) as kept:
        kept.keep("hear", *answer_about(2))


def test_threads_may_keep_at_once(tmp_path: Path) -> None:
    with KeptRuns(tmp_path, {"hear": CONFIG}) as kept:
        threads = [
            threading.Thread(target=lambda: [kept.keep("hear", *answer_about(number)) for number in range(10)])
            for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
    entries = load_run(tmp_path / "hear").entries
    assert [entry.item.position for entry in entries] == list(range(80))
    assert len({entry.item.id for entry in entries}) == 80


def test_an_answer_that_cannot_be_written_is_an_error_and_the_next_one_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with KeptRuns(tmp_path, {"hear": CONFIG}) as kept:
        first = kept.keep("hear", *answer_about(1))
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        size = (tmp_path / "hear" / "journal.jsonl").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, hard))  # a disk that is full after a hundred bytes
        try:
            with pytest.raises(RunError, match="cannot be written"):
                kept.keep("hear", *answer_about(2))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        last = kept.keep("hear", *answer_about(3))
    assert load_run(tmp_path / "hear").entries == (*first.entries, *last.entries)


@pytest.mark.slow
def test_what_was_given_out_is_there_after_kills_at_any_moment(tmp_path: Path) -> None:
    chance = random.Random(7)
    given: dict[str, int] = {}
    number = 0
    for _ in range(KILLS):
        command = [sys.executable, "-m", "tests.view.keep_until_killed", str(tmp_path), str(number)]
        service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert service.stdout is not None
        with service.stdout:
            for _ in range(chance.randint(1, 40)):
                request, _, told = service.stdout.readline().partition(" ")
                given[request] = number = int(told)
            service.kill()
            service.wait(PATIENCE)
            for line in service.stdout:  # written before the kill, but read only now
                if line.endswith("\n"):
                    request, _, told = line.partition(" ")
                    given[request] = number = int(told)
        number += 1
        entries = load_run(tmp_path / "hear").entries
        kept = {str(entry.item.payload["ids"]["request"]) for entry in entries}  # type: ignore[index,call-overload]
        assert set(given) <= kept
    assert len(given) > KILLS
    by_request: dict[str, list[Entry]] = {}
    for entry in load_run(tmp_path / "hear").entries:
        by_request.setdefault(entry.item.id.rpartition("-")[0], []).append(entry)
    for request, asked_about in given.items():
        assert [entry.item.payload["number"] for entry in by_request[request]] == [asked_about] * 2
        refs = [ref_of(entry) for entry in by_request[request]]
        assert all(file_hash(Path(ref.path)) == ref.sha256 for ref in refs)
    assert len(given) + KILLS >= len(by_request), "at most the answer under way was kept and not given out"


def asked(name: str, **given: object) -> tuple[dict[str, object], Answer, RunConfig]:
    operation = find_operations()[name]
    prepared = operation.make(OperationSettings())
    return given, prepared(operation.read(given)), prepared.config


def sent(name: str) -> ClipFile:
    return ClipFile(name, (CLIPS / name).read_bytes())


LINE = "Stay where you are. We will not come tonight."
TAKES = ("keeper-apt.opus", "keeper-flat.opus")
REQUESTS: dict[str, dict[str, object]] = {
    "score": {"audio": sent(TAKES[0]), "line": LINE},
    "rank": {"clips": [sent(name) for name in TAKES], "line": LINE, "min_lead": 4.5},
    "plan": {"story": f"He was angry.\n“{LINE}”", "line": LINE},
    "style": {"audio": sent(TAKES[0]), "descriptions": ["a calm man", "an angry woman"]},
    "caption": {"audio": sent(TAKES[0]), "caption": "A calm man speaks."},
    "hear": {"audio": sent(TAKES[0])},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", REQUESTS)
def test_a_report_of_kept_answers_can_be_made_also_when_the_folder_was_moved(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request, answer, config = asked(name, **REQUESTS[name])
    with KeptRuns(tmp_path / "out", {name: config}) as kept:
        for _ in range(2):
            kept.keep(name, request, answer)
    shutil.move(tmp_path / "out", tmp_path / "moved")
    run = tmp_path / "moved" / name
    for language in ("en", "zh"):
        with pytest.raises(SystemExit) as ended:
            main(["report", str(run), "--lang", language])
        assert ended.value.code == 0
    page = (run / "report.html").read_text(encoding="utf-8")
    assert (name == "plan") != ("data:audio/ogg" in page)
    loaded = load_run(run)
    assert {entry.outcome.state for entry in loaded.entries} == {State.DONE}
    assert len(loaded.entries) == 2 * len(answer.entries)
    if name != "plan":
        places = [Whereabouts(run).locate(ref_of(entry)).path for entry in loaded.entries]
        assert all(Path(place).is_relative_to(run) for place in places)
    if name == "rank":
        assert page.count("Too close") + page.count("难分高下") == 2, "each request is a line of its own"
    capsys.readouterr()


def test_a_payload_of_a_room_gets_the_id_of_its_item(tmp_path: Path) -> None:
    outcome = Outcome.unscored("nothing")
    answer = Answer({}, (Entry(Item.make("a", {"id": "a", "inner": [{"id": "a"}]}), outcome),))
    with KeptRuns(tmp_path, {"hear": CONFIG}) as kept:
        (entry,) = kept.keep("hear", {}, answer).entries
    assert entry.item.payload == {"id": entry.item.id, "inner": [{"id": "a"}]}
