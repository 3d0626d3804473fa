"""Options of the commands that train: those that all judges share, and files of options."""

import contextlib
import difflib
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import click

from aptone.cli.commands import gather_options
from aptone.cli.options.values import several_option
from aptone.errors import MissingExtraError, UsageError
from aptone.messages import translate
from aptone.train.renames import JUDGE, LORA, renamed_options
from aptone.types import Language, loads

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Any], Any]
FOLDER = click.Path(path_type=Path, file_okay=False)
FILE = click.Path(path_type=Path, dir_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)
AT_LEAST_ONE = click.IntRange(1)
NUMBER = click.FloatRange(0)
ABOVE_ZERO = click.FloatRange(0, min_open=True)
LANGUAGES = click.Choice(["en", "zh"])

LIBRARIES = {"accelerate", "onnx", "peft", "safetensors", "torch", "transformers"}
"""Libraries of the extra ``train``."""
COMMON_RENAMED = {"--dev": "--eval-data", "--threads": "--num-workers"}
"""Former options of every training command."""
RENAMED = {**COMMON_RENAMED, **renamed_options({**JUDGE, **LORA}), "--anew": "--restart"}
"""Former options of judge training."""


def with_default(name: str, kind: Any, default: Any, text: str) -> Option:
    """Return an option whose help shows its default."""
    return click.option(name, type=kind, default=default, show_default=True, help=text)


SEED = with_default("--seed", int, 1, "Random seed.")
NUM_WORKERS = with_default("--num-workers", AT_LEAST_ONE, 4, "Threads that read data.")
MAX_GRAD_NORM = with_default("--max-grad-norm", NUMBER, 1.0, "Clip gradients to this norm; 0 disables.")
PRECISION = click.option(
    "--precision",
    type=click.Choice(["float32", "bfloat16"]),
    help="Precision of the arithmetic; by default bfloat16 on a GPU, float32 elsewhere.",
)
ANY_DEVICE = click.option("--device", metavar="cpu|cuda", help="Device to train on; by default a GPU if there is one.")
OUT = click.option("-o", "--out", type=FOLDER, required=True, help="Folder of the model; the same command resumes.")


def usual_precision(device: str | None) -> str:
    """Return bfloat16 for a GPU, else float32."""
    from aptone.train.distributed import resolve_device

    return "bfloat16" if resolve_device(device).type == "cuda" else "float32"


def log_to_people(language: Language) -> Callable[[str], None]:
    """Return what a training may call with its lines: they go to the terminal, beside what the verb prints at its end.

    Trainings log messages; a language changes what is shown, not what a model's card keeps.
    """
    return lambda line: click.echo(translate(line, language), err=True)


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

    def arguments(self, language: Language, *, epochs: float, bias: bool, tokens: bool = True) -> dict[str, Any]:
        """Return the arguments of a stage besides data and folder; its log lines are in the given language.

        Args:
            epochs: passes over the data, where neither steps nor epochs are given.
            tokens: add the release's tokens to a base that lacks them.

        Raises:
            UsageError: if a value is out of range, or steps and epochs are both given.
        """
        from aptone.train.judge.config import JudgeConfig
        from aptone.train.judge.model import AdapterConfig

        given: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(JudgeConfig)}
        given |= {"precision": self.precision or usual_precision(self.device), "steps": self.steps or 1}
        adapter: dict[str, Any] = {"kind": self.adapter, "bias_form": self.bias_form if bias else None}
        adapter |= {name: getattr(self, name) for name in ("lora_rank", "lora_alpha", "lora_dropout")}
        arguments = {name: getattr(self, name) for name in ("base", "eval_data", "device", "num_workers", "merge")}
        arguments |= {
            "config": JudgeConfig(**given),
            "adapter": AdapterConfig(**adapter, bias=bias, tokens=tokens),
            "epochs": None if self.steps is not None else self.epochs or epochs,
            "trackers": self.tracker,
            "restart": not self.resume,
            "log": log_to_people(language),
        }
        if self.steps is not None and self.epochs is not None:
            raise UsageError("--steps and --epochs say the same thing; give one of them.")
        return arguments


