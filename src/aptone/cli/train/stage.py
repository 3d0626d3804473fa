"""What all stages of ``aptone train`` share on the command line."""

import contextlib
import difflib
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from aptone.errors import MissingExtraError, UsageError
from aptone.types import loads

Command = TypeVar("Command", bound=Callable[..., Any])
FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)

LIBRARIES = {"accelerate", "onnx", "peft", "safetensors", "torch", "transformers"}
"""Of the extra ``train``."""


@contextlib.contextmanager
def training_parts() -> Iterator[None]:
    """Around imports of what trains: where a library is missing, the extra that brings it is named."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in LIBRARIES:
            raise
        raise MissingExtraError("training", extra="train") from error


def config_option(command: Command) -> Command:
    """Add ``--config``: a file with options, which those that are typed override."""
    return click.option(
        "--config",
        type=click.Path(path_type=Path, dir_okay=False),
        callback=_read_config,
        is_eager=True,
        expose_value=False,
        help="TOML or JSON file with options by their long names; what is typed counts more.",
    )(command)


def _read_config(context: click.Context, parameter: click.Parameter, path: Path | None) -> None:
    if path is None:
        return
    given = read_config(path)
    names = {
        option.removeprefix("--").replace("-", "_"): str(one.name)
        for one in context.command.params
        for option in one.opts
        if option.startswith("--") and one is not parameter
    }
    chosen = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            meant = f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(sorted(names))}."
            raise UsageError(f"{path}: unknown option {key!r}{meant}")
        chosen[names[name]] = value
    context.default_map = {**(context.default_map or {}), **chosen}


def read_config(path: Path) -> dict[str, Any]:
    """The options in a file.

    Raises:
        UsageError: if it cannot be read as TOML, or as JSON where its name ends in ``.json``.
    """
    try:
        data = path.read_bytes()
        found = loads(data, what=str(path)) if path.suffix == ".json" else tomllib.loads(data.decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as options ({error}); expected TOML or JSON.") from error
    if not isinstance(found, dict):
        raise UsageError(f"{path}: expected an object of options, such as batch = 32.")
    return found
