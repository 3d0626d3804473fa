"""Options that the commands of ``aptone studio`` share."""

import importlib.util
from pathlib import Path

import click

from aptone.cli.output import Command
from aptone.errors import MissingExtraError

DATABASE_VARIABLE = "APTONE_STUDIO_DATABASE_URL"
NEEDED = ("pydantic", "sqlalchemy", "starlette", "uvicorn", "yaml")
"""Libraries of the extra that the studio cannot do without."""


def require_studio() -> None:
    """Make sure that the studio can run here.

    Raises:
        MissingExtraError: if its libraries are not installed.
    """
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        raise MissingExtraError("the studio", extra="studio")


def database_option(command: Command) -> Command:
    """Add ``--database-url``."""
    return click.option(
        "--database-url",
        default="",
        envvar=DATABASE_VARIABLE,
        metavar="URL",
        help=f"postgresql://USER:PASSWORD@HOST/NAME instead of SQLite in the folder; better in {DATABASE_VARIABLE}.",
    )(command)


def language_option(command: Command) -> Command:
    """Add ``--lang``."""
    return click.option(
        "--lang", "language", type=click.Choice(["en", "zh"]), default="en", show_default=True, help="Of what is printed."
    )(command)


def folder_argument(command: Command) -> Command:
    """Add the folder of the project."""
    return click.argument("folder", metavar="PROJECT", type=click.Path(path_type=Path))(command)


def task_option(command: Command) -> Command:
    """Add ``--task``."""
    return click.option("--task", "task_name", required=True, help="Name of a task of the project.")(command)
