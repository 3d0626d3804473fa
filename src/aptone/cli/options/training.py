"""Options shared by all commands that train a judge."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aptone.cli.options.group import gather_options
from aptone.cli.train.log import log_to_people
from aptone.errors import UsageError
from aptone.train.renames import JUDGE, LORA, renamed_options
from aptone.types import Language

if TYPE_CHECKING:  # they bring torch along
    from aptone.train.judge.config import JudgeConfig
    from aptone.train.judge.model import AdapterConfig

SHARDS = click.Path(path_type=Path, file_okay=False, exists=True)
AT_LEAST_ONE = click.IntRange(1)
NUMBER = click.FloatRange(0)
COMMON_RENAMED = {"--dev": "--eval-data", "--threads": "--num-workers"}
"""Former options of every training command."""
RENAMED = {**COMMON_RENAMED, **renamed_options({**JUDGE, **LORA}), "--anew": "--restart"}
"""Former options of judge training."""


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Values of the options shared by all commands that train a judge."""

    base: str
    out: Path
    eval_data: Path | None
    batch_size: int
    micro_batch_size: int
    steps: int | None
    epochs: float | None
    lr: float
    min_lr: float
    warmup_ratio: float
    lr_schedule: str
    weight_decay: float
    max_grad_norm: float
    precision: str | None
    gradient_checkpointing: bool
    adapter: str
    lora_rank: int
    lora_alpha: int
    lora_dropout: float
    bias_form: str | None
    save_every: int
    eval_every: int
    seed: int
    num_workers: int
    device: str | None
    tracker: tuple[str, ...]
    merge: bool
    resume: bool

    def config(self) -> "JudgeConfig":
        """Return the hyperparameters."""
        from aptone.train.distributed import resolve_device
        from aptone.train.judge.config import JudgeConfig

        default = "bfloat16" if resolve_device(self.device).type == "cuda" else "float32"
        shared = (
            *("batch_size", "micro_batch_size", "lr", "min_lr", "warmup_ratio", "lr_schedule", "weight_decay"),
            *("max_grad_norm", "gradient_checkpointing", "save_every", "eval_every", "seed"),
        )
        given: dict[str, Any] = {name: getattr(self, name) for name in shared}
        return JudgeConfig(**given, precision=self.precision or default, steps=self.steps or 1)  # type: ignore[arg-type]

    def adapter_config(self, *, bias: bool, tokens: bool) -> "AdapterConfig":
        """Return the trainable weights."""
        from aptone.train.judge.model import AdapterConfig

        return AdapterConfig(
            self.adapter,  # type: ignore[arg-type]
            self.lora_rank,
            self.lora_alpha,
            self.lora_dropout,
            bias,
            tokens,
            bias_form=self.bias_form if bias else None,  # type: ignore[arg-type]
        )

    def epochs_or(self, default: float) -> float | None:
        """Return the number of epochs; None where steps are given.

        Raises:
            UsageError: if both are given.
        """
        if self.steps is not None and self.epochs is not None:
            raise UsageError("--steps and --epochs say the same thing; give one of them.")
        return None if self.steps is not None else self.epochs or default

    def arguments(self, language: Language) -> dict[str, Any]:
        """Return further arguments of a stage; its log lines are in the given language."""
        return {
            "eval_data": self.eval_data,
            "device": self.device,
            "num_workers": self.num_workers,
            "trackers": self.tracker,
            "merge": self.merge,
            "restart": not self.resume,
            "log": log_to_people(language),
        }


