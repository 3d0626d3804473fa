import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from aptone.cli.main import main

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # makes `tests.models.mock_server` importable


@dataclass(frozen=True)
class Shown:
    """What a command printed, and how it exited."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Aptone = Callable[..., Shown]


@pytest.fixture
def aptone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Aptone:
    """Type a command, in an empty folder with a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("APTONE_CACHE", str(tmp_path / "cache" / "replies.sqlite"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments: object) -> Shown:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        code = ended.value.code
        return Shown(code if isinstance(code, int) else -1, printed.out, printed.err)

    return run


Score = Callable[..., None]


@pytest.fixture(scope="module")
def score_once(tmp_path_factory: pytest.TempPathFactory) -> Score:
    """Score in a folder, for runs that the tests of a module copy: scoring takes longer than what they look at."""

    def run(folder: Path, *arguments: object, code: int = 0) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            patch.setenv("APTONE_CACHE", str(tmp_path_factory.mktemp("cache") / "replies.sqlite"))
            with pytest.raises(SystemExit) as ended:
                main(["score", *map(str, arguments)])
        assert ended.value.code == code

    return run


@pytest.fixture(scope="session")
def clip() -> Path:
    return Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"


@pytest.fixture(scope="session")
def manifest() -> Path:
    return Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "manifest.jsonl"
