"""One GRPO step: sample replies, compute rewards and advantages, add the gradient of the clipped loss.

Called by the loop of `aptone.train.judge.loop` for each optimiser step; `aptone.train.grpo.run` describes the stage.
"""

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import torch
from torch import Tensor

from aptone.errors import UsageError
from aptone.stats import tolerance_accuracy
from aptone.train.grpo.loss import PolicyLossConfig, advantages, grpo_loss
from aptone.train.grpo.rollouts import SIGMA, Reward, RolloutConfig, Rollouts, generate_rollouts, rollout_rewards
from aptone.train.judge.batch import IGNORED
from aptone.train.judge.config import JudgeConfig
from aptone.train.judge.dataset import ExampleBatches, ExampleIndex
from aptone.train.judge.example import Example
from aptone.train.judge.loop import Metrics, TrainContext
from aptone.train.judge.model import Judge, is_adapter
from aptone.types import Json


@dataclass(frozen=True, slots=True)
class GrpoConfig:
    """Settings of GRPO beside those of `JudgeConfig`.

    Args:
        scale_rewards: divide advantages by the standard deviation of their group.
        num_iterations: optimiser steps on each batch of replies.

    Raises:
        UsageError: if a value is out of range.
    """

    loss: PolicyLossConfig = field(default_factory=PolicyLossConfig)
    rollout: RolloutConfig = field(default_factory=RolloutConfig)
    sigma: float = SIGMA
    scale_rewards: bool = True
    num_iterations: int = 1

    def __post_init__(self) -> None:
        rollout = self.rollout
        if self.num_iterations < 1:
            raise UsageError(f"num_iterations is 1 or more, got {self.num_iterations}.")
        if rollout.num_generations < 2 or rollout.max_new_tokens < 1 or rollout.rollout_batch_size < 1:
            raise UsageError("num_generations is 2 or more, max_new_tokens and rollout_batch_size are 1 or more.")
        if not 0 < rollout.temperature < math.inf or not 0 < self.sigma < math.inf:
            raise UsageError(
                "temperature and sigma are finite and above 0: without chance, all replies would be the same."
            )

    def in_optimiser_steps(self, config: JudgeConfig) -> JudgeConfig:
        """Return a configuration that counts optimiser steps, from one that counts batches of prompts.

        Checkpoints lie between batches of prompts: replies and their log-probabilities need not be saved, and a resumed
        training continues as if it had not been interrupted.
        """
        return replace(
            config,
            steps=config.steps * self.num_iterations,
            save_every=config.save_every * self.num_iterations,
            eval_every=config.eval_every * self.num_iterations,
        )


@dataclass(frozen=True, slots=True)
class PolicyUpdate:
    """One optimiser step on this process's share of the prompts; `is_first` if replies have yet to be sampled."""

    examples: list[Example]
    is_first: bool


