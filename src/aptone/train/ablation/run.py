"""Run the ablation: train and score rows of the table from one configuration, each stage once.

The configuration names a base, training shards and evaluation shards, for every kind of planner that rows need; the
stages are `distil`, `sft` and `train_grpo`. A stage that has written its card is not run again; an unfinished one
resumes. Results of other settings are refused, for they would stand in the table as if they were those of the
configuration.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from aptone.errors import UsageError
from aptone.files import make_folder, write_whole
from aptone.messages import labelled
from aptone.models.local.placement import Placement
from aptone.models.omni.checkpoint import load_omni
from aptone.train.ablation.results import result_path, write_row_results
from aptone.train.ablation.rows import ROWS, Recipe
from aptone.train.grpo.rollouts import RolloutConfig
from aptone.train.grpo.run import train_grpo
from aptone.train.grpo.step import GrpoConfig
from aptone.train.judge.config import JudgeConfig
from aptone.train.judge.dataset import ExampleFilter, index_examples
from aptone.train.judge.distil import distil
from aptone.train.judge.evaluate import evaluate_judge
from aptone.train.judge.example import Kind
from aptone.train.judge.model import AdapterConfig
from aptone.train.judge.run import CARD, fine_tune
from aptone.train.renames import ABLATION, JUDGE, old_names, refuse_old_names
from aptone.types import Json, dumps

DISTILLED, RESULTS = "distil", "results"
STAGES = (DISTILLED, "sft", "grpo")
MADE_OF = "made-of"
"""Name of the file with the settings of a stage or result, written next to it."""
KINDS: Mapping[str, tuple[Kind, ...]] = {"none": ("score",), "only": ("reasoned",), "mixed": ("reasoned", "score")}
"""Kinds of training examples, by the row's training on reasonings."""

Log = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class AblationConfig:
    """Configuration of an ablation.

    Args:
        base: folder, or name on the Hugging Face hub.
        train_data: shards with judged lines by planner: ``none`` (the story is shown), ``one``, ``vote``, ``other``.
        eval_data: shards by planner, for each part (``dev``, ``test``).
        adapter: ``lora``, or ``all`` for all weights.
        eval_batch_size: lines that are scored together.
        group_by: name in the ids of a line, such as ``speaker``, whose groups are resampled for intervals; a line
            without it is a group of its own.
    """

    base: str
    captions: Path
    train_data: Mapping[str, Path]
    eval_data: Mapping[str, Mapping[str, Path]]
    adapter: str = "lora"
    distil: JudgeConfig = field(default_factory=JudgeConfig)
    sft: JudgeConfig = field(default_factory=JudgeConfig)
    grpo: JudgeConfig = field(default_factory=JudgeConfig)
    eval_batch_size: int = 16
    max_new_tokens: int = 1024
    num_generations: int = 8
    group_by: str = "speaker"

    def __post_init__(self) -> None:
        if min(self.eval_batch_size, self.max_new_tokens) < 1 or self.num_generations < 2:
            raise UsageError("eval_batch_size and max_new_tokens are 1 or more, num_generations 2 or more.")
        AdapterConfig(kind=self.adapter)  # type: ignore[arg-type]  # refuses an unknown kind


def check_config(config: AblationConfig, rows: Sequence[int], parts: Sequence[str]) -> None:
    """Refuse a configuration without the folders that rows and parts need, before hours of training.

    Raises:
        UsageError: if a folder is missing.
    """
    for part in parts:
        if part not in config.eval_data:
            raise UsageError(f"the configuration has the parts {', '.join(config.eval_data)}, not {part!r}.")
    for row in rows:
        train_data = [config.train_data] if ROWS[row].trained else []
        for folders in (*train_data, *(config.eval_data[part] for part in parts)):
            _shards(folders, ROWS[row])


def read_config(path: Path) -> AblationConfig:
    """Return the configuration in a JSON file; relative folders are relative to the file.

    Raises:
        UsageError: if it cannot be used; the message says why.
    """
    try:
        given: dict[str, Any] = dict(json.loads(path.read_text(encoding="utf-8")))
        stages = {name: dict(given[name]) for name in STAGES if name in given}
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"{path}: no configuration of an ablation ({error}); see docs/train/ablation.md.") from error
    refuse_old_names(given, ABLATION, where=str(path))
    for name, settings in stages.items():
        refuse_old_names(settings, JUDGE, where=f"{path}, {name}")
    try:
        if unknown := sorted(set(given) - {one.name for one in fields(AblationConfig)}):
            raise ValueError(f"nothing is called {unknown[0]!r}")
        beside = path.parent
        base = str(beside / given["base"]) if (beside / given["base"]).is_dir() else str(given["base"])
        known: dict[str, Any] = {
            "base": base,
            "captions": beside / given["captions"],
            "train_data": {planner: beside / folder for planner, folder in given["train_data"].items()},
            "eval_data": {
                part: {planner: beside / folder for planner, folder in folders.items()}
                for part, folders in given["eval_data"].items()
            },
        }
        known |= {name: JudgeConfig(**settings) for name, settings in stages.items()}
        return AblationConfig(**{**given, **known})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UsageError) as error:
        raise UsageError(f"{path}: no configuration of an ablation ({error!r}); see docs/train/ablation.md.") from error


