"""The miniature from its data to its models: stages in folders, each made once, whoever needs it.

    base        an untrained model and its tokenizer
    sounds      frames of all clips
    lessons     examples as token ids
    distil      the base, taught to describe voices
    <recipe>    a row of the ablation (`aptone.train.ablation.rows`), fine-tuned or reinforced

The stages are those of large judges (`judge_loop`, `grpo_stage`); only batches are made another way. A stage that is
finished is left alone, one that was killed goes on from its checkpoint.
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
from aptone.messages import labelled, message
from aptone.models.local.placement import Placement
from aptone.models.omni.checkpoint import load_omni
from aptone.train.ablation.rows import ROWS, Planned, Recipe
from aptone.train.grpo.data import balanced
from aptone.train.grpo.step import Reinforce, Turns
from aptone.train.judge.batch import IGNORED, Inputs
from aptone.train.judge.config import JudgeRecipe
from aptone.train.judge.loop import Figures, Taught, likelihood, make_accelerator, train_judge
from aptone.train.judge.model import Judge, Trained, load_judge, merge
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
from recipes.miniature.config import TOKENS_FOR_A_SCORE, MiniatureSettings
from recipes.miniature.examples import attribute_examples, caption_examples, judge_examples, sound_of
from recipes.miniature.material import Material
from recipes.miniature.model import make_miniature
from recipes.miniature.side_by_side import hear_side_by_side
from recipes.miniature.sounds import KeptSounds, RememberedExample, keep_sounds, read_sounds

BASE, SOUNDS, LESSONS, DISTILLED = "base", "sounds", "lessons", "distil"
DONE = "preprocessor_config.json"
"""The file of a model that is written last: where it lies, a stage has ended."""

Log = Callable[[str], None]


def make_base(material: Material, work: Path, settings: MiniatureSettings, *, workers: int, log: Log) -> None:
    """The untrained model, and the frames of all sounds; what is there already is kept."""
    base = work / BASE
    if not (base / DONE).is_file():
        count = make_miniature(base, material.tokenizer, sizes=settings.sizes)
        log(message("train.base-million-parameters", count=count / 1000000.0))
    started = time.monotonic()
    taught = [sound_of(pair) for pair in material.readable("train")]
    tested = [sound_of(pair) for split, pairs in material.pairs.items() if split != "train" for pair in pairs]
    clips = list(material.clips.values())
    kept = keep_sounds(work / SOUNDS, [*taught, *tested], clips, workers=workers)
    log(
        message(
            "train.sounds-frames", count=len(kept.places), frames=len(kept.frames), seconds=time.monotonic() - started
        )
    )


def captions(material: Material) -> Iterable[RememberedExample]:
    """What the miniature is distilled with: captions, and single words."""
    pairs = material.readable("train")
    yield from caption_examples(pairs, material.clips)
    yield from attribute_examples(pairs, material.clips)


def lessons(material: Material, planned: Planned, *, reasoned: bool) -> list[RememberedExample]:
    """What a row is fine-tuned and reinforced with."""
    reasons = material.reasons if reasoned else None
    return list(judge_examples(material.readable("train"), planned=planned, reasons=reasons))


def prepared_lessons(recipe: Recipe, material: Material, work: Path) -> Prepared:
    """The lessons of a row as token ids, from the disk where they were prepared before."""
    kinds = {"none": (False,), "only": (True,), "mixed": (True, False)}[recipe.thinking]
    found = [
        _prepared(
            f"{recipe.planned}-{'reasoned' if reasoned else 'score'}",
            functools.partial(lessons, material, recipe.planned, reasoned=reasoned),
            work,
        )
        for reasoned in kinds
    ]
    return functools.reduce(operator.add, found)


def _prepared(name: str, examples: Callable[[], Iterable[RememberedExample]], work: Path) -> Prepared:
    path = work / LESSONS / f"{name}.npz"
    if path.is_file():
        return read_prepared(path)
    omni = load_omni.__wrapped__(Placement(str(work / BASE), device="cpu"))
    made = prepare(omni, list(examples()), read_sounds(work / SOUNDS))
    make_folder(path.parent)
    write_prepared(path, made)
    return made


def distil_miniature(material: Material, work: Path, settings: MiniatureSettings, *, device: str, log: Log) -> Path:
    """The base, taught to describe voices."""
    return _teach(
        work / DISTILLED,
        str(work / BASE),
        lambda: _prepared("captions", lambda: captions(material), work),
        work,
        recipe=settings.distil,
        bias=False,
        settings=settings,
        device=device,
        dev=lambda: _prepared("dev", lambda: attribute_examples(material.readable("dev"), material.clips), work),
        log=log,
    )


def make_row(row: int, material: Material, work: Path, settings: MiniatureSettings, *, device: str, log: Log) -> Path:
    """A row of the ablation, with all that it goes on from.

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
    found = _teach(
        work / tuned.name,
        str(base),
        lambda: prepared_lessons(tuned, material, work),
        work,
        recipe=settings.fine_tuning(tuned),
        bias=tuned.bias,
        settings=settings,
        device=device,
        log=log,
    )
    if recipe.reinforced:
        examples = lessons(material, recipe.planned, reasoned=recipe.reasons)
        found = _reinforce(
            work / recipe.name, found, examples, work, recipe=recipe, settings=settings, device=device, log=log
        )
    return found


