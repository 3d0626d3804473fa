"""Train the style network on voices and descriptions, with hybrid voices that no corpus holds.

A hybrid has the feeling of one clip, or a sampled one, and everything else from another. In a corpus of acted speech,
who is angry is also loud, and such correlations differ from corpus to corpus. In recombined voices no measure is a sign
of a feeling any more, so that emotions are learned from the ear's answers about them.
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
from aptone.rooms.style.embedding.built_in import EMOTIONS, LARGEST, NAMES
from aptone.types import Emotion
from aptone.types.story import TYPICAL_VAD
from recipes.style.examples import Floats, Integers
from recipes.style.network import StyleNetwork, StyleRecipe
from recipes.style.rows import NOT_KNOWN

ODDS = tuple(NAMES.index(f"log odds of {name}") for name in EMOTIONS)
SHARES = tuple(NAMES.index(f"probability of {name}") for name in EMOTIONS)
FEELING = (*ODDS, *SHARES, *(NAMES.index(name) for name in ("valence", "arousal", "intensity")))
"""Indices of the features about the feeling."""
LEAST = 1.0 / (1.0 + math.exp(LARGEST))
"""Probability of the lowest log odds of a feature."""
FELT = [ATTRIBUTES.index("emotion"), ATTRIBUTES.index("intensity")]
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
"""Similarity of two emotions, where their places in valence and arousal show too little of it."""
SHOWN_EVERY = 500
"""Steps between two log lines, besides the first and the last."""


class Imagination:
    """Sampler of an ear's answers about feelings, with all emotions equally frequent, whatever the corpora hold.

    An ear confuses an emotion with those near it, and more easily across valence than across arousal. Sometimes an ear
    was not trained on an emotion: then others take its place.
    """

    def __init__(self, device: torch.device) -> None:
        places = torch.tensor(
            [(TYPICAL_VAD[Emotion.parse(name)].valence, TYPICAL_VAD[Emotion.parse(name)].arousal) for name in EMOTIONS]
        )
        self.places = places.to(device)
        apart = (self.places[:, None] - self.places) * torch.tensor([0.6, 1.2], device=device)
        self.near = torch.exp(-apart.square().sum(dim=-1) / 0.4)
        self.codes = torch.tensor([values_of("emotion").index(Emotion.parse(name)) for name in EMOTIONS], device=device)

    def __call__(self, count: int) -> tuple[Tensor, Tensor]:
        """Return features of the feeling, [count, `FEELING`], and the emotion of each as in an encoded style."""
        device = self.places.device
        emotion = torch.randint(len(EMOTIONS), (count,), device=device)
        clear = 0.5 + 3.0 * torch.rand(count, 1, device=device)
        logits = clear * self.near[emotion] + 0.8 * torch.randn(count, len(EMOTIONS), device=device)
        logits = logits - 6.0 * (torch.rand_like(logits) < 0.15)
        shares = torch.softmax(logits, dim=-1)
        heard = 0.5 * (self.places[emotion] + shares @ self.places)
        heard = (heard + torch.randn_like(heard) * torch.tensor([0.25, 0.15], device=device)).clamp(-1.0, 1.0)
        intensity = torch.rand(count, 1, device=device) - 0.5
        return torch.cat([torch.logit(shares, eps=LEAST), shares, heard, intensity], dim=-1), self.codes[emotion]


def hybrids(numbers: Tensor, style: Tensor, imagination: Imagination, recipe: StyleRecipe) -> tuple[Tensor, Tensor]:
    """Return voices of which some have the feeling of one row, or a sampled one, and the rest of another row."""
    count, device = len(numbers), numbers.device
    place = torch.arange(count, device=device)
    mixed = torch.rand(count, device=device) < recipe.hybrid
    rest = torch.where(mixed, torch.randperm(count, device=device), place)
    feeling, odds = torch.tensor(FEELING, device=device), torch.tensor(ODDS, device=device)
    moved = numbers[:, odds] + recipe.bias * torch.randn(count, len(ODDS), device=device)
    heard = numbers.clone()
    heard[:, odds] = moved
    heard[:, torch.tensor(SHARES, device=device)] = functional.normalize(torch.sigmoid(moved), p=1.0, dim=-1)
    dreamt, emotion = imagination(count)
    dreams = mixed & (torch.rand(count, device=device) < recipe.imagined)
    made, true = numbers[rest].clone(), style[rest].clone()
    made[:, feeling] = torch.where(dreams[:, None], dreamt, heard[:, feeling])
    true[:, FELT] = style[:, FELT]
    true[:, FELT[0]] = torch.where(dreams, emotion, true[:, FELT[0]])
    true[:, FELT[1]] = torch.where(dreams, NOT_KNOWN, true[:, FELT[1]])
    return made, true


class Texts(NamedTuple):
    """Descriptions as units.

    Args:
        units: indices into the table of unit vectors, one description after the other.
        starts: first unit of each description, and one more at the end.
        style: named values, [texts, attributes].
        denied: denied attributes, [texts, attributes].
    """

    units: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    style: Integers
    denied: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Training data.

    Args:
        numbers: [rows, features].
        style: true attributes of each row, [rows, attributes].
        weight: sampling weight of each row.
        texts: descriptions; those of row r are at ``first[r] + 2 n``, each followed by its flipped twin.
        first: [rows + 1].
        table: vectors of the units that occur, [units, size].
    """

    numbers: Floats
    style: Integers
    weight: Floats
    texts: Texts
    first: npt.NDArray[np.int64]
    table: Floats


