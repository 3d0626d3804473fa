"""The run folder: its configuration, its lock, and what is refused."""

import dataclasses
import errno
import importlib.metadata
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from aptone.errors import RecordError, RunError, UsageError
from aptone.run import RunConfig, RunFolder, load_run, read_trust, run_items, surroundings, write_trust, write_whole
from aptone.types import Entry, Outcome, Score, State, TrustCard, dumps, from_json, loads, to_json
from tests.run.run_steps import CONFIG, done, items, score_number
from tests.tables import for_each


def test_a_new_folder_gets_the_whole_configuration(tmp_path: Path) -> None:
    config = dataclasses.replace(CONFIG, inputs=("a.jsonl",), command=("aptone", "score"), surroundings=surroundings())
    with RunFolder(tmp_path / "deep" / "run", config):
        pass
    text = (tmp_path / "deep" / "run" / "config.json").read_bytes()
    written = from_json(RunConfig, loads(text))
    assert dataclasses.replace(written, run_id="") == config
    assert load_run(tmp_path / "deep" / "run").config == written


def test_a_seed_that_could_not_be_read_again_is_refused_before_anything_is_written() -> None:
    assert RunConfig(verb="v", engine="e", seed=2**63 - 1).seed == 2**63 - 1
    with pytest.raises(UsageError, match="a seed has at most 63 bits, got 9223372036854775808"):
        RunConfig(verb="v", engine="e", seed=2**63)


def test_every_run_has_an_id_of_its_own_and_keeps_it(tmp_path: Path) -> None:
    copied = dataclasses.replace(CONFIG, run_id="that of another run")
    with RunFolder(tmp_path / "a", copied) as folder:
        first = folder.config.run_id
    assert re.fullmatch("[0-9a-f]{16}", first)
    with RunFolder(tmp_path / "a", copied) as folder:
        assert folder.config.run_id == load_run(tmp_path / "a").config.run_id == first
    with RunFolder(tmp_path / "b", CONFIG) as folder:
        assert folder.config.run_id != first
    write_whole(tmp_path / "b" / "config.json", dumps(to_json(CONFIG)))  # as it was before runs had ids
    with RunFolder(tmp_path / "b", CONFIG) as folder:
        assert load_run(tmp_path / "b").config.run_id == folder.config.run_id != ""


@for_each(
    ("change", "sentence"),
    [
        ({"verb": "rank"}, "verb: 'score' then, 'rank' now"),
        ({"engine": "other"}, "engine: 'test' then, 'other' now"),
        ({"seed": 8}, "seed: 7 then, 8 now"),
        ({"version": "0.2.0"}, "version: '0.1.0' then, '0.2.0' now"),
        ({"settings": {"judge": "j2", "threshold": 0.5}}, 'judge: "j1" then, "j2" now'),
        ({"settings": {"judge": "j1"}}, "threshold: 0.5 then, null now"),
        ({"settings": {"judge": "j1", "threshold": 0.5, "window": [3]}}, "window: null then, [3] now"),
    ],
    ids=["verb", "engine", "seed", "version", "setting", "setting gone", "setting new"],
)
def test_a_changed_configuration_is_refused_and_the_change_is_named(
    tmp_path: Path, change: dict[str, object], sentence: str
) -> None:
    with RunFolder(tmp_path, CONFIG):
        pass
    before = (tmp_path / "config.json").read_bytes()
    with pytest.raises(RunError) as caught, RunFolder(tmp_path, from_json(RunConfig, _changed(change))):
        pass
    assert f"({sentence})" in str(caught.value)
    assert str(tmp_path) in str(caught.value)
    assert (tmp_path / "config.json").read_bytes() == before
    with RunFolder(tmp_path, CONFIG):
        pass  # the lock was let go


def _changed(change: dict[str, object]) -> dict[str, object]:
    return {
        "verb": CONFIG.verb,
        "engine": CONFIG.engine,
        "settings": CONFIG.settings,
        "seed": 7,
        "version": "0.1.0",
    } | change


def test_all_changes_are_named_at_once() -> None:
    other = dataclasses.replace(CONFIG, seed=1, settings={"judge": "j1", "threshold": 0.25})
    assert CONFIG.differences(other) == ["seed: 7 then, 1 now", "threshold: 0.5 then, 0.25 now"]


def test_what_cannot_change_a_score_may_change(tmp_path: Path) -> None:
    with RunFolder(tmp_path, CONFIG):
        pass
    other = dataclasses.replace(CONFIG, inputs=("b.jsonl",), command=("x",), notes=("n",), licence="l")
    with RunFolder(tmp_path, other):
        pass
    kept = dataclasses.replace(load_run(tmp_path).config, run_id="")
    assert kept == CONFIG, "what is written is how the run was begun"


def test_consent_of_later_sessions_is_added(tmp_path: Path) -> None:
    for consent in (("b.example",), ("a.example",), ("b.example",)):
        with RunFolder(tmp_path, dataclasses.replace(CONFIG, consent=consent)):
            pass
    assert load_run(tmp_path).config.consent == ("a.example", "b.example")


