"""Teach the built-in style model: two small encoders that put a voice and a description of it in the same place.

The voice's side reads what the ear says (`aptone.rooms.style.numbers`); the description's side reads the units of the
built-in text embedder in their order, with what it learns of its own about the units that describe voices. A pair is
not just right or wrong: how much of a description is true of a voice is known, and is what three losses teach:

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
from torch import Tensor, nn
from torch.nn import functional

from aptone.ear.describe import ATTRIBUTES, values_of
from aptone.rooms.style.numbers import EMOTIONS, LARGEST, NAMES
from aptone.train.style_lessons import Floats, Integers
from aptone.train.style_rows import NOT_KNOWN
from aptone.types import Emotion
from aptone.types.feelings import TYPICAL_VAD

SIZE = 128
"""Numbers of a vector."""
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
ODDS = tuple(NAMES.index(f"log odds of {name}") for name in EMOTIONS)
SHARES = tuple(NAMES.index(f"probability of {name}") for name in EMOTIONS)
FEELING = (*ODDS, *SHARES, *(NAMES.index(name) for name in ("valence", "arousal", "intensity")))
"""Which numbers are about the feeling."""
LEAST = 1.0 / (1.0 + math.exp(LARGEST))
"""Probability of the lowest log odds that a number may have."""
FELT = [ATTRIBUTES.index("emotion"), ATTRIBUTES.index("intensity")]


@dataclass(frozen=True, slots=True)
class StyleRecipe:
    """Everything that a training run depends on besides the data.

    Args:
        seed: of everything that is drawn.
        steps, batch: how many batches, and voices in one.
        rate: learning rate at its highest.
        decay: of the weights.
        width, layers, heads: of the text encoder.
        hidden: width of the audio encoder.
        sharpness: how much more probability goes to what is wholly true than to what is not: exp(sharpness) times.
        contrast, agreement, rank: weights of the losses.
        hybrid: share of voices that get the feeling of one row and everything else from another, so that no measure
            becomes a sign of a feeling: which goes with which differs from corpus to corpus.
        imagined: share of hybrids whose feeling is imagined (`Imagination`) rather than heard.
        bias: deviation of what is added to the log odds of the emotions of a voice: how far a whole corpus may be heard
            as angrier, or sadder, than it is.
        noise: deviation of the noise added to the numbers of a voice.
        dropout: share of values silenced.
        unseen: share of units of which only the text embedder's vector is seen, as of a unit that was never taught.
        average: how much of the running average of the weights is kept in a step.
    """

    seed: int = 1
    steps: int = 1200
    batch: int = 384
    rate: float = 1.5e-3
    decay: float = 0.02
    width: int = 160
    layers: int = 2
    heads: int = 4
    hidden: int = 256
    sharpness: float = 10.0
    contrast: float = 1.0
    agreement: float = 1.0
    rank: float = 1.0
    hybrid: float = 0.85
    imagined: float = 0.5
    bias: float = 0.3
    noise: float = 0.2
    dropout: float = 0.15
    unseen: float = 0.3
    average: float = 0.998


class AudioSide(nn.Module):
    """Numbers of a voice to a vector: [batch, numbers] to [batch, 128]."""

    centre: Tensor
    spread: Tensor

    def __init__(self, numbers: int, recipe: StyleRecipe) -> None:
        super().__init__()
        self.register_buffer("centre", torch.zeros(numbers))
        self.register_buffer("spread", torch.ones(numbers))
        self.straight = nn.Linear(numbers, SIZE)
        self.inner = nn.Sequential(
            nn.Linear(numbers, recipe.hidden),
            nn.GELU(),
            nn.Dropout(recipe.dropout),
            nn.Linear(recipe.hidden, recipe.hidden),
            nn.GELU(),
            nn.Dropout(recipe.dropout),
            nn.Linear(recipe.hidden, SIZE),
        )

    def forward(self, numbers: Tensor) -> Tensor:
        """Vectors of length 1."""
        standard = (numbers - self.centre) / self.spread
        return functional.normalize(self.straight(standard) + self.inner(standard), dim=-1)


class Layer(nn.Module):
    """Neighbouring units, then all units, then each on its own; with what came in added each time."""

    def __init__(self, recipe: StyleRecipe) -> None:
        super().__init__()
        width = recipe.width
        self.heads = recipe.heads
        self.beside_norm, self.all_norm, self.own_norm = (nn.LayerNorm(width) for _ in range(3))
        self.beside = nn.Conv1d(width, width, 5, padding=2, groups=width // 8)
        self.asked = nn.Linear(width, 3 * width)
        self.answered = nn.Linear(width, width)
        self.own = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.dropout = nn.Dropout(recipe.dropout)

    def forward(self, units: Tensor, present: Tensor) -> Tensor:
        """[batch, units, width] in and out; `present` is 1 where there is a unit."""
        here = self.beside_norm(units) * present[..., None]
        units = units + self.dropout(functional.gelu(self.beside(here.transpose(1, 2)).transpose(1, 2)))
        batch, count, width = units.shape
        parts = self.asked(self.all_norm(units)).view(batch, count, 3, self.heads, width // self.heads)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-1, -2) / math.sqrt(width // self.heads)
        scores = scores + (present[:, None, None] - 1.0) * 1e4
        found = (torch.softmax(scores, dim=-1) @ value).transpose(1, 2).reshape(batch, count, width)
        units = units + self.dropout(self.answered(found))
        out: Tensor = units + self.dropout(self.own(self.own_norm(units)))
        return out


class TextSide(nn.Module):
    """Units of a description to a vector: their vectors and their places among the known ones to [batch, 128]."""

    def __init__(self, known: int, unit_size: int, recipe: StyleRecipe) -> None:
        super().__init__()
        self.meaning = nn.Linear(unit_size, recipe.width)
        self.learned = nn.Embedding(known + 1, recipe.width, padding_idx=0)
        nn.init.normal_(self.learned.weight, std=0.02)
        self.layers = nn.ModuleList(Layer(recipe) for _ in range(recipe.layers))
        self.norm = nn.LayerNorm(recipe.width)
        self.score = nn.Linear(recipe.width, 1)
        self.out = nn.Linear(recipe.width, SIZE)
        self.unseen = recipe.unseen

    def forward(self, vectors: Tensor, known: Tensor, present: Tensor) -> Tensor:
        """Vectors of length 1.

        Args:
            vectors: of the units, [batch, units, numbers].
            known: 0 for a unit that was never taught, else its place, [batch, units].
            present: 1 where there is a unit, [batch, units].
        """
        own = self.learned(known)
        if self.training:
            seen = torch.rand(known.shape, device=known.device) >= self.unseen
            own = own * seen[..., None]
        units = (self.meaning(vectors) + own) * present[..., None]
        for layer in self.layers:
            units = layer(units, present)
        steady = self.norm(units)
        weights = torch.softmax(self.score(steady).squeeze(-1) + (present - 1.0) * 1e4, dim=-1)
        return functional.normalize(self.out((weights[..., None] * steady).sum(dim=1)), dim=-1)


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


class StyleNetwork(nn.Module):
    """Both sides, and what the losses learn."""

    def __init__(self, numbers: int, known: int, unit_size: int, recipe: StyleRecipe) -> None:
        super().__init__()
        self.audio = AudioSide(numbers, recipe)
        self.text = TextSide(known, unit_size, recipe)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1.0 / 0.07)))
        self.log_slope = nn.Parameter(torch.tensor(2.5))
        self.offset = nn.Parameter(torch.tensor(0.0))


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
        places = np.array([(TYPICAL_VAD[Emotion(v)].valence, TYPICAL_VAD[Emotion(v)].arousal) for v in values])
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


def teach(lessons: Lessons, recipe: StyleRecipe, *, device: torch.device, log: Callable[[str], None]) -> StyleNetwork:
    """Train a network; gives the running average of its weights, ready to be used."""
    torch.manual_seed(recipe.seed)
    generator = np.random.default_rng(recipe.seed)
    table = torch.from_numpy(lessons.table).to(device)
    network = StyleNetwork(lessons.numbers.shape[1], len(table), lessons.table.shape[1], recipe).to(device)
    network.audio.centre.copy_(torch.from_numpy(lessons.numbers.mean(axis=0)))
    network.audio.spread.copy_(torch.from_numpy(np.maximum(lessons.numbers.std(axis=0), 0.1)))
    averaged = StyleNetwork(lessons.numbers.shape[1], len(table), lessons.table.shape[1], recipe).to(device)
    averaged.load_state_dict(network.state_dict())
    optimiser = torch.optim.AdamW(network.parameters(), lr=recipe.rate, betas=(0.9, 0.98), weight_decay=recipe.decay)
    agreement, imagination = Agreement(device), Imagination(device)
    descriptions = Padded(lessons.texts, table)
    numbers = torch.from_numpy(lessons.numbers).to(device)
    style = torch.from_numpy(lessons.style.astype(np.int64)).to(device)
    chances = lessons.weight / lessons.weight.sum()
    shown = np.zeros(4)
    for step in range(recipe.steps):
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * _schedule(step, recipe.steps)
        rows = generator.choice(len(lessons.numbers), size=recipe.batch, p=chances)
        counts = (lessons.first[rows + 1] - lessons.first[rows]) // 2
        true = lessons.first[rows] + 2 * (generator.random(recipe.batch) * counts).astype(np.int64)
        said = np.concatenate([true, true + 1])
        voices_numbers, voices_style = _hybrids(numbers[rows], style[rows], imagination, recipe)
        noise = recipe.noise * network.audio.spread * torch.randn(recipe.batch, numbers.shape[1], device=device)
        voices = network.audio(voices_numbers + noise)
        words = network.text(*descriptions(said))
        texts_style = torch.from_numpy(lessons.texts.style[said].astype(np.int64)).to(device)
        denied = torch.from_numpy(lessons.texts.denied[said]).to(device)
        losses = _losses(network, voices, words, *agreement(voices_style, texts_style, denied), recipe)
        total = recipe.contrast * losses[0] + recipe.agreement * losses[1] + recipe.rank * losses[2]
        optimiser.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        with torch.no_grad():
            keep = min(recipe.average, (1.0 + step) / (10.0 + step))
            for kept, live in zip(averaged.parameters(), network.parameters(), strict=True):
                kept.lerp_(live, 1.0 - keep)
        if step % 500 == 499 or step == 0:
            shown = np.array([float(loss.detach()) for loss in (*losses, total)])
            log(f"step {step + 1}: " + " ".join(f"{value:.3f}" for value in shown))
    averaged.eval()
    return averaged


class Imagination:
    """Feelings that an ear might hear, of every emotion alike, whatever the corpora hold.

    An ear takes an emotion for those near it, and more easily for one of another valence than for one of another
    arousal. Sometimes it was never taught an emotion: then others take the place of that.
    """

    def __init__(self, device: torch.device) -> None:
        places = torch.tensor(
            [(TYPICAL_VAD[Emotion(name)].valence, TYPICAL_VAD[Emotion(name)].arousal) for name in EMOTIONS]
        )
        self.places = places.to(device)
        apart = (self.places[:, None] - self.places) * torch.tensor([0.6, 1.2], device=device)
        self.near = torch.exp(-apart.square().sum(dim=-1) / 0.4)
        self.codes = torch.tensor([values_of("emotion").index(Emotion(name)) for name in EMOTIONS], device=device)

    def __call__(self, count: int) -> tuple[Tensor, Tensor]:
        """The feeling's numbers, [count, `FEELING`], and the emotion of each as an encoded style has it."""
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


def _hybrids(numbers: Tensor, style: Tensor, imagination: Imagination, recipe: StyleRecipe) -> tuple[Tensor, Tensor]:
    """Voices of which some have the feeling of one row, or an imagined one, and the rest of another row."""
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