class Agreement:
    """Share of a description that is true of a voice, from 0 to 1.

    Each attribute that a description names and that is known of the voice counts alike, the emotion half as much again,
    and what is ordinary (a clean recording, no music, a young voice) half. A neighbouring value on a scale is half
    right, another emotion is right by half of its nearness in valence and arousal.
    """

    def __init__(self, device: torch.device) -> None:
        self.tables = {name: torch.from_numpy(_agreement(name)).to(device) for name in ATTRIBUTES if name != "events"}
        weights = [{"emotion": 1.5, "age": 0.5, "music": 0.5, "intensity": 0.5}.get(name, 1.0) for name in ATTRIBUTES]
        self.weights = torch.tensor(weights, device=device)

    def __call__(self, voices: Tensor, said: Tensor, denied: Tensor) -> tuple[Tensor, Tensor]:
        """Return the true share and the weight of known attributes, each [voices, descriptions]."""
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


def train_style(
    data: TrainingData,
    recipe: StyleRecipe,
    *,
    start: StyleNetwork | None = None,
    device: torch.device,
    log: Callable[[str], None],
) -> StyleNetwork:
    """Train a network, and return the running average of its weights.

    Args:
        data: training data.
        recipe: settings of the run.
        start: network to start from, whose known units are first in the table of the data; None for a new one.
        device: device to train on.
        log: receives progress lines.
    """
    torch.manual_seed(recipe.seed)
    generator = np.random.default_rng(recipe.seed)
    table = torch.from_numpy(data.table).to(device)
    network = StyleNetwork(data.numbers.shape[1], len(table), data.table.shape[1], recipe).to(device)
    network.audio.centre.copy_(torch.from_numpy(data.numbers.mean(axis=0)))
    network.audio.spread.copy_(torch.from_numpy(np.maximum(data.numbers.std(axis=0), 0.1)))
    if start is not None:
        _load_start(network, start)
    averaged = StyleNetwork(data.numbers.shape[1], len(table), data.table.shape[1], recipe).to(device)
    averaged.load_state_dict(network.state_dict())
    network.audio.requires_grad_(recipe.voice)
    learning = [value for value in network.parameters() if value.requires_grad]
    optimiser = torch.optim.AdamW(learning, lr=recipe.lr, betas=(0.9, 0.98), weight_decay=recipe.weight_decay)
    agreement, imagination = Agreement(device), Imagination(device)
    descriptions = Padded(data.texts, table)
    numbers = torch.from_numpy(data.numbers).to(device)
    style = torch.from_numpy(data.style.astype(np.int64)).to(device)
    chances = data.weight / data.weight.sum()
    for step in range(recipe.steps):
        for group in optimiser.param_groups:
            group["lr"] = recipe.lr * _schedule(step, recipe.steps)
        rows = generator.choice(len(data.numbers), size=recipe.batch_size, p=chances)
        said = _pick(data, rows, generator)
        voices_numbers, voices_style = hybrids(numbers[rows], style[rows], imagination, recipe)
        noise = recipe.noise * network.audio.spread * torch.randn(recipe.batch_size, numbers.shape[1], device=device)
        voices = network.audio(voices_numbers + noise)
        words = network.text(*descriptions(said))
        texts_style = torch.from_numpy(data.texts.style[said].astype(np.int64)).to(device)
        denied = torch.from_numpy(data.texts.denied[said]).to(device)
        losses = _losses(network, voices, words, *agreement(voices_style, texts_style, denied), recipe)
        total = recipe.contrast * losses[0] + recipe.agreement * losses[1] + recipe.rank * losses[2]
        optimiser.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimiser.step()
        _average(averaged, network, keep=min(recipe.average, (1.0 + step) / (10.0 + step)))
        if step % SHOWN_EVERY == SHOWN_EVERY - 1 or step in (0, recipe.steps - 1):
            figures = " ".join(f"{float(loss.detach()):.3f}" for loss in (*losses, total))
            log(f"step {step + 1}: {figures}")
    return averaged.eval()


