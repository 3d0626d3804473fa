"""Verbs read sources of any kind."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aptone.cli.rank import _takes
from aptone.run.sources.audio_cache import VARIABLE
from tests.run.sources import files


def test_hear_takes_a_list_of_another_toolkit_and_keeps_its_columns(
    aptone: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    shown = aptone("hear", str(files.parquet_bytes(tmp_path)), "--json")
    rows = [json.loads(line) for line in shown.out.splitlines()]  # type: ignore[attr-defined]
    assert [row["id"] for row in rows] == [f"u{number}" for number in range(files.COUNT)]
    assert {row["meta.studio"] for row in rows} == {"two"}
    assert {row["meta.text"] for row in rows} == {files.line(number) for number in range(files.COUNT)}
    assert "read as Parquet: id=id, audio=audio, speaker=speaker; " in shown.err  # type: ignore[attr-defined]


def test_a_folder_of_takes_is_its_recordings_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "take10.wav").write_bytes(files.tone(1))
    (tmp_path / "take2.wav").write_bytes(files.tone(2))
    assert [path.name for path in _takes(tmp_path)] == ["take2.wav", "take10.wav"]