_OPTIONS = (
    click.option(
        "--base",
        default="Qwen/Qwen2.5-Omni-7B",
        show_default=True,
        metavar="MODEL",
        help="Model to start from: a Qwen2.5-Omni, a released judge, or the result of an earlier stage.",
    ),
    click.option("--eval-data", type=EXISTING_FOLDER, help="Held-out shards; their loss is reported."),
    with_default("--batch-size", AT_LEAST_ONE, 32, "Examples per step, over all GPUs."),
    with_default(
        "--micro-batch-size", AT_LEAST_ONE, 4, "Examples in memory at once on a GPU; gradients are accumulated."
    ),
    click.option("--steps", type=AT_LEAST_ONE, help="Optimiser steps, in the place of --epochs."),
    click.option("--epochs", type=ABOVE_ZERO, help="Passes over the data."),
    with_default("--lr", NUMBER, 5e-6, "Peak learning rate."),
    with_default("--min-lr", NUMBER, 5e-7, "Learning rate at the last step."),
    with_default("--warmup-ratio", click.FloatRange(0, 1), 0.1, "Share of the steps for linear warm-up."),
    with_default(
        "--lr-schedule", click.Choice(["cosine", "linear"]), "cosine", "Decay of the learning rate after warm-up."
    ),
    with_default("--weight-decay", NUMBER, 0.0, "Weight decay of matrices."),
    MAX_GRAD_NORM,
    PRECISION,
    click.option(
        "--gradient-checkpointing", is_flag=True, help="Recompute layers in the backward pass, for less memory."
    ),
    with_default(
        "--adapter",
        click.Choice(["lora", "all"]),
        "lora",
        "Train LoRA, or all weights of hearing and writing (small models).",
    ),
    with_default("--lora-rank", AT_LEAST_ONE, 32, "Rank of LoRA."),
    with_default("--lora-alpha", AT_LEAST_ONE, 64, "Alpha of LoRA."),
    with_default("--lora-dropout", click.FloatRange(0, 1, max_open=True), 0.0, "Dropout of LoRA."),
    click.option(
        "--bias-form",
        type=click.Choice(["release", "paper"]),
        help="Form of the attention bias; by default that of the base, or the release's.",
    ),
    with_default("--save-every", AT_LEAST_ONE, 200, "Steps between two checkpoints."),
    with_default("--eval-every", AT_LEAST_ONE, 200, "Steps between two evaluations."),
    SEED,
    NUM_WORKERS,
    click.option(
        "--device", type=click.Choice(["cpu", "cuda"]), help="Device to train on; by default a GPU if there is one."
    ),
    several_option(
        "--tracker",
        default=("tensorboard",),
        metavar="NAME",
        help="Experiment tracker: tensorboard, wandb, mlflow, … as accelerate names them, or none.",
    ),
    with_default("--merge/--no-merge", None, True, "Write the whole model, or the adapter alone."),
    with_default("--resume/--restart", None, True, "Resume the training in the folder, or discard it."),
    OUT,
)

training_options = gather_options(TrainingOptions, argument="training", options=_OPTIONS)
"""Decorator that adds the options of `TrainingOptions` to a command, which receives them as ``training``."""


def prompt_options(text: str, *, default: Sequence[str] = ()) -> Option:
    """Return a decorator that adds the options of prompts to train on: ``--kind``, ``--language`` and ``--bias``."""

    def decorate(command: Command) -> Command:
        for option in (
            with_default("--bias/--no-bias", None, True, "Switch on the audio attention bias and train its gates."),
            languages_option("Language of the prompts."),
            several_option("--kind", "kinds", type=click.Choice(["reasoned", "score"]), default=default, help=text),
        ):
            command = option(command)
        return command

    return decorate


def languages_option(text: str) -> Option:
    """Return ``--language``, which may be given several times; none for all."""
    return several_option("--language", "languages", type=LANGUAGES, help=text)


@contextlib.contextmanager
def training_parts() -> Iterator[None]:
    """Turn a missing training library into an error that names the extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in LIBRARIES:
            raise
        raise MissingExtraError("training", extra="train") from error


def config_option(command: Command) -> Command:
    """Add ``--config``: a file with options, overridden by those on the command line."""
    return click.option(
        "--config",
        type=FILE,
        callback=_read_config,
        is_eager=True,
        expose_value=False,
        help="TOML or JSON file with options by their long names; the command line overrides it.",
    )(command)


def _read_config(context: click.Context, parameter: click.Parameter, path: Path | None) -> None:
    if path is None:
        return
    given = read_config(path)
    names = {
        option.removeprefix("--").replace("-", "_"): str(one.name)
        for one in context.command.params
        for option in one.opts
        if option.startswith("--") and one is not parameter
    }
    former: Mapping[str, str] = getattr(context.command, "renamed", {})
    chosen = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if (new := former.get(f"--{name.replace('_', '-')}")) is not None and name not in names:
            raise UsageError(f"{path}: {key} is now {new.removeprefix('--').replace('-', '_')}.")
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            meant = f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(sorted(names))}."
            raise UsageError(f"{path}: unknown option {key!r}{meant}")
        chosen[names[name]] = value
    context.default_map = {**(context.default_map or {}), **chosen}


def read_config(path: Path) -> dict[str, Any]:
    """Return the options in a file.

    Raises:
        UsageError: if it cannot be read as TOML, or as JSON where its name ends in ``.json``.
    """
    try:
        data = path.read_bytes()
        found = loads(data, what=str(path)) if path.suffix == ".json" else tomllib.loads(data.decode("utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as options ({error}); expected TOML or JSON.") from error
    if not isinstance(found, dict):
        raise UsageError(f"{path}: expected an object of options, such as batch_size = 32.")
    return found
