"""One step of reinforcement: replies are written, weighed against the others of their group, and learned from.

What the loop of `aptone.train.judge.loop` calls for each step of the optimiser; `aptone.train.grpo.run` says how the
whole goes together.
"""

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import torch
from torch import Tensor

from aptone.errors import UsageError
from aptone.stats import tolerance_accuracy
from aptone.train.grpo.loss import Clipping, advantages, grpo_loss
from aptone.train.grpo.reward import SIGMA, Reward
from aptone.train.grpo.rollouts import Writing, Written, reply_rewards, write_groups
from aptone.train.judge.batch import IGNORED
from aptone.train.judge.config import JudgeRecipe
from aptone.train.judge.dataset import ExampleBatches, ExampleIndex
from aptone.train.judge.example import Example
from aptone.train.judge.loop import Figures, Taught
from aptone.train.judge.model import Judge, is_adapter
from aptone.types import Json


@dataclass(frozen=True, slots=True)
class Reinforcement:
    """How a judge is reinforced, besides its `JudgeRecipe`.

    Args:
        clipping: how far it may move.
        writing: how replies are drawn.
        sigma: of the reward.
        scale: whether advantages are in units of their group's standard deviation.
        updates: steps of the optimiser on each batch of replies.

    Raises:
        UsageError: if a number is not one.
    """

    clipping: Clipping = field(default_factory=Clipping)
    writing: Writing = field(default_factory=Writing)
    sigma: float = SIGMA
    scale: bool = True
    updates: int = 1

    def __post_init__(self) -> None:
        if self.updates < 1:
            raise UsageError(f"a batch of replies is learned from once or more, got {self.updates}.")
        if self.writing.group < 2 or self.writing.max_tokens < 1 or self.writing.at_once < 1:
            raise UsageError("a group has two replies or more, and a reply one token or more.")
        if not 0 < self.writing.temperature < math.inf or not 0 < self.sigma < math.inf:
            raise UsageError(
                "temperature and sigma are finite and above 0: without chance, all replies would be the same."
            )

    def spread(self, recipe: JudgeRecipe) -> JudgeRecipe:
        """The recipe in steps of the optimiser, where it is given in batches of prompts.

        Checkpoints lie between batches: replies and their log-probabilities need not be kept, and a training that is
        resumed goes on as if it had not been stopped.
        """
        return replace(
            recipe,
            steps=recipe.steps * self.updates,
            keep=recipe.keep * self.updates,
            look=recipe.look * self.updates,
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """One step of the optimiser.

    Args:
        examples: prompts of the batch, this process's share.
        is_first: whether replies to them are yet to be written.
    """

    examples: list[Example]
    is_first: bool


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """Batches of prompts, each for as many steps as it is learned from.

    Args:
        batches: of prompts.
        updates: steps on each.
    """

    batches: ExampleBatches
    updates: int

    @property
    def identity(self) -> str:
        """What they are made of."""
        return self.batches.identity

    def shares(self, first: int, last: int) -> Iterator[Turn]:
        """The turns from `first` to before `last`; the first of them begins a batch."""
        for examples in self.batches.shares(first // self.updates, -(-last // self.updates)):
            for number in range(self.updates):
                yield Turn(examples, is_first=number == 0)


@dataclass(slots=True, eq=False)
class Held:
    """Replies that are learned from, and what was found out about them.

    Args:
        written: the replies.
        rewards: of each.
        advantages: of each.
        reference: log-probabilities under the reference, by chunk; empty with β = 0.
        old: under the judge that wrote them, by chunk; filled in the first step on them.
    """

    written: Written
    rewards: list[Reward]
    advantages: Tensor
    reference: list[Tensor]
    old: list[Tensor] = field(default_factory=list)


class Reinforce:
    """The stage, as the loop calls it: adds the gradient of a batch of replies.

    Args:
        judge: as it starts; what the reference needs of it is copied now.
        settings: how it is reinforced.

    Raises:
        UsageError: if the judge has dropout: the same reply would have another probability each time.
    """

    def __init__(self, judge: Judge, settings: Reinforcement) -> None:
        if judge.trained.dropout:
            raise UsageError("dropout would look like a change of the policy: reinforce with --dropout 0.")
        self._judge = judge
        self._settings = settings
        self._start = {name: one.detach().clone() for name, one in judge.parameters().items() if not is_adapter(name)}
        self._held: Held | None = None

    def __call__(self, work: Taught, turn: Turn) -> Figures:
        """Add the gradient, and say how the replies are."""
        if turn.is_first:
            work.accelerator.unwrap_model(work.network).temperature = self._settings.writing.temperature
            self._held = self._answered(work, turn.examples)
        held = self._held
        assert held is not None, "a batch begins with its first turn"
        mine = len(held.written)
        rows, tokens = work.total(mine), work.total(sum(map(len, held.written.replies)))
        is_first = not held.old
        sums = dict.fromkeys(("loss", "divergence", "clipped"), 0.0)
        chunks = self._chunks(work, held.written)
        for number, place in enumerate(chunks):
            inputs = held.written.inputs(place, padding=self._padding)
            current = work.network(inputs)
            if is_first:
                held.old.append(current.detach())
            mask = inputs["labels"][:, 1:] != IGNORED
            loss = grpo_loss(
                current,
                old=held.old[number],
                reference=held.reference[number] if held.reference else None,
                advantages=held.advantages[place.start : place.stop].to(current),
                mask=mask,
                clipping=self._settings.clipping,
            )
            count = int(mask.sum())
            share = count / tokens if self._settings.clipping.averaging == "token" else len(place) / rows
            work.add_gradient(loss.value * share, is_last=number + 1 == len(chunks))
            sums["loss"] += float(loss.value.detach()) * share
            sums["divergence"] += loss.divergence * count / tokens
            sums["clipped"] += loss.clipped * count / tokens
        figures = {name: work.total(value) for name, value in sums.items()}
        return {**figures, **reply_figures(work, held.written, held.rewards, group=self._settings.writing.group)}

    @property
    def _padding(self) -> int:
        padding = self._judge.omni.tokenizer.pad_token_id
        return 0 if padding is None else int(padding)

    def _chunks(self, work: Taught, written: Written) -> list[range]:
        size = work.recipe.chunk
        return [range(first, min(first + size, len(written))) for first in range(0, len(written), size)]

    def _answered(self, work: Taught, examples: Sequence[Example]) -> Held:
        settings = self._settings
        written = write_groups(self._judge.omni, examples, settings.writing)
        rewards = reply_rewards(written, examples, sigma=settings.sigma)
        worth = torch.tensor([reward.value for reward in rewards])
        reference: list[Tensor] = []
        if settings.clipping.beta:
            network = work.accelerator.unwrap_model(work.network)
            with torch.no_grad(), as_started(self._judge, self._start):
                chunks = self._chunks(work, written)
                reference = [network(written.inputs(place, padding=self._padding)) for place in chunks]
        weights = advantages(worth, group=settings.writing.group, scale=settings.scale)
        return Held(written, rewards, weights, reference)


def reply_figures(work: Taught, written: Written, rewards: Sequence[Reward], *, group: int) -> dict[str, float]:
    """What there is to say of replies, over all processes.

    Returns:
        Mean ``reward``; ``unreadable``, the share of replies without a score; ``cut``, of those that did not end;
        ``length`` in tokens; ``alike``, the share of groups whose replies are all worth the same, from which nothing
        can be learned; ``reasons``, the share of replies that give reasons: the reward asks for none, and a judge that
        stops to reason where it is asked to shows here first.
    """
    total = work.total(len(rewards))
    groups = [rewards[first : first + group] for first in range(0, len(rewards), group)]
    alike = sum(len({reward.value for reward in one}) == 1 for one in groups)
    return {
        "reward": work.total(sum(reward.value for reward in rewards)) / total,
        "unreadable": work.total(sum(not reward.readable for reward in rewards)) / total,
        "reasons": work.total(sum(reward.reasons for reward in rewards)) / total,
        "cut": work.total(written.whole.count(False)) / total,
        "length": work.total(sum(map(len, written.replies))) / total,
        "alike": work.total(alike) / work.total(len(groups)),
    }


@contextlib.contextmanager
def as_started(judge: Judge, start: Mapping[str, Tensor]) -> Iterator[None]:
    """While this lasts, the judge is the one that the training started with.

    Args:
        judge: that learns.
        start: weights that were trained without an adapter, as they were.
    """
    own = judge.parameters()
    learned = {name: own[name].detach().clone() for name in start}
    without = judge.model.disable_adapter() if judge.trained.adapter == "lora" else contextlib.nullcontext()
    with torch.no_grad(), without:
        try:
            for name, value in start.items():
                own[name].copy_(value)
            yield
        finally:
            for name, value in learned.items():
                own[name].copy_(value)


def held_out_replies(judge: Judge, index: ExampleIndex, settings: Reinforcement) -> Callable[[Taught], Figures]:
    """What dev says: the likeliest reply to each of its prompts, and what those are worth."""
    likeliest = replace(settings.writing, group=1, temperature=0.0)
    at_once = settings.writing.at_once

    def look(work: Taught) -> Figures:
        own = range(work.accelerator.process_index, len(index), work.accelerator.num_processes)
        sums = dict.fromkeys(("reward", "unreadable", "within one"), 0.0)
        for first in range(0, len(own), at_once):
            examples = [index.read(number) for number in own[first : first + at_once]]
            rewards = reply_rewards(write_groups(judge.omni, examples, likeliest), examples, sigma=settings.sigma)
            sums["reward"] += sum(reward.value for reward in rewards)
            sums["unreadable"] += sum(not reward.readable for reward in rewards)
            sums["within one"] += _within_one(rewards, examples)
        return {name: work.total(value) / len(index) for name, value in sums.items()}

    return look


def _within_one(rewards: Sequence[Reward], examples: Sequence[Example]) -> float:
    """How many scores are within one point of the truth, as the benchmarks count it."""
    found = tolerance_accuracy([reward.score for reward in rewards], [example.score for example in examples])
    return found.value * found.count if found.count else 0.0


def described(settings: Reinforcement) -> dict[str, Json]:
    """Every setting that the result depends on, flat, for the card and to tell trainings apart."""
    free = {"at_once", "precision"}
    flat = {**asdict(settings.clipping), **asdict(settings.writing)}
    own = {"sigma": settings.sigma, "scale": settings.scale, "updates": settings.updates}
    return {**{name: value for name, value in flat.items() if name not in free}, **own}
