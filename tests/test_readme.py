"""What the README tells people to type exists, and CI runs nothing else."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from aptone.cli.main import main
from aptone.run import RunConfig, RunFolder

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def commands(language: str) -> list[str]:
    blocks = re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    return [line.removeprefix("$ ").strip() for line in lines if line.startswith("$ ")]


def make_targets() -> set[str]:
    return set(re.findall(r"^([a-z]+):", MAKEFILE, flags=re.MULTILINE))


def test_the_readme_shows_a_scored_clip_first_and_then_the_two_commands() -> None:
    first, *others = [shlex.split(line, comments=True) for line in commands("console")]
    assert first[:2] == ["aptone", "score"]
    assert others == [["make", "demo"], ["make", "test"]]


def test_the_clip_in_the_readme_gets_the_score_that_it_shows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (block,) = re.findall(r"```console\n(\$ aptone score .*?)```", README, flags=re.DOTALL)
    command = block.replace("\\\n", " ").splitlines()[0]
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "96")
    with pytest.raises(SystemExit, match="0"):
        main(shlex.split(command)[2:])
    score = r"([\d.]+) ± [\d.]+ / 5"
    shown, printed = (re.search(score, text) for text in (block, capsys.readouterr().out))
    assert shown is not None
    assert printed is not None
    assert float(printed[1]) == pytest.approx(float(shown[1]), abs=0.1)


def test_every_make_target_in_the_readme_exists() -> None:
    named = [shlex.split(line, comments=True)[1] for line in commands("console") if line.startswith("make ")]
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
