"""Options of every verb that hears dialogues."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from aptone.rooms.dialogue.data import LAYOUTS
from aptone.rooms.dialogue.hearing.turns import SCORED_STEP

Command = TypeVar("Command", bound=Callable[..., Any])


def hearing_options(command: Command) -> Command:
    """Add ``--layout``, ``--ear``, ``--trajectory-model`` and ``--step`` to a verb."""
    for option in (
        click.option(
            "--step",
            type=click.FloatRange(0.02),
            help="Seconds between two points of a trajectory; by default "
            f"{SCORED_STEP:g}, which the paper's constants are made for, or what the model was trained with.",
        ),
        click.option(
            "--trajectory-model",
            "model",
            type=click.Path(path_type=Path, file_okay=False),
            help="Folder of a model of emotion over time (aptone train cser) that is heard with instead of the ear.",
        ),
        click.option(
            "--ear",
            metavar="full|permissive",
            help="Weights of the ear; by default what APTONE_EAR names, or else full.",
        ),
        click.option("--layout", type=click.Choice(LAYOUTS), help="Layout of the dialogues; by default detected."),
    ):
        command = option(command)
    return command