_OPTIONS = (
    click.option(
        "--base",
        default="Qwen/Qwen2.5-Omni-7B",
        show_default=True,
        metavar="MODEL",
        help="Model to start from: a Qwen2.5-Omni, a released judge, or the result of an earlier stage.",
    ),
    click.option("--eval-data", type=SHARDS, help="Held-out shards; their loss is reported."),
    click.option(
        "--batch-size", type=AT_LEAST_ONE, default=32, show_default=True, help="Examples per step, over all GPUs."
    ),
    click.option(
        "--micro-batch-size",
        type=AT_LEAST_ONE,
        default=4,
        show_default=True,
        help="Examples in memory at once on a GPU; gradients are accumulated.",
    ),
    click.option("--steps", type=AT_LEAST_ONE, help="Optimiser steps, in the place of --epochs."),
    click.option("--epochs", type=click.FloatRange(0, min_open=True), help="Passes over the data."),
    click.option("--lr", type=NUMBER, default=5e-6, show_default=True, help="Peak learning rate."),
    click.option("--min-lr", type=NUMBER, default=5e-7, show_default=True, help="Learning rate at the last step."),
    click.option(
        "--warmup-ratio",
        type=click.FloatRange(0, 1),
        default=0.1,
        show_default=True,
        help="Share of the steps for linear warm-up.",
    ),
    click.option(
        "--lr-schedule",
        type=click.Choice(["cosine", "linear"]),
        default="cosine",
        show_default=True,
        help="Decay of the learning rate after warm-up.",
    ),
    click.option("--weight-decay", type=NUMBER, default=0.0, show_default=True, help="Weight decay of matrices."),
    click.option(
        "--max-grad-norm", type=NUMBER, default=1.0, show_default=True, help="Clip gradients to this norm; 0 disables."
    ),
    click.option(
        "--precision",
        type=click.Choice(["float32", "bfloat16"]),
        help="Precision of the arithmetic; by default bfloat16 on a GPU, float32 elsewhere.",
    ),
    click.option(
        "--gradient-checkpointing", is_flag=True, help="Recompute layers in the backward pass, for less memory."
    ),
    click.option(
        "--adapter",
        type=click.Choice(["lora", "all"]),
        default="lora",
        show_default=True,
        help="Train LoRA, or all weights of hearing and writing (small models).",
    ),
    click.option("--lora-rank", type=AT_LEAST_ONE, default=32, show_default=True, help="Rank of LoRA."),
    click.option("--lora-alpha", type=AT_LEAST_ONE, default=64, show_default=True, help="Alpha of LoRA."),
    click.option(
        "--lora-dropout",
        type=click.FloatRange(0, 1, max_open=True),
        default=0.0,
        show_default=True,
        help="Dropout of LoRA.",
    ),
    click.option(
        "--bias-form",
        type=click.Choice(["release", "paper"]),
        help="Form of the attention bias; by default that of the base, or the release's.",
    ),
    click.option(
        "--save-every", type=AT_LEAST_ONE, default=200, show_default=True, help="Steps between two checkpoints."
    ),
    click.option(
        "--eval-every", type=AT_LEAST_ONE, default=200, show_default=True, help="Steps between two evaluations."
    ),
    click.option("--seed", type=int, default=1, show_default=True, help="Random seed."),
    click.option("--num-workers", type=AT_LEAST_ONE, default=4, show_default=True, help="Threads that read data."),
    click.option(
        "--device", type=click.Choice(["cpu", "cuda"]), help="Device to train on; by default a GPU if there is one."
    ),
    click.option(
        "--tracker",
        multiple=True,
        default=("tensorboard",),
        show_default=True,
        metavar="NAME",
        help="Experiment tracker: tensorboard, wandb, mlflow, … as accelerate names them, or none. "
        "May be given several times.",
    ),
    click.option(
        "--merge/--no-merge", default=True, show_default=True, help="Write the whole model, or the adapter alone."
    ),
    click.option(
        "--resume/--restart", default=True, show_default=True, help="Resume the training in the folder, or discard it."
    ),
    click.option(
        "-o",
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        required=True,
        help="Folder of the model; the same command resumes.",
    ),
)

training_options = gather_options(TrainingOptions, argument="training", options=_OPTIONS)
"""Decorator that adds the options of `TrainingOptions` to a command, which receives them as ``training``."""
