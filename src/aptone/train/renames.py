"""Former names of training options and configuration fields, and the names that replaced them.

Options and configuration files refuse a former name and name the new one. Checkpoints are read under either, so that a
training that was started before the renaming resumes.
"""

import hashlib
from collections.abc import Iterable, Mapping

from aptone.errors import UsageError
from aptone.types import Json, dumps

Renames = Mapping[str, str]
"""Old name to new name."""

_SHARED: Renames = {
    "batch": "batch_size",
    "chunk": "micro_batch_size",
    "rate": "lr",
    "largest_gradient": "max_grad_norm",
    "keep": "save_every",
    "look": "eval_every",
}
JUDGE: Renames = {
    **_SHARED,
    "last_rate": "min_lr",
    "warm_up": "warmup_ratio",
    "decay": "lr_schedule",
    "checkpointing": "gradient_checkpointing",
}
"""Fields of `aptone.train.judge.config.JudgeConfig`."""
LORA: Renames = {"rank": "lora_rank", "alpha": "lora_alpha", "dropout": "lora_dropout"}
ADAPTER: Renames = {"adapter": "kind", "form": "bias_form", **LORA}
"""Fields of `aptone.train.judge.model.AdapterConfig`."""
GRPO: Renames = {
    "averaging": "loss_type",
    "corrected": "kl_correction",
    "group": "num_generations",
    "max_tokens": "max_new_tokens",
    "at_once": "rollout_batch_size",
    "scale": "scale_rewards",
    "updates": "num_iterations",
}
"""Fields of `aptone.train.grpo.step.GrpoConfig` and of its parts."""
LOSS_TYPES: Renames = {"reply": "grpo", "token": "bnpo", "length": "dr_grpo"}
"""Values of ``loss_type``."""
CLAP: Renames = {
    **_SHARED,
    "audio_rate": "audio_lr",
    "text_rate": "text_lr",
    "warm_up": "warmup_steps",
    "decay": "weight_decay",
}
"""Fields of `aptone.train.clap.trainer.ClapTrainingConfig`."""
CSER: Renames = {"rate": "lr", "batch": "batch_size", "hidden": "hidden_size", "layers": "num_layers"}
"""Fields of `aptone.train.cser.run.CserTrainingConfig`."""
ABLATION: Renames = {
    "lessons": "train_data",
    "tested": "eval_data",
    "at_once": "eval_batch_size",
    "max_tokens": "max_new_tokens",
    "replies": "num_generations",
    "group": "group_by",
}
"""Fields of `aptone.train.ablation.run.AblationConfig`."""
STATE: Renames = {"looks": "evaluations", "figures": "metrics", "dev": "eval_metrics"}
"""Fields of the training state in a checkpoint."""
METRICS: Renames = {
    "gradient": "grad_norm",
    "divergence": "kl",
    "clipped": "clip_ratio",
    "cut": "truncated",
    "alike": "equal_reward_groups",
}
"""Names of training metrics."""


def new_names(record: Mapping[str, Json], renames: Renames) -> dict[str, Json]:
    """Return a record under today's names, whichever names it has.

    >>> new_names({"rate": 0.1, "min_lr": 0.0}, JUDGE)
    {'lr': 0.1, 'min_lr': 0.0}
    """
    return {renames.get(name, name): value for name, value in record.items()}


def old_names(record: Mapping[str, Json], renames: Renames) -> dict[str, Json]:
    """Return a record of today's names under their former ones; values of ``loss_type`` are renamed too.

    >>> old_names({"loss_type": "bnpo", "epsilon": 0.1}, GRPO)
    {'averaging': 'token', 'epsilon': 0.1}
    """
    back = {new: old for old, new in renames.items()}
    types = {new: old for old, new in LOSS_TYPES.items()}
    return {
        back.get(name, name): types.get(str(value), value) if name == "loss_type" else value
        for name, value in record.items()
    }


def identities(settings: Mapping[str, Json], renames: Renames, rest: Mapping[str, Json]) -> tuple[str, str]:
    """Return the hash of everything that a resumed training must share, and the same hash under former names."""
    now, former = (
        hashlib.sha256(dumps({**one, **rest}).encode()).hexdigest() for one in (settings, old_names(settings, renames))
    )
    return now, former


def refuse_old_names(given: Iterable[str], renames: Renames, *, where: str) -> None:
    """Refuse a configuration that uses a former name.

    Raises:
        UsageError: if a name was replaced; the message has the new one.
    """
    for name in given:
        if name in renames:
            raise UsageError(f"{where}: {name} is now {renames[name]}.")


def renamed_options(renames: Renames) -> dict[str, str]:
    """Return the same renames as options of the command line.

    >>> renamed_options({"last_rate": "min_lr"})
    {'--last-rate': '--min-lr'}
    """
    return {f"--{old.replace('_', '-')}": f"--{new.replace('_', '-')}" for old, new in renames.items()}
