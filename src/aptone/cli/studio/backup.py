"""``aptone studio backup`` and ``restore``: a project as one file, and its way back."""

from pathlib import Path

import click

from aptone.cli.options.studio import database_option, folder_argument, language_option, require_studio
from aptone.cli.options.values import PATH
from aptone.cli.output import json_option, print_json, print_text
from aptone.messages import words
from aptone.types import Language

INCOMPLETE = 1
"""Exit code of a backup without some of the clips."""


@click.command("backup")
@folder_argument
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="File to write, a tar archive; it is new."
)
@database_option
@language_option
@json_option
def backup(folder: Path, output: Path, database_url: str, language: Language, as_json: bool) -> int:
    """Write a project to one file: database, clips and their hashes. Works while the studio runs.

    Exits with 1 if clips of a task are missing in the project; the backup holds the rest.

    \b
    aptone studio backup listening/ -o listening.tar
    """  # noqa: D301
    require_studio()
    from aptone.studio.backup import back_up

    made = back_up(folder, output, database_url=database_url)
    size = sum(file.bytes for file in made.files.values())
    if as_json:
        print_json({"path": str(output), "clips": made.clips, "bytes": size, "missing": list(made.missing)})
    else:
        word = words(language, "studio")
        print_text(word("backed_up", path=output, clips=made.clips, megabytes=size / 1e6))
        if made.missing:
            click.echo(word("backup_misses", count=len(made.missing), names=", ".join(made.missing)), err=True)
    return INCOMPLETE if made.missing else 0


@click.command("restore")
@click.argument("file", type=PATH)
@folder_argument
@database_option
@language_option
@json_option
def restore(file: Path, folder: Path, database_url: str, language: Language, as_json: bool) -> int:
    """Restore a project from a backup into a new folder, after every byte was compared with its hash.

    Everybody has to sign in again; personal links and passwords work as they did when the backup was made. A database
    that --database-url names has to be empty; backups of either kind of database go into either.

    \b
    aptone studio restore listening.tar listening/
    """  # noqa: D301
    require_studio()
    from aptone.studio.backup import restore as restore_project

    found = restore_project(file, folder, database_url=database_url)
    if as_json:
        print_json({"project": str(folder), "clips": found.clips, "created": found.created})
        return 0
    word = words(language, "studio")
    print_text(word("restored", folder=folder, clips=found.clips, created=found.created))
    print_text(word("next_studio", folder=folder))
    return 0
