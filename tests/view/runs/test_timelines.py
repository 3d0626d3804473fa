"""Drawings are made once and kept on disk, up to a number and an age."""

import os
from pathlib import Path

import pytest

from aptone.view.runs import timelines
from aptone.view.runs.timelines import kept_drawing


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(timelines, "user_cache_path", lambda name: tmp_path / name)
    return tmp_path / "aptone" / "timelines"


def test_a_drawing_is_made_once(cache: Path) -> None:
    assert kept_drawing("a", lambda: "<svg>音</svg>") == "<svg>音</svg>"
    assert kept_drawing("a", lambda: pytest.fail("made again")) == "<svg>音</svg>"
    assert kept_drawing("\ud800", lambda: "other") == "other"
    assert len(list(cache.iterdir())) == 2


def test_old_drawings_and_those_beyond_the_limit_are_removed(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timelines, "MOST_KEPT", 2)
    kept_drawing("old", lambda: "old")
    (file,) = cache.iterdir()
    os.utime(file, (0, 0))
    kept_drawing("a", lambda: "a")
    assert not file.exists()
    kept_drawing("b", lambda: "b")
    kept_drawing("c", lambda: "c")
    assert len(list(cache.iterdir())) == 2


def test_a_cache_that_cannot_be_written_is_done_without(cache: Path) -> None:
    cache.parent.parent.mkdir(exist_ok=True)
    cache.parent.write_text("in the way")
    assert kept_drawing("a", lambda: "drawn") == "drawn"
