"""The miniature from its data to its scores: stages in folders, each made once, whoever needs it.

    reasons     what leads to the grades of the training split, in words
    base        an untrained model and its tokenizer
    sounds      log-mel frames of all clips
    distil      the base, taught to describe voices
    <recipe>    a row of the ablation (`aptone.train.ablation`), fine-tuned or reinforced
    results     what each row says about the pairs of dev or test

The stages are those of large judges (`judge_loop`, `grpo_stage`); only batches are made another way. The base knows
nothing, so all weights are trained, at higher rates: LoRA has nothing to adapt. A stage that is finished is left alone,
one that was killed goes on from its checkpoint.
"""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from aptone.errors import UnusableReplyError, UsageError
from aptone.judge.verdict import read_verdict
from aptone.models.audio_chat import AnyMessage
from aptone.models.local_generation import Placement, Precision, write_replies
from aptone.models.local_omni_checkpoint import SCORE, Omni, load_omni
from aptone.models.local_packed_attention import attend_packed
from aptone.run.files import make_folder, write_whole
from aptone.train.ablation import ROWS, Planned, Recipe
from aptone.train.ablation_results import RowResult, lcc, write_result
from aptone.train.grpo_data import balanced
from aptone.train.grpo_loss import Clipping
from aptone.train.grpo_replies import Writing
from aptone.train.grpo_stage import Reinforce, Reinforcement, Turns
from aptone.train.judge_batch import END, IGNORED, Inputs, conversation_inputs
from aptone.train.judge_loop import Figures, Taught, likelihood, make_accelerator, train_judge
from aptone.train.judge_model import Judge, Trained, load_judge, merge
from aptone.train.judge_recipe import JudgeRecipe
from aptone.train.miniature_batches import ExampleLists, Masking, PreparedBatches, prepare, remembering
from aptone.train.miniature_clips import MiniatureClip, read_miniature_clips
from aptone.train.miniature_lessons import caption_examples, judge_examples, reasoning_of, sound_of
from aptone.train.miniature_model import SIZES, Sizes, make_miniature
from aptone.train.miniature_pairs import Pair, read_pairs
from aptone.train.miniature_rows import CLIPS, pairs_file
from aptone.train.miniature_sounds import (
    KeptSounds,
    RememberedExample,
    in_processes,
    keep_sounds,
    read_sounds,
)
from aptone.types import dumps, loads

BASE, SOUNDS, DISTILLED, RESULTS = "base", "sounds", "distil", "results"
REASONS = "reasons.json"
DONE = "config.json"
"""The file that shows that a stage has written its model."""
TEXTS = 3000
"""Pairs whose texts the tokenizer is taught on."""
TOKENS_FOR_REASONS, TOKENS_FOR_A_SCORE = 320, 12
SHUFFLED, TOPLINE = "shuffled", "true"
"""Controls of a row: the clips of other pairs, and the true plan in the place of the planner's."""
EXPECTED = "expected"
"""The same replies, read as the mean of the scores that were possible in the place of the likeliest one."""

Log = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class MiniatureSettings:
    """How the miniature is made.

    Args:
        sizes: of the model.
        distil, sft, grpo: how each stage is taught.
        reinforcement: how it is reinforced, besides.
        masking: of frames, in distillation and fine-tuning.
        at_once: clips that are scored at once.
    """

    sizes: Sizes = SIZES["small"]
    distil: JudgeRecipe = field(
        default_factory=lambda: JudgeRecipe(
            batch=192,
            chunk=192,
            steps=1500,
            rate=1e-3,
            last_rate=1e-5,
            weight_decay=0.05,
            precision="bfloat16",
            keep=100_000,
            look=250,
        )
    )
    sft: JudgeRecipe = field(
        default_factory=lambda: JudgeRecipe(
            batch=64,
            chunk=64,
            steps=1200,
            rate=5e-4,
            last_rate=1e-5,
            weight_decay=0.05,
            precision="bfloat16",
            keep=100_000,
            look=250,
        )
    )
    grpo: JudgeRecipe = field(
        default_factory=lambda: JudgeRecipe(
            batch=32, chunk=128, steps=60, rate=3e-5, last_rate=3e-6, precision="bfloat16", keep=100_000, look=10
        )
    )
    reinforcement: Reinforcement = field(
        default_factory=lambda: Reinforcement(
            clipping=Clipping(), writing=Writing(group=8, max_tokens=TOKENS_FOR_REASONS, at_once=256)
        )
    )
    masking: Masking = field(default_factory=Masking)
    at_once: int = 512


