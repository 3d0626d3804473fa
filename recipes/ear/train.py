"""Train the ear: the beginning of a speaker-recognition network, fine-tuned to hear how something is said.

Load a pack, make rows once, then in each step sample rows, mix some, compute one loss per head, apply the optimiser and
update the running average of the weights. Several networks are trained in parallel, on a GPU each step of each of them
as one CUDA graph on its own stream. The averaged weights are saved as safetensors, and their answers on held-out clips
as `.npz`.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from aptone.errors import UsageError
from aptone.messages import labelled
from recipes.ear.augment import AugmentSettings, Rows
from recipes.ear.batches import mixed_batch
from recipes.ear.config import Recipe, is_trained_on
from recipes.ear.data import SOUND_SET, Clip
from recipes.ear.initial_weights import fresh_network
from recipes.ear.labels import Labels, label_tensors
from recipes.ear.losses import LOSSES, head_losses
from recipes.ear.results import Figures, keep
from recipes.ear.rows import Corpus, load_corpus, make_rows

ROWS = 60_000
"""Number of rows for the ears that ship: some eight of every clip."""


class Training:
    """One network in training.

    Args:
        recipe: settings of the run.
        corpus: all clips.
        rows: augmented rows; those of held-out clips are never sampled.
        labels: labels of all clips, on the device.
        start: initial weights from CAM++.
        device: device to train on.
    """

    def __init__(
        self, recipe: Recipe, corpus: Corpus, rows: Rows, labels: Labels, start: Path, *, device: torch.device
    ) -> None:
        torch.manual_seed(0)  # the same beginning for every seed, so that their weights may be averaged
        self.recipe, self.rows, self.labels, self.device = recipe, rows, labels, device
        trained = np.array([is_trained_on(clip, recipe) for clip in corpus.clips])
        allowed = np.flatnonzero(trained[rows.first.cpu().numpy()])
        if not allowed.size:
            raise UsageError(f"{recipe.name}: none of the {len(rows.first)} rows is of a clip to train on; make more.")
        draws = np.random.default_rng(recipe.seed).choice(allowed, size=(recipe.steps, recipe.batch_size))
        self.draws = torch.from_numpy(draws).to(device)
        settings = replace(recipe.network, events=len(corpus.sounds) if recipe.sounds else 0)
        self.network = fresh_network(settings, start).to(device)
        self.averaged = fresh_network(settings, start).to(device)
        self.averaged.load_state_dict(self.network.state_dict())
        self.averaged.eval()
        self.network.train()
        self.network.stem.eval()
        self.network.second.eval()  # its norms keep the statistics of the many speakers that it was made with
        self.optimiser = torch.optim.AdamW(
            self._groups(), betas=(0.9, 0.98), fused=device.type == "cuda", capturable=device.type == "cuda"
        )
        self.schedule = torch.from_numpy(_schedule(recipe)).to(device)
        self.picked = torch.zeros(recipe.batch_size, dtype=torch.long, device=device)
        self.shown = torch.zeros(len(LOSSES) + 1, device=device)
        torch.manual_seed(recipe.seed)
        self.stream = torch.cuda.Stream() if device.type == "cuda" else None  # type: ignore[no-untyped-call]
        self.replay: Callable[[], None] = self._step
        self.number = 0
        self.figures: Figures = {}

    def _groups(self) -> list[dict[str, object]]:
        recipe, network = self.recipe, self.network
        block = list(network.second.parameters())
        inside = {id(value) for value in (*block, *network.stem.parameters())}
        heads = [value for value in network.parameters() if id(value) not in inside]
        network.second.requires_grad_(recipe.trunk_lr_ratio > 0)
        groups = [(heads, recipe.weight_decay, 1.0), (block, 0.01, recipe.trunk_lr_ratio)]
        return [
            {
                "params": values,
                "weight_decay": decay,
                "scale": scale,
                "lr": torch.tensor(recipe.lr, device=self.device),
            }
            for values, decay, scale in groups
            if scale > 0
        ]

    def _step(self) -> None:
        rows, labels, recipe = self.rows, self.labels, self.recipe
        batch = mixed_batch(rows, self.picked, share=recipe.mixup)
        with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.device.type == "cuda"):
            heard = self.network.hear(batch.frames, batch.statistics, batch.speech, batch.present)
        losses = head_losses(heard, batch, labels, recipe)
        total = sum(losses.values(), torch.zeros((), device=self.device))
        total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 2.0, foreach=True)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=False)
        live = [value for value in self.network.state_dict().values() if value.dtype.is_floating_point]
        kept = [value for value in self.averaged.state_dict().values() if value.dtype.is_floating_point]
        torch._foreach_lerp_(kept, live, 1 - recipe.ema_decay)
        self.shown.lerp_(torch.stack([*losses.values(), total]).detach().float(), 0.02)

    def advance(self) -> None:
        """Do one step."""
        if self.stream is None:
            self._advance()
            return
        with torch.cuda.stream(self.stream):
            self._advance()

    def _advance(self) -> None:
        self.picked.copy_(self.draws[self.number])
        for group in self.optimiser.param_groups:
            group["lr"].copy_(self.schedule[self.number] * group["scale"])
        if self.number == 3 and self.stream is not None:
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=self.stream):
                self._step()
            self.replay = graph.replay
        self.replay()
        self.number += 1


def train_together(
    recipes: Sequence[Recipe],
    corpus: Corpus,
    rows: Rows,
    start: Path,
    out: Path,
    *,
    device: torch.device,
    log: Callable[[str], None],
) -> list[Training]:
    """Train several networks in parallel, and write the results of each to a folder."""
    labels = label_tensors(corpus.clips, corpus.sounds).to(device)
    trainings = [Training(recipe, corpus, rows, labels, start, device=device) for recipe in recipes]
    began = time.perf_counter()
    for number in range(max(recipe.steps for recipe in recipes)):
        for training in trainings:
            if number < training.recipe.steps:
                training.advance()
        if number in (4, 50) or number % 500 == 499:
            if device.type == "cuda":
                torch.cuda.synchronize()
            shown = " ".join(f"{value:.3f}" for value in trainings[0].shown.tolist())
            seconds = time.perf_counter() - began
            log(f"step {number + 1}, {seconds:.1f} s, {trainings[0].recipe.name}: {shown}")
    bank = corpus.bank.to(device)
    for training in trainings:
        training.figures = keep(training.recipe, training.averaged, corpus, labels, bank=bank, out=out)
        shown = " ".join(f"{key}={value:.3f}" for key, value in training.figures.items())
        log(labelled(training.recipe.name, shown))
    return trainings


def train_ear(
    recipes: Sequence[Recipe],
    pack: Path,
    start: Path,
    out: Path,
    *,
    rows: int = ROWS,
    settings: AugmentSettings | None = None,
    device: torch.device,
    workers: int,
    log: Callable[[str], None],
) -> dict[str, Figures]:
    """Train one or several recipes from a pack, and return the metrics of each run on held-out clips.

    Recipes with the same sets of sounds share their rows, which are made of every clip: each is then trained on the
    rows that it may use. Those without `SOUND_SET` have rows of their own, which contain nothing non-commercial.

    Args:
        recipes: recipes to train.
        pack: pack made by `recipes.ear.pack.prepare`.
        start: initial weights from CAM++, made by `recipes.ear.initial_weights.write_start`.
        out: folder for `.safetensors`, `.npz` and `.json` of every recipe.
        rows: number of rows.
        settings: settings of the augmentation.
        device: device to train on.
        workers: clips decoded at once.
        log: receives progress lines.

    Raises:
        UsageError: if the pack lacks data of a recipe.
    """
    corpus = load_corpus(pack, workers=workers)
    for recipe in recipes:
        _check(recipe, corpus.clips)
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
    labels = label_tensors(corpus.clips, corpus.sounds)
    kept: dict[str, Figures] = {}
    for sounds in dict.fromkeys(recipe.sounds for recipe in recipes):
        chosen = [recipe for recipe in recipes if recipe.sounds == sounds]
        free = SOUND_SET not in sounds
        usable = [not free or any(is_trained_on(clip, recipe) for recipe in chosen) for clip in corpus.clips]
        made = make_rows(
            corpus,
            labels,
            settings or AugmentSettings(),
            which=np.flatnonzero(usable),
            count=rows,
            sounds=sounds,
            start=start,
            device=device,
        )
        trained = train_together(chosen, corpus, made, start, out, device=device, log=log)
        kept |= {training.recipe.name: training.figures for training in trained}
    return kept


def _check(recipe: Recipe, clips: Sequence[Clip]) -> None:
    heard = {clip.set for clip in clips if is_trained_on(clip, recipe)}
    lacking = [name for name in (*recipe.sets, *recipe.plain, *recipe.sounds) if name not in heard]
    if lacking:
        raise UsageError(
            f"{recipe.name}: the pack has no clips of {', '.join(lacking)} to train on; prepare it with them, or "
            "choose another recipe."
        )


def _schedule(recipe: Recipe) -> npt.NDArray[np.float32]:
    """Return the learning rates: warm-up over a tenth of the steps, then half a cosine down to a hundredth."""
    step = np.arange(recipe.steps)
    warm = np.minimum(1.0, (step + 1) / (0.1 * recipe.steps))
    fall = 0.01 + 0.99 * 0.5 * (1 + np.cos(math.pi * step / recipe.steps))
    return (recipe.lr * warm * fall).astype(np.float32)
