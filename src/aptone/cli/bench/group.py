"""``aptone bench``."""

import click

from aptone.cli.commands import RegisteredCommands

HELP_LINES = {
    "ablation": (
        "Train and score rows of the paper's ablation: what distillation, reasoning, plans, bias and RL each bring."
    ),
    "ceaeval": "Measure how well judges agree with people on lines in their stories.",
    "emosura": "Measure which caption metric orders captions as people do.",
    "paras2s": "Measure how well systems answer in the way they are asked.",
    "s3bench": "Measure how well models agree with people on voices and descriptions.",
}
"""First line of help of our benchmarks, so that --help need not load them."""


@click.group(
    cls=RegisteredCommands, registered="benches", heading="Benchmarks", what="benchmark", help_lines=HELP_LINES
)
def bench() -> None:
    """Run a benchmark: judges, or systems, against what people said."""