@dataclass(frozen=True, slots=True)
class Material:
    """What the miniature is made of.

    Args:
        clips: by key.
        pairs: by split.
        reasons: for the grades of the training split, by pair; empty until they are written.
    """

    clips: Mapping[str, MiniatureClip]
    pairs: Mapping[str, Sequence[Pair]]
    reasons: Mapping[str, str] = field(default_factory=dict)


def read_material(data: Path, *, splits: Sequence[str] = ("train", "dev", "test")) -> Material:
    """The files that ``aptone train miniature rows`` wrote.

    Raises:
        UsageError: if one is missing.
        RecordError: if one is damaged.
    """
    clips = {clip.key: clip for clip in read_miniature_clips(data / CLIPS)}
    return Material(clips, {split: read_pairs(pairs_file(data, split)) for split in splits})


def with_reasons(material: Material, work: Path, *, workers: int = 1) -> Material:
    """The material with the reasons for the grades of the training split, which are written once."""
    path = work / REASONS
    if not path.is_file():
        make_folder(work)
        tasks = [(pair, material.clips[pair.clip]) for pair in material.pairs["train"]]
        written = list(in_processes(_reasoning, tasks, workers=workers))
        write_whole(path, dumps({pair.id: text for (pair, _), text in zip(tasks, written, strict=True)}))
    found: Any = loads(path.read_bytes(), what=str(path))
    return replace(material, reasons=found)


def _reasoning(task: tuple[Pair, MiniatureClip]) -> str:
    return reasoning_of(*task)


def make_base(material: Material, work: Path, settings: MiniatureSettings, *, workers: int, log: Log) -> None:
    """The untrained model, and the frames of all sounds; what is there already is kept."""
    base = work / BASE
    if not (base / DONE).is_file():
        count = make_miniature(base, texts_of(material), sizes=settings.sizes)
        log(f"base: {count / 1e6:.1f} million parameters")
    started = time.monotonic()
    sounds = [sound_of(pair) for pairs in material.pairs.values() for pair in pairs]
    kept = keep_sounds(work / SOUNDS, sounds, list(material.clips.values()), checkpoint=base, workers=workers)
    log(f"sounds: {len(kept.places)} with {len(kept.frames)} frames, {time.monotonic() - started:.0f} s")


def texts_of(material: Material) -> list[str]:
    """What the tokenizer is taught on: prompts and replies of the training split, in all forms."""
    pairs = material.pairs["train"][:TEXTS]
    found = [
        *caption_examples(pairs, material.clips),
        *judge_examples(pairs, planned="none"),
        *judge_examples(pairs, planned="vote"),
        *judge_examples(pairs, planned="vote", reasons=material.reasons),
    ]
    return [
        text for example in found for text in (example.conversation.system, example.conversation.before, example.reply)
    ]


