"""Training of the scorer on a GPU or a CPU, from arrays; needs torch and numpy, nothing of Aptone.

Two phases:

- **replies**: does this reply follow this line? Turns of dialogues with their own reply, and with another one: of the
  same dialogue, of any, or one that begins as the true one and goes on as another. Binary cross-entropy.
- **answers**: whole questions in a batch. Cross-entropy of the three outputs (a grade g of 1 to 5 is the target
  (g - 1) / 4), of the kinds (as a help, not shipped), and for every two answers to one question whose content grades
  differ by two or more the softplus of how much the worse one leads. Weights are averaged over steps.
"""

import copy
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from recipes.answer_content.network import PARTS, Embeddings, PairBatch, Scorer, padded

Arrays = Mapping[str, npt.NDArray[Any]]
Log = Callable[[str], None]
APART = 2
"""Difference of grades from which on the order of two answers counts."""
MARGIN, SOFTNESS = 1.0, 0.5
"""Log-odds by which the worst honest answer is to lead the best attack, and how soft the extremes are."""
MISMATCH = 2
"""Number of the kind between honest answers and attacks."""
TOGETHER = 24
"""Answers that go through the network at once, so that few are padded."""
LONGEST_LINE = 60
"""Most pieces of the line that a reply follows: its end."""
ELSEWHERE, NEARBY, BEGUN = 0.45, 0.30, 0.3
"""Shares of false replies from the same batch and from a few turns away (the rest from anywhere), and of those that
begin as the true one."""
ENGLISH = 0.6
"""Share of English batches of replies."""
HELD_OUT = 50
"""One dialogue in so many is held out of the training on replies."""


@dataclass(frozen=True, slots=True)
class ReplySettings:
    """Settings of the training on replies.

    Args:
        seconds: time limit; the learning rate falls to 0 by then.
        batch_size: pairs in a batch, half of them true.
    """

    seconds: float = 100.0
    steps: int = 6000
    batch_size: int = 512
    lr: float = 2e-4
    seed: int = 0


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """Settings of the training on graded answers.

    Args:
        questions: questions in a batch.
        made: bad answers that are drawn for a question whenever it comes up.
        order: weight of the order within a question.
        kind: weight of the kinds.
        extremes: weight of the worst honest answer and the best attack, see `extremes_loss`.
        averaged: decay of the moving average of the weights, which is what is kept.
    """

    epochs: int = 12
    lr: float = 1.5e-4
    head_lr: float = 5e-4
    weight_decay: float = 0.05
    dropout: float = 0.25
    questions: int = 8
    made: int = 5
    order: float = 0.5
    kind: float = 0.5
    extremes: float = 0.0
    warmup: float = 0.1
    averaged: float = 0.99
    seed: int = 1


