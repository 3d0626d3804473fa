"""What users import, pinned: a change here is a change for everyone."""

import subprocess
import sys

import pytest

import aptone
from tests.tables import for_each

PUBLIC = [
    "Annotation",
    "AptoneError",
    "Audio",
    "AudioError",
    "AudioRef",
    "Estimate",
    "Item",
    "Line",
    "MissingExtraError",
    "Outcome",
    "Perception",
    "Plan",
    "RatingTask",
    "RecordError",
    "References",
    "RegistryError",
    "RunError",
    "Sample",
    "Score",
    "TransientError",
    "TrustCard",
    "UnusableReplyError",
    "UsageError",
    "answer",
    "caption",
    "compare",
    "dialogue",
    "from_json",
    "hear",
    "load_run",
    "plan",
    "plan_book",
    "rank",
    "read_audio",
    "reference",
    "run_items",
    "score",
    "search",
    "style",
    "to_json",
]

HEAVY = ["torch", "scipy", "onnxruntime", "soundfile", "soxr", "rich", "jinja2", "click", "pandas", "polars", "ray"]


def test_the_public_names_are_these() -> None:
    assert aptone.__all__ == PUBLIC
    assert set(PUBLIC) <= set(dir(aptone))


@for_each("name", PUBLIC)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(aptone, name).__name__.rpartition(".")[2] == name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'scroe'"):
        aptone.scroe  # noqa: B018  (the access is the test)


def loaded_by(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(' '.join(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(shown.stdout.split())


def test_importing_aptone_loads_no_heavy_library() -> None:
    loaded = loaded_by("import aptone")
    assert not loaded & {*HEAVY, "numpy"}


def test_the_path_of_score_loads_neither_torch_nor_scipy() -> None:
    loaded = loaded_by("import aptone.cli.score, aptone.judge.engines")
    assert not loaded & {"torch", "scipy", "pandas", "polars", "ray", "av", "matplotlib"}


def test_the_path_of_hear_loads_neither_torch_nor_scipy() -> None:
    loaded = loaded_by("import aptone.cli.hear, aptone.ear.perceive")
    assert not loaded & {"torch", "scipy", "pandas", "polars", "ray", "av", "matplotlib"}


def test_the_help_loads_no_verb_and_nothing_heavy() -> None:
    quietly = "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):"
    loaded = loaded_by(f"{quietly}\n import aptone.cli.main as cli; cli.run(['--help'])")
    assert not loaded & ({*HEAVY, "numpy"} - {"click"})
    assert "aptone.cli.score" not in loaded


def test_the_help_of_no_command_loads_anything_heavy() -> None:
    script = """
import contextlib, io, sys
import aptone.cli.main as cli
from aptone.cli.help_pages import read_pages

heavy = set(sys.argv[1:])
for name in [*read_pages(), "bench", "build"]:
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        assert cli.run([*name.split(), "--help"]) == 0
    assert shown.getvalue().startswith(f"Usage: aptone {name} "), name
    assert not heavy & sys.modules.keys(), (name, heavy & sys.modules.keys())
"""
    heavy = {*HEAVY, "numpy"} - {"click"}
    shown = subprocess.run([sys.executable, "-c", script, *heavy], capture_output=True, text=True, check=False)
    assert shown.stderr == ""
