"""Voices that no corpus holds: the feeling of one clip, or an imagined one, with everything else from another.

In a corpus of acted speech, who is angry is also loud, and which goes with which differs from corpus to corpus. Taken
apart and put together anew, no measure is a sign of a feeling any more, and what is learned about an emotion is what
the ear says about it.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional

from aptone.ear.describe import ATTRIBUTES, values_of
from aptone.rooms.style.embedding.built_in import EMOTIONS, LARGEST, NAMES
from aptone.types import Emotion
from aptone.types.feelings import TYPICAL_VAD
from recipes.style.network import StyleRecipe
from recipes.style.rows import NOT_KNOWN

ODDS = tuple(NAMES.index(f"log odds of {name}") for name in EMOTIONS)
SHARES = tuple(NAMES.index(f"probability of {name}") for name in EMOTIONS)
FEELING = (*ODDS, *SHARES, *(NAMES.index(name) for name in ("valence", "arousal", "intensity")))
"""Which numbers are about the feeling."""
LEAST = 1.0 / (1.0 + math.exp(LARGEST))
"""Probability of the lowest log odds that a number may have."""
FELT = [ATTRIBUTES.index("emotion"), ATTRIBUTES.index("intensity")]


class Imagination:
    """Feelings that an ear might hear, of every emotion alike, whatever the corpora hold.

    An ear takes an emotion for those near it, and more easily for one of another valence than for one of another
    arousal. Sometimes it was never taught an emotion: then others take the place of that.
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


def hybrids(numbers: Tensor, style: Tensor, imagination: Imagination, recipe: StyleRecipe) -> tuple[Tensor, Tensor]:
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