def distil_miniature(material: Material, work: Path, settings: MiniatureSettings, *, device: str, log: Log) -> Path:
    """The base, taught to describe voices."""
    examples = list(caption_examples(material.pairs["train"], material.clips))
    return _teach(
        work / DISTILLED,
        str(work / BASE),
        examples,
        work,
        recipe=settings.distil,
        bias=False,
        settings=settings,
        device=device,
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
    examples = lessons(tuned, material)
    found = _teach(
        work / tuned.name,
        str(base),
        examples,
        work,
        recipe=settings.sft,
        bias=tuned.bias,
        settings=settings,
        device=device,
        log=log,
    )
    if recipe.reinforced:
        found = _reinforce(
            work / recipe.name, found, examples, work, recipe=recipe, settings=settings, device=device, log=log
        )
    return found


def lessons(recipe: Recipe, material: Material) -> list[RememberedExample]:
    """What a row is fine-tuned and reinforced with."""
    kinds = {"none": (None,), "only": (material.reasons,), "mixed": (material.reasons, None)}[recipe.thinking]
    return [
        example
        for reasons in kinds
        for example in judge_examples(material.pairs["train"], planned=recipe.planned, reasons=reasons)
    ]


def _teach(
    out: Path,
    base: str,
    examples: Sequence[RememberedExample],
    work: Path,
    *,
    recipe: JudgeRecipe,
    bias: bool,
    settings: MiniatureSettings,
    device: str,
    log: Log,
) -> Path:
    if (out / DONE).is_file():
        return out
    make_folder(out)
    judge, kept = _judge(base, Trained(adapter="all", bias=bias), work, recipe=recipe, device=device)
    batches = PreparedBatches(
        prepare(judge.omni, examples, kept),
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
        log=lambda line: log(f"{out.name}: {line}, {time.monotonic() - started:.0f} s"),
    )
    merge(judge, out)
    return out


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
        log=lambda line: log(f"{out.name}: {line}, {time.monotonic() - started:.0f} s"),
    )
    merge(judge, out)
    return out


def _judge(base: str, trained: Trained, work: Path, *, recipe: JudgeRecipe, device: str) -> tuple[Judge, KeptSounds]:
    kept = read_sounds(work / SOUNDS)
    judge = load_judge(base, trained, device=device, precision=recipe.precision, seed=recipe.seed)
    attend_packed(judge.omni.model)
    return replace(judge, omni=remembering(judge.omni, kept)), kept


def score_row(
    row: int,
    part: str,
    material: Material,
    work: Path,
    settings: MiniatureSettings,
    *,
    device: str,
    control: str = "",
    log: Log,
) -> Path:
    """Let a row judge the pairs of a part, and keep what it says; a file that is there already is left alone.

    Args:
        row: of the ablation; its model is made.
        part: dev or test.
        material: the pairs.
        work: where models lie.
        settings: of the miniature.
        device: to run on.
        control: empty, ``shuffled`` for the clips of other pairs, or ``true`` for the true plan.
        log: is told what comes out.
    """
    recipe = ROWS[row]
    out = work / RESULTS / f"row-{row:02d}-{part}{f'-{control}' if control else ''}.json"
    if out.is_file():
        return out
    planned: Planned = "true" if control == TOPLINE else recipe.planned
    pairs = material.pairs[part]
    examples = list(judge_examples(pairs, planned=planned, reasons={} if recipe.reasons else None, answered=False))
    if control == SHUFFLED:
        examples = with_other_clips(examples)
    folder = work / (recipe.name if recipe.trained else BASE)
    started = time.monotonic()
    said = verdicts(folder, examples, read_sounds(work / SOUNDS), settings, reasons=recipe.reasons, device=device)
    truth, speakers = np.array([pair.score for pair in pairs]), tuple(pair.speaker for pair in pairs)
    result = RowResult(row, control, truth, np.array([one.value for one in said]), speakers)
    weighed = RowResult(row, f"{control} {EXPECTED}".strip(), truth, np.array([one.expected for one in said]), speakers)
    make_folder(out.parent)
    write_whole(out.with_suffix(".txt"), "\n\n".join(one.reply for one in said[:6]) + "\n")
    write_result(out.with_name(f"{out.stem}-{EXPECTED}.json"), weighed)
    write_result(out, result)
    log(
        f"row {row} {part} {control}: LCC {lcc(result.given, truth):.3f}, expected {lcc(weighed.given, truth):.3f}, "
        f"{result.unreadable} unreadable, {time.monotonic() - started:.0f} s"
    )
    return out