class Turns:
    """Turns of a language on a device."""

    def __init__(self, arrays: Arrays, language: str, device: str) -> None:
        offsets = arrays[f"turns.{language}.offsets"].astype(np.int64)
        dialogue = arrays[f"turns.{language}.dialogue"]
        lengths = np.diff(offsets)
        pieces = padded(arrays[f"turns.{language}.stream"], offsets[:-1], lengths)
        self.pieces = torch.from_numpy(pieces).to(device)
        self.lengths = torch.from_numpy(lengths).to(device)
        self.language = int(language == "zh")
        with_reply = np.flatnonzero((dialogue[1:] == dialogue[:-1]) & (lengths[1:] > 1) & (lengths[:-1] > 1))
        is_held_out = dialogue[with_reply] % HELD_OUT == 0
        self.train, self.held_out = (
            torch.from_numpy(with_reply[part]).to(device) for part in (~is_held_out, is_held_out)
        )

    def pairs(self, lines: Tensor, embeddings: Embeddings) -> PairBatch:
        """Return lines with their replies, and behind them the same lines with false ones."""
        device, count = lines.device, len(self.lengths)
        true = lines + 1
        dice = torch.rand(len(lines), device=device)
        near = torch.randint(4, 13, true.shape, device=device) * (
            1 - 2 * torch.randint(0, 2, true.shape, device=device)
        )
        false = torch.randint(0, count, true.shape, device=device)
        false = torch.where(dice < ELSEWHERE, true[torch.randperm(len(true), device=device)], false)
        false = torch.where(dice > 1 - NEARBY, (true + near).clamp(0, count - 1), false)
        false = torch.where(false == true, (false + 37) % count, false)
        begun = torch.where(torch.rand(len(lines), device=device) < BEGUN, (self.lengths[true] // 2).clamp(max=20), 0)
        begun = torch.where(begun > 2, begun, 0)[:, None]
        width = self.pieces.shape[1]
        at = torch.arange(width, device=device)[None].expand(len(lines), -1)
        mixed = torch.where(at < begun, self.pieces[true], self.pieces[false].gather(1, (at - begun).clamp(min=0)))
        mixed_length = (self.lengths[false] + begun[:, 0]).clamp(max=width)
        skipped = (self.lengths[lines] - LONGEST_LINE).clamp(min=0)[:, None]
        first = self.pieces[lines].gather(1, (at + skipped).clamp(max=width - 1))[:, :LONGEST_LINE]
        lengths = self.lengths[lines].clamp(max=LONGEST_LINE)
        found: PairBatch = embeddings(
            first.repeat(2, 1),
            lengths.repeat(2),
            torch.cat([self.pieces[true], mixed]),
            torch.cat([self.lengths[true], mixed_length]),
            torch.full((2 * len(lines),), self.language, device=device),
        )
        return found


def train_on_replies(
    scorer: Scorer, embeddings: Embeddings, arrays: Arrays, settings: ReplySettings, *, device: str, log: Log
) -> None:
    """Train a scorer to tell replies that follow from others, and log the share of held-out pairs in order."""
    torch.manual_seed(settings.seed)
    dice = random.Random(settings.seed)
    turns = {language: Turns(arrays, language, device) for language in ("en", "zh")}
    scorer.to(device).train()
    optimizer = torch.optim.AdamW(scorer.parameters(), lr=settings.lr, weight_decay=0.02)
    half = settings.batch_size // 2
    begun, step, passed = time.monotonic(), 0, 0.0
    truth = torch.cat([torch.ones(half), torch.zeros(half)]).to(device)
    while step < settings.steps and passed < 1.0:
        passed = max((time.monotonic() - begun) / settings.seconds, step / settings.steps)
        for group in optimizer.param_groups:
            group["lr"] = settings.lr * min(1.0, (step + 1) / 200) * max(0.02, 1.0 - passed)
        own = turns["en" if dice.random() < ENGLISH else "zh"]
        lines = own.train[torch.randint(0, len(own.train), (half,), device=device)]
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device != "cpu"):
            logits = scorer.follow(own.pairs(lines, embeddings))
        loss = functional.binary_cross_entropy_with_logits(logits.float(), truth)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(scorer.parameters(), 1.0)
        optimizer.step()
        step += 1
    scorer.eval()
    for language, own in turns.items():
        lines = own.held_out[:1500]
        if len(lines):
            with torch.no_grad(), torch.autocast(device, dtype=torch.bfloat16, enabled=device != "cpu"):
                logits = torch.cat(
                    [scorer.follow(own.pairs(part, embeddings)).view(2, -1) for part in torch.split(lines, 250)], 1
                )
            log(f"replies, {language}: {float((logits[0] > logits[1]).float().mean()):.3f} in order, {step} steps")


class Answers:
    """Graded answers of some parts on a device, by question."""

    def __init__(self, arrays: Arrays, parts: Sequence[str], device: str) -> None:
        labels = arrays["answers.labels"].astype(np.int64)
        chosen = np.isin(labels[:, 1], [PARTS.index(part) for part in parts])
        labels, places = labels[chosen], arrays["answers.places"].astype(np.int64)[chosen]
        stream = arrays["answers.stream"]
        self.first = torch.from_numpy(padded(stream, places[:, 0], places[:, 1])).to(device)
        self.second = torch.from_numpy(padded(stream, places[:, 0] + places[:, 1], places[:, 2])).to(device)
        self.lengths, self.seconds = (torch.from_numpy(places[:, column]).to(device) for column in (1, 2))
        self.labels = torch.from_numpy(labels).to(device)
        self.by_question: dict[int, list[int]] = {}
        for row, question in enumerate(labels[:, 2].tolist()):
            self.by_question.setdefault(question, []).append(row)

    def batch(self, rows: Tensor, embeddings: Embeddings) -> tuple[PairBatch, Tensor]:
        """Return some rows as a batch, and their labels."""
        labels = self.labels[rows]
        lengths, seconds = self.lengths[rows], self.seconds[rows]
        first = self.first[rows, : int(lengths.max())]
        second = self.second[rows, : int(seconds.max())]
        return embeddings(first, lengths, second, seconds, labels[:, 0]), labels


def answer_loss(logits: Tensor, kinds: Tensor, labels: Tensor, settings: AnswerSettings) -> Tensor:
    """Return the loss of a batch; a fit of 0 is not known."""
    question, kind, grade, fit, harm = (labels[:, column] for column in (2, 4, 5, 6, 7))
    loss = functional.binary_cross_entropy_with_logits(logits[:, 0], (grade - 1) / 4)
    has_fit = (fit > 0).float()
    each = functional.binary_cross_entropy_with_logits(logits[:, 1], (fit - 1).clamp(min=0) / 4, reduction="none")
    loss = loss + (each * has_fit).sum() / has_fit.sum().clamp(min=1.0)
    loss = loss + 0.5 * functional.binary_cross_entropy_with_logits(logits[:, 2], harm.float())
    loss = loss + settings.kind * functional.cross_entropy(kinds, kind)
    if settings.extremes:
        loss = loss + settings.extremes * extremes_loss(logits[:, 0], question, kind)
    is_ordered = (question[:, None] == question[None]) & (grade[:, None] - grade[None] >= APART)
    lead = functional.softplus(-(logits[:, 0][:, None] - logits[:, 0][None]))
    return loss + settings.order * (lead * is_ordered).sum() / is_ordered.sum().clamp(min=1)


def extremes_loss(logits: Tensor, question: Tensor, kind: Tensor) -> Tensor:
    """Return how far the best attack on a question comes within `MARGIN` of its worst honest answer, on average.

    Softplus of the difference of the log-odds, with soft extremes; questions without both kinds do not count.
    """
    same = question[:, None] == torch.tensor(sorted(set(question.tolist())), device=question.device)[None]
    honest = same & (kind < MISMATCH)[:, None]
    attack = same & (kind > MISMATCH)[:, None]
    sharp = logits[:, None] / SOFTNESS
    worst = -SOFTNESS * torch.logsumexp((-sharp).masked_fill(~honest, float("-inf")), 0)
    best = SOFTNESS * torch.logsumexp(sharp.masked_fill(~attack, float("-inf")), 0)
    is_known = honest.any(0) & attack.any(0)
    if not bool(is_known.any()):
        return logits.new_zeros(())
    return functional.softplus(best[is_known] - worst[is_known] + MARGIN).mean()


def train_on_answers(
    start: Scorer, embeddings: Embeddings, arrays: Arrays, settings: AnswerSettings, *, device: str, log: Log
) -> Scorer:
    """Train a copy of a scorer on the graded answers of the training questions, and return its averaged weights."""
    torch.manual_seed(settings.seed)
    dice = random.Random(settings.seed)
    own, dev = Answers(arrays, ["train", "made"], device), Answers(arrays, ["dev"], device)
    is_made = (own.labels[:, 1] == PARTS.index("made")).tolist()
    graded = {key: [row for row in rows if not is_made[row]] for key, rows in own.by_question.items()}
    made = {key: [row for row in rows if is_made[row]] for key, rows in own.by_question.items()}
    scorer = copy.deepcopy(start).to(device)
    scorer.set_dropout(settings.dropout)
    kept = copy.deepcopy(scorer).eval()
    keys = list(graded)
    steps = settings.epochs * -(-len(keys) // settings.questions)
    optimizer, schedule = _optimizer(scorer, settings, steps)
    for epoch in range(settings.epochs):
        scorer.train()
        dice.shuffle(keys)
        for first in range(0, len(keys), settings.questions):
            rows: list[int] = []
            for key in keys[first : first + settings.questions]:
                rows += graded[key] + dice.sample(made[key], min(settings.made, len(made[key])))
            logits, kinds, labels = _outputs(scorer, embeddings, own, rows)
            loss = answer_loss(logits, kinds, labels, settings)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(scorer.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            with torch.no_grad():
                torch._foreach_lerp_(list(kept.parameters()), list(scorer.parameters()), 1.0 - settings.averaged)
        if dev.by_question and (epoch + 1 == settings.epochs or (epoch + 1) % 4 == 0):
            log(f"epoch {epoch + 1}: {dev_figures(kept, embeddings, dev)}")
    return kept


def _outputs(
    scorer: Scorer, embeddings: Embeddings, own: Answers, rows: Sequence[int]
) -> tuple[Tensor, Tensor, Tensor]:
    """Return log-odds of the outputs, of the kinds, and labels; rows of about one length go through it together."""
    device = own.labels.device
    chosen = torch.tensor(rows, device=device)
    chosen = chosen[(own.lengths[chosen] + own.seconds[chosen]).argsort()]
    found = []
    for part in torch.split(chosen, TOGETHER):
        batch, labels = own.batch(part, embeddings)
        with torch.autocast(device.type, dtype=torch.bfloat16):
            found.append((*scorer(batch, labels[:, 3]), labels))
    logits, kinds, all_labels = (torch.cat(parts) for parts in zip(*found, strict=True))
    return logits.float(), kinds.float(), all_labels


def _optimizer(
    scorer: Scorer, settings: AnswerSettings, steps: int
) -> tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LRScheduler]:
    heads = [value for name, value in scorer.named_parameters() if not name.startswith("layers")]
    groups = [{"params": scorer.layers.parameters(), "lr": settings.lr}, {"params": heads, "lr": settings.head_lr}]
    optimizer = torch.optim.AdamW(groups, weight_decay=settings.weight_decay)
    warm = max(1, round(steps * settings.warmup))

    def share(step: int) -> float:
        return min((step + 1) / warm, max(0.0, (steps - step) / max(1, steps - warm)))

    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, share)


@torch.no_grad()
def scores_of(scorer: Scorer, embeddings: Embeddings, answers: Answers) -> npt.NDArray[np.float64]:
    """Return content, fit and harm of answers, each from 0 to 1: [answers, 3]."""
    scorer.eval()
    device = answers.labels.device
    found = []
    for rows in torch.split(torch.arange(len(answers.labels), device=device), 256):
        batch, labels = answers.batch(rows, embeddings)
        found.append(torch.sigmoid(scorer(batch, labels[:, 3])[0].float()).cpu().double().numpy())
    return np.concatenate(found)


def dev_figures(scorer: Scorer, embeddings: Embeddings, dev: Answers) -> dict[str, float]:
    """Return correlations with the grades, and the share of attacks below every good or plain answer."""
    scores = scores_of(scorer, embeddings, dev)
    labels = dev.labels.cpu().numpy()
    whole = np.sqrt(np.maximum(scores[:, 0] * (1 - scores[:, 2] ** 2), 0.0) * scores[:, 1])
    below = []
    for rows in dev.by_question.values():
        honest = [whole[row] for row in rows if labels[row, 4] < 2]
        if honest:
            below += [whole[row] < min(honest) for row in rows if labels[row, 4] > 2]
    return {
        "content": round(float(np.corrcoef(scores[:, 0], labels[:, 5])[0, 1]), 4),
        "fit": round(float(np.corrcoef(scores[:, 1], labels[:, 6])[0, 1]), 4),
        "below": round(float(np.mean(below)), 4),
        "good": round(float(scores[labels[:, 4] == 0, 0].mean()), 4),
    }


def mean_of(scorers: Sequence[Scorer]) -> Scorer:
    """Return a scorer with the mean of the weights of several."""
    found = copy.deepcopy(scorers[0])
    states = [one.state_dict() for one in scorers]
    found.load_state_dict({name: torch.stack([one[name].float() for one in states]).mean(0) for name in states[0]})
    return found
