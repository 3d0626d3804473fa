"""``aptone train grpo``."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from aptone.cli.commands import CommandWithRenames
from aptone.cli.options.language import lang_option
from aptone.cli.options.training import (
    ABOVE_ZERO,
    AT_LEAST_ONE,
    EXISTING_FOLDER,
    NUMBER,
    RENAMED,
    TrainingOptions,
    config_option,
    prompt_options,
    training_options,
    training_parts,
    with_default,
)
from aptone.cli.output import json_option, print_text
from aptone.cli.train.judge import print_result
from aptone.messages import words
from aptone.train.renames import GRPO, renamed_options
from aptone.types import Language


@click.command(cls=CommandWithRenames, renamed={**RENAMED, **renamed_options(GRPO), "--no-scale": "--no-scale-rewards"})
@click.argument("data", metavar="SHARDS", type=EXISTING_FOLDER)
@prompt_options("Prompts with reasoning, for the score alone, or both.", default=("reasoned", "score"))
@with_default("--num-generations", click.IntRange(2), 8, "Replies per prompt.")
@with_default("--temperature", ABOVE_ZERO, 1.0, "Sampling temperature.")
@with_default("--max-new-tokens", AT_LEAST_ONE, 768, "Longest reply in tokens; a longer one gets reward 0.")
@with_default("--rollout-batch-size", AT_LEAST_ONE, 64, "Replies generated together.")
@with_default("--num-iterations", AT_LEAST_ONE, 1, "Optimiser steps on each batch of replies.")
@with_default("--epsilon", ABOVE_ZERO, 0.1, "Clip of the policy ratio.")
@with_default("--beta", NUMBER, 0.01, "Weight of the KL divergence.")
@with_default(
    "--loss-type",
    click.Choice(["grpo", "bnpo", "dr_grpo"]),
    "grpo",
    "Average over the tokens of each reply (grpo), of all replies (bnpo), or over --max-new-tokens (dr_grpo).",
)
@with_default(
    "--scale-rewards/--no-scale-rewards", None, True, "Divide advantages by the standard deviation of their group."
)
@click.option(
    "--kl-correction",
    is_flag=True,
    help="Weight the KL divergence by the policy ratio, which matters with several --num-iterations.",
)
@with_default("--sigma", ABOVE_ZERO, 1.0, "Scale of the reward: points that cost 63 %.")
@with_default("--balance/--no-balance", None, True, "Sample all scores equally often.")
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
        settings=GrpoConfig(
            PolicyLossConfig(epsilon, beta, loss_type, length=max_new_tokens, kl_correction=kl_correction),
            RolloutConfig(num_generations, temperature, max_new_tokens, aac=aac, rollout_batch_size=rollout_batch_size),
            sigma=sigma,
            scale_rewards=scale_rewards,
            num_iterations=num_iterations,
        ),
        kinds=tuple(kinds),
        languages=tuple(languages),
        balance=balance,
        **training.arguments(lang, epochs=1.0, bias=bias),
    )
    if as_json:
        print_result(made, as_json=True)
    elif os.environ.get("RANK", "0") == "0":  # the first of several processes prints
        last = made.state.evaluations[-1].metrics
        word, counts = words(lang, "cli.training"), {"examples": made.examples, "steps": made.state.step}
        print_text(word("reinforced", **counts, reward=last["reward"], unreadable=100 * last["unreadable"]))
        print_text(word("model", path=made.folder))
    return 0
