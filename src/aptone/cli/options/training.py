"""Options that every stage which teaches a judge has, and what they mean to it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from aptone.cli.options.group import gather_options
from aptone.cli.train.log import log_to_people
from aptone.errors import UsageError
from aptone.types import Language

if TYPE_CHECKING:  # they bring torch along
    from aptone.train.judge.config import JudgeRecipe
    from aptone.train.judge.model import Trained

SHARDS = click.Path(path_type=Path, file_okay=False, exists=True)
AT_LEAST_ONE = click.IntRange(1)
NUMBER = click.FloatRange(0)


@dataclass(frozen=True, slots=True)
class Teaching:
    """Options of every stage that teaches a judge."""

    base: str
    out: Path
    dev: Path | None
    batch: int
    chunk: int
    steps: int | None
    epochs: float | None
    rate: float
    last_rate: float
    warm_up: float
    decay: str
    weight_decay: float
    largest_gradient: float
    precision: str | None
    checkpointing: bool
    adapter: str
    rank: int
    alpha: int
    dropout: float
    bias_form: str | None
    keep: int
    look: int
    seed: int
    threads: int
    device: str | None
    tracker: tuple[str, ...]
    merge: bool
    resume: bool

    def recipe(self) -> "JudgeRecipe":
        """How the judge is taught."""
        from aptone.train.device import device_named
        from aptone.train.judge.config import JudgeRecipe

        usual = "bfloat16" if device_named(self.device).type == "cuda" else "float32"
        shared = (
            *("batch", "chunk", "rate", "last_rate", "warm_up", "decay", "weight_decay", "largest_gradient"),
            *("checkpointing", "keep", "look", "seed"),
        )
        given: dict[str, Any] = {name: getattr(self, name) for name in shared}
        return JudgeRecipe(**given, precision=self.precision or usual, steps=self.steps or 1)  # type: ignore[arg-type]

    def trained(self, *, bias: bool, tokens: bool) -> "Trained":
        """What of it is trained."""
        from aptone.train.judge.model import Trained

        return Trained(
            self.adapter,  # type: ignore[arg-type]
            self.rank,
            self.alpha,
            self.dropout,
            bias,
            tokens,
            form=self.bias_form if bias else None,  # type: ignore[arg-type]
        )

    def rounds(self, usual: float) -> float | None:
        """Rounds through the data; None where steps are given.

        Raises:
            UsageError: if both are.
        """
        if self.steps is not None and self.epochs is not None:
            raise UsageError("--steps and --epochs say the same thing; give one of them.")
        return None if self.steps is not None else self.epochs or usual

    def options(self, language: Language) -> dict[str, Any]:
        """What else a stage takes; it speaks the language of whoever waits."""
        return {
            "dev": self.dev,
            "device": self.device,
            "threads": self.threads,
            "trackers": self.tracker,
            "merged": self.merge,
            "anew": not self.resume,
            "log": log_to_people(language),
        }


_OPTIONS = (
    click.option(
        "--base",
        default="Qwen/Qwen2.5-Omni-7B",
        show_default=True,
        metavar="MODEL",
        help="What it starts from: a Qwen2.5-Omni, a released judge, or what an earlier stage made.",
    ),
    click.option("--dev", type=SHARDS, help="Shards that it does not learn from; their loss is told."),
    click.option("--batch", type=AT_LEAST_ONE, default=32, show_default=True, help="Examples of a step, on all GPUs."),
    click.option("--chunk", type=AT_LEAST_ONE, default=4, show_default=True, help="Examples in memory, on a GPU."),
    click.option("--steps", type=AT_LEAST_ONE, help="Batches; instead of --epochs."),
    click.option("--epochs", type=click.FloatRange(0, min_open=True), help="Rounds through the data."),
    click.option("--rate", type=NUMBER, default=5e-6, show_default=True, help="Learning rate at its peak."),
    click.option("--last-rate", type=NUMBER, default=5e-7, show_default=True, help="At the end."),
    click.option(
        "--warm-up",
        type=click.FloatRange(0, 1),
        default=0.1,
        show_default=True,
        help="Share of the steps in which the rate rises.",
    ),
    click.option("--decay", type=click.Choice(["cosine", "linear"]), default="cosine", show_default=True),
    click.option("--weight-decay", type=NUMBER, default=0.0, show_default=True, help="Of matrices."),
    click.option(
        "--largest-gradient", type=NUMBER, default=1.0, show_default=True, help="Norm to clip to; 0 for never."
    ),
    click.option(
        "--precision",
        type=click.Choice(["float32", "bfloat16"]),
        help="Of the arithmetic; by default bfloat16 on a GPU, float32 elsewhere.",
    ),
    click.option("--checkpointing", is_flag=True, help="Compute layers again in the backward pass: less memory."),
    click.option(
        "--adapter",
        type=click.Choice(["lora", "all"]),
        default="lora",
        show_default=True,
        help="Train LoRA, or all weights that hear or write (small models).",
    ),
    click.option("--rank", type=AT_LEAST_ONE, default=32, show_default=True, help="Of LoRA."),
    click.option("--alpha", type=AT_LEAST_ONE, default=64, show_default=True, help="Of LoRA."),
    click.option(
        "--dropout", type=click.FloatRange(0, 1, max_open=True), default=0.0, show_default=True, help="Of LoRA."
    ),
    click.option(
        "--bias-form",
        type=click.Choice(["release", "paper"]),
        help="Of the attention bias; by default the one that the base was taught with, or the release's.",
    ),
    click.option("--keep", type=AT_LEAST_ONE, default=200, show_default=True, help="Steps between two checkpoints."),
    click.option("--look", type=AT_LEAST_ONE, default=200, show_default=True, help="Steps between two looks."),
    click.option("--seed", type=int, default=1, show_default=True, help="Of everything that is drawn."),
    click.option("--threads", type=AT_LEAST_ONE, default=4, show_default=True, help="That read."),
    click.option("--device", type=click.Choice(["cpu", "cuda"]), help="Where; by default on a GPU if there is one."),
    click.option(
        "--tracker",
        multiple=True,
        default=("tensorboard",),
        show_default=True,
        metavar="NAME",
        help="Where figures go: tensorboard, wandb, mlflow, … as accelerate names them, or none. May be given again.",
    ),
    click.option(
        "--merge/--no-merge", default=True, show_default=True, help="Write the whole model, or the adapter alone."
    ),
    click.option(
        "--resume/--anew",
        default=True,
        show_default=True,
        help="Go on where the folder's training was stopped, or forget it.",
    ),
    click.option(
        "-o",
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        required=True,
        help="Folder of the model; the same command goes on where it was stopped.",
    ),
)

teaching_options = gather_options(Teaching, argument="teaching", options=_OPTIONS)
"""Adds the options of `Teaching` to a stage, which receives them as its argument ``teaching``."""