def _teach(
    out: Path,
    base: str,
    lessons: Callable[[], Prepared],
    work: Path,
    *,
    recipe: JudgeRecipe,
    bias: bool,
    settings: MiniatureSettings,
    device: str,
    dev: Callable[[], Prepared] | None = None,
    log: Log,
) -> Path:
    if (out / DONE).is_file():
        return out
    make_folder(out)
    judge, kept = _judge(base, Trained(adapter="all", bias=bias), work, recipe=recipe, device=device)
    batches = PreparedBatches(
        lessons(),
        kept,
        recipe.batch,
        recipe.chunk,
        recipe.seed,
        torch.device(device),
        settings.masking,
    )

    def learn(taught: Taught, chunks: list[Inputs]) -> Figures:
        return likelihood(taught, chunks)

    started = time.monotonic()
    train_judge(
        judge,
        batches,
        learn,
        out,
        recipe=recipe,
        accelerator=make_accelerator(device=device),
        dev=None if dev is None else functools.partial(first_words, dev().on(torch.device(device), kept), recipe.chunk),
        log=lambda line: log(labelled(out.name, _timed(line, started))),
    )
    merge(judge, out)
    return out


@torch.no_grad()
def first_words(asked: Tables, at_once: int, taught: Taught) -> Figures:
    """How probable the first word of right answers is: of what is heard, that is the emotion."""
    taught.network.eval()
    found = []
    for first in range(0, asked.known.shape[1], at_once):
        inputs = asked.inputs(range(first, min(first + at_once, asked.known.shape[1])))
        begins = (inputs["labels"][:, 1:] != IGNORED).long().argmax(dim=1, keepdim=True)
        found.append(taught.network(inputs).gather(1, begins)[:, 0].exp())
    return {"emotion": float(torch.cat(found).mean())}


def _reinforce(
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
    reinforcement = settings.reinforcement
    if not recipe.reasons:
        reinforcement = replace(reinforcement, writing=replace(reinforcement.writing, max_tokens=TOKENS_FOR_A_SCORE))
    reinforcement = replace(reinforcement, writing=replace(reinforcement.writing, precision=settings.grpo.precision))
    judge, _ = _judge(str(base), Trained(adapter="all", bias=recipe.bias), work, recipe=settings.grpo, device=device)
    chosen = balanced([example.score for example in examples], seed=settings.grpo.seed)
    prompts = ExampleLists([examples[number] for number in chosen.tolist()], settings.grpo.batch, settings.grpo.seed)
    started = time.monotonic()
    train_judge(
        judge,
        Turns(prompts, reinforcement.updates),  # type: ignore[arg-type]
        Reinforce(judge, reinforcement),
        out,
        recipe=reinforcement.spread(settings.grpo),
        accelerator=make_accelerator(device=device),
        log=lambda line: log(labelled(out.name, _timed(line, started))),
    )
    merge(judge, out)
    return out


def _judge(base: str, trained: Trained, work: Path, *, recipe: JudgeRecipe, device: str) -> tuple[Judge, KeptSounds]:
    kept = read_sounds(work / SOUNDS)
    judge = load_judge(base, trained, device=device, precision=recipe.precision, seed=recipe.seed)
    hear_side_by_side(judge.omni.model)
    return replace(judge, omni=remembering(judge.omni, kept)), kept


def _timed(line: str, started: float) -> str:
    return message("train.with-seconds", line=line, seconds=time.monotonic() - started)
