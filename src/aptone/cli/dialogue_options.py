"""Options of every verb that hears dialogues."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from aptone.rooms.dialogue.data import LAYOUTS
from aptone.rooms.dialogue.hearing import SCORED_STEP

Command = TypeVar("Command", bound=Callable[..., Any])


def hearing_options(command: Command) -> Command:
    """Add ``--layout``, ``--ear`` and ``--step`` to a verb."""
    for option in (
        click.option(
            "--step",
            type=click.FloatRange(0.02),
            default=SCORED_STEP,
            show_default=True,
            help="Seconds between two points of a trajectory; the paper's constants are made for 1.",
        ),
        click.option(
            "--ear", metavar="full|permissive", help="Which ear; by default what APTONE_EAR names, or else full."
        ),
        click.option(
            "--layout",
            type=click.Choice(LAYOUTS),
            help="How the dialogues are laid out; by default that is found out.",
        ),
    ):
        command = option(command)
    return command
