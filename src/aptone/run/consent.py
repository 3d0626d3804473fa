"""Consent of the user before recordings are sent to another machine, from the command line and from Python."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from aptone.errors import RunError, UsageError
from aptone.messages import joined, message
from aptone.run.folder import read_config

YES = "--yes"
ALLOW_REMOTE = "allow_remote=True"


def ask_consent(
    machines: Sequence[str], *, clips: int | None, folder: Path | None, agreed: bool, option: str = YES
) -> tuple[str, ...]:
    """Make sure that the user agrees to send audio to these machines; none means that it stays here.

    Consent is kept in the run folder, so that resuming does not ask again.

    Args:
        machines: machines that would receive recordings (`aptone.run.http.route`), the proxy before them included;
            returned for the configuration of the run.
        clips: number of recordings; ``None`` where it is not known.
        agreed: whether the user has agreed already, by `option`.

    Raises:
        UsageError: if the user did not agree, or cannot be asked.
    """
    new = set(machines) - set(_given_before(folder))
    if agreed or not new:
        return tuple(machines)
    named = joined(sorted(new), "run.sends-both")
    sends = (
        message("run.sends", machines=named)
        if clips is None
        else message("run.sends-clips", machines=named, count=clips)
    )
    if not sys.stdin.isatty():
        raise UsageError(message("run.sends-nobody-to-ask", sends=sends, option=option))
    if not click.confirm(message("run.sends-go-on", sends=sends), err=True):
        raise UsageError(message("run.nothing-sent"))
    return tuple(machines)


def _given_before(folder: Path | None) -> tuple[str, ...]:
    try:
        return read_config(folder).consent if folder is not None else ()
    except RunError:
        return ()
