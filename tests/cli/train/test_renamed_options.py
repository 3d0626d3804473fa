"""Former names of training options and configuration keys: refused, with the new name in the message."""

from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from aptone.cli.commands import CommandWithRenames
from aptone.cli.train.encoders import clap, cser
from aptone.cli.train.judge import distil, grpo, sft
from aptone.errors import UsageError

JUDGE = {
    "--largest-gradient": "--max-grad-norm",
    "--look": "--eval-every",
    "--keep": "--save-every",
    "--chunk": "--micro-batch-size",
    "--batch": "--batch-size",
    "--rate": "--lr",
    "--last-rate": "--min-lr",
    "--warm-up": "--warmup-ratio",
    "--decay": "--lr-schedule",
    "--checkpointing": "--gradient-checkpointing",
    "--rank": "--lora-rank",
    "--alpha": "--lora-alpha",
    "--dropout": "--lora-dropout",
    "--threads": "--num-workers",
    "--dev": "--eval-data",
    "--anew": "--restart",
}
COMMANDS: Mapping[str, tuple[click.Command, dict[str, str]]] = {
    "distil": (distil, JUDGE),
    "sft": (sft, {**JUDGE, "--longest": "--max-seconds"}),
    "grpo": (
        grpo,
        {
            **JUDGE,
            "--group": "--num-generations",
            "--max-tokens": "--max-new-tokens",
            "--at-once": "--rollout-batch-size",
            "--updates": "--num-iterations",
            "--averaging": "--loss-type",
            "--scale": "--scale-rewards",
            "--no-scale": "--no-scale-rewards",
            "--corrected": "--kl-correction",
        },
    ),
    "clap": (
        clap,
        {
            "--batch": "--batch-size",
            "--chunk": "--micro-batch-size",
            "--rate": "--lr",
            "--audio-rate": "--audio-lr",
            "--text-rate": "--text-lr",
            "--warm-up": "--warmup-steps",
            "--decay": "--weight-decay",
            "--largest-gradient": "--max-grad-norm",
            "--keep": "--save-every",
            "--look": "--eval-every",
            "--threads": "--num-workers",
            "--dev": "--eval-data",
            "--longest-text": "--max-text-tokens",
            "--size": "--embedding-dim",
        },
    ),
    "cser": (
        cser,
        {"--rate": "--lr", "--batch": "--batch-size", "--hidden": "--hidden-size", "--layers": "--num-layers"},
    ),
}


def options_of(command: click.Command) -> set[str]:
    return {option for one in command.params for option in (*one.opts, *one.secondary_opts)}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_former_option_is_refused_with_the_new_one(name: str) -> None:
    command, renamed = COMMANDS[name]
    assert isinstance(command, CommandWithRenames)
    assert dict(command.renamed) == renamed
    for old, new in renamed.items():
        for typed in ([old, "1"], [f"{old}=1"]):
            with pytest.raises(UsageError, match=f"^{old} is now {new}\\.$"):
                CliRunner().invoke(command, typed, standalone_mode=False, catch_exceptions=False)


@pytest.mark.parametrize("name", COMMANDS)
def test_new_options_exist_and_former_ones_do_not(name: str) -> None:
    command, renamed = COMMANDS[name]
    there = options_of(command)
    assert set(renamed.values()) <= there
    assert not set(renamed) & there


@pytest.mark.parametrize("name", ["distil", "sft", "grpo"])
def test_a_former_key_of_a_config_file_is_refused_with_the_new_one(name: str, tmp_path: Path) -> None:
    command, renamed = COMMANDS[name]
    for old, new in renamed.items():
        key, path = old.removeprefix("--"), tmp_path / "options.toml"
        path.write_text(f"{key} = 1\n", encoding="utf-8")
        wanted = new.removeprefix("--").replace("-", "_")
        with pytest.raises(UsageError, match=f"options.toml: {key} is now {wanted}\\.$"):
            CliRunner().invoke(command, ["--config", str(path)], standalone_mode=False, catch_exceptions=False)


def test_an_option_that_never_was_is_still_unknown() -> None:
    with pytest.raises(click.NoSuchOption):
        CliRunner().invoke(sft, ["--glance", "1"], standalone_mode=False, catch_exceptions=False)
