"""Benchmarks tell how they are run and what they wrote, and nothing in their folder belongs to none of them."""

import ast
import re
from pathlib import Path

import pytest

from tests.tables import for_each

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "benchmarks"
TABLE = (FOLDER / "README.md").read_text(encoding="utf-8")
MODULES = {
    path.relative_to(FOLDER).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(FOLDER.rglob("*.py"))
}
"""Scripts and their parts, by their paths: ``dtw``, ``attacks/stalled_sign_ins``."""


def docstring(name: str) -> str:
    return ast.get_docstring(ast.parse(MODULES[name])) or ""


def commands(name: str) -> list[tuple[str, str]]:
    """How a module says that it is run: the script, and what follows it, lines that are indented further included."""
    found = re.findall(r"python (?:-m benchmarks\.|benchmarks/)(\w+(?:[./]\w+)*)((?:.|\n {8,})*)", docstring(name))
    named = [(script.removesuffix(".py").replace(".", "/"), rest) for script, rest in found]
    return [(script, rest) for script, rest in named if script in MODULES]


def options(name: str) -> set[str]:
    """Options that a script declares."""
    calls = (node for node in ast.walk(ast.parse(MODULES[name])) if isinstance(node, ast.Call))
    adds = (call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument")
    return {str(part.value) for call in adds for part in call.args if isinstance(part, ast.Constant)}


@for_each("name", MODULES)
def test_a_benchmark_is_in_the_table_or_a_part_of_one_that_is(name: str) -> None:
    if any(script == name for script, _ in commands(name)):
        assert f"`{name}.py`" in TABLE
    else:
        others = "\n".join(text for other, text in MODULES.items() if other != name)
        module = name.replace("/", r"\.")
        assert re.search(rf"benchmarks(?:\.{module}\b| import .*\b{module}\b)", others), "nobody imports it"


@pytest.mark.slow
@for_each("name", MODULES)
def test_the_commands_of_a_docstring_have_options_that_exist(name: str) -> None:
    for script, rest in commands(name):
        named = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", rest.partition("#")[0]))
        assert named <= options(script), script


@for_each("name", MODULES)
def test_a_script_that_imports_others_is_run_as_a_module(name: str) -> None:
    imports_others = re.search(r"^from benchmarks", MODULES[name], flags=re.MULTILINE) is not None
    assert not (imports_others and f"python benchmarks/{name}.py" in docstring(name))


def test_every_result_is_in_the_table_and_what_the_table_names_exists() -> None:
    named = set(re.findall(r"`(results/[\w./-]+)`", TABLE))
    for name in named:
        assert (FOLDER / name).exists(), name
    folders = tuple(name for name in named if name.endswith("/"))
    kept = {path.relative_to(FOLDER).as_posix() for path in (FOLDER / "results").rglob("*") if path.is_file()}
    assert {name for name in kept if not name.startswith(folders)} <= named


def test_every_row_of_the_table_names_a_script_and_a_result() -> None:
    rows = re.findall(r"^\| `([\w/]+)\.py` \|.*\|(.*)\|$", TABLE, flags=re.MULTILINE)
    assert len(rows) == len(re.findall(r"^\| `", TABLE, flags=re.MULTILINE))
    for script, result in rows:
        assert script in MODULES
        assert re.search(r"`(results|src)/", result), script