def with_other_clips(examples: Sequence[RememberedExample], *, seed: int = 1) -> list[RememberedExample]:
    """The same conversations, each with the clip of another."""
    order = np.random.default_rng(seed).permutation(len(examples)).tolist()
    following = dict(zip(order, [*order[1:], order[0]], strict=True))
    return [replace(example, audio=examples[following[number]].audio) for number, example in enumerate(examples)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model says about one example.

    Args:
        reply: the likeliest one, as a judge gives it.
        value: the score in it; NaN where none can be read.
        expected: the mean of the scores that it thinks possible at that place; NaN likewise.
    """

    reply: str
    value: float
    expected: float


def verdicts(
    folder: Path,
    examples: Sequence[RememberedExample],
    kept: KeptSounds,
    settings: MiniatureSettings,
    *,
    reasons: bool,
    device: str,
) -> list[Verdict]:
    """The likeliest verdict of a model on each example, and what it expects behind the same reasons."""
    precision: Precision = "bfloat16" if device == "cuda" else "float32"
    omni = remembering(load_omni.__wrapped__(Placement(str(folder), device=device, precision=precision)), kept)
    omni.switch(gated="auto", gate_position="query")
    attend_packed(omni.model)
    found: list[Verdict] = []
    for first in range(0, len(examples), settings.at_once):
        some = examples[first : first + settings.at_once]
        conversations = [example.messages() for example in some]
        written = write_replies(
            omni.model,
            omni.tokenizer,
            omni.inputs(conversations, aac=False),
            max_tokens=TOKENS_FOR_REASONS if reasons else TOKENS_FOR_A_SCORE,
            temperature=0.0,
            json_schema=None,
            seeds=[0] * len(some),
        )
        values = [_value(reply.text, cut=reply.cut) for reply in written]
        expected = expected_scores(omni, conversations, [reply.text for reply in written])
        found += [
            Verdict(reply.text, value, mean if not np.isnan(value) else np.nan)
            for reply, value, mean in zip(written, values, expected, strict=True)
        ]
    return found


def _value(text: str, *, cut: str) -> float:
    try:
        return read_verdict(text).value if not cut else float("nan")
    except UnusableReplyError:
        return float("nan")


@torch.inference_mode()
def expected_scores(omni: Omni, conversations: Sequence[Sequence[AnyMessage]], replies: Sequence[str]) -> list[float]:
    """The mean score of a model at the place where each reply gives one.

    Over the first digit all that it thinks possible count; decimals are those that it expects behind the digit that it
    wrote, and half a point behind others: each digit could have its own, but would need a pass of its own.

    Args:
        omni: the model.
        conversations: that were answered.
        replies: the answers.

    Returns:
        NaN for a reply without a score of one digit and a decimal.
    """
    tokenizer = omni.tokenizer
    digits = tokenizer.convert_tokens_to_ids([str(digit) for digit in range(10)])
    opening = tokenizer.convert_tokens_to_ids(SCORE[0])
    ids = [tokenizer(reply + END, add_special_tokens=False)["input_ids"] for reply in replies]
    places = [_score_place(one, opening, digits) for one in ids]
    inputs = conversation_inputs(omni, conversations, ids)
    hidden = {name: value for name, value in inputs.items() if name != "labels"}
    logits = omni.model(**hidden, use_cache=False).logits
    weight = torch.arange(10, device=logits.device, dtype=torch.float32)
    found = []
    for row, (answer, place) in enumerate(zip(ids, places, strict=True)):
        if place is None:
            found.append(float("nan"))
            continue
        begin = int((inputs["labels"][row] != IGNORED).nonzero()[0])
        first, decimal = (logits[row, begin + place + behind - 1, digits].float().softmax(dim=-1) for behind in (0, 2))
        decimals = torch.full((10,), 0.5, device=logits.device)
        decimals[digits.index(answer[place])] = float(decimal @ weight) / 10.0
        found.append(min(5.0, float(first @ (weight + decimals))))
    return found


def _score_place(ids: Sequence[int], opening: int, digits: Sequence[int]) -> int | None:
    """Where the first digit of the last score stands; None where there is none with one decimal behind it."""
    starts = [place + 1 for place, token in enumerate(ids) if token == opening]
    if not starts or starts[-1] + 2 >= len(ids):
        return None
    first, decimal = ids[starts[-1]], ids[starts[-1] + 2]
    return starts[-1] if first in digits and decimal in digits else None


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
        if "writing" in given:
            writing = replace(made.reinforcement.writing, **given.pop("writing"))
            made = replace(made, reinforcement=replace(made.reinforcement, writing=writing))
        for name, changes in given.items():
            made = replace(made, **{name: replace(getattr(made, name), **changes)})
        return made
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path}: no settings of the miniature ({error!r}).") from error
