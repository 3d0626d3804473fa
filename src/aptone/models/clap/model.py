"""The dual encoder of Speech-CLAP: a voice and a description become two vectors of one space.

Two encoders, each with a projection of two layers as CLAP has it, and one temperature that is learned. What they are
stands in a `ClapConfig`. This file needs torch and transformers only.
"""

import itertools
import math
from collections.abc import Mapping
from typing import cast

import torch
import transformers
from torch import Tensor, nn
from torch.nn.functional import gelu, normalize, relu

from aptone.models.clap.audio import audio_encoder, masked_mean
from aptone.models.clap.config import ENCODER_ONLY, ClapConfig, TextPart, TextPooling, transformers_config

FIRST_SCALE = 1 / 0.07
LARGEST_SCALE = 100.0
"""CLIP's: what cosines are multiplied by at first, and at most."""


class Projection(nn.Module):
    """Two linear layers with a ReLU between them; names and order are those of transformers' CLAP."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(width, size)
        self.linear2 = nn.Linear(size, size)

    def forward(self, pooled: Tensor) -> Tensor:
        """[rows, width] to [rows, size]."""
        projected: Tensor = self.linear2(relu(self.linear1(pooled)))
        return projected


class ResidualProjection(nn.Module):
    """Microsoft's: two linear layers without a bias, the second one's result added to the first one's, and a norm."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(width, size, bias=False)
        self.linear2 = nn.Linear(size, size, bias=False)
        self.layer_norm = nn.LayerNorm(size)
        self.drop = nn.Dropout(0.5)

    def forward(self, pooled: Tensor) -> Tensor:
        """[rows, width] to [rows, size]."""
        first = self.linear1(pooled)
        projected: Tensor = self.layer_norm(first + self.drop(self.linear2(gelu(first))))
        return projected


class ClapNetwork(nn.Module):
    """Both encoders, their projections and the temperature, with random weights until some are loaded."""

    def __init__(self, config: ClapConfig) -> None:
        super().__init__()
        self.config = config
        self.audio_encoder = audio_encoder(config.audio)
        self.text_encoder = TextEncoder(config.text)
        project = ResidualProjection if config.projection == "residual" else Projection
        self.audio_projection = project(self.audio_encoder.width, config.size)
        self.text_projection = project(self.text_encoder.width, config.size)
        self.log_scale = nn.Parameter(torch.tensor(math.log(FIRST_SCALE)))

    def embed_audio(self, inputs: Mapping[str, Tensor]) -> Tensor:
        """Clips to rows of length 1.

        Args:
            inputs: ``samples`` [clips, samples] padded behind with zeros, and ``lengths`` [clips]; or ``features``.
        """
        return normalize(self.audio_projection(self.audio_encoder(**inputs)).float(), dim=1)

    def embed_text(self, inputs: Mapping[str, Tensor]) -> Tensor:
        """Descriptions to rows of length 1.

        Args:
            inputs: ``tokens`` and ``mask``, [texts, tokens] each, padded behind.
        """
        return normalize(self.text_projection(self.text_encoder(**inputs)).float(), dim=1)

    def scale(self) -> Tensor:
        """What a cosine is multiplied by: one over the temperature."""
        return self.log_scale.exp()

    @torch.no_grad()
    def hold_scale(self) -> None:
        """Keep the scale between 1 and 100, as CLIP's training does after each step."""
        self.log_scale.clamp_(0.0, math.log(LARGEST_SCALE))


class TextEncoder(nn.Module):
    """Any encoder of text that transformers has, and how its tokens become one vector."""

    def __init__(self, part: TextPart) -> None:
        super().__init__()
        config = transformers_config(part.model)
        config.use_cache = False  # nothing is written on from what was read
        if config.model_type == "clap_text_model":
            self.model = transformers.ClapTextModel(config)
        elif config.model_type in ENCODER_ONLY:
            self.model = getattr(transformers, ENCODER_ONLY[config.model_type])(config)
        else:
            self.model = transformers.AutoModel.from_config(config)
        self.width = int(config.hidden_size)
        self.pooling = part.pooling
        self.longest = part.longest

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """One vector for each text."""
        if self.pooling == "padded mean":
            behind = (0, self.longest - tokens.shape[1])
            tokens, mask = (nn.functional.pad(one, behind) for one in (tokens, mask))
        said = self.model(input_ids=tokens, attention_mask=mask)
        if self.pooling == "pooler":
            return cast(Tensor, said.pooler_output)
        return pooled(said.last_hidden_state, mask, self.pooling)


def pooled(states: Tensor, mask: Tensor, pooling: TextPooling) -> Tensor:
    """One vector for each text, [texts, width], from those of its tokens; padding stands behind and does not count."""
    if pooling == "mean":
        return masked_mean(states, mask.bool())
    if pooling == "padded mean":
        return states.mean(dim=1)
    if pooling == "max":
        return states.masked_fill(mask[..., None] == 0, -math.inf).amax(dim=1)
    if pooling == "first":
        return states[:, 0]
    return states[torch.arange(len(states), device=states.device), mask.sum(dim=1) - 1]


def padded(rows: list[Tensor]) -> Tensor:
    """Rows of unequal length side by side, zeros behind the shorter ones."""
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


def parameters_of(network: ClapNetwork) -> dict[str, list[nn.Parameter]]:
    """What can be taught, by what it belongs to: ``audio``, ``text``, and ``projection`` with the temperature."""
    return {
        "audio": list(network.audio_encoder.parameters()),
        "text": list(network.text_encoder.parameters()),
        "projection": list(
            itertools.chain(
                network.audio_projection.parameters(), network.text_projection.parameters(), [network.log_scale]
            )
        ),
    }
