"""No published figure outlives the ear, planner or judge that it was measured on without saying so."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.made_with import PARTS, revision
from tests.tables import for_each

ROOT = Path(__file__).resolve().parents[1]
BENCHMARKS = ROOT / "benchmarks"
RESULTS = BENCHMARKS / "results"
LIST = (RESULTS / "OUTDATED.md").read_text(encoding="utf-8")
LISTED = {name: parts.split(", ") for name, parts in re.findall(r"^\| `(\w+)\.json` \| ([^|]+) \|", LIST, re.MULTILINE)}
SCRIPTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(BENCHMARKS.glob("*.py"))}
OTHER_WRITERS = {"ear_permissive": "ear", "bias": "bias_picture", "miniature": "miniature_report"}
"""Results whose script has another name."""
MEASURED = re.compile(r"^(?:from|import) aptone(?:\.(?:ear|planner|judge|__main__|cli)\b| import)", re.MULTILINE)
"""An import of what has revisions."""


def named(path: Path) -> Mapping[str, str] | None:
    """The revisions that a result names; ``None`` where it has none to name."""
    found: Any = json.loads(path.read_text(encoding="utf-8"))
    return found.get("made_with") if isinstance(found, dict) else None


MADE_WITH = {path.stem: found for path in sorted(RESULTS.glob("*.json")) if (found := named(path)) is not None}


@cache
def present() -> Mapping[str, str]:
    return {part: revision(part) for part in PARTS}


def outdated(made_with: Mapping[str, str]) -> list[str]:
    """The parts that have moved on since."""
    return [part for part, of in made_with.items() if of != present()[part]]


@for_each("name", MADE_WITH)
def test_a_result_of_something_older_is_listed_with_the_parts_that_moved_on(name: str) -> None:
    moved = outdated(MADE_WITH[name])
    advice = "make it again, or give the reason why it still stands"
    assert LISTED.get(name, []) == moved, f"results/OUTDATED.md, {name}.json: {', '.join(moved) or 'nothing'}; {advice}"


def test_only_results_that_exist_are_listed_and_each_has_a_reason() -> None:
    assert set(LISTED) <= set(MADE_WITH)
    reasons = re.findall(r"^\| `\w+\.json` \| [^|]+ \| ([^|]+) \|$", LIST, flags=re.MULTILINE)
    assert len(reasons) == len(LISTED)
    assert min(map(len, reasons)) >= len("As `ear.json`.")


def pages() -> list[Path]:
    """Documents that people read, besides the table of benchmarks, which points at the list once for all."""
    top = [
        *ROOT.glob("README.md"),
        *(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts),
        *(ROOT / "recipes").rglob("*.md"),
    ]
    return [*top, *(ROOT / "src").rglob("*.md")]


@for_each("page", pages(), ids=lambda page: page.name)
def test_a_page_that_quotes_an_outdated_result_says_so(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    quoted = [name for name in LISTED if re.search(rf"benchmarks[/.]{name}\b|results/{name}\.json", text)]
    pointing = " ".join(part for part in re.split(r"\n\s*\n", text) if "results/OUTDATED.md" in part)
    silent = [name for name in quoted if not re.search(rf"`{name}(\.\w+)?`", pointing)]
    assert silent == [], f"{page.relative_to(ROOT)} must say that they are outdated, and name results/OUTDATED.md"


@for_each("name", [name for name in SCRIPTS if (RESULTS / f"{name}.json").exists() and MEASURED.search(SCRIPTS[name])])
def test_a_script_that_measures_them_says_which_revisions_it_measured(name: str) -> None:
    if name == "miniature_rival":  # writes a control of `miniature.json`, in the form in which that reads it
        return
    assert "with_revisions(" in SCRIPTS[name], "write the result with benchmarks.made_with.with_revisions"
    assert name in MADE_WITH, f"results/{name}.json does not say what it was made with"


@for_each("name", MADE_WITH)
def test_a_result_names_known_parts_and_those_that_its_script_writes(name: str) -> None:
    assert set(MADE_WITH[name]) <= set(PARTS)
    script = SCRIPTS.get(OTHER_WRITERS.get(name, name))
    if script is not None and (
        call := re.search(r"with_revisions\((?:\w+|\{.*?\})((?:,\s*\"[^\"]+\")*),?\s*\)", script)
    ):
        assert set(MADE_WITH[name]) == set(re.findall(r"\"([^\"]+)\"", call[1]))


def test_a_revision_is_of_code_and_of_what_was_learned_and_of_no_option() -> None:
    assert re.fullmatch(r"revision \d+ weights [0-9a-f]{12}", present()["ear"])
    assert re.fullmatch(r"revision \d+ weights [0-9a-f]{12}", present()["planner"])
    assert re.fullmatch(r"revision \d+ parameters [0-9a-f]{12}", present()["judge"])
    assert outdated({**present(), "ear": "revision 0"}) == ["ear"]
