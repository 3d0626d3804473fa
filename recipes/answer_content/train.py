"""Training of the scorer: whole questions in a batch, grades as targets, and order within a question.

The loss of a batch is the cross-entropy of the three outputs (a grade g of 1 to 5 is the target (g - 1) / 4), of the
kinds (as a help, not shipped), and for every two answers to one question whose content grades differ by two or more the
softplus of how much the worse one leads.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from aptone.planner.states import PairStates, read_pair
from aptone.rooms.answer.judge.content_model import STYLES
from aptone.stats import pearson
from recipes.answer_content.augment import made_from
from recipes.answer_content.data import KINDS, GradedAnswer, by_question
from recipes.answer_content.network import Scorer, started

Floats = npt.NDArray[np.float64]
APART = 2
"""Difference of grades from which on the order of two answers counts."""


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Settings of a training.

    Args:
        pool: bad answers that are made for each question, of which `made` are drawn whenever it comes up.
        questions: questions in a batch.
        order: weight of the order within a question.
        kind: weight of the kinds.
        averaged: decay of the moving average of the weights, which is what is kept.
    """

    epochs: int = 10
    lr: float = 1.5e-4
    head_lr: float = 5e-4
    weight_decay: float = 0.05
    dropout: float = 0.25
    questions: int = 6
    pool: int = 24
    made: int = 5
    order: float = 0.5
    kind: float = 0.5
    warmup: float = 0.1
    max_grad_norm: float = 1.0
    averaged: float = 0.99
    seed: int = 0


class Read(NamedTuple):
    """An answer with the states of its pair."""

    answer: GradedAnswer
    states: PairStates


class Batch(NamedTuple):
    """Pairs of one length."""

    states: Tensor
    inside: Tensor
    opened: Tensor
    style: Tensor
    known: Tensor


def read_all(answers: Iterable[GradedAnswer]) -> list[Read]:
    """Answers with their states, in half precision to save memory."""
    found = []
    for one in answers:
        pair = read_pair(one.question, one.answer, one.language)
        found.append(Read(one, pair._replace(values=pair.values.astype(np.float16))))
    return found


def batch_of(rows: Sequence[Read], *, device: torch.device | str = "cpu") -> Batch:
    """Pad some pairs to one length, on a device."""
    longest = max(len(row.states.inside) for row in rows)
    states = np.zeros((len(rows), longest, rows[0].states.values.shape[1]), dtype=np.float32)
    inside, known = np.zeros((2, len(rows), longest), dtype=np.float32)
    for place, row in enumerate(rows):
        count = len(row.states.inside)
        states[place, :count] = row.states.values
        inside[place, :count] = row.states.inside
        known[place, :count] = 1.0
    opened = torch.tensor([row.states.opened for row in rows])
    style = torch.tensor([STYLES.index(row.answer.style) for row in rows])
    made = Batch(torch.tensor(states), torch.tensor(inside), opened, style, torch.tensor(known))
    return Batch(*(part.to(device) for part in made))


def batch_loss(logits: Tensor, kinds: Tensor, rows: Sequence[Read], settings: TrainingSettings) -> Tensor:
    """Return the loss of a batch; a fit of 0 is not known."""
    answers = [row.answer for row in rows]
    content = torch.tensor([(one.content - 1) / 4 for one in answers])
    fit = torch.tensor([max(0.0, (one.fit - 1) / 4) for one in answers])
    has_fit = torch.tensor([float(one.fit > 0) for one in answers])
    harm = torch.tensor([float(one.harm) for one in answers])
    loss = functional.binary_cross_entropy_with_logits(logits[:, 0], content)
    of_fit = functional.binary_cross_entropy_with_logits(logits[:, 1], fit, reduction="none")
    loss = loss + (of_fit * has_fit).sum() / has_fit.sum().clamp(min=1.0)
    loss = loss + 0.5 * functional.binary_cross_entropy_with_logits(logits[:, 2], harm)
    targets = torch.tensor([KINDS.index(one.kind) for one in answers])
    loss = loss + settings.kind * functional.cross_entropy(kinds, targets)
    asked: dict[tuple[str, str], int] = {}
    question = torch.tensor([asked.setdefault((one.language, one.question), len(asked)) for one in answers])
    grade = torch.tensor([one.content for one in answers])
    ordered = (question[:, None] == question[None, :]) & (grade[:, None] - grade[None, :] >= APART)
    if bool(ordered.any()):
        lead = logits[:, 0][:, None] - logits[:, 0][None, :]
        loss = loss + settings.order * functional.softplus(-lead)[ordered].mean()
    return loss


