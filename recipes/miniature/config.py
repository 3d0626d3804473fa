"""Settings of the miniature: sizes, steps and learning rates of its stages.

The base is not pre-trained, so all weights are trained, with higher learning rates than those of large judges: LoRA has
nothing to adapt.

Cost of all thirteen rows on one H200 with 16 cores whose processes share it (MPS): frames of 16,600 sounds in 65 s, 16
at a time. Distillation: 1,200 steps of 192 clips, 65 s. Fine-tuning: nine recipes in parallel, 110 to 130 s, and 70 s
more for those with two kinds of examples. Scores: 7 s a row for 1,410 pairs if it scores at once, 45 s if it reasons
and eight more replies are sampled. GRPO: 30 steps of 256 replies, 21 s, and 70 to 90 s if it reasons. Together 13
minutes, of which three are the controls of row 12; existing results are kept. An evaluation writes a checkpoint of 210
MB, so there are few.
"""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aptone.errors import UsageError
from aptone.train.ablation.rows import Recipe
from aptone.train.grpo.rollouts import RolloutConfig
from aptone.train.grpo.step import GrpoConfig
from aptone.train.judge.config import JudgeConfig
from recipes.miniature.batches import Masking
from recipes.miniature.model import SIZES, Sizes

NEVER = 100_000
"""Steps between checkpoints besides those of evaluations."""

MAX_SCORE_TOKENS, MAX_REASONING_TOKENS = 12, 320
"""Longest replies of the miniature, without and with reasoning."""


@dataclass(frozen=True, slots=True)
class MiniatureSettings:
    """Settings of the miniature; see the module for its cost.

    Args:
        sizes: sizes of the model.
        distil, sft, grpo: hyperparameters of each stage.
        grpo_settings: settings of GRPO besides.
        masking: masking of frames in distillation and fine-tuning.
        eval_batch_size: clips that are scored at once.
        num_samples: replies over which the score of a judge that reasons is averaged.
    """

    sizes: Sizes = SIZES["small"]
    distil: JudgeConfig = field(
        default_factory=lambda: JudgeConfig(
            batch_size=192,
            micro_batch_size=192,
            steps=1200,
            lr=1e-3,
            min_lr=1e-5,
            weight_decay=0.05,
            precision="bfloat16",
            save_every=NEVER,
            eval_every=400,
        )
    )
    sft: JudgeConfig = field(
        default_factory=lambda: JudgeConfig(
            batch_size=64,
            micro_batch_size=64,
            steps=1100,
            lr=5e-4,
            min_lr=1e-5,
            weight_decay=0.05,
            precision="bfloat16",
            save_every=NEVER,
            eval_every=550,
        )
    )
    grpo: JudgeConfig = field(
        default_factory=lambda: JudgeConfig(
            batch_size=32,
            micro_batch_size=64,
            steps=30,
            lr=3e-5,
            min_lr=3e-6,
            precision="bfloat16",
            save_every=NEVER,
            eval_every=10,
        )
    )
    grpo_settings: GrpoConfig = field(
        default_factory=lambda: GrpoConfig(
            rollout=RolloutConfig(num_generations=8, max_new_tokens=MAX_REASONING_TOKENS, rollout_batch_size=256)
        )
    )
    masking: Masking = field(default_factory=Masking)
    eval_batch_size: int = 1024
    num_samples: int = 8

    def fine_tuning(self, row: Recipe) -> JudgeConfig:
        """Return the hyperparameters of a row's fine-tuning: twice the steps for twice the examples."""
        times = 2 if row.thinking == "mixed" else 1
        return replace(self.sft, steps=times * self.sft.steps, eval_every=times * self.sft.eval_every)


def settings_from(path: Path | None) -> MiniatureSettings:
    """Return the default settings with the changes of a JSON file: ``{"sizes": "smoke", "sft": {"steps": 20}, …}``.

    Raises:
        UsageError: if the file cannot be used.
    """
    if path is None:
        return MiniatureSettings()
    try:
        given: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        made = MiniatureSettings()
        if "sizes" in given:
            made = replace(made, sizes=SIZES[given.pop("sizes")])
        if "eval_batch_size" in given:
            made = replace(made, eval_batch_size=int(given.pop("eval_batch_size")))
        if "num_samples" in given:
            made = replace(made, num_samples=int(given.pop("num_samples")))
        if "rollout" in given:
            rollout = replace(made.grpo_settings.rollout, **given.pop("rollout"))
            made = replace(made, grpo_settings=replace(made.grpo_settings, rollout=rollout))
        for name, changes in given.items():
            made = replace(made, **{name: replace(getattr(made, name), **changes)})
        return made
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: no settings of the miniature ({error!r}).") from error