def test_settings_that_are_equal_as_json_are_equal(tmp_path: Path) -> None:
    with RunFolder(tmp_path, dataclasses.replace(CONFIG, settings={"windows": (1, 2)})):
        pass
    with RunFolder(tmp_path, dataclasses.replace(CONFIG, settings={"windows": [1, 2]})) as opened:
        assert len(opened.known_items()) == 0
    assert load_run(tmp_path).config.settings == {"windows": [1, 2]}


def test_a_folder_in_use_is_refused_to_a_second_user_in_this_process(tmp_path: Path) -> None:
    with (
        RunFolder(tmp_path, CONFIG),
        pytest.raises(RunError, match="another process is working on this run"),
        RunFolder(tmp_path, CONFIG),
    ):
        pass


def test_a_folder_in_use_is_refused_to_another_process_and_free_again_when_that_dies(tmp_path: Path) -> None:
    holder = (
        "import sys\nfrom pathlib import Path\nfrom aptone.run import RunConfig, RunFolder\n"
        "with RunFolder(Path(sys.argv[1]), RunConfig('score', 'e')):\n"
        "    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", holder, str(tmp_path / "run")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        config = RunConfig("score", "e")
        with (
            pytest.raises(RunError, match="another process is working on this run"),
            RunFolder(tmp_path / "run", config),
        ):
            pass
        assert load_run(tmp_path / "run").entries == (), "reading needs no lock"
        process.kill()
        process.wait(timeout=300)
        with RunFolder(tmp_path / "run", config):
            pass


def test_many_processes_that_start_on_one_folder_at_once_leave_one_writer(tmp_path: Path) -> None:
    racer = (
        "import sys, time\nfrom pathlib import Path\nfrom aptone.errors import RunError\n"
        "from aptone.run import RunConfig, RunFolder\n"
        "print('ready', flush=True)\nsys.stdin.readline()\n"
        "try:\n    with RunFolder(Path(sys.argv[1]), RunConfig('score', 'e')):\n        print('in', flush=True)\n"
        "        sys.stdin.read()\nexcept RunError:\n    print('out', flush=True)\n"
    )
    command = [sys.executable, "-c", racer, str(tmp_path / "a" / "run")]
    processes = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.stdout.readline().strip() for process in processes if process.stdout is not None]
    for process in processes:
        process.communicate(timeout=300)
    assert sorted(said) == ["in", "out", "out", "out"]
    assert [process.returncode for process in processes] == [0] * 4


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(RunError, match="holds other files and no run"), RunFolder(tmp_path, CONFIG):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_what_a_kill_during_the_start_leaves_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / ".lock").touch()
    (tmp_path / "config.json.abc.partial").write_text('{"ver')
    with RunFolder(tmp_path, CONFIG):
        pass
    assert load_run(tmp_path).config.verb == CONFIG.verb
    assert sorted(child.name for child in tmp_path.iterdir()) == [".lock", "config.json", "journal.jsonl"]


@for_each("name", ["config.json", "journal.jsonl", ".lock"])
def test_a_folder_in_the_place_of_a_file_is_told_and_nothing_stays_locked(tmp_path: Path, name: str) -> None:
    if name == "journal.jsonl":
        write_whole(tmp_path / "config.json", dumps(to_json(CONFIG)))
    (tmp_path / name).mkdir()
    for _ in range(2):
        with pytest.raises(RunError, match=rf"{re.escape(name)}: cannot be .*Fix that"), RunFolder(tmp_path, CONFIG):
            pass
    (tmp_path / name).rmdir()
    with RunFolder(tmp_path, CONFIG):
        pass


@for_each("name", ["config.json", "journal.jsonl", ".lock"])
def test_a_link_to_a_precious_file_does_not_harm_it(tmp_path: Path, name: str) -> None:
    folder, precious = tmp_path / "run", tmp_path / "precious.txt"
    folder.mkdir()
    if name == "journal.jsonl":
        write_whole(folder / "config.json", dumps(to_json(CONFIG)))
    precious.write_text("one line")
    (folder / name).symlink_to(precious)
    with pytest.raises(RunError, match=re.escape(name)), RunFolder(folder, CONFIG):
        pass
    assert precious.read_text() == "one line"


def test_links_that_lead_in_circles_are_told(tmp_path: Path) -> None:
    with RunFolder(tmp_path, CONFIG):
        pass
    for name in ("config.json", "trust.json"):
        (tmp_path / name).unlink(missing_ok=True)
        (tmp_path / name).symlink_to(tmp_path / name)
    with pytest.raises(RunError, match=r"config\.json: cannot be read .*Fix that"):
        load_run(tmp_path)
    with pytest.raises(RunError, match=r"trust\.json: cannot be read .*Fix that"):
        read_trust(tmp_path)


