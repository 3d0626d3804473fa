"""``aptone build``."""

import click

from aptone.cli.commands import RegisteredCommands

HELP_LINES = {
    "aptness-proxy": "Lines of dialogues with acted clips that fit, half fit or contradict them.",
    "ceaeval-d": "Lines of audiobooks in their stories, cut out and described, for people to annotate.",
    "dialogues": "Synthetic dialogues with planned changes of feeling, for aptone dialogue.",
    "emo-thresholds": "Estimate the constants of aptone dialogue from a corpus of yours.",
    "paras2s": "Questions that are asked in two ways, for aptone answer (ParaS2SBench).",
    "rating-task": "A task for people to rate, from a manifest or from what a run has judged.",
    "s3bench": "Clips with descriptions across the whole range of fits, for people to rate.",
    "style-corpus": "Clips with descriptions of their style, in shards, from recordings of yours.",
    "surabench": "Recordings evenly over valence and arousal, with captions, for aptone caption.",
}
"""First line of help of what we build, so that --help need not load it."""


@click.group(cls=RegisteredCommands, registered="builds", heading="Benchmarks", what="benchmark", help_lines=HELP_LINES)
def build() -> None:
    """Make a benchmark, or what one needs, from data that you have."""