def make_ablation_row(row: int, config: AblationConfig, out: Path, *, device: str | None, log: Log) -> str:
    """Train a row with all stages that it needs, finished ones kept; return the folder of its model, or the base.

    Raises:
        UsageError: if the configuration has no shards for it, or a stage was made with other settings; also the errors
            of the stages.
    """
    recipe = ROWS[row]
    if not recipe.trained:
        return config.base
    base = config.base
    if recipe.distilled:
        base = str(out / DISTILLED)
        if not _is_made(out / DISTILLED / CARD, _made_of(config, DISTILLED)):
            distil(
                config.captions,
                out / DISTILLED,
                base=config.base,
                config=config.distil,
                adapter=_adapter(config, bias=False),
                device=device,
                log=_named(DISTILLED, log),
            )
    tuned = recipe.fine_tuned
    train_data = _shards(config.train_data, recipe)
    if not _is_made(out / tuned.name / CARD, _made_of(config, *_stages(tuned), train_data=train_data)):
        fine_tune(
            train_data,
            out / tuned.name,
            base=base,
            config=config.sft,
            adapter=_adapter(config, bias=tuned.bias),
            example_filter=ExampleFilter(kinds=KINDS[tuned.thinking]),
            device=device,
            log=_named(tuned.name, log),
        )
    if recipe.reinforced and not _is_made(
        out / recipe.name / CARD, _made_of(config, *_stages(recipe), train_data=train_data)
    ):
        train_grpo(
            train_data,
            out / recipe.name,
            base=str(out / tuned.name),
            config=config.grpo,
            settings=GrpoConfig(
                rollout=RolloutConfig(num_generations=config.num_generations, max_new_tokens=config.max_new_tokens)
            ),
            adapter=_adapter(config, bias=recipe.bias),
            kinds=KINDS[recipe.thinking],
            device=device,
            log=_named(recipe.name, log),
        )
    return str(out / recipe.name)


def score_ablation_row(
    row: int, part: str, config: AblationConfig, out: Path, *, model: str, device: str, log: Log
) -> Path:
    """Score the lines of a part with a row; an existing result is kept.

    Raises:
        UsageError: if the configuration has no shards for it, or it was scored with other settings.
        RecordError: if the shards hold no line with a score.
    """
    recipe = ROWS[row]
    path = result_path(out / RESULTS, row, part)
    check_config(config, [row], [part])
    eval_data = _shards(config.eval_data[part], recipe)
    folders = {"eval_data": eval_data}
    if recipe.trained:
        folders["train_data"] = _shards(config.train_data, recipe)
    settings: dict[str, Json] = {"group_by": config.group_by, "max_new_tokens": config.max_new_tokens}
    if _is_made(path, {**_made_of(config, *_stages(recipe), **folders), **settings}):
        return path
    example_filter = ExampleFilter(kinds=("reasoned",) if recipe.reasons else ("score",), scored=True)
    index = index_examples(eval_data, example_filter)
    examples = [index.read(number) for number in range(len(index))]
    omni = load_omni.__wrapped__(Placement(model, device=device))
    omni.switch(gated="auto")
    said = evaluate_judge(omni, examples, batch_size=config.eval_batch_size, max_new_tokens=config.max_new_tokens)
    groups = tuple(example.ids.get(config.group_by, example.line_id) for example in examples)
    truth = np.array([example.score for example in examples])  # the index keeps fewer digits: 2.2 is over 1 from 1.2
    log(write_row_results(path, said, row=row, control="", truth=truth, groups=groups))
    return path


def _stages(recipe: Recipe) -> list[str]:
    """Return the stages of a row."""
    passed = {DISTILLED: recipe.distilled, "sft": recipe.trained, "grpo": recipe.reinforced}
    return [stage for stage, is_passed in passed.items() if is_passed]


def _made_of(config: AblationConfig, *stages: str, **folders: Path) -> dict[str, Json]:
    """Return the settings of stages and the names of folders; names only, for all of it may be moved."""
    if DISTILLED in stages:
        folders["captions"] = config.captions
    made: dict[str, Json] = {"base": Path(config.base).name, "adapter": config.adapter}
    made |= {stage: getattr(config, stage).decisive for stage in stages}
    if "grpo" in stages:
        made |= {"num_generations": config.num_generations, "max_new_tokens": config.max_new_tokens}
    return made | {name: "/".join(folder.parts[-2:]) for name, folder in folders.items()}


def _is_made(last: Path, made_of: Mapping[str, Json]) -> bool:
    """Return true if a stage or result exists, by its file that is written last.

    One without a settings file counts: somebody may have trained a stage by hand, on several GPUs.

    Raises:
        UsageError: if it was made with other settings.
    """
    made, mark = last, f"{MADE_OF}-{last.stem}.json"
    if last.name == CARD:
        made, mark = last.parent, f"{MADE_OF}.json"
    kept = last.parent / mark
    if last.is_file():
        if kept.is_file() and kept.read_text(encoding="utf-8") not in (dumps(made_of), dumps(_former(made_of))):
            raise UsageError(f"{made}: was made with other settings, see {mark}; remove it, or name another folder.")
        return True
    make_folder(kept.parent)
    write_whole(kept, dumps(made_of))
    return False


def _former(made_of: Mapping[str, Json]) -> dict[str, Json]:
    """Return the same settings as they were written under former names."""
    return {
        name: old_names(value, JUDGE) if isinstance(value, dict) else value
        for name, value in old_names(made_of, ABLATION).items()
    }


def _shards(folders: Mapping[str, Path], recipe: Recipe) -> Path:
    if recipe.planned not in folders:
        raise UsageError(f"the configuration names no shards for the planner {recipe.planned!r}; add them.")
    return folders[recipe.planned]


def _adapter(config: AblationConfig, *, bias: bool) -> AdapterConfig:
    return AdapterConfig(kind=config.adapter, bias=bias)  # type: ignore[arg-type]  # refuses an unknown kind


def _named(name: str, log: Log) -> Log:
    return lambda line: log(labelled(name, line))
