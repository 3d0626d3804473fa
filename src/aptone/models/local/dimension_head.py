"""Network of audEERING's wav2vec2-dim: wav2vec 2.0, mean over frames, two layers.

Wagner et al., Dawn of the transformer era in speech emotion recognition: closing the valence gap (2023).
"""

from typing import Any

import torch
from torch import Tensor, nn
from transformers.models.wav2vec2.modeling_wav2vec2 import Wav2Vec2Model, Wav2Vec2PreTrainedModel


class DimensionHead(nn.Module):
    """Two layers with tanh between them, from the mean frame to one number for each dimension."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.dropout = nn.Dropout(config.final_dropout)
        self.out_proj = nn.Linear(config.hidden_size, config.num_labels)

    def forward(self, features: Tensor) -> Tensor:
        """Return the numbers, [clips, dimensions]."""
        numbers: Tensor = self.out_proj(self.dropout(torch.tanh(self.dense(self.dropout(features)))))
        return numbers


class Wav2Vec2ForDimensions(Wav2Vec2PreTrainedModel):  # type: ignore[misc]
    """Wav2vec 2.0 with a `DimensionHead`; parameters are named as in the published checkpoint."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.wav2vec2 = Wav2Vec2Model(config)
        self.classifier = DimensionHead(config)
        self.post_init()

    def forward(self, input_values: Tensor) -> Tensor:
        """Return the numbers of clips of one length, [clips, dimensions]."""
        numbers: Tensor = self.classifier(self.wav2vec2(input_values)[0].mean(dim=1))
        return numbers
