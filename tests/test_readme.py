"""What the README tells people to type exists, and CI runs nothing else."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from aptone.run import RunConfig, RunFolder

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def commands(language: str) -> list[str]:
    blocks = re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)
    lines = [line.removeprefix("$ ").strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", MAKEFILE, flags=re.MULTILINE))


def test_the_readme_names_the_two_commands_first() -> None:
    assert [shlex.split(line, comments=True) for line in commands("sh")[:2]] == [["make", "demo"], ["make", "test"]]


def test_every_make_target_in_the_readme_exists() -> None:
    named = [shlex.split(line, comments=True)[1] for line in commands("sh") if line.startswith("make ")]
    assert named
    assert set(named) <= make_targets()


def test_every_extra_in_the_readme_exists() -> None:
    extras = set(re.findall(r"\.\[([a-z]+)\]", README))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = re.search(r"\[project.optional-dependencies\]\n(.*?)\n\[", project, flags=re.DOTALL)
    assert declared is not None
    assert extras
    assert extras <= set(re.findall(r"^([a-z]+) = ", declared.group(1), flags=re.MULTILINE))


def test_the_python_in_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clip = ROOT / "examples" / "lighthouse" / "clips" / "wall-apt.opus"
    shutil.copy(clip, tmp_path / "clip.wav")  # the content decides, not the name
    shutil.copy(ROOT / "examples" / "lighthouse" / "story.en.txt", tmp_path / "story.txt")
    with RunFolder(tmp_path / "run", RunConfig("score", "built-in")):
        pass
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    assert "The emotion should be" in capsys.readouterr().out
    assert len(names["frame"]) == 0  # type: ignore[arg-type]


def test_ci_calls_make_test_and_nothing_that_the_readme_does_not_name() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    lines = [line for line in script.splitlines() if line and not line.startswith(("#", "set ", "cd "))]
    assert lines == ["make test"]
