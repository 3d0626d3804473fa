"""A run that would send audio to another machine says so, and asks once."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from aptone.errors import RunError, UsageError
from aptone.run import load_run


def ask_consent(machines: Sequence[str], *, clips: int, folder: Path | None, agreed: bool) -> tuple[str, ...]:
    """Make sure that the user agrees to send audio to these machines; none means that it stays here.

    Consent is kept in the run folder, so that resuming does not ask again.

    Args:
        machines: that would receive recordings.
        clips: how many.
        folder: of the run, if there is one.
        agreed: whether the user has said ``--yes``.

    Returns:
        The machines, for the configuration of the run.

    Raises:
        UsageError: if the user did not agree, or cannot be asked.
    """
    new = set(machines) - set(_given_before(folder))
    if agreed or not new:
        return tuple(machines)
    words = f"This sends {clips} recording{'s' if clips != 1 else ''} to {' and '.join(sorted(new))}."
    if not sys.stdin.isatty():
        raise UsageError(f"{words} Nobody is there to ask; add --yes to agree.")
    if not click.confirm(f"{words} Go on?", err=True):
        raise UsageError("nothing was sent.")
    return tuple(machines)


def _given_before(folder: Path | None) -> tuple[str, ...]:
    try:
        return load_run(folder).config.consent if folder is not None else ()
    except RunError:
        return ()