def _pick(data: TrainingData, rows: npt.NDArray[np.int64], generator: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return one true description of each row, then their flipped twins."""
    counts = (data.first[rows + 1] - data.first[rows]) // 2
    true = data.first[rows] + 2 * (generator.random(len(rows)) * counts).astype(np.int64)
    return np.concatenate([true, true + 1])


@torch.no_grad()
def _average(averaged: StyleNetwork, network: StyleNetwork, *, keep: float) -> None:
    """Update the running average of the weights."""
    for kept, live in zip(averaged.parameters(), network.parameters(), strict=True):
        kept.lerp_(live, 1.0 - keep)


def _load_start(network: StyleNetwork, start: StyleNetwork) -> None:
    """Load the weights of a network that knows fewer units."""
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
    """Descriptions in rows of equal length, on the network's device.

    The index of a known unit is its place in the table, plus 1; 0 is no unit.
    """

    def __init__(self, texts: Texts, table: Tensor) -> None:
        self.lengths = np.diff(texts.starts)
        known = np.zeros((len(self.lengths), int(self.lengths.max())), dtype=np.int16)
        known[np.arange(known.shape[1]) < self.lengths[:, None]] = texts.units + 1
        self.known = torch.from_numpy(known).to(table.device)
        self.table = torch.cat([torch.zeros_like(table[:1]), table])

    def __call__(self, chosen: npt.NDArray[np.int64]) -> tuple[Tensor, Tensor, Tensor]:
        """Return the inputs of `TextSide` for some descriptions."""
        longest = int(self.lengths[chosen].max())
        known = self.known[torch.from_numpy(chosen).to(self.known.device), :longest].long()
        return self.table[known], known, (known > 0).float()


def _schedule(step: int, steps: int) -> float:
    warm = min(1.0, (step + 1) / (0.05 * steps))
    return warm * (0.02 + 0.98 * 0.5 * (1.0 + math.cos(math.pi * step / steps)))


def embed_rows(network: StyleNetwork, numbers: Floats) -> Floats:
    """Return vectors of voices, [rows, 128]."""
    device = network.log_scale.device
    with torch.no_grad():
        found: Floats = network.audio(torch.from_numpy(numbers).to(device)).cpu().numpy()
    return found


def embed_units(network: StyleNetwork, rows: Sequence[tuple[Floats, npt.NDArray[np.int64]]]) -> Floats:
    """Return vectors of descriptions, one at a time, as the shipped model is run.

    Args:
        network: trained network.
        rows: vectors of the units of each description and their places among the known ones.
    """
    device = network.log_scale.device
    found = []
    with torch.no_grad():
        for vectors, known in rows:
            present = torch.ones(1, len(known), device=device)
            inputs = torch.from_numpy(vectors).to(device)[None], torch.from_numpy(known).to(device)[None]
            found.append(network.text(*inputs, present)[0].cpu().numpy())
    return np.stack(found)
