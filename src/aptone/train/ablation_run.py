"""The ablation for true checkpoints: rows of the table from one configuration, each stage made once.

The configuration names a base, shards to learn from and shards to be tested on, for every planner kind that rows ask
for; the stages are `distil`, `sft` and `grpo` as they are. A stage that has written its card is left alone; another one
goes on where it was stopped. For the miniature, see `aptone.train.miniature_run`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from aptone.errors import UsageError
from aptone.models.local_generation import Placement
from aptone.models.local_omni_checkpoint import load_omni
from aptone.train.ablation import ROWS, Recipe
from aptone.train.ablation_verdicts import result_file, write_verdicts
from aptone.train.distil import distil
from aptone.train.grpo import reinforce
from aptone.train.grpo_replies import Writing
from aptone.train.grpo_stage import Reinforcement
from aptone.train.judge_example import Kind
from aptone.train.judge_examples import Wanted, index_examples
from aptone.train.judge_model import Trained
from aptone.train.judge_recipe import JudgeRecipe
from aptone.train.judge_run import CARD
from aptone.train.judge_verdicts import verdicts
from aptone.train.sft import fine_tune

DISTILLED, RESULTS = "distil", "results"
KINDS: Mapping[str, tuple[Kind, ...]] = {
    "none": ("score",),
    "only": ("reasoned",),
    "mixed": ("reasoned", "score"),
}
"""Examples that a row learns from, by how it is taught to reason."""

Log = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class AblationConfig:
    """What rows are made of.

    Args:
        base: a folder, or a name on the Hugging Face hub.
        captions: shards with captions, for distillation.
        lessons: shards with judged lines by planner: ``none`` (the story is shown), ``one``, ``vote``, ``other``.
        tested: by part (``dev``, ``test``), shards by planner.
        adapter: ``lora``, or ``all`` for all weights.
        distil, sft, grpo: how each stage is taught (`JudgeRecipe`).
        at_once: lines that are scored together.
        max_tokens: of a reply.
        replies: to a line, in reinforcement.
        group: whose lines hang together, for intervals: a name in the ids of a line, such as ``speaker``.
    """

    base: str
    captions: Path
    lessons: Mapping[str, Path]
    tested: Mapping[str, Mapping[str, Path]]
    adapter: str = "lora"
    distil: JudgeRecipe = field(default_factory=JudgeRecipe)
    sft: JudgeRecipe = field(default_factory=JudgeRecipe)
    grpo: JudgeRecipe = field(default_factory=JudgeRecipe)
    at_once: int = 16
    max_tokens: int = 1024
    replies: int = 8
    group: str = "speaker"


def read_config(path: Path) -> AblationConfig:
    """A configuration from a JSON file; folders are looked for beside it.

    Raises:
        UsageError: if it cannot be used; the message says why.
    """
    try:
        given: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if unknown := sorted(set(given) - {one.name for one in fields(AblationConfig)}):
            raise ValueError(f"nothing is called {unknown[0]!r}")
        beside = path.parent
        base = str(beside / given["base"]) if (beside / given["base"]).is_dir() else str(given["base"])
        known: dict[str, Any] = {
            "base": base,
            "captions": beside / given["captions"],
            "lessons": {planned: beside / folder for planned, folder in given["lessons"].items()},
            "tested": {
                part: {planned: beside / folder for planned, folder in folders.items()}
                for part, folders in given["tested"].items()
            },
        }
        known |= {name: JudgeRecipe(**given[name]) for name in ("distil", "sft", "grpo") if name in given}
        return AblationConfig(**{**given, **known})
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: no configuration of an ablation ({error!r}); see docs/ablation.md.") from error


def make_ablation_row(row: int, config: AblationConfig, out: Path, *, device: str | None, log: Log) -> str:
    """A row, with all that it goes on from; what is finished is left alone.

    Returns:
        The folder of its model, or the base.

    Raises:
        UsageError: if the configuration has no shards for it; errors of the stages besides.
    """
    recipe = ROWS[row]
    if not recipe.trained:
        return config.base
    base = config.base
    if recipe.distilled:
        base = str(out / DISTILLED)
        if not (out / DISTILLED / CARD).is_file():
            distil(
                config.captions,
                out / DISTILLED,
                base=config.base,
                recipe=config.distil,
                trained=_trained(config, bias=False),
                device=device,
                log=_named(DISTILLED, log),
            )
    tuned = recipe.fine_tuned
    if not (out / tuned.name / CARD).is_file():
        fine_tune(
            _shards(config.lessons, recipe),
            out / tuned.name,
            base=base,
            recipe=config.sft,
            trained=_trained(config, bias=tuned.bias),
            wanted=Wanted(kinds=KINDS[tuned.thinking]),
            device=device,
            log=_named(tuned.name, log),
        )
    if recipe.reinforced and not (out / recipe.name / CARD).is_file():
        reinforce(
            _shards(config.lessons, recipe),
            out / recipe.name,
            base=str(out / tuned.name),
            recipe=config.grpo,
            settings=Reinforcement(writing=Writing(group=config.replies, max_tokens=config.max_tokens)),
            trained=_trained(config, bias=recipe.bias),
            kinds=KINDS[recipe.thinking],
            device=device,
            log=_named(recipe.name, log),
        )
    return str(out / recipe.name)


def score_ablation_row(
    row: int, part: str, config: AblationConfig, out: Path, *, model: str, device: str, log: Log
) -> Path:
    """Let a row judge the lines of a part; a result that is there already is left alone.

    Args:
        row: of the ablation.
        part: one of the configuration's.
        config: what is tested on.
        out: folder of the ablation.
        model: what `make_ablation_row` made.
        device: to run on.
        log: is told what comes out.

    Raises:
        UsageError: if the configuration has no shards for it.
        RecordError: if they hold no line with a score.
    """
    recipe = ROWS[row]
    path = result_file(out / RESULTS, row, part)
    if path.is_file():
        return path
    if part not in config.tested:
        raise UsageError(f"the configuration has the parts {', '.join(config.tested)}, not {part!r}.")
    wanted = Wanted(kinds=("reasoned",) if recipe.reasons else ("score",), scored=True)
    index = index_examples(_shards(config.tested[part], recipe), wanted)
    examples = [index.read(number) for number in range(len(index))]
    omni = load_omni.__wrapped__(Placement(model, device=device))
    omni.switch(gated="auto")
    said = verdicts(omni, examples, at_once=config.at_once, max_tokens=config.max_tokens)
    groups = tuple(example.ids.get(config.group, example.id) for example in examples)
    log(write_verdicts(path, said, row=row, control="", truth=np.asarray(index.scores), groups=groups))
    return path


def _shards(folders: Mapping[str, Path], recipe: Recipe) -> Path:
    if recipe.planned not in folders:
        raise UsageError(f"the configuration names no shards for the planner {recipe.planned!r}; add them.")
    return folders[recipe.planned]


def _trained(config: AblationConfig, *, bias: bool) -> Trained:
    return Trained(adapter=config.adapter, bias=bias)  # type: ignore[arg-type]  # it says itself what it takes


def _named(name: str, log: Log) -> Log:
    return lambda line: log(f"{name}: {line}")