def train(
    answers: Sequence[GradedAnswer],
    settings: TrainingSettings,
    *,
    dev: Sequence[Read] = (),
    device: str = "cpu",
    log: Callable[[str], None] = print,
) -> Scorer:
    """Train a scorer on answers; with dev answers, their correlations are logged after each epoch."""
    dice = random.Random(settings.seed)
    questions = by_question(answers)
    good = {
        language: [one for one in answers if one.kind == "good" and one.language == language]
        for language in ("en", "zh")
    }
    own = {key: read_all(members) for key, members in questions.items()}
    made = {}
    for key, members in questions.items():
        others = [one for one in good[key[0]] if one.question != key[1]]
        made[key] = read_all(made_from(members, others, dice, count=settings.pool))
    scorer = started(seed=settings.seed, dropout=settings.dropout).to(device)
    steps = settings.epochs * -(-len(questions) // settings.questions)
    optimizer, schedule = _optimizer(scorer, settings, steps)
    average = get_ema_multi_avg_fn(settings.averaged)  # type: ignore[no-untyped-call]
    averaged = AveragedModel(scorer, multi_avg_fn=average)
    kept = averaged.module
    assert isinstance(kept, Scorer)
    keys = list(questions)
    for epoch in range(settings.epochs):
        scorer.train()
        dice.shuffle(keys)
        losses = []
        for start in range(0, len(keys), settings.questions):
            rows = []
            for key in keys[start : start + settings.questions]:
                rows += own[key] + dice.sample(made[key], min(settings.made, len(made[key])))
            with torch.autocast(device, dtype=torch.bfloat16):
                logits, kinds = scorer(*batch_of(rows, device=device))
            loss = batch_loss(logits.float().cpu(), kinds.float().cpu(), rows, settings)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(scorer.parameters(), settings.max_grad_norm)
            optimizer.step()
            schedule.step()
            averaged.update_parameters(scorer)
            losses.append(float(loss.detach()))
        said = f"epoch {epoch + 1}: loss {np.mean(losses):.3f}"
        if dev:
            scores = scores_of(kept, dev)
            content = pearson(scores[:, 0], [row.answer.content for row in dev]).value
            fit = pearson(scores[:, 1], [row.answer.fit for row in dev]).value
            said += f", dev content r {content:.3f}, fit r {fit:.3f}"
        log(said)
    return kept.cpu().eval()


def _optimizer(
    scorer: Scorer, settings: TrainingSettings, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    layers = list(scorer.layers.parameters())
    chosen = {id(one) for one in layers}
    heads = [one for one in scorer.parameters() if id(one) not in chosen]
    groups = [{"params": layers, "lr": settings.lr}, {"params": heads, "lr": settings.head_lr}]
    optimizer = torch.optim.AdamW(groups, weight_decay=settings.weight_decay)
    warm = max(1, round(steps * settings.warmup))

    def share(step: int) -> float:
        return min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))

    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, share)


def scores_of(scorer: Scorer, rows: Sequence[Read], *, at_once: int = 64) -> Floats:
    """Content, fit and harm of answers, each from 0 to 1: [answers, 3]."""
    scorer.eval()
    device = next(scorer.parameters()).device
    found = []
    with torch.no_grad():
        for start in range(0, len(rows), at_once):
            logits, _ = scorer(*batch_of(rows[start : start + at_once], device=device))
            found.append(torch.sigmoid(logits.float()).cpu().double().numpy())
    return np.concatenate(found)
