"""``aptone train``: judges and models from data of your own."""

import click

from aptone.cli.commands import DescribedCommands
from aptone.cli.train.cot import cot
from aptone.cli.train.encoders import clap, cser
from aptone.cli.train.judge import distil, grpo, sft


@click.group(cls=DescribedCommands)
def train() -> None:
    """Train judges and encoders on data of your own."""


for command in (clap, cot, cser, distil, grpo, sft):
    train.add_command(command)
