"""Train a judge with group-relative policy optimisation (GRPO): replies with scores closer to people's become likelier.

CEAEval's last stage (section 3.3.5, appendix G). For each batch of prompts:

1. the judge samples a group of replies to each prompt and its clip;
2. each reply gets the reward of `aptone.train.grpo.rollouts`, and an advantage relative to its group;
3. the reference model computes the log-probabilities of the replies;
4. one or several optimiser steps on the clipped loss of `aptone.train.grpo.loss`, relative to the log-probabilities of
   the judge that sampled the replies.

The reference is the judge at the start of this stage: without its adapter, and with the gates of then. (The paper's
reference "excludes LoRA parameters" and does not mention gates; with trained gates it would be a model that never was.)
So start from a merged model of `aptone train sft`: then the reference is the fine-tuned judge. Where all weights are
trained, the reference has those of the start.

Examples are chosen as in appendix G: clips of 1 to 45 s, and equally many of each whole score, as the reward counts
them. Every score that occurs gets the same number of examples, so that the total stays about the same: frequent scores
are subsampled, rare ones repeated.

Departures from the paper: ε clips the policy ratio and not the reward, see `aptone.train.grpo.loss`; a prompt has eight
replies of at most 768 tokens, which the paper does not say. TRL's trainer is not used, since its log-probabilities
leave out the audio; the loss is compared with TRL's on text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from accelerate.utils import DistributedType

from aptone.errors import RecordError, UsageError
from aptone.messages import message
from aptone.train.distributed import process_rank
from aptone.train.grpo.rollouts import HIGHEST_BIN
from aptone.train.grpo.step import GrpoConfig, GrpoStep, PolicyUpdates, described, held_out_rewards
from aptone.train.judge.config import JudgeConfig
from aptone.train.judge.dataset import ExampleBatches, ExampleFilter, ExampleIndex, index_examples
from aptone.train.judge.example import Kind
from aptone.train.judge.loop import TRACKERS, make_accelerator, train_judge
from aptone.train.judge.model import AdapterConfig
from aptone.train.judge.run import TrainedJudge, load_on, prepare_folder, write_model
from aptone.types import Json, Language

STAGE = "grpo"
DEFAULTS = GrpoConfig()
DEFAULT_ADAPTER = AdapterConfig()
FULL_COPIES = (DistributedType.NO, DistributedType.MULTI_CPU, DistributedType.MULTI_GPU)
"""Kinds of distributed training in which every process holds all weights."""
MIN_SECONDS, MAX_SECONDS = 1.0, 45.0
"""Shorter and longer clips are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class SampledExamples:
    """Examples to train on.

    Args:
        left_out: number of examples that were left out, by reason.
        before: number of examples per whole score before balancing.
        after: the same after balancing.
    """

    index: ExampleIndex
    left_out: Mapping[str, int]
    before: Mapping[int, int]
    after: Mapping[int, int]


def sample_examples(
    folder: Path,
    *,
    seed: int,
    kinds: tuple[Kind, ...] = ("reasoned", "score"),
    languages: tuple[Language, ...] = (),
    min_seconds: float = MIN_SECONDS,
    max_seconds: float = MAX_SECONDS,
    balance: bool = True,
) -> SampledExamples:
    """Return the examples of a folder of shards that GRPO trains on.

    Args:
        kinds: kinds of prompts: with reasoning, for the score only, or both.
        languages: languages of the prompts; empty for all.
        balance: sample all whole scores equally often.

    Raises:
        RecordError: if no example is left, or a shard is damaged.
        RunError: if the folder cannot be read.
    """
    found = index_examples(folder, ExampleFilter(kinds=kinds, languages=languages, max_seconds=np.inf))
    unscored, short, long = np.isnan(found.scores), found.seconds < min_seconds, found.seconds > max_seconds
    usable = np.flatnonzero(~(unscored | short | long))
    if usable.size == 0:
        raise RecordError(f"{folder}: no example has a score and {min_seconds:g} to {max_seconds:g} s; make others.")
    scores = found.scores[usable]
    chosen = usable[balanced_sample(scores, seed=seed)] if balance else usable
    return SampledExamples(
        found.take(chosen),
        {
            "no score": int(unscored.sum()),
            f"shorter than {min_seconds:g} s": int((short & ~unscored).sum()),
            f"longer than {max_seconds:g} s": int((long & ~unscored).sum()),
        },
        _counts(scores),
        _counts(found.scores[chosen]),
    )


