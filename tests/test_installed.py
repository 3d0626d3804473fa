"""What installed packages declare is read once, and again as soon as packages come or go."""

import importlib.metadata
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aptone import installed
from aptone.installed import entry_points


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[None]]:
    """One element for each time that everything was read; nothing is known at first."""
    read = importlib.metadata.entry_points
    counted: list[None] = []

    def reading() -> Any:
        counted.append(None)
        return read()

    monkeypatch.setattr(importlib.metadata, "entry_points", reading)
    installed._all_points.cache_clear()
    yield counted
    installed._all_points.cache_clear()


def install(site: Path, name: str) -> None:
    """A package that brings an engine of its own name."""
    about = site / f"{name}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[aptone.engines]\n{name} = math:pi\n", encoding="utf-8")


def names() -> set[str]:
    return {point.name for point in entry_points(group="aptone.engines")}


def test_groups_are_those_of_the_standard_library_and_all_of_them_are_read_at_once(scans: list[None]) -> None:
    for group in ("aptone.engines", "aptone.verbs", "console_scripts", "nothing.of.the.kind"):
        assert set(entry_points(group=group)) == set(importlib.metadata.EntryPoints(_read(group)))
    assert len(scans) == 1


def _read(group: str) -> importlib.metadata.EntryPoints:
    found = [point for package in importlib.metadata.distributions() for point in package.entry_points]
    return importlib.metadata.EntryPoints(found).select(group=group)


def test_packages_that_come_and_go_are_noticed(
    scans: list[None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = names()
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "one")
    assert names() == before | {"one"}
    install(tmp_path, "two")
    assert names() == before | {"one", "two"}
    shutil.rmtree(tmp_path / "one-1.dist-info")
    assert names() == before | {"two"}
    monkeypatch.undo()


def test_places_that_are_no_folders_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = names()
    monkeypatch.syspath_prepend(tmp_path / "nowhere")
    assert names() == before
