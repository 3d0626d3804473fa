"""Each line of a journal vouches for itself and for the lines before it."""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import aptone.run.entries as entries_module
from aptone.cli.main import exit_code
from aptone.cli.merge import merge
from aptone.cli.report import report
from aptone.errors import RunError
from aptone.run import Journal, load_run, read_journal, run_items
from aptone.run.chain import without_checksum
from aptone.run.entries import read_at
from aptone.run.merge import merge_runs
from aptone.types import Entry
from tests.run.run_steps import CONFIG, items, number_of, score_number
from tests.tables import for_each

Lines = list[bytes]


def _run(folder: Path, count: int = 6) -> Path:
    run_items(items(count), score_number, folder=folder, config=CONFIG)
    return folder / "journal.jsonl"


def _lines(journal: Path) -> Lines:
    return journal.read_bytes().splitlines(keepends=True)


def _edited(line: bytes) -> bytes:
    changed = line.replace(b'"value":2.0', b'"value":5.0').replace(b'"value":3.0', b'"value":5.0')
    assert changed != line
    return changed


def _of_earlier_version(lines: Sequence[bytes]) -> bytes:
    return b"".join(without_checksum(line) + b"\n" for line in lines)


def test_a_checksum_is_half_the_sha_256_of_the_one_before_and_the_line(tmp_path: Path) -> None:
    before = "0" * 32
    for line in _run(tmp_path / "run").read_text(encoding="utf-8").splitlines():
        body, _, rest = line.rpartition(',"checksum":"')
        before = hashlib.sha256((before + body).encode()).hexdigest()[:32]
        assert rest == f'{before}"}}'
        assert json.loads(line)["checksum"] == before


EDITS: dict[str, tuple[Callable[[Lines], Lines], int]] = {
    "score": (lambda lines: [*lines[:2], _edited(lines[2]), *lines[3:]], 3),
    "checksum": (lambda lines: [*lines[:2], lines[2][:-5] + b'xx"}\n', *lines[3:]], 3),
    "removed": (lambda lines: [*lines[:2], *lines[3:]], 3),
    "first removed": (lambda lines: lines[1:], 1),
    "swapped": (lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]], 3),
    "doubled": (lambda lines: [*lines[:3], *lines[2:]], 4),
    "added": (lambda lines: [*lines[:3], without_checksum(lines[2]) + b"\n", *lines[3:]], 4),
    "no checksum": (lambda lines: [*lines[:5], without_checksum(lines[5]) + b"\n"], 6),
    "spaces": (lambda lines: [(json.dumps(json.loads(line)) + "\n").encode() for line in lines], 1),
}


@for_each("held", [4_000_000, 0], ids=["short", "long"])
@for_each("edit", list(EDITS))
def test_an_edit_is_found_by_load_resume_report_and_merge(
    tmp_path: Path, held: int, edit: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(entries_module, "HELD_BYTES", held)
    folder = tmp_path / "run"
    journal = _run(folder)
    change, number = EDITS[edit]
    journal.write_bytes(changed := b"".join(change(_lines(journal))))
    told = rf"journal\.jsonl, line {number}: damaged .*aptone merge .* --skip-damaged"
    with pytest.raises(RunError, match=told):
        load_run(folder)
    with pytest.raises(RunError, match=told):
        run_items(items(8), score_number, folder=folder, config=CONFIG)
    with pytest.raises(RunError, match=told):
        merge_runs([folder], tmp_path / "new")
    assert exit_code(report, [str(folder)], name="report") == 2
    assert f"line {number}: damaged" in " ".join(capsys.readouterr().err.split())
    assert journal.read_bytes() == changed, "nobody adds to a journal that does not hold"


def test_a_run_goes_on_without_its_changed_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal, new = _run(tmp_path / "run"), tmp_path / "new"
    lines = _lines(journal)
    journal.write_bytes(b"".join([*lines[:2], _edited(lines[2]), lines[3], b"no entry\n", *lines[4:]]))
    typed = [str(tmp_path / "run"), "-o", str(new), "--skip-damaged"]
    assert exit_code(merge, typed, name="merge") == 0
    assert "2 damaged lines were left out" in capsys.readouterr().out
    assert [number_of(entry.item) for entry in load_run(new).entries] == [0, 1, 3, 4, 5]
    again = run_items(items(6), score_number, folder=new, config=CONFIG)
    assert again.worked == 1
    assert [entry.outcome.scores["aptness"].value for entry in load_run(new).entries] == [0, 1, 2, 3, 4, 5]


def test_a_journal_of_an_earlier_version_loads_and_goes_on_with_checksums(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    journal = _run(folder, 3)
    journal.write_bytes(old := _of_earlier_version(_lines(journal)))
    assert len(load_run(folder).entries) == 3
    run_items(items(5), score_number, folder=folder, config=CONFIG)
    assert journal.read_bytes().startswith(old)
    assert [b"checksum" in line for line in _lines(journal)] == [False, False, False, True, True]
    assert len(load_run(folder).entries) == 5
    lines = _lines(journal)
    journal.write_bytes(b"".join([lines[0], lines[1].replace(b'"value":1.0', b'"value":4.0'), *lines[2:]]))
    with pytest.raises(RunError, match=r"line 4: damaged .*lines before it"):  # the first one that can tell
        load_run(folder)
    merge_runs([folder], tmp_path / "new", skip_damaged=True)
    assert all(b"checksum" in line for line in _lines(tmp_path / "new" / "journal.jsonl"))


def test_a_key_that_comes_twice_is_refused_also_where_checksums_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    journal = _run(folder, 3)
    old = _of_earlier_version(_lines(journal))
    journal.write_bytes(old.replace(b'"value":1.0', b'"value":1.0,"value":5.0'))
    for held in (4_000_000, 0):
        monkeypatch.setattr(entries_module, "HELD_BYTES", held)
        with pytest.raises(RunError, match=r"line 2: damaged .*'value'.*twice"):
            load_run(folder)
    with pytest.raises(RunError, match=r"line 2: damaged .*'value'.*twice"):
        run_items(items(3), score_number, folder=folder, config=CONFIG)


def test_a_line_that_changes_after_it_was_found_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries_module, "HELD_BYTES", 0)
    journal = _run(tmp_path / "run")
    found = load_run(tmp_path / "run")
    lines = _lines(journal)
    journal.write_bytes(b"".join([*lines[:2], _edited(lines[2]), *lines[3:]]))
    assert number_of(found.entries[1].item) == 1
    start = len(lines[0]) + len(lines[1])
    with pytest.raises(RunError, match=f"byte {start}: damaged .*its checksum does not fit"):
        _ = found.entries[2]
    journal.write_bytes(lines[0].replace(b'"value":0.0', b'"value":4.0'))
    with pytest.raises(RunError, match="byte 0: damaged"):
        read_at(journal, 0)


def test_a_write_that_stopped_half_way_is_mended_before_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    made = [Entry(item=item, outcome=score_number(item, None)) for item in items(4)]  # type: ignore[arg-type]
    with Journal(path) as journal:
        journal.append(made[:1])
        with monkeypatch.context() as patch:
            write = journal._write

            def half(data: bytes) -> None:
                write(data[: data.index(b"\n") + 20])
                raise OSError(28, "No space left on device")

            patch.setattr(journal, "_write", half)
            with pytest.raises(RunError, match="No space left"):
                journal.append(made[1:3])
        journal.append(made[2:])
    assert list(read_journal(path)) == made
