"""Parts shared by the commands of ``aptone train``."""

import contextlib
import difflib
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import click

from aptone.errors import MissingExtraError, UsageError
from aptone.types import loads

Command = TypeVar("Command", bound=Callable[..., Any])
FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)

LIBRARIES = {"accelerate", "onnx", "peft", "safetensors", "torch", "transformers"}
"""Libraries of the extra ``train``."""


class TrainCommand(click.Command):
    """Command that refuses the former names of its options, and names the new ones.

    Args:
        renamed: former option to new option, such as ``--look`` to ``--eval-every``.
    """

    def __init__(self, *args: Any, renamed: Mapping[str, str] = MappingProxyType({}), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.renamed = renamed

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line.

        Raises:
            UsageError: if a former option is given.
        """
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if (new := self.renamed.get(error.option_name)) is None:
                raise
            raise UsageError(f"{error.option_name} is now {new}.") from error


@contextlib.contextmanager
def training_parts() -> Iterator[None]:
    """Turn a missing training library into an error that names the extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in LIBRARIES:
            raise
        raise MissingExtraError("training", extra="train") from error


def config_option(command: Command) -> Command:
    """Add ``--config``: a file with options, overridden by those on the command line."""
    return click.option(
        "--config",
        type=click.Path(path_type=Path, dir_okay=False),
        callback=_read_config,
        is_eager=True,
        expose_value=False,
        help="TOML or JSON file with options by their long names; the command line overrides it.",
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
    former: Mapping[str, str] = getattr(context.command, "renamed", {})
    chosen = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if (new := former.get(f"--{name.replace('_', '-')}")) is not None and name not in names:
            raise UsageError(f"{path}: {key} is now {new.removeprefix('--').replace('-', '_')}.")
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            meant = f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(sorted(names))}."
            raise UsageError(f"{path}: unknown option {key!r}{meant}")
        chosen[names[name]] = value
    context.default_map = {**(context.default_map or {}), **chosen}


def read_config(path: Path) -> dict[str, Any]:
    """Return the options in a file.

    Raises:
        UsageError: if it cannot be read as TOML, or as JSON where its name ends in ``.json``.
    """
    try:
        data = path.read_bytes()
        found = loads(data, what=str(path)) if path.suffix == ".json" else tomllib.loads(data.decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as options ({error}); expected TOML or JSON.") from error
    if not isinstance(found, dict):
        raise UsageError(f"{path}: expected an object of options, such as batch_size = 32.")
    return found
