"""Teach the built-in style model: two small encoders that put a voice and a description of it in the same place.

The voice's side reads what the ear says (`aptone.rooms.style.embedding.built_in`); the description's side reads the
units of the built-in text embedder in their order, with what it learns of its own about the units that describe voices.
A pair is not just right or wrong: how much of a description is true of a voice is known, and is what three losses
teach:

- contrast: among all voices of a batch (and among all descriptions) the probability goes where most is true; with one
  right answer and none else half true this is the symmetric InfoNCE loss of CLAP;
- agreement: the cosine, through a learned slope and offset, says how much is true;
- rank: a true description lies nearer than the same with one attribute flipped.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from aptone.ear.describe import ATTRIBUTES, values_of
from aptone.messages import message
from aptone.types import Emotion
from aptone.types.feelings import TYPICAL_VAD
from recipes.style.examples import Floats, Integers
from recipes.style.feelings import Imagination, hybrids
from recipes.style.network import StyleNetwork, StyleRecipe

KIN: Mapping[tuple[Emotion, Emotion], float] = MappingProxyType(
    {
        (Emotion.CALM, Emotion.NEUTRAL): 0.7,
        (Emotion.PLAYFUL, Emotion.HAPPY): 0.7,
        (Emotion.BOREDOM, Emotion.NEUTRAL): 0.5,
        (Emotion.BOREDOM, Emotion.SAD): 0.5,
        (Emotion.CALM, Emotion.BOREDOM): 0.5,
        (Emotion.CALM, Emotion.SAD): 0.4,
    }
)
"""How much of one emotion a voice has that is heard as the other, where their places say too little about it."""

SHOWN_EVERY = 500
"""Steps between two lines of the log, the first and the last step aside."""


class Texts(NamedTuple):
    """Descriptions as units.

    Args:
        units: places in the table of unit vectors, one description behind the other.
        starts: where each begins; one more than there are.
        style: what each says, [texts, attributes].
        denied: which attributes each denies, [texts, attributes].
    """

    units: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    style: Integers
    denied: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Lessons:
    """Everything to learn from.

    Args:
        numbers: [rows, numbers].
        style: what is true of each row, [rows, attributes].
        weight: how often a row is drawn, relative to the others.
        texts: descriptions; those of row r are the places ``first[r] + 2 n``, and behind each its flipped twin.
        first: [rows + 1].
        table: vectors of the units that occur, [units, numbers].
    """

    numbers: Floats
    style: Integers
    weight: Floats
    texts: Texts
    first: npt.NDArray[np.int64]
    table: Floats


class Agreement:
    """How much of what descriptions say is true of voices, from 0 to 1.

    Each attribute that a description names and that is known of the voice counts alike, the emotion half as much again,
    and what is ordinary (a clean recording, no music, a young voice) half. One step beside on a scale is half right,
    another emotion is right by half of its nearness in valence and arousal.
    """

    def __init__(self, device: torch.device) -> None:
        self.tables = {name: torch.from_numpy(_agreement(name)).to(device) for name in ATTRIBUTES if name != "events"}
        weights = [{"emotion": 1.5, "age": 0.5, "music": 0.5, "intensity": 0.5}.get(name, 1.0) for name in ATTRIBUTES]
        self.weights = torch.tensor(weights, device=device)

    def __call__(self, voices: Tensor, said: Tensor, denied: Tensor) -> tuple[Tensor, Tensor]:
        """Share that is true and weight of what is known, each [voices, descriptions]."""
        right = torch.zeros(len(voices), len(said), device=voices.device)
        known = torch.zeros_like(right)
        for place, name in enumerate(ATTRIBUTES):
            here, there = voices[:, place], said[:, place]
            if name == "events":
                both = (there > 0).float().expand(len(voices), -1)
                agrees = ((here[:, None] & there) == there).float()
            else:
                both = ((here >= 0)[:, None] & (there >= 0)).float()
                agrees = self.tables[name][here.clamp_min(0)][:, there.clamp_min(0)]
            agrees = torch.where(denied[:, place], 1.0 - agrees, agrees)
            right += self.weights[place] * both * agrees
            known += self.weights[place] * both
        return right / known.clamp_min(1e-6), known


def _agreement(name: str) -> npt.NDArray[np.float32]:
    values = values_of(name)  # type: ignore[arg-type]
    if name == "emotion":
        places = np.array(
            [(TYPICAL_VAD[Emotion.parse(v)].valence, TYPICAL_VAD[Emotion.parse(v)].arousal) for v in values]
        )
        apart = np.linalg.norm(places[:, None] - places, axis=-1)
        near: npt.NDArray[np.float32] = (0.5 * np.clip(1.0 - apart / 0.8, 0.0, 1.0)).astype(np.float32)
        for (one, other), share in KIN.items():
            first, second = values.index(one), values.index(other)
            near[first, second] = near[second, first] = share
        np.fill_diagonal(near, 1.0)
        return near
    table = np.eye(len(values), dtype=np.float32)
    if name in {"pitch", "rate", "volume", "pitch_variation", "intensity"}:
        steps = np.abs(np.subtract.outer(np.arange(len(values)), np.arange(len(values))))
        table[steps == 1] = 0.5
    return table


def teach(
    lessons: Lessons,
    recipe: StyleRecipe,
    *,
    start: StyleNetwork | None = None,
    device: torch.device,
    log: Callable[[str], None],
) -> StyleNetwork:
    """Train a network; gives the running average of its weights, ready to be used.

    Args:
        lessons: what to learn.
        recipe: how.
        start: a network to go on with, whose known units stand first in the table of the lessons; a new one else.
        device: where.
        log: is told how far it is.
    """
    torch.manual_seed(recipe.seed)
    generator = np.random.default_rng(recipe.seed)
    table = torch.from_numpy(lessons.table).to(device)
    network = StyleNetwork(lessons.numbers.shape[1], len(table), lessons.table.shape[1], recipe).to(device)
    network.audio.centre.copy_(torch.from_numpy(lessons.numbers.mean(axis=0)))
    network.audio.spread.copy_(torch.from_numpy(np.maximum(lessons.numbers.std(axis=0), 0.1)))
    if start is not None:
        _go_on(network, start)
    averaged = StyleNetwork(lessons.numbers.shape[1], len(table), lessons.table.shape[1], recipe).to(device)
    averaged.load_state_dict(network.state_dict())
    network.audio.requires_grad_(recipe.voice)
    learning = [value for value in network.parameters() if value.requires_grad]
    optimiser = torch.optim.AdamW(learning, lr=recipe.rate, betas=(0.9, 0.98), weight_decay=recipe.decay)
    agreement, imagination = Agreement(device), Imagination(device)
    descriptions = Padded(lessons.texts, table)
    numbers = torch.from_numpy(lessons.numbers).to(device)
    style = torch.from_numpy(lessons.style.astype(np.int64)).to(device)
    chances = lessons.weight / lessons.weight.sum()
    for step in range(recipe.steps):
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * _schedule(step, recipe.steps)
        rows = generator.choice(len(lessons.numbers), size=recipe.batch, p=chances)
        said = _pick(lessons, rows, generator)
        voices_numbers, voices_style = hybrids(numbers[rows], style[rows], imagination, recipe)
        noise = recipe.noise * network.audio.spread * torch.randn(recipe.batch, numbers.shape[1], device=device)
        voices = network.audio(voices_numbers + noise)
        words = network.text(*descriptions(said))
        texts_style = torch.from_numpy(lessons.texts.style[said].astype(np.int64)).to(device)
        denied = torch.from_numpy(lessons.texts.denied[said]).to(device)
        losses = _losses(network, voices, words, *agreement(voices_style, texts_style, denied), recipe)
        total = recipe.contrast * losses[0] + recipe.agreement * losses[1] + recipe.rank * losses[2]
        optimiser.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimiser.step()
        _average(averaged, network, keep=min(recipe.average, (1.0 + step) / (10.0 + step)))
        if step % SHOWN_EVERY == SHOWN_EVERY - 1 or step in (0, recipe.steps - 1):
            figures = " ".join(f"{float(loss.detach()):.3f}" for loss in (*losses, total))
            log(message("train.step-losses", step=step + 1, figures=figures))
    return averaged.eval()


def _pick(lessons: Lessons, rows: npt.NDArray[np.int64], generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """One true description of each row, then their flipped twins."""
    counts = (lessons.first[rows + 1] - lessons.first[rows]) // 2
    true = lessons.first[rows] + 2 * (generator.random(len(rows)) * counts).astype(np.int64)
    return np.concatenate([true, true + 1])


@torch.no_grad()
def _average(averaged: StyleNetwork, network: StyleNetwork, *, keep: float) -> None:
    """Move the average towards the weights as they are."""
    for kept, live in zip(averaged.parameters(), network.parameters(), strict=True):
        kept.lerp_(live, 1.0 - keep)


def _go_on(network: StyleNetwork, start: StyleNetwork) -> None:
    """Give a network the weights of another that knows fewer units."""
    weights = dict(start.state_dict())
    learned = network.text.learned.weight.detach().clone()
    learned[: start.text.learned.num_embeddings] = weights["text.learned.weight"]
    network.load_state_dict({**weights, "text.learned.weight": learned})


def _losses(
    network: StyleNetwork, voices: Tensor, words: Tensor, share: Tensor, known: Tensor, recipe: StyleRecipe
) -> tuple[Tensor, Tensor, Tensor]:
    cosine = voices @ words.T
    scale = network.log_scale.exp().clamp(max=100.0)
    counts = known > 0
    logits = torch.where(counts, scale * cosine, torch.full_like(cosine, -1e4))
    wanted = torch.where(counts, recipe.sharpness * share, torch.full_like(share, -1e4))
    by_text = -(torch.softmax(wanted, dim=0) * torch.log_softmax(logits, dim=0)).sum(dim=0).mean()
    by_voice = -(torch.softmax(wanted, dim=1) * torch.log_softmax(logits, dim=1)).sum(dim=1).mean()
    said = functional.binary_cross_entropy_with_logits(
        network.log_slope.exp().clamp(max=60.0) * cosine + network.offset, share, reduction="none"
    )
    agreement = (said * counts).sum() / counts.sum()
    half = len(voices)
    own = cosine[:, :half].diagonal()
    other = cosine[:, half:].diagonal()
    lies = share[:, half:].diagonal() < share[:, :half].diagonal() - 1e-3
    rank = (functional.softplus((other - own) / 0.05) * lies).sum() / lies.sum().clamp_min(1)
    return 0.5 * (by_text + by_voice), agreement, rank


class Padded:
    """Descriptions laid out in rows of equal length, where the network is.

    A unit's place among the known ones is its place in the table, plus 1; 0 is no unit.
    """

    def __init__(self, texts: Texts, table: Tensor) -> None:
        self.lengths = np.diff(texts.starts)
        known = np.zeros((len(self.lengths), int(self.lengths.max())), dtype=np.int16)
        known[np.arange(known.shape[1]) < self.lengths[:, None]] = texts.units + 1
        self.known = torch.from_numpy(known).to(table.device)
        self.table = torch.cat([torch.zeros_like(table[:1]), table])

    def __call__(self, chosen: npt.NDArray[np.int64]) -> tuple[Tensor, Tensor, Tensor]:
        """What `TextSide` takes, for some descriptions."""
        longest = int(self.lengths[chosen].max())
        known = self.known[torch.from_numpy(chosen).to(self.known.device), :longest].long()
        return self.table[known], known, (known > 0).float()


def _schedule(step: int, steps: int) -> float:
    warm = min(1.0, (step + 1) / (0.05 * steps))
    return warm * (0.02 + 0.98 * 0.5 * (1.0 + math.cos(math.pi * step / steps)))


def embed_rows(network: StyleNetwork, numbers: Floats) -> Floats:
    """Vectors of voices, [rows, 128]."""
    device = network.log_scale.device
    with torch.no_grad():
        found: Floats = network.audio(torch.from_numpy(numbers).to(device)).cpu().numpy()
    return found


def embed_units(network: StyleNetwork, rows: Sequence[tuple[Floats, npt.NDArray[np.int64]]]) -> Floats:
    """Vectors of descriptions, one at a time, as the shipped model is run.

    Args:
        network: trained.
        rows: of each description, the vectors of its units and their places among the known ones.
    """
    device = network.log_scale.device
    found = []
    with torch.no_grad():
        for vectors, known in rows:
            present = torch.ones(1, len(known), device=device)
            inputs = torch.from_numpy(vectors).to(device)[None], torch.from_numpy(known).to(device)[None]
            found.append(network.text(*inputs, present)[0].cpu().numpy())
    return np.stack(found)
