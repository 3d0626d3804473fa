"""The project folder."""

import os
from pathlib import Path

import pytest

from aptone.errors import UsageError
from aptone.studio.project import Project
from aptone.studio.refusals import NotFoundError


def test_a_folder_becomes_a_project_with_its_database_inside(tmp_path: Path) -> None:
    with Project.open(tmp_path / "new" / "project") as project:
        assert sorted(path.name for path in project.folder.iterdir() if path.is_dir()) == ["clips"]
        assert (project.folder / "studio.sqlite").is_file()
        assert project.path("studio.sqlite").is_file()
        with pytest.raises(NotFoundError):
            project.path("../studio.sqlite")


def test_a_file_cannot_be_a_project(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot hold a project"):
        Project.open(tmp_path / "file")


def test_other_users_of_the_machine_cannot_read_the_database(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with Project.open(tmp_path / "study") as project:
            project.people.invite("annotator", name="Ada").result()
            modes = {file.name: file.stat().st_mode & 0o077 for file in project.folder.glob("studio.sqlite*")}
    finally:
        os.umask(before)
    assert "studio.sqlite" in modes
    assert set(modes.values()) == {0}
