"""Messages name an install command that works for the copy that prints them."""

import json
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import pytest

from aptone import installation
from aptone.installation import Origin, install_command, origin, read_origin, repair_command, upgrade_command

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "aptone"
WHEEL = "https://example.org/aptone-0.1.0-py3-none-any.whl"
REPOSITORY = "https://example.org/aptone.git"


def test_a_source_tree_names_itself() -> None:
    assert origin() == Origin(folder=ROOT, editable=True)
    assert install_command("llm") == f'cd "{ROOT}" && pip install -e ".[llm]"'
    assert install_command() == f'cd "{ROOT}" && pip install -e "."'


@pytest.mark.parametrize(
    ("found", "install", "upgrade", "repair"),
    [
        (
            Origin(),
            'pip install "aptone[llm]"',
            'pip install --upgrade "aptone[llm]"',
            'pip install --force-reinstall "aptone"',
        ),
        (
            Origin(folder=Path("/here"), editable=True),
            'cd "/here" && pip install -e ".[llm]"',
            'cd "/here" && git pull && pip install -e ".[llm]"',
            'cd "/here" && git restore ":(glob)src/**/weights/**"',
        ),
        (
            Origin(folder=Path("/here")),
            'cd "/here" && pip install ".[llm]"',
            'cd "/here" && git pull && pip install ".[llm]"',
            'cd "/here" && pip install --force-reinstall "."',
        ),
        (
            Origin(address=WHEEL),
            f'pip install "aptone[llm] @ {WHEEL}"',
            f'pip install --upgrade "aptone[llm] @ {WHEEL}"',
            f'pip install --force-reinstall "aptone @ {WHEEL}"',
        ),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="paths are written otherwise")
def test_every_kind_of_copy_has_its_commands(
    monkeypatch: pytest.MonkeyPatch, found: Origin, install: str, upgrade: str, repair: str
) -> None:
    monkeypatch.setattr(installation, "origin", lambda: found)
    assert (install_command("llm"), upgrade_command("llm"), repair_command()) == (install, upgrade, repair)


def test_what_pip_wrote_down_is_read(tmp_path: Path) -> None:
    folder, wheel = tmp_path / "a clone", tmp_path / "aptone-0.1.0-py3-none-any.whl"
    folder.mkdir()
    wheel.touch()

    def read(**said: object) -> Origin:
        return read_origin(json.dumps(said))

    assert read(url=folder.as_uri(), dir_info={"editable": True}) == Origin(folder=folder, editable=True)
    assert read(url=folder.as_uri(), dir_info={}) == Origin(folder=folder)
    assert read(url=wheel.as_uri(), archive_info={}) == Origin(address=wheel.as_uri())
    assert read(url=WHEEL, archive_info={"hash": "sha256=00"}) == Origin(address=WHEEL)
    taken = {"vcs": "git", "commit_id": "00", "requested_revision": "main"}
    assert read(url=REPOSITORY, vcs_info=taken) == Origin(address=f"git+{REPOSITORY}@main")
    assert read(url=REPOSITORY, vcs_info={"vcs": "git", "commit_id": "00"}) == Origin(address=f"git+{REPOSITORY}")


@pytest.mark.parametrize(
    "written", [None, "", "{}", "[]", "no JSON", '{"url": "file:///no/such/folder", "dir_info": {}}']
)
def test_without_a_place_that_is_there_the_index_is_named(written: str | None) -> None:
    assert read_origin(written) == Origin()


def test_no_other_module_writes_an_install_command_of_its_own() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    told = [f"pip install {quote}aptone" for quote in ("", "'", '"')] + [f'pip install ".[{extra}' for extra in extras]
    modules = [path for path in SOURCE.rglob("*.py") if path.name != "installation.py"]
    assert [str(path) for path in modules if any(one in path.read_text(encoding="utf-8") for one in told)] == []


def test_no_page_names_a_package_of_an_index_that_does_not_have_it() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md"), *SOURCE.rglob("*.md")]
    assert [
        str(page) for page in pages if re.search(r"pip install [\"']?aptone", page.read_text(encoding="utf-8"))
    ] == []


@pytest.mark.slow
def test_the_command_of_an_installed_wheel_names_the_wheel(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    subprocess.run(
        [python, "-I", "-m", "pip", "install", "-q", "--no-deps", str(wheel)], check=True, capture_output=True
    )
    asked = "from aptone.installation import install_command; print(install_command('llm'))"
    shown = subprocess.run([python, "-I", "-c", asked], check=True, capture_output=True, text=True, cwd=tmp_path)
    assert shown.stdout.strip() == f'pip install "aptone[llm] @ {wheel.as_uri()}"'
    command = [str(python), "-I", "-m", "pip", "install", "--dry-run", "--no-deps", f"aptone[llm] @ {wheel.as_uri()}"]
    subprocess.run(command, check=True, capture_output=True)
