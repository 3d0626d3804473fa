"""``aptone train grpo``."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.training import AT_LEAST_ONE, NUMBER, SHARDS, Teaching, teaching_options
from aptone.cli.output import json_option, print_text
from aptone.cli.train.judge import LANGUAGES, tell
from aptone.cli.train.stage import config_option, training_parts
from aptone.messages import words
from aptone.types import Language

ABOVE_ZERO = click.FloatRange(0, min_open=True)


@click.command()
@click.argument("data", metavar="SHARDS", type=SHARDS)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(["reasoned", "score"]),
    multiple=True,
    default=("reasoned", "score"),
    show_default=True,
    help="How it is asked: with reasons, for the score alone, or both. May be given again.",
)
@click.option("--language", "languages", type=LANGUAGES, multiple=True, help="Of the prompts. May be given again.")
@click.option("--bias/--no-bias", default=True, show_default=True, help="The audio attention bias, and its gates.")
@click.option("--group", type=click.IntRange(2), default=8, show_default=True, help="Replies to a prompt.")
@click.option("--temperature", type=ABOVE_ZERO, default=1.0, show_default=True, help="At which replies are drawn.")
@click.option(
    "--max-tokens", type=AT_LEAST_ONE, default=768, show_default=True, help="Of a reply; a longer one is worth nothing."
)
@click.option("--at-once", type=AT_LEAST_ONE, default=64, show_default=True, help="Replies written side by side.")
@click.option("--updates", type=AT_LEAST_ONE, default=1, show_default=True, help="Steps on each batch of replies.")
@click.option("--epsilon", type=ABOVE_ZERO, default=0.1, show_default=True, help="Clip of the policy ratio.")
@click.option("--beta", type=NUMBER, default=0.01, show_default=True, help="Weight of the divergence.")
@click.option(
    "--averaging",
    type=click.Choice(["reply", "token", "length"]),
    default="reply",
    show_default=True,
    help="Of tokens: over each reply (GRPO), over all (BNPO), or by --max-tokens (Dr. GRPO).",
)
@click.option(
    "--scale/--no-scale", default=True, show_default=True, help="Advantages in standard deviations of their group."
)
@click.option(
    "--corrected", is_flag=True, help="Weigh the divergence by the ratio, which matters with several --updates."
)
@click.option("--sigma", type=ABOVE_ZERO, default=1.0, show_default=True, help="Of the reward: points that cost 63 %.")
@click.option("--balance/--no-balance", default=True, show_default=True, help="Draw all scores equally often.")
@click.option("--aac", is_flag=True, help="Send clips through AAC first, as the release does.")
@config_option
@teaching_options
@lang_option("Of what is printed", default="en")
@json_option
def grpo(
    data: Path,
    kinds: Sequence[Any],
    languages: Sequence[Language],
    bias: bool,
    group: int,
    temperature: float,
    max_tokens: int,
    at_once: int,
    updates: int,
    epsilon: float,
    beta: float,
    averaging: Any,
    scale: bool,
    corrected: bool,
    sigma: float,
    balance: bool,
    aac: bool,
    teaching: Teaching,
    lang: Language,
    as_json: bool,
) -> int:
    """Reinforce a judge: replies whose scores come nearer to people's become likelier.

    The last stage of CEAEval-M. --base is a judge that aptone train sft has made: it must write scores already, and it
    is the reference from which the new one may not stray. --batch, --steps, --keep and --look count prompts and batches
    of them; --chunk counts replies. Clips under 1 s and over 45 s are left out.

    \b
    aptone train grpo reasoned/shards --base judge/ -o reinforced/
    torchrun --nproc-per-node 8 -m aptone train grpo reasoned/shards --base judge/ -o reinforced/ --group 16
    aptone score manifest.jsonl -o run/ --engine local --set judge.model=reinforced/
    """  # noqa: D301  (\b keeps click from joining the lines)
    with training_parts():
        from aptone.train.grpo.loss import Clipping
        from aptone.train.grpo.rollouts import Writing
        from aptone.train.grpo.run import reinforce
        from aptone.train.grpo.step import Reinforcement

    made = reinforce(
        data,
        teaching.out,
        base=teaching.base,
        recipe=teaching.recipe(),
        settings=Reinforcement(
            clipping=Clipping(epsilon, beta, averaging, length=max_tokens, corrected=corrected),
            writing=Writing(group, temperature, max_tokens, aac=aac, at_once=at_once),
            sigma=sigma,
            scale=scale,
            updates=updates,
        ),
        trained=teaching.trained(bias=bias, tokens=True),
        kinds=tuple(kinds),
        languages=tuple(languages),
        balance=balance,
        epochs=teaching.rounds(1.0),
        **teaching.options(lang),
    )
    if as_json:
        tell(made, as_json=True)
    elif os.environ.get("RANK", "0") == "0":  # one of several processes speaks
        last = made.progress.looks[-1].figures
        word, counts = words(lang, "cli.training"), {"examples": made.examples, "steps": made.progress.step}
        print_text(word("reinforced", **counts, reward=last["reward"], unreadable=100 * last["unreadable"]))
        print_text(word("model", path=made.folder))
    return 0
