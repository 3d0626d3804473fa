"""Imports point downwards only, and heavy libraries stay where they belong."""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "aptone"

LAYERS = (
    {"__main__"},
    {"cli"},
    {"studio", "train", "view"},
    {"rooms"},
    {"report"},
    {"judge"},
    {"planner"},
    {"models", "ear"},
    {"ratings", "web"},
    {"run"},
    {"lexicon"},
    {"audio", "stats"},
    {"types", "errors", "files", "installation", "installed", "registry"},
    {"messages"},
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
WITHIN_THE_LOWEST = {
    ("types", "errors"),
    ("types", "registry"),
    ("registry", "errors"),
    ("registry", "installed"),
    ("files", "errors"),
    ("errors", "installation"),
}

TRAINING = ("train/", "models/local/", "models/omni/", "models/clap/")
"""Where the libraries of the extras ``local`` and ``train`` may be imported."""

# What costs a second or more to import, and where it may be imported nevertheless.
SLOW = {
    "accelerate",
    "torch",
    "transformers",
    "peft",
    "scipy.stats",
    "scipy.signal",
    "pandas",
    "polars",
    "ray",
    "matplotlib",
    "av",
}
SLOW_ALLOWED = {
    "run/executors/ray.py": {"ray"},
    "run/sharded/driver.py": {"ray"},
    "run/sources/manifest.py": {"pandas", "polars"},
    "audio/decode.py": {"av"},
}

# Libraries of extras, each imported on use in one place only.
EXTRAS = {
    "ratings/tasks.py": {"yaml"},
    "run/tables.py": {"pyarrow"},
    "models/omni/attention_triton.py": {"triton"},  # comes with torch for GPUs, and is imported there only
    "models/local/emotion2vec.py": {"funasr"},
    "models/moonshine.py": {"moonshine_voice"},
    "models/pocketsphinx_aligner.py": {"pocketsphinx"},
    "run/sources/arrow_tables.py": {"pyarrow"},
    "run/sources/remote.py": {"fsspec"},
    "run/http/post.py": {"httpx"},
    "studio/sign_in/identity_tokens.py": {"joserfc"},
}


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Everything that a module imports, by statement or by a name in a string."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and re.fullmatch(r"aptone(\.[a-z_]+)+(:\w+)?", str(node.value)):
            yield str(node.value).partition(":")[0]


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def test_every_folder_has_a_place_in_the_house() -> None:
    assert {room_of(path) for path in modules()} <= set(LEVEL)


def refused_imports(allowed: Callable[[Path, str], bool]) -> list[str]:
    """What modules import against a rule: one test for all of them, since there are hundreds."""
    return [
        f"{path.relative_to(SOURCE)} imports {name}"
        for path in modules()
        for name in imports(path)
        if not allowed(path, name)
    ]


@pytest.mark.slow
def test_a_module_imports_only_from_below_and_never_from_the_package_itself() -> None:
    def allowed(path: Path, name: str) -> bool:
        if not name.startswith("aptone."):
            return True
        room, other = room_of(path), name.split(".")[1]
        if other == room:
            return True
        return other in LEVEL and (LEVEL[other] > LEVEL[room] or (room, other) in WITHIN_THE_LOWEST)

    assert refused_imports(allowed) == []


def test_a_room_never_imports_another_room() -> None:
    def allowed(path: Path, name: str) -> bool:
        parts = path.relative_to(SOURCE).parts
        if parts[0] != "rooms" or len(parts) < 3 or not name.startswith("aptone.rooms."):
            return True
        return name.split(".")[2] in {parts[1], "room", "operation"}

    assert refused_imports(allowed) == []


def test_slow_libraries_are_imported_only_where_they_are_needed() -> None:
    def allowed(path: Path, name: str) -> bool:
        place = path.relative_to(SOURCE).as_posix()
        free = SLOW_ALLOWED.get(place, set())
        if place.startswith(TRAINING):
            free = free | {"accelerate", "torch", "transformers", "peft"}
        return {library for library in SLOW if name == library or name.startswith(f"{library}.")} <= free

    assert refused_imports(allowed) == []


def test_what_is_imported_is_python_ours_or_declared() -> None:
    def allowed(path: Path, name: str) -> bool:
        top = name.split(".")[0]
        return top in sys.stdlib_module_names or top in declared(path.relative_to(SOURCE).as_posix())

    assert refused_imports(allowed) == []


def declared(place: str) -> set[str]:
    """What a module may import of what others publish."""
    names = {"click", "filelock", "jinja2", "markupsafe", "numpy", "onnxruntime"}
    names |= {"platformdirs", "py3langid", "rich", "soundfile", "soxr", "aptone"} | SLOW
    if place.startswith(TRAINING):
        names |= {"accelerate", "onnx", "safetensors"}
    if place.startswith("rooms/aptness/books/formats/"):
        names |= {"defusedxml", "markdown_it", "pypdf", "pysubs2"}
    if place.startswith("studio/"):
        names |= {"sqlalchemy"}
    if place.startswith(("studio/server/", "view/", "web/")):
        names |= {"anyio", "fastapi", "prometheus_client", "pydantic", "pydantic_core", "starlette", "uvicorn"}
    return names | {"_typeshed"} | EXTRAS.get(place, set())  # the first is for the type checker only
