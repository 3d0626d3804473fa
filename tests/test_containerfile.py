"""The container is built from files that it copies: all that the wheel needs must be among them."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
COPIED = re.compile(r"^COPY (.+) (/source/\S*)$", flags=re.MULTILINE)


def copied() -> dict[str, str]:
    """Files and folders of the repository, and where they lie below ``/source``."""
    found = {}
    for names, target in COPIED.findall((ROOT / "Containerfile").read_text(encoding="utf-8")):
        for name in names.split():
            found[name] = (target + name if target.endswith("/") else target).removeprefix("/source/")
    return found


def test_everything_that_the_wheel_is_made_from_is_copied() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = [*project["project"]["license-files"], "README.md", "constraints.txt", "pyproject.toml"]
    needed += project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    places = list(copied().values())
    assert [name for name in needed if not any(Path(name).is_relative_to(place) for place in places)] == []
    assert all(name == place for name, place in copied().items())


@pytest.mark.slow
def test_the_wheel_is_built_from_what_is_copied(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    for name, place in copied().items():
        source, target = ROOT / name, tmp_path / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    assert list((tmp_path / "dist").glob("aptone-*.whl"))
