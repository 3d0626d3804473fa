"""Options of every verb that hears dialogues."""

import click

from aptone.cli.commands import add_options
from aptone.cli.options.values import FOLDER, weights_option
from aptone.rooms.dialogue.data import LAYOUTS
from aptone.rooms.dialogue.hearing.turns import SCORED_STEP

hearing_options = add_options(
    click.option("--layout", type=click.Choice(LAYOUTS), help="Layout of the dialogues; by default detected."),
    weights_option("ear"),
    click.option(
        "--trajectory-model",
        "model",
        type=FOLDER,
        help="Folder of a model of emotion over time (aptone train cser) that is heard with instead of the ear.",
    ),
    click.option(
        "--step",
        type=click.FloatRange(0.02),
        help="Seconds between two points of a trajectory; by default "
        f"{SCORED_STEP:g}, which the paper's constants are made for, or what the model was trained with.",
    ),
)
"""Adds ``--layout``, ``--ear``, ``--trajectory-model`` and ``--step`` to a verb."""
