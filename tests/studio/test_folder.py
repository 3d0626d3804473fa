"""No path leads out of the project folder."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.studio.folder import path_inside
from aptone.web.refusals import NotFoundError
from tests.tables import for_each


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    (project / "clips").mkdir(parents=True)
    (project / "clips" / "a.wav").write_bytes(b"sound")
    (tmp_path / "secret.wav").write_bytes(b"secret")
    (tmp_path / "project-two").mkdir()
    (tmp_path / "project-two" / "b.wav").write_bytes(b"secret")
    (project / "out.wav").symlink_to(tmp_path / "secret.wav")
    (project / "outside").symlink_to(tmp_path)
    (project / "circle").symlink_to(project / "circle")
    (project / "linked.wav").symlink_to(project / "clips" / "a.wav")
    return project


@pytest.mark.parametrize("name", ["clips/a.wav", "./clips/a.wav", "clips//a.wav", "linked.wav"])
def test_a_file_inside_is_found(folder: Path, name: str) -> None:
    assert path_inside(folder, name) == folder / "clips" / "a.wav"


@for_each(
    "name",
    [
        "",
        ".",
        "clips",
        "missing.wav",
        "/etc/passwd",
        "../secret.wav",
        "clips/../../secret.wav",
        "clips/../clips/a.wav",
        "../project-two/b.wav",
        "out.wav",
        "outside/secret.wav",
        "circle",
        "circle/a.wav",
        "clips/a.wav\0",
        "clips/a.wav/b",
        "a" * 5000,
        "\ud800",
    ],
)
def test_all_else_is_refused_without_telling_where_it_leads(folder: Path, name: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        path_inside(folder, name)
    assert str(folder) not in str(caught.value)


@given(parts=st.lists(st.sampled_from(["..", ".", "clips", "outside", "a.wav", "secret.wav", "", "circle", "\0"])))
def test_no_combination_of_parts_leads_out(parts: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    base = tmp_path_factory.getbasetemp() / "combined"
    project = base / "project"
    if not base.exists():
        (project / "clips").mkdir(parents=True)
        (project / "clips" / "a.wav").write_bytes(b"sound")
        (base / "secret.wav").write_bytes(b"secret")
        (project / "outside").symlink_to(base)
        (project / "circle").symlink_to(project / "circle")
    try:
        found = path_inside(project.resolve(), "/".join(parts))
    except NotFoundError:
        return
    assert found.read_bytes() == b"sound"