@dataclass(frozen=True, slots=True, eq=False)
class PolicyUpdates:
    """Batches of prompts, each repeated for `num_iterations` optimiser steps."""

    batches: ExampleBatches
    num_iterations: int

    @property
    def identity(self) -> str:
        """Hash of the data that batches are made of."""
        return self.batches.identity

    def shares(self, first: int, last: int) -> Iterator[PolicyUpdate]:
        """Yield the updates of steps `first` to `last` - 1; `first` begins a batch."""
        for examples in self.batches.shares(first // self.num_iterations, -(-last // self.num_iterations)):
            for number in range(self.num_iterations):
                yield PolicyUpdate(examples, is_first=number == 0)


@dataclass(slots=True, eq=False)
class RolloutBatch:
    """Replies to train on, with everything computed about them.

    Args:
        reference: log-probabilities under the reference, by micro-batch; empty with β = 0.
        old: log-probabilities under the judge that sampled them, by micro-batch; filled in the first step.
    """

    rollouts: Rollouts
    rewards: list[Reward]
    advantages: Tensor
    reference: list[Tensor]
    old: list[Tensor] = field(default_factory=list)


class GrpoStep:
    """The GRPO stage as the loop calls it.

    Args:
        judge: the judge at its start; weights that the reference needs are copied.

    Raises:
        UsageError: if the adapter has dropout: the same reply would have another probability each time.
    """

    def __init__(self, judge: Judge, settings: GrpoConfig) -> None:
        if judge.adapter.lora_dropout:
            raise UsageError("dropout would look like a change of the policy: reinforce with --lora-dropout 0.")
        self._judge = judge
        self._settings = settings
        self._start = {name: one.detach().clone() for name, one in judge.parameters().items() if not is_adapter(name)}
        self._batch: RolloutBatch | None = None

    def __call__(self, context: TrainContext, update: PolicyUpdate) -> Metrics:
        """Add the gradient of a batch of replies, and return their metrics."""
        if update.is_first:
            network = context.accelerator.unwrap_model(context.network)
            network.temperature = self._settings.rollout.temperature
            self._batch = self._sample(context, update.examples)
        batch = self._batch
        assert batch is not None, "a batch begins with its first update"
        rows = context.total(len(batch.rollouts))
        tokens = context.total(sum(map(len, batch.rollouts.replies)))
        is_first = not batch.old
        sums = dict.fromkeys(("loss", "kl", "clip_ratio"), 0.0)
        micro_batches = self._micro_batches(context, batch.rollouts)
        for number, place in enumerate(micro_batches):
            inputs = batch.rollouts.inputs(place, padding=self._padding)
            current = context.network(inputs)
            if is_first:
                batch.old.append(current.detach())
            mask = inputs["labels"][:, 1:] != IGNORED
            loss = grpo_loss(
                current,
                old=batch.old[number],
                reference=batch.reference[number] if batch.reference else None,
                advantages=batch.advantages[place.start : place.stop].to(current),
                mask=mask,
                config=self._settings.loss,
            )
            count = int(mask.sum())
            share = count / tokens if self._settings.loss.loss_type == "bnpo" else len(place) / rows
            context.add_gradient(loss.value * share, is_last=number + 1 == len(micro_batches))
            sums["loss"] += float(loss.value.detach()) * share
            sums["kl"] += loss.kl * count / tokens
            sums["clip_ratio"] += loss.clip_ratio * count / tokens
        metrics = {name: context.total(value) for name, value in sums.items()}
        size = self._settings.rollout.num_generations
        return {**metrics, **reply_metrics(context, batch.rollouts, batch.rewards, num_generations=size)}

    @property
    def _padding(self) -> int:
        padding = self._judge.omni.tokenizer.pad_token_id
        return 0 if padding is None else int(padding)

    def _micro_batches(self, context: TrainContext, rollouts: Rollouts) -> list[range]:
        size = context.config.micro_batch_size
        return [range(first, min(first + size, len(rollouts))) for first in range(0, len(rollouts), size)]

    def _sample(self, context: TrainContext, examples: Sequence[Example]) -> RolloutBatch:
        settings = self._settings
        rollouts = generate_rollouts(self._judge.omni, examples, settings.rollout)
        rewards = rollout_rewards(rollouts, examples, sigma=settings.sigma)
        values = torch.tensor([reward.value for reward in rewards])
        reference: list[Tensor] = []
        if settings.loss.beta:
            network = context.accelerator.unwrap_model(context.network)
            with torch.no_grad(), reference_weights(self._judge, self._start):
                places = self._micro_batches(context, rollouts)
                reference = [network(rollouts.inputs(place, padding=self._padding)) for place in places]
        weights = advantages(
            values, num_generations=settings.rollout.num_generations, scale_rewards=settings.scale_rewards
        )
        return RolloutBatch(rollouts, rewards, weights, reference)


def reply_metrics(
    context: TrainContext, rollouts: Rollouts, rewards: Sequence[Reward], *, num_generations: int
) -> dict[str, float]:
    """Return metrics of sampled replies, over all processes.

    Returns:
        Mean ``reward``; ``unreadable``, the share of replies without a score; ``truncated``, the share that did not
        end; ``length`` in tokens; ``equal_reward_groups``, the share of groups whose replies all have the same reward,
        which give no gradient; ``reasons``, the share of replies that give reasons: the reward asks for none, and a
        judge that stops to reason where it is asked to shows here first.
    """
    total = context.total(len(rewards))
    groups = [rewards[first : first + num_generations] for first in range(0, len(rewards), num_generations)]
    equal = sum(len({reward.value for reward in one}) == 1 for one in groups)
    return {
        "reward": context.total(sum(reward.value for reward in rewards)) / total,
        "unreadable": context.total(sum(not reward.readable for reward in rewards)) / total,
        "reasons": context.total(sum(reward.reasons for reward in rewards)) / total,
        "truncated": context.total(rollouts.whole.count(False)) / total,
        "length": context.total(sum(map(len, rollouts.replies))) / total,
        "equal_reward_groups": context.total(equal) / context.total(len(groups)),
    }


@contextlib.contextmanager
def reference_weights(judge: Judge, start: Mapping[str, Tensor]) -> Iterator[None]:
    """Give a judge the weights of the reference while the context lasts.

    Args:
        start: weights that are trained without an adapter, as they were at the start.
    """
    own = judge.parameters()
    trained = {name: own[name].detach().clone() for name in start}
    without = judge.model.disable_adapter() if judge.adapter.kind == "lora" else contextlib.nullcontext()
    with torch.no_grad(), without:
        try:
            for name, value in start.items():
                own[name].copy_(value)
            yield
        finally:
            for name, value in trained.items():
                own[name].copy_(value)


def held_out_rewards(judge: Judge, index: ExampleIndex, settings: GrpoConfig) -> Callable[[TrainContext], Metrics]:
    """Return an evaluation: the rewards of the likeliest replies to held-out prompts."""
    greedy = replace(settings.rollout, num_generations=1, temperature=0.0)
    size = settings.rollout.rollout_batch_size

    def evaluate(context: TrainContext) -> Metrics:
        own = range(context.accelerator.process_index, len(index), context.accelerator.num_processes)
        sums = dict.fromkeys(("reward", "unreadable", "within one"), 0.0)
        for first in range(0, len(own), size):
            examples = [index.read(number) for number in own[first : first + size]]
            rewards = rollout_rewards(generate_rollouts(judge.omni, examples, greedy), examples, sigma=settings.sigma)
            sums["reward"] += sum(reward.value for reward in rewards)
            sums["unreadable"] += sum(not reward.readable for reward in rewards)
            sums["within one"] += _within_one(rewards, examples)
        return {name: context.total(value) / len(index) for name, value in sums.items()}

    return evaluate


def _within_one(rewards: Sequence[Reward], examples: Sequence[Example]) -> float:
    """Count the scores within one point of the truth, as the benchmarks do."""
    found = tolerance_accuracy([reward.score for reward in rewards], [example.score for example in examples])
    return found.value * found.count if found.count else 0.0


def described(settings: GrpoConfig) -> dict[str, Json]:
    """Return every setting that the result depends on as one flat record, for the card and the checkpoint."""
    free = {"rollout_batch_size", "precision"}
    flat = {**asdict(settings.loss), **asdict(settings.rollout)}
    own = {"sigma": settings.sigma, "scale_rewards": settings.scale_rewards, "num_iterations": settings.num_iterations}
    return {**{name: value for name, value in flat.items() if name not in free}, **own}
