"""Recordings of runs that were moved or copied: found by their bytes, at the end of their old path."""

import hashlib
import os
from pathlib import Path

import pytest

from aptone.run.folder import Whereabouts
from aptone.types import AudioRef, Entry, Item, Json, Outcome, Score, State, to_json
from tests.tables import for_each


def _recording(path: Path, content: bytes = b"a wave") -> AudioRef:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return AudioRef(str(path), 0.5, 1.5, hashlib.sha256(content).hexdigest())


@for_each("run", ["run", "runs/of/today", "clips/run"])
@for_each("clip", ["a.wav", "clips/a.wav", "clips/en/a.wav", "run/answers/a.wav"])
def test_a_recording_that_was_moved_with_its_run_is_found(tmp_path: Path, run: str, clip: str) -> None:
    ref = _recording(tmp_path / "old" / clip)
    (tmp_path / "old" / run).mkdir(parents=True, exist_ok=True)
    (tmp_path / "old").rename(tmp_path / "new")
    found = Whereabouts(tmp_path / "new" / run).locate(ref)
    assert found == AudioRef(str(tmp_path / "new" / clip), 0.5, 1.5, ref.sha256)


def test_a_recording_that_stayed_where_it_is_keeps_its_place(tmp_path: Path) -> None:
    ref = _recording(tmp_path / "data" / "a.wav")
    _recording(tmp_path / "elsewhere" / "data" / "a.wav")
    assert Whereabouts(tmp_path / "elsewhere" / "run").locate(ref) == ref


def test_of_a_copy_and_an_original_that_has_changed_since_the_copy_is_taken(tmp_path: Path) -> None:
    ref = _recording(tmp_path / "old" / "clips" / "a.wav")
    _recording(tmp_path / "copy" / "clips" / "a.wav")
    Path(ref.path).write_bytes(b"recorded anew")
    assert Path(Whereabouts(tmp_path / "copy" / "run").locate(ref).path) == tmp_path / "copy" / "clips" / "a.wav"


def test_another_recording_of_the_same_name_is_not_taken_for_it(tmp_path: Path) -> None:
    ref = _recording(tmp_path / "old" / "clips" / "a.wav")
    (tmp_path / "old").rename(tmp_path / "away")
    _recording(tmp_path / "new" / "clips" / "a.wav", b"another wave")
    assert Whereabouts(tmp_path / "new" / "run").locate(ref) == ref


def test_without_a_hash_only_the_folder_of_the_run_is_searched(tmp_path: Path) -> None:
    inside = AudioRef(str(tmp_path / "old" / "run" / "answers" / "a.wav"))
    beside = AudioRef(str(tmp_path / "old" / "clips" / "a.wav"))
    _recording(tmp_path / "new" / "run" / "answers" / "a.wav")
    _recording(tmp_path / "new" / "clips" / "a.wav")
    whereabouts = Whereabouts(tmp_path / "new" / "run")
    assert Path(whereabouts.locate(inside).path) == tmp_path / "new" / "run" / "answers" / "a.wav"
    assert whereabouts.locate(beside) == beside


def test_a_path_with_a_way_up_in_it_is_found_as_well(tmp_path: Path) -> None:
    ref = _recording(tmp_path / "old" / "clips" / "a.wav")
    (tmp_path / "old").rename(tmp_path / "new")
    crooked = AudioRef(str(tmp_path / "old" / "lists" / ".." / "clips" / "a.wav"), sha256=ref.sha256)
    assert Path(Whereabouts(tmp_path / "new" / "run").locate(crooked).path) == tmp_path / "new" / "clips" / "a.wav"


def test_a_run_named_relative_to_where_one_stands_is_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = _recording(tmp_path / "old" / "clips" / "a.wav")
    (tmp_path / "old" / "run").mkdir()
    (tmp_path / "old").rename(tmp_path / "new")
    monkeypatch.chdir(tmp_path / "new" / "run")
    assert Path(Whereabouts(Path()).locate(ref).path) == tmp_path / "new" / "clips" / "a.wav"


@for_each("path", ["-", "/", "..", "a\0b", "x" * 5000, "run"])
def test_what_is_no_name_of_a_recording_stays_as_it_is(tmp_path: Path, path: str) -> None:
    (tmp_path / "run").mkdir()
    for ref in (AudioRef(path), AudioRef(path, sha256="00")):
        assert Whereabouts(tmp_path / "run").locate(ref) == ref


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are made by os.mkfifo, which this system lacks")
def test_a_pipe_of_the_same_name_is_not_waited_for(tmp_path: Path) -> None:
    ref = _recording(tmp_path / "old" / "a.wav")
    (tmp_path / "old").rename(tmp_path / "away")
    (tmp_path / "new").mkdir()
    os.mkfifo(tmp_path / "new" / "a.wav")
    assert Whereabouts(tmp_path / "new" / "run").locate(ref) == ref


def test_all_recordings_of_an_entry_are_placed_and_the_rest_is_left_alone(tmp_path: Path) -> None:
    refs = [_recording(tmp_path / "old" / f"{name}.wav", name.encode()) for name in "abc"]
    (tmp_path / "old").rename(tmp_path / "new")
    damaged: Json = {**to_json(refs[0]), "start": -1.0}
    spoken: list[Json] = [{"audio": to_json(ref)} for ref in refs[:2]]
    payload: dict[str, Json] = {"turns": spoken, "text": "Go!", "broken": damaged, "age": 3}
    evidence: dict[str, Json] = {"answers": [to_json(refs[2])]}
    entry = Entry(Item.make("i", payload), Outcome(State.DONE, {"fitness": Score(4.0)}, evidence=evidence))
    placed = Whereabouts(tmp_path / "new" / "run").locate_all(entry)
    moved = [{**to_json(ref), "path": str(tmp_path / "new" / Path(ref.path).name)} for ref in refs]
    turns = [{"audio": one} for one in moved[:2]]
    assert placed.item.payload == {"turns": turns, "text": "Go!", "broken": damaged, "age": 3}
    assert placed.outcome.evidence == {"answers": [moved[2]]}
    assert placed.item.content_hash == entry.item.content_hash
