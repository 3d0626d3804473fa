"""Train the miniature: stages in folders, each run once.

    base        an untrained model and its tokenizer
    sounds      frames of all clips
    lessons     examples as token ids
    distil      the base, trained to describe voices
    <recipe>    a row of the ablation (`aptone.train.ablation.rows`), after fine-tuning or GRPO

The stages are those of large judges (`aptone.train.judge.loop`, `aptone.train.grpo.step`); only batches are made in
another way. A finished stage is kept, a killed one resumes from its checkpoint.
"""

import functools
import operator
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from aptone.errors import UsageError
from aptone.files import make_folder
from aptone.messages import labelled
from aptone.models.local.placement import Placement
from aptone.models.omni.checkpoint import load_omni
from aptone.train.ablation.rows import ROWS, Planned, Recipe
from aptone.train.grpo.run import balanced_sample
from aptone.train.grpo.step import GrpoStep, PolicyUpdates
from aptone.train.judge.batch import IGNORED, Inputs
from aptone.train.judge.config import JudgeConfig
from aptone.train.judge.loop import Metrics, TrainContext, likelihood_step, make_accelerator, train_judge
from aptone.train.judge.model import AdapterConfig, Judge, load_judge, write_merged
from recipes.miniature.batches import (
    ExampleLists,
    Prepared,
    PreparedBatches,
    Tables,
    prepare,
    read_prepared,
    remembering,
    write_prepared,
)
from recipes.miniature.config import MAX_SCORE_TOKENS, MiniatureSettings
from recipes.miniature.examples import attribute_examples, caption_examples, judge_examples, sound_of
from recipes.miniature.material import Material
from recipes.miniature.model import make_miniature
from recipes.miniature.side_by_side import hear_side_by_side
from recipes.miniature.sounds import KeptSounds, RememberedExample, keep_sounds, read_sounds

BASE, SOUNDS, EXAMPLES, DISTILLED = "base", "sounds", "lessons", "distil"
DONE = "preprocessor_config.json"
"""File of a model that is written last: its presence marks a finished stage."""

Log = Callable[[str], None]


def make_base(material: Material, work: Path, settings: MiniatureSettings, *, workers: int, log: Log) -> None:
    """Make the untrained model, and the frames of all sounds; existing ones are kept."""
    base = work / BASE
    if not (base / DONE).is_file():
        count = make_miniature(base, material.tokenizer, sizes=settings.sizes)
        log(f"base: {count / 1e6:.1f} million parameters")
    started = time.monotonic()
    train_sounds = [sound_of(pair) for pair in material.readable("train")]
    eval_sounds = [sound_of(pair) for split, pairs in material.pairs.items() if split != "train" for pair in pairs]
    clips = list(material.clips.values())
    kept = keep_sounds(work / SOUNDS, [*train_sounds, *eval_sounds], clips, workers=workers)
    log(f"sounds: {len(kept.places)} with {len(kept.frames)} frames, {time.monotonic() - started:.0f} s")


def captions(material: Material) -> Iterable[RememberedExample]:
    """Yield the training examples of distillation: captions, and single words."""
    pairs = material.readable("train")
    yield from caption_examples(pairs, material.clips)
    yield from attribute_examples(pairs, material.clips)


def training_examples(material: Material, planned: Planned, *, reasoned: bool) -> list[RememberedExample]:
    """Return the examples of a row's fine-tuning and GRPO."""
    reasons = material.reasons if reasoned else None
    return list(judge_examples(material.readable("train"), planned=planned, reasons=reasons))


def prepared_data(recipe: Recipe, material: Material, work: Path) -> Prepared:
    """Return the examples of a row as token ids, from disk if they were prepared before."""
    kinds = {"none": (False,), "only": (True,), "mixed": (True, False)}[recipe.thinking]
    found = [
        _prepared(
            f"{recipe.planned}-{'reasoned' if reasoned else 'score'}",
            functools.partial(training_examples, material, recipe.planned, reasoned=reasoned),
            work,
        )
        for reasoned in kinds
    ]
    return functools.reduce(operator.add, found)


def _prepared(name: str, examples: Callable[[], Iterable[RememberedExample]], work: Path) -> Prepared:
    path = work / EXAMPLES / f"{name}.npz"
    if path.is_file():
        return read_prepared(path)
    omni = load_omni.__wrapped__(Placement(str(work / BASE), device="cpu"))
    made = prepare(omni, list(examples()), read_sounds(work / SOUNDS))
    make_folder(path.parent)
    write_prepared(path, made)
    return made


def distil_miniature(material: Material, work: Path, settings: MiniatureSettings, *, device: str, log: Log) -> Path:
    """Train the base to describe voices."""
    return _train(
        work / DISTILLED,
        str(work / BASE),
        lambda: _prepared("captions", lambda: captions(material), work),
        work,
        config=settings.distil,
        bias=False,
        settings=settings,
        device=device,
        eval_data=lambda: _prepared("dev", lambda: attribute_examples(material.readable("dev"), material.clips), work),
        log=log,
    )


