"""``aptone train grpo``."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.training import AT_LEAST_ONE, NUMBER, RENAMED, SHARDS, TrainingOptions, training_options
from aptone.cli.output import json_option, print_text
from aptone.cli.train.judge import LANGUAGES, print_result
from aptone.cli.train.stage import TrainCommand, config_option, training_parts
from aptone.messages import words
from aptone.train.renames import GRPO, renamed_options
from aptone.types import Language

ABOVE_ZERO = click.FloatRange(0, min_open=True)


@click.command(cls=TrainCommand, renamed={**RENAMED, **renamed_options(GRPO), "--no-scale": "--no-scale-rewards"})
@click.argument("data", metavar="SHARDS", type=SHARDS)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(["reasoned", "score"]),
    multiple=True,
    default=("reasoned", "score"),
    show_default=True,
    help="Prompts with reasoning, for the score alone, or both. May be given several times.",
)
@click.option(
    "--language",
    "languages",
    type=LANGUAGES,
    multiple=True,
    help="Language of the prompts. May be given several times.",
)
@click.option(
    "--bias/--no-bias", default=True, show_default=True, help="Switch on the audio attention bias and train its gates."
)
@click.option("--num-generations", type=click.IntRange(2), default=8, show_default=True, help="Replies per prompt.")
@click.option("--temperature", type=ABOVE_ZERO, default=1.0, show_default=True, help="Sampling temperature.")
@click.option(
    "--max-new-tokens",
    type=AT_LEAST_ONE,
    default=768,
    show_default=True,
    help="Longest reply in tokens; a longer one gets reward 0.",
)
@click.option(
    "--rollout-batch-size", type=AT_LEAST_ONE, default=64, show_default=True, help="Replies generated together."
)
@click.option(
    "--num-iterations",
    type=AT_LEAST_ONE,
    default=1,
    show_default=True,
    help="Optimiser steps on each batch of replies.",
)
@click.option("--epsilon", type=ABOVE_ZERO, default=0.1, show_default=True, help="Clip of the policy ratio.")
@click.option("--beta", type=NUMBER, default=0.01, show_default=True, help="Weight of the KL divergence.")
@click.option(
    "--loss-type",
    type=click.Choice(["grpo", "bnpo", "dr_grpo"]),
    default="grpo",
    show_default=True,
    help="Average over the tokens of each reply (grpo), of all replies (bnpo), or over --max-new-tokens (dr_grpo).",
)
@click.option(
    "--scale-rewards/--no-scale-rewards",
    default=True,
    show_default=True,
    help="Divide advantages by the standard deviation of their group.",
)
@click.option(
    "--kl-correction",
    is_flag=True,
    help="Weight the KL divergence by the policy ratio, which matters with several --num-iterations.",
)
@click.option(
    "--sigma", type=ABOVE_ZERO, default=1.0, show_default=True, help="Scale of the reward: points that cost 63 %."
)
@click.option("--balance/--no-balance", default=True, show_default=True, help="Sample all scores equally often.")
@click.option("--aac", is_flag=True, help="Encode clips as AAC first, as the release does.")
@config_option
@training_options
@lang_option("Language of the output", default="en")
@json_option
def grpo(
    data: Path,
    kinds: Sequence[Any],
    languages: Sequence[Language],
    bias: bool,
    num_generations: int,
    temperature: float,
    max_new_tokens: int,
    rollout_batch_size: int,
    num_iterations: int,
    epsilon: float,
    beta: float,
    loss_type: Any,
    scale_rewards: bool,
    kl_correction: bool,
    sigma: float,
    balance: bool,
    aac: bool,
    training: TrainingOptions,
    lang: Language,
    as_json: bool,
) -> int:
    """Train a judge with GRPO: replies with scores closer to people's become likelier.

    The last stage of CEAEval-M. --base is a judge made by aptone train sft: it must write scores already, and it is the
    reference of the KL divergence. --batch-size counts prompts; --steps, --save-every and --eval-every count batches of
    them; --micro-batch-size counts replies. Clips under 1 s and over 45 s are left out.

    \b
    aptone train grpo reasoned/shards --base judge/ -o reinforced/
    torchrun --nproc-per-node 8 -m aptone train grpo reasoned/shards --base judge/ -o reinforced/ --num-generations 16
    aptone score manifest.jsonl -o run/ --engine local --set judge.model=reinforced/
    """  # noqa: D301  (\b keeps click from joining the lines)
    with training_parts():
        from aptone.train.grpo.loss import PolicyLossConfig
        from aptone.train.grpo.rollouts import RolloutConfig
        from aptone.train.grpo.run import train_grpo
        from aptone.train.grpo.step import GrpoConfig

    made = train_grpo(
        data,
        training.out,
        base=training.base,
        config=training.config(),
        settings=GrpoConfig(
            PolicyLossConfig(epsilon, beta, loss_type, length=max_new_tokens, kl_correction=kl_correction),
            RolloutConfig(num_generations, temperature, max_new_tokens, aac=aac, rollout_batch_size=rollout_batch_size),
            sigma=sigma,
            scale_rewards=scale_rewards,
            num_iterations=num_iterations,
        ),
        adapter=training.adapter_config(bias=bias, tokens=True),
        kinds=tuple(kinds),
        languages=tuple(languages),
        balance=balance,
        epochs=training.epochs_or(1.0),
        **training.arguments(lang),
    )
    if as_json:
        print_result(made, as_json=True)
    elif os.environ.get("RANK", "0") == "0":  # the first of several processes prints
        last = made.state.evaluations[-1].metrics
        word, counts = words(lang, "cli.training"), {"examples": made.examples, "steps": made.state.step}
        print_text(word("reinforced", **counts, reward=last["reward"], unreadable=100 * last["unreadable"]))
        print_text(word("model", path=made.folder))
    return 0
