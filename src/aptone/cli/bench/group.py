"""``aptone bench``."""

import click

from aptone.cli.registered_group import RegisteredCommands

HELP_LINES = {
    "ablation": (
        "Train and score rows of the paper's ablation: what distillation, reasoning, plans, bias and RL each bring."
    ),
    "ceaeval": "How well do judges agree with people on lines in their stories?",
    "emosura": "Which caption metric orders captions as people do?",
    "paras2s": "How well do systems answer as they are asked?",
    "s3bench": "How well do models agree with people on voices and descriptions?",
}
"""First line of help of our benchmarks, so that --help need not load them."""


@click.group(
    cls=RegisteredCommands, registered="benches", heading="Benchmarks", what="benchmark", help_lines=HELP_LINES
)
def bench() -> None:
    """Run a benchmark: judges, or systems, against what people said."""
