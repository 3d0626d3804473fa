"""The ablation for true checkpoints: rows of the table from one configuration, each stage made once.

The configuration names a base, shards to learn from and shards to be tested on, for every planner kind that rows ask
for; the stages are `distil`, `sft` and `grpo` as they are. A stage that has written its card is left alone; another one
goes on where it was stopped. What was made with other settings is refused, for its figures would stand in the table as
if they were those of the configuration.
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
from aptone.train.ablation.rows import ROWS, Recipe
from aptone.train.ablation.verdicts import result_file, write_verdicts
from aptone.train.grpo.rollouts import Writing
from aptone.train.grpo.run import reinforce
from aptone.train.grpo.step import Reinforcement
from aptone.train.judge.config import JudgeRecipe
from aptone.train.judge.dataset import Wanted, index_examples
from aptone.train.judge.distil import distil
from aptone.train.judge.evaluate import verdicts
from aptone.train.judge.example import Kind
from aptone.train.judge.model import Trained
from aptone.train.judge.run import CARD
from aptone.train.judge.sft import fine_tune
from aptone.types import Json, dumps

DISTILLED, RESULTS = "distil", "results"
MADE_OF = "made-of"
"""Beside what was made, a file of this name says how."""
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
        group: whose lines hang together, for intervals: a name in the ids of a line, such as ``speaker``; a line
            without it stands for itself.
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

    def __post_init__(self) -> None:
        if min(self.at_once, self.max_tokens) < 1 or self.replies < 2:
            raise UsageError("at_once and max_tokens are 1 or more, replies 2 or more.")
        Trained(adapter=self.adapter)  # type: ignore[arg-type]  # it says itself what it takes


def check_config(config: AblationConfig, rows: Sequence[int], parts: Sequence[str]) -> None:
    """Make sure that a configuration names all that rows and parts need: not after hours of training.

    Raises:
        UsageError: if it does not.
    """
    for part in parts:
        if part not in config.tested:
            raise UsageError(f"the configuration has the parts {', '.join(config.tested)}, not {part!r}.")
    for row in rows:
        for folders in (*([config.lessons] if ROWS[row].trained else []), *(config.tested[part] for part in parts)):
            _shards(folders, ROWS[row])


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
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UsageError) as error:
        raise UsageError(f"{path}: no configuration of an ablation ({error!r}); see docs/train/ablation.md.") from error


def make_ablation_row(row: int, config: AblationConfig, out: Path, *, device: str | None, log: Log) -> str:
    """A row, with all that it goes on from; what is finished is left alone.

    Returns:
        The folder of its model, or the base.

    Raises:
        UsageError: if the configuration has no shards for it, or the folder holds what was made with other settings;
            errors of the stages besides.
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
                recipe=config.distil,
                trained=_trained(config, bias=False),
                device=device,
                log=_named(DISTILLED, log),
            )
    tuned = recipe.fine_tuned
    lessons = _shards(config.lessons, recipe)
    if not _is_made(out / tuned.name / CARD, _made_of(config, *_stages(tuned), lessons=lessons)):
        fine_tune(
            lessons,
            out / tuned.name,
            base=base,
            recipe=config.sft,
            trained=_trained(config, bias=tuned.bias),
            wanted=Wanted(kinds=KINDS[tuned.thinking]),
            device=device,
            log=_named(tuned.name, log),
        )
    if recipe.reinforced and not _is_made(
        out / recipe.name / CARD, _made_of(config, *_stages(recipe), lessons=lessons)
    ):
        reinforce(
            lessons,
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
        UsageError: if the configuration has no shards for it, or it was scored with other settings.
        RecordError: if they hold no line with a score.
    """
    recipe = ROWS[row]
    path = result_file(out / RESULTS, row, part)
    check_config(config, [row], [part])
    tested = _shards(config.tested[part], recipe)
    lessons = {"lessons": _shards(config.lessons, recipe)} if recipe.trained else {}
    asked: dict[str, Json] = {"group": config.group, "max_tokens": config.max_tokens}
    if _is_made(path, {**_made_of(config, *_stages(recipe), tested=tested, **lessons), **asked}):
        return path
    wanted = Wanted(kinds=("reasoned",) if recipe.reasons else ("score",), scored=True)
    index = index_examples(tested, wanted)
    examples = [index.read(number) for number in range(len(index))]
    omni = load_omni.__wrapped__(Placement(model, device=device))
    omni.switch(gated="auto")
    said = verdicts(omni, examples, at_once=config.at_once, max_tokens=config.max_tokens)
    groups = tuple(example.ids.get(config.group, example.line) for example in examples)
    truth = np.array([example.score for example in examples])  # the index keeps fewer digits: 2.2 is over 1 from 1.2
    log(write_verdicts(path, said, row=row, control="", truth=truth, groups=groups))
    return path


def _stages(recipe: Recipe) -> list[str]:
    """What a row goes through."""
    passed = {DISTILLED: recipe.distilled, "sft": recipe.trained, "grpo": recipe.reinforced}
    return [stage for stage, is_passed in passed.items() if is_passed]


def _made_of(config: AblationConfig, *stages: str, **folders: Path) -> dict[str, Json]:
    """What the configuration says of stages and folders; these by their names, for all of it may be moved."""
    if DISTILLED in stages:
        folders["captions"] = config.captions
    made: dict[str, Json] = {"base": Path(config.base).name, "adapter": config.adapter}
    made |= {stage: getattr(config, stage).decisive for stage in stages}
    if "grpo" in stages:
        made |= {"replies": config.replies, "max_tokens": config.max_tokens}
    return made | {name: "/".join(folder.parts[-2:]) for name, folder in folders.items()}


def _is_made(last: Path, made_of: Mapping[str, Json]) -> bool:
    """Whether something is made already, by the file of it that is written last.

    What says nothing of how it was made counts: somebody may have made a stage by hand, on several GPUs.

    Raises:
        UsageError: if it was made of something else.
    """
    made, mark = last, f"{MADE_OF}-{last.stem}.json"
    if last.name == CARD:
        made, mark = last.parent, f"{MADE_OF}.json"
    kept = last.parent / mark
    if last.is_file():
        if kept.is_file() and kept.read_text(encoding="utf-8") != dumps(made_of):
            raise UsageError(f"{made}: was made with other settings, see {mark}; remove it, or name another folder.")
        return True
    make_folder(kept.parent)
    write_whole(kept, dumps(made_of))
    return False


def _shards(folders: Mapping[str, Path], recipe: Recipe) -> Path:
    if recipe.planned not in folders:
        raise UsageError(f"the configuration names no shards for the planner {recipe.planned!r}; add them.")
    return folders[recipe.planned]


def _trained(config: AblationConfig, *, bias: bool) -> Trained:
    return Trained(adapter=config.adapter, bias=bias)  # type: ignore[arg-type]  # it says itself what it takes


def _named(name: str, log: Log) -> Log:
    return lambda line: log(labelled(name, line))