@pytest.mark.parametrize("refused", ["iterdir", "unlink"])
def test_what_the_system_refuses_is_told_with_the_folder_and_nothing_stays_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    def refuse(self: Path, **options: bool) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    (tmp_path / "config.json.abc.partial").touch()
    with monkeypatch.context() as patch:
        patch.setattr(Path, refused, refuse)
        with (
            pytest.raises(RunError, match=r"cannot be used as a run folder \(Permission denied\)\. Fix that"),
            RunFolder(tmp_path, CONFIG),
        ):
            pass
    with RunFolder(tmp_path, CONFIG):
        pass


@pytest.mark.parametrize("place", ["file", "file/run"])
def test_a_file_in_the_way_is_told(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(RunError, match=rf"{place}: cannot be made .*name another folder"),
        RunFolder(tmp_path / place, CONFIG),
    ):
        pass


@for_each("text", ["", "{", '{"verb": 5, "engine": "e"}', '{"verb": "v"}', "\xff"])
def test_a_damaged_configuration_is_refused_and_the_lock_let_go(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_bytes(text.encode("latin-1"))
    for _ in range(2):
        with pytest.raises(RunError, match=r"config\.json: damaged"), RunFolder(tmp_path, CONFIG):
            pass
    with pytest.raises(RunError, match=r"config\.json: damaged"):
        load_run(tmp_path)


@for_each("name", ["", "missing", "file"])
def test_loading_what_is_no_run_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match=r"not a run folder \(it has no config.json\)"):
        load_run(tmp_path / name)


def test_a_run_lists_its_entries_in_the_order_of_the_input(tmp_path: Path) -> None:
    with RunFolder(tmp_path, CONFIG) as folder:
        entries = [Entry(item=item, outcome=done(), repeat=repeat) for item in items(3) for repeat in (1, 0)]
        folder.journal.append(entries[::-1])
        assert len(folder.known_items()) == 6
    found = load_run(str(tmp_path)).entries
    assert [(entry.item.id, entry.repeat) for entry in found] == [
        (f"i{n}", repeat) for n in range(3) for repeat in (0, 1)
    ]


def test_the_main_score_is_the_first_of_the_first_scored_item(tmp_path: Path) -> None:
    first, second, third = items(3)
    scores = {"zest": Score(1.0), "aptness": Score(2.0)}
    with RunFolder(tmp_path, CONFIG) as folder:
        folder.journal.append([Entry(item=first, outcome=Outcome.failed("down"))])
        assert load_run(tmp_path).main_score == ""
        folder.journal.append(
            [Entry(item=third, outcome=done()), Entry(item=second, outcome=Outcome(State.DONE, scores=scores))]
        )
    assert load_run(tmp_path).main_score == "zest"


def test_a_trust_card_is_read_back_and_a_missing_or_damaged_one_is_told(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"trust\.json: there is no trust card yet; make it with: aptone report"):
        read_trust(tmp_path)
    card = TrustCard(score="aptness", items=3, done=2, failed={"down": 1})
    write_trust(tmp_path, card)
    assert read_trust(tmp_path) == card
    (tmp_path / "trust.json").write_text('{"score": 1}')
    with pytest.raises(RunError, match=r"trust\.json: damaged .*aptone report"):
        read_trust(tmp_path)


def test_the_surroundings_name_what_computes_and_leave_out_what_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert {"python", "system", "machine", "numpy"} <= surroundings().keys()
    version = importlib.metadata.version

    def without_soxr(package: str) -> str:
        if package == "soxr":
            raise importlib.metadata.PackageNotFoundError(package)
        return version(package)

    monkeypatch.setattr("aptone.run.folder.version", without_soxr)
    assert "soxr" not in surroundings()


def test_a_configuration_that_json_cannot_hold_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(RecordError, match="infinite"),
        RunFolder(tmp_path, RunConfig("v", "e", settings={"x": float("inf")})),
    ):
        pass
    with RunFolder(tmp_path, CONFIG):
        pass


def test_only_its_owner_can_read_a_new_run(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir(mode=0o755)
    for name in ("new", "there"):
        ended = run_items(items(1), score_number, folder=tmp_path / name, config=CONFIG)
        write_trust(ended.run.folder, TrustCard(score="aptness", items=1, done=1))
        modes = {path.name: mode(path) for path in (tmp_path / name).iterdir()}
        assert mode(tmp_path / name) == 0o700
        assert modes == dict.fromkeys([".lock", "config.json", "journal.jsonl", "trust.json"], 0o600)


def test_a_run_that_its_owner_shares_stays_shared(tmp_path: Path) -> None:
    run_items(items(1), score_number, folder=tmp_path / "run", config=CONFIG)
    (tmp_path / "run").chmod(0o755)
    (tmp_path / "run" / "config.json").chmod(0o644)
    run_items(items(2), score_number, folder=tmp_path / "run", config=CONFIG)  # two items are expected now
    assert (mode(tmp_path / "run"), mode(tmp_path / "run" / "config.json")) == (0o755, 0o644)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