def make_row(row: int, material: Material, work: Path, settings: MiniatureSettings, *, device: str, log: Log) -> Path:
    """Train a row of the ablation with its stages.

    Raises:
        UsageError: if it needs the distilled model and there is none.
    """
    recipe = ROWS[row]
    if not recipe.trained:
        return work / BASE
    tuned = recipe.fine_tuned
    base = work / (DISTILLED if recipe.distilled else BASE)
    if not (base / DONE).is_file():
        raise UsageError(f"{base}: no model; make it first.")
    found = _train(
        work / tuned.name,
        str(base),
        lambda: prepared_data(tuned, material, work),
        work,
        config=settings.fine_tuning(tuned),
        bias=tuned.bias,
        settings=settings,
        device=device,
        log=log,
    )
    if recipe.reinforced:
        examples = training_examples(material, recipe.planned, reasoned=recipe.reasons)
        found = _train_grpo(
            work / recipe.name, found, examples, work, recipe=recipe, settings=settings, device=device, log=log
        )
    return found


def _train(
    out: Path,
    base: str,
    data: Callable[[], Prepared],
    work: Path,
    *,
    config: JudgeConfig,
    bias: bool,
    settings: MiniatureSettings,
    device: str,
    eval_data: Callable[[], Prepared] | None = None,
    log: Log,
) -> Path:
    if (out / DONE).is_file():
        return out
    make_folder(out)
    judge, kept = _judge(base, AdapterConfig(kind="all", bias=bias), work, config=config, device=device)
    batches = PreparedBatches(
        data(),
        kept,
        config.batch_size,
        config.micro_batch_size,
        config.seed,
        torch.device(device),
        settings.masking,
    )

    def step(context: TrainContext, micro_batches: list[Inputs]) -> Metrics:
        return likelihood_step(context, micro_batches)

    evaluate = None
    if eval_data is not None:
        table = eval_data().on(torch.device(device), kept)
        evaluate = functools.partial(first_word_probability, table, config.micro_batch_size)
    started = time.monotonic()
    train_judge(
        judge,
        batches,
        step,
        out,
        config=config,
        accelerator=make_accelerator(device=device),
        evaluate=evaluate,
        log=lambda line: log(f"{out.name}: {line}, {time.monotonic() - started:.0f} s"),
    )
    write_merged(judge, out)
    return out


@torch.no_grad()
def first_word_probability(table: Tables, size: int, context: TrainContext) -> Metrics:
    """Return the mean probability of the first word of right answers, which names the emotion."""
    context.network.eval()
    found = []
    for first in range(0, table.known.shape[1], size):
        inputs = table.inputs(range(first, min(first + size, table.known.shape[1])))
        begins = (inputs["labels"][:, 1:] != IGNORED).long().argmax(dim=1, keepdim=True)
        found.append(context.network(inputs).gather(1, begins)[:, 0].exp())
    return {"emotion": float(torch.cat(found).mean())}


def _train_grpo(
    out: Path,
    base: Path,
    examples: Sequence[RememberedExample],
    work: Path,
    *,
    recipe: Recipe,
    settings: MiniatureSettings,
    device: str,
    log: Log,
) -> Path:
    if (out / DONE).is_file():
        return out
    make_folder(out)
    rollout = replace(settings.grpo_settings.rollout, precision=settings.grpo.precision)
    if not recipe.reasons:
        rollout = replace(rollout, max_new_tokens=MAX_SCORE_TOKENS)
    grpo = replace(settings.grpo_settings, rollout=rollout)
    judge, _ = _judge(str(base), AdapterConfig(kind="all", bias=recipe.bias), work, config=settings.grpo, device=device)
    chosen = balanced_sample([example.score for example in examples], seed=settings.grpo.seed)
    prompts = ExampleLists(
        [examples[number] for number in chosen.tolist()], settings.grpo.batch_size, settings.grpo.seed
    )
    started = time.monotonic()
    train_judge(
        judge,
        PolicyUpdates(prompts, grpo.num_iterations),  # type: ignore[arg-type]
        GrpoStep(judge, grpo),
        out,
        config=grpo.in_optimiser_steps(settings.grpo),
        accelerator=make_accelerator(device=device),
        log=lambda line: log(labelled(out.name, _timed(line, started))),
    )
    write_merged(judge, out)
    return out


def _judge(
    base: str, adapter: AdapterConfig, work: Path, *, config: JudgeConfig, device: str
) -> tuple[Judge, KeptSounds]:
    kept = read_sounds(work / SOUNDS)
    judge = load_judge(base, adapter, device=device, precision=config.precision, seed=config.seed)
    hear_side_by_side(judge.omni.model)
    return replace(judge, omni=remembering(judge.omni, kept)), kept


def _timed(line: str, started: float) -> str:
    return f"{line}, {time.monotonic() - started:.0f} s"
