"""A run that would send audio to another machine says so, and asks once."""

import sys
from pathlib import Path

import click

from aptone.errors import RunError, UsageError
from aptone.models import Engine
from aptone.run import load_run


def ask_consent(engine: Engine, *, clips: int, folder: Path | None, agreed: bool) -> tuple[str, ...]:
    """The machines to which audio may go: none if it stays here, else the engine's, once the user has agreed.

    Consent is kept in the run folder, so that resuming does not ask again.

    Raises:
        UsageError: if the user did not agree, or cannot be asked.
    """
    there = engine.sends_audio_to
    if not there:
        return ()
    if agreed or there in _given_before(folder):
        return (there,)
    words = f"Engine {engine.name!r} sends {clips} recording{'s' if clips != 1 else ''} to {there}."
    if not sys.stdin.isatty():
        raise UsageError(f"{words} Nobody is there to ask; add --yes to agree.")
    if not click.confirm(f"{words} Go on?", err=True):
        raise UsageError("nothing was sent.")
    return (there,)


def _given_before(folder: Path | None) -> tuple[str, ...]:
    try:
        return load_run(folder).config.consent if folder is not None else ()
    except RunError:
        return ()