def balanced_sample(scores: npt.ArrayLike, *, seed: int) -> npt.NDArray[np.int64]:
    """Return ascending indices, some of them repeated, with equally many of each whole score.

    Args:
        scores: scores from 0 to 5.

    >>> balanced_sample([0.5, 4.1, 4.2, 4.3, 4.4, 4.5], seed=1).tolist()[:3]
    [0, 0, 0]

    Raises:
        ValueError: if there is no score, or one is not finite.
    """
    given = np.asarray(scores, dtype=np.float64)
    if given.size == 0 or not np.isfinite(given).all():
        raise ValueError("scores to balance are finite numbers, one or more.")
    bins = _bins(given)
    present = np.unique(bins)
    share = -(-given.size // present.size)
    generator = np.random.default_rng([seed, given.size])
    chosen = []
    for one in present:
        members = np.flatnonzero(bins == one)
        whole, rest = divmod(share, members.size)
        chosen += [np.tile(members, whole), generator.permutation(members)[:rest]]
    return np.sort(np.concatenate(chosen))


def _bins(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return `aptone.train.grpo.rollouts.score_bin` of each score."""
    return np.clip(np.floor(scores), 0, HIGHEST_BIN).astype(np.int64)


def _counts(scores: npt.ArrayLike) -> dict[int, int]:
    steps, counts = np.unique(_bins(np.asarray(scores, dtype=np.float64)), return_counts=True)
    return {int(step): int(count) for step, count in zip(steps, counts, strict=True)}


def train_grpo(
    data: Path,
    out: Path,
    *,
    base: str,
    config: JudgeConfig,
    settings: GrpoConfig = DEFAULTS,
    adapter: AdapterConfig = DEFAULT_ADAPTER,
    kinds: tuple[Kind, ...] = ("reasoned", "score"),
    languages: tuple[Language, ...] = (),
    balance: bool = True,
    eval_data: Path | None = None,
    epochs: float | None = None,
    device: str | None = None,
    num_workers: int = 2,
    trackers: Sequence[str] = TRACKERS,
    merge: bool = True,
    restart: bool = False,
    log: Callable[[str], None],
) -> TrainedJudge:
    """Train a judge with GRPO; the same call resumes an interrupted training.

    Args:
        data: folder of shards whose examples have scores.
        base: judge that writes scores already: a folder made by fine-tuning.
        config: hyperparameters; batches, steps and intervals count prompts and batches of prompts.
        adapter: trainable weights, and whether the attention bias is on.
        kinds: kinds of prompts: with reasoning, for the score only, or both.
        languages: languages of the prompts; empty for all.
        balance: sample all whole scores equally often.
        epochs: passes over the data, in the place of ``config.steps``.
        device: ``cpu`` to leave GPUs alone.
        trackers: names of trackers as accelerate knows them.
        merge: write the whole model at the end, not the adapter alone.
        restart: discard an earlier training in the folder.

    Raises:
        AudioError: if a recording cannot be read.
        MissingExtraError: if peft or TensorBoard is missing.
        RecordError: if a shard is damaged, or no example can be used.
        UsageError: if the base cannot be loaded, the folder is the base's or holds another training, or weights are
            sharded.
    """
    accelerator = make_accelerator(device=device, trackers=trackers, out=out)
    if accelerator.distributed_type not in FULL_COPIES:
        raise UsageError(
            "reinforcement needs a whole copy of the weights in every process, since each writes replies of its own: "
            "start it with torchrun, without FSDP or DeepSpeed."
        )
    prepare_folder(out, accelerator, base=base, restart=restart)
    judge = load_on(accelerator, base, adapter, config)
    max_seconds = min(MAX_SECONDS, judge.omni.extractor.chunk_length)
    sample = partial(sample_examples, seed=config.seed, kinds=kinds, languages=languages, max_seconds=max_seconds)
    sampled = sample(data, balance=balance)
    if process_rank() == 0:
        log(_balance_line(sampled))
    batches = ExampleBatches(sampled.index, config.batch_size, config.seed, num_workers)
    if epochs is not None:
        config = config.for_epochs(epochs, per_epoch=batches.per_epoch)
    config = settings.in_optimiser_steps(config)
    settings = replace(settings, rollout=replace(settings.rollout, precision=config.precision))
    eval_index = sample(eval_data, balance=False).index if eval_data is not None else None

    about: dict[str, Json] = {
        "stage": STAGE,
        "eval_data": eval_index.identity if eval_index is not None else "",
        **described(settings),
    }
    accelerator.init_trackers(STAGE)
    state = train_judge(
        judge,
        PolicyUpdates(batches, settings.num_iterations),
        GrpoStep(judge, settings),
        out,
        config=config,
        accelerator=accelerator,
        about=about,
        evaluate=held_out_rewards(judge, eval_index, settings) if eval_index is not None else None,
        log=log,
    )
    counts: dict[str, Json] = {f"left out: {why}": count for why, count in sampled.left_out.items()}
    counts |= {
        f"examples from {step}": f"{sampled.before[step]} sampled as {sampled.after[step]}"
        for step in sorted(sampled.before)
    }
    return write_model(
        out,
        stage=STAGE,
        base=base,
        adapter=adapter,
        config=config,
        state=state,
        index=sampled.index,
        folder=data,
        accelerator=accelerator,
        merge=merge,
        settings={**described(settings), **counts},
    )


def _balance_line(sampled: SampledExamples) -> str:
    left = ", ".join(f"{count} {why}" for why, count in sampled.left_out.items() if count)
    steps = ", ".join(f"{step}: {sampled.before[step]} → {sampled.after[step]}" for step in sorted(sampled.before))
    line = message("train.examples-by-score", what=steps)
    return message("train.examples-left-out", line=line, names=left) if left else line
