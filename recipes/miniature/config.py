"""How the miniature is made: sizes, steps and rates of its stages.

The base knows nothing, so all weights are trained, at higher rates than those of large judges: LoRA has nothing to
adapt.

What all thirteen rows cost on one H200 with 16 cores whose processes share it (MPS): 16,600 sounds become frames in 65
s, 16 at a time. Distillation: 1,200 steps of 192 clips, 65 s. Fine-tuning: nine recipes side by side, 110 to 130 s, and
70 s more for those with two kinds of lessons. Scores: 7 s a row for 1,410 pairs where it scores at once, 45 s where it
reasons and eight more replies are drawn. Reinforcement: 30 steps of 256 replies, 21 s, and 70 to 90 s where it reasons.
Together 13 minutes, of which three are the controls of row 12; what is there already is not made again. A look keeps a
checkpoint of 210 MB, so that there are few.
"""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aptone.errors import UsageError
from aptone.train.ablation.rows import Recipe
from aptone.train.grpo.loss import Clipping
from aptone.train.grpo.rollouts import Writing
from aptone.train.grpo.step import Reinforcement
from aptone.train.judge.config import JudgeRecipe
from recipes.miniature.batches import Masking
from recipes.miniature.model import SIZES, Sizes

NEVER = 100_000
"""Steps between checkpoints besides those of the looks."""

TOKENS_FOR_A_SCORE, TOKENS_FOR_REASONS = 12, 320
"""Longest replies of the miniature, without and with reasons."""


@dataclass(frozen=True, slots=True)
class MiniatureSettings:
    """How the miniature is made; see the module for what it costs.

    Args:
        sizes: of the model.
        distil, sft, grpo: how each stage is taught.
        reinforcement: how it is reinforced, besides.
        masking: of frames, in distillation and fine-tuning.
        at_once: clips that are scored at once.
        draws: replies over which the score of a judge that reasons is averaged.
    """

    sizes: Sizes = SIZES["small"]
    distil: JudgeRecipe = field(
        default_factory=lambda: JudgeRecipe(
            batch=192,
            chunk=192,
            steps=1200,
            rate=1e-3,
            last_rate=1e-5,
            weight_decay=0.05,
            precision="bfloat16",
            keep=NEVER,
            look=400,
        )
    )
    sft: JudgeRecipe = field(
        default_factory=lambda: JudgeRecipe(
            batch=64,
            chunk=64,
            steps=1100,
            rate=5e-4,
            last_rate=1e-5,
            weight_decay=0.05,
            precision="bfloat16",
            keep=NEVER,
            look=550,
        )
    )
    grpo: JudgeRecipe = field(
        default_factory=lambda: JudgeRecipe(
            batch=32, chunk=64, steps=30, rate=3e-5, last_rate=3e-6, precision="bfloat16", keep=NEVER, look=10
        )
    )
    reinforcement: Reinforcement = field(
        default_factory=lambda: Reinforcement(
            clipping=Clipping(), writing=Writing(group=8, max_tokens=TOKENS_FOR_REASONS, at_once=256)
        )
    )
    masking: Masking = field(default_factory=Masking)
    at_once: int = 1024
    draws: int = 8

    def fine_tuning(self, row: Recipe) -> JudgeRecipe:
        """How a row is fine-tuned: twice as long where it has twice the lessons, so that each is met as often."""
        times = 2 if row.thinking == "mixed" else 1
        return replace(self.sft, steps=times * self.sft.steps, look=times * self.sft.look)


def settings_from(path: Path | None) -> MiniatureSettings:
    """The usual settings, with what a JSON file changes: ``{"sizes": "smoke", "sft": {"steps": 20}, …}``.

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
        if "at_once" in given:
            made = replace(made, at_once=int(given.pop("at_once")))
        if "draws" in given:
            made = replace(made, draws=int(given.pop("draws")))
        if "writing" in given:
            writing = replace(made.reinforcement.writing, **given.pop("writing"))
            made = replace(made, reinforcement=replace(made.reinforcement, writing=writing))
        for name, changes in given.items():
            made = replace(made, **{name: replace(getattr(made, name), **changes)})
        return made
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: no settings of the miniature ({error!r}).") from error
