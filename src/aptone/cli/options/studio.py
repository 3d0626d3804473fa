"""Options that the commands of ``aptone studio`` share."""

import contextlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from aptone.cli.commands import add_options
from aptone.cli.options.language import lang_option
from aptone.cli.options.values import PATH, number_option
from aptone.errors import MissingExtraError, UsageError
from aptone.messages import message
from aptone.rooms.answer.data import RATED_PER_DIMENSION

if TYPE_CHECKING:
    from aptone.judge.aspects.feelings import FeelingLexicon
    from aptone.studio.project import Project

DATABASE_VARIABLE = "APTONE_STUDIO_DATABASE_URL"
NEEDED = ("fastapi", "httpx", "joserfc", "pydantic", "sqlalchemy", "starlette", "uvicorn", "yaml")
"""Libraries of the extra that the studio cannot do without."""


def require_studio() -> None:
    """Make sure that the studio can run here."""
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        raise MissingExtraError(message("cli.the-studio"), extra="studio")


ITEM_OPTIONS = ("name", "raters", "calibration", "per_dimension", "systems", "seed")


item_options = add_options(
    click.option("--name", default="", help="Name of the new task; by default that of the template."),
    click.option("--raters", type=click.IntRange(1), help="Raters per item; by default as in the template."),
    number_option("--calibration", 0, "Number of first items that everyone rates before the others.", least=0),
    number_option("--per-dimension", RATED_PER_DIMENSION, "Answers sampled from each dimension (paras2s-answers)."),
    click.option("--system", "systems", multiple=True, help="Names of the two sides (preference); give it twice."),
    number_option("--seed", 0, "Random seed.", least=0),
)
"""Adds the options that select the items of a task: `ITEM_OPTIONS`."""


def given_item_options() -> list[str]:
    """Return the options of `ITEM_OPTIONS` that were given on the command line."""
    context = click.get_current_context()
    typed = {name for name in ITEM_OPTIONS if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    return [option.opts[0] for option in context.command.params if option.name in typed]


lexicon_options = add_options(
    click.option(
        "--lexicon",
        "lexicon_file",
        metavar="FILE",
        type=PATH,
        help="Words of feeling with valence, arousal and dominance (NRC-VAD's layout), in place of the built-in ones.",
    ),
    click.option(
        "--lexicon-scale",
        nargs=2,
        type=float,
        metavar="LOW HIGH",
        help="Ends of the lexicon's scale; by default -1 and 1 where a number is negative, and else 0 and 1.",
    ),
)
"""Adds ``--lexicon`` and ``--lexicon-scale``, for `chosen_lexicon`."""


def chosen_lexicon(file: Path | None, scale: tuple[float, float] | None) -> "FeelingLexicon | None":
    """Read the named feeling lexicon; ``None`` for the built-in one.

    Raises:
        RecordError: if the file is none.
        UsageError: if there is a scale without a file, or it is none.
    """
    if file is None:
        if scale:
            raise UsageError("--lexicon-scale goes with --lexicon.")
        return None
    from aptone.studio.agreement.feeling_places import read_lexicon

    return read_lexicon(file, scale=scale)


database_option = click.option(
    "--database-url",
    default="",
    envvar=DATABASE_VARIABLE,
    metavar="URL",
    help=f"postgresql://USER:PASSWORD@HOST/NAME instead of SQLite in the folder; better in {DATABASE_VARIABLE}.",
)
language_option = lang_option("Language of the output", default="en", name="language")
folder_argument = click.argument("folder", metavar="PROJECT", type=PATH)
task_option = click.option("--task", "task_name", required=True, help="Name of a task of the project.")


@contextlib.contextmanager
def open_project(folder: Path, database_url: str, *, new: bool = False) -> "Iterator[Project]":
    """Open the project of a folder, for a command that works on it without a server.

    Raises:
        MissingExtraError: if the studio cannot run here.
        UsageError: if there is no project, or what was asked of it is refused.
    """
    require_studio()
    from aptone.studio.project import DATABASE, Project
    from aptone.web.refusals import RefusedError

    if not new and not (folder.is_dir() if database_url else (folder / DATABASE).is_file()):
        raise UsageError(f"{folder}: there is no project here; make one with: aptone studio --project {folder}")
    with Project.open(folder, database_url=database_url) as project:
        try:
            yield project
        except RefusedError as refusal:
            raise UsageError(f"{folder}: {refusal.message} {refusal.next}".rstrip()) from refusal


def require_task(project: "Project", name: str) -> None:
    """Make sure that a project has a task.

    Raises:
        UsageError: if it has none of that name; those that it has are named.
    """
    if name not in (names := project.tasks.names()):
        there = f"it has {', '.join(names)}" if names else "it has none yet; add one with: aptone studio import"
        raise UsageError(f"{project.folder}: there is no task {name!r}; {there}.")
