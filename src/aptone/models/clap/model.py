"""Dual encoder of Speech-CLAP: a voice and a description become two vectors of one space.

Two encoders, each with a projection of two layers as in CLAP, and one trained temperature, described by a `ClapConfig`.
The audio encoder is HTS-AT, WavLM or a relative, Whisper's encoder, or a layer over precomputed features.
"""

import math
from collections.abc import Mapping
from typing import Any, cast

import torch
import transformers
from torch import Tensor, nn
from torch.nn.functional import gelu, normalize, relu

from aptone.models.clap.config import ENCODER_ONLY, AudioPart, ClapConfig, TextPart, TextPooling, transformers_config
from aptone.types import Json

_SMALLEST_POWER = 1e-10


class Spectrogram(nn.Module):
    """HTS-AT, the audio encoder of CLAP: a log mel spectrogram of ten seconds as a picture.

    A shorter clip is repeated as often as it fits and then padded, or repeated and cut, or only padded, as CLAP's own
    feature extractor does. The spectrogram's normalisation is frozen in training: batch statistics would make a vector
    depend on its batch.
    """

    def __init__(self, part: AudioPart) -> None:
        super().__init__()
        config = transformers.ClapAudioConfig(**dict(part.model))
        reads = transformers.ClapFeatureExtractor(**_without_type(part.reads))
        is_fused = reads.truncation == "fusion"
        self.model = transformers.ClapAudioModel(config)
        self.width = int(self.model.audio_encoder.num_features)
        self.channels = 4 if config.enable_fusion else 1
        self.span = int(reads.nb_max_samples)
        self.hop = int(reads.hop_length)
        self.filling = str(reads.padding)
        filters = reads.mel_filters if is_fused else reads.mel_filters_slaney
        self.register_buffer("filters", torch.from_numpy(filters).float(), persistent=False)
        self.register_buffer("window", torch.hann_window(reads.fft_window_size), persistent=False)
        self.train(self.training)

    filters: Tensor
    window: Tensor

    def forward(self, samples: Tensor, lengths: Tensor) -> Tensor:
        """Return one vector for each clip."""
        pictures = self.pictures(samples, lengths).expand(-1, self.channels, -1, -1)
        longer = torch.zeros(len(samples), 1, dtype=torch.bool, device=samples.device)
        heard: Tensor = self.model(input_features=pictures, is_longer=longer).pooler_output
        return heard

    def pictures(self, samples: Tensor, lengths: Tensor) -> Tensor:
        """Return spectrograms in decibels, [clips, 1, frames, bands]."""
        with torch.autocast(samples.device.type, enabled=False), torch.no_grad():
            power = _power(_filled(samples, lengths, self.span, self.filling), self.window, hop=self.hop)
            bands = torch.einsum("ntf,fm->ntm", power, self.filters)
            return 10.0 * bands.clamp_min(_SMALLEST_POWER).log10()[:, None]

    def train(self, mode: bool = True) -> "Spectrogram":
        """Switch everything but the normalisation of the spectrogram to training."""
        super().train(mode)
        self.model.audio_encoder.batch_norm.eval()
        return self


class Waveform(nn.Module):
    """WavLM or a relative: its last layer, averaged over the frames within the clip."""

    def __init__(self, part: AudioPart) -> None:
        super().__init__()
        # Its masking of features draws from numpy, which cannot be repeated chunk by chunk.
        config = transformers_config({**part.model, "apply_spec_augment": False})
        self.model = transformers.AutoModel.from_config(config)
        self.width = int(config.hidden_size)
        self.is_normalised = bool(part.reads.get("do_normalize", True))
        self.steps = tuple(zip(config.conv_kernel, config.conv_stride, strict=True))

    def forward(self, samples: Tensor, lengths: Tensor) -> Tensor:
        """Return one vector for each clip."""
        within = _within(lengths, samples.shape[1])
        given = _standardised(samples, within) if self.is_normalised else samples
        frames = self.model(given, attention_mask=None if within.all() else within.long()).last_hidden_state
        for kernel, stride in self.steps:
            lengths = torch.div(lengths - kernel, stride, rounding_mode="floor") + 1
        return masked_mean(frames, _within(lengths, frames.shape[1]))


class Whisper(nn.Module):
    """Encoder of Whisper: its last layer, averaged over the frames within the clip."""

    def __init__(self, part: AudioPart) -> None:
        super().__init__()
        from transformers.models.whisper.modeling_whisper import WhisperEncoder

        reads = transformers.WhisperFeatureExtractor(**_without_type(part.reads))
        config = transformers.WhisperConfig(**dict(part.model))
        self.model = WhisperEncoder(config)
        self.width = int(config.d_model)
        self.span = int(reads.n_samples)
        self.hop = int(reads.hop_length)
        self.register_buffer("filters", torch.from_numpy(reads.mel_filters).float(), persistent=False)
        self.register_buffer("window", torch.hann_window(reads.n_fft), persistent=False)

    filters: Tensor
    window: Tensor

    def forward(self, samples: Tensor, lengths: Tensor) -> Tensor:
        """Return one vector for each clip."""
        frames = self.model(self.pictures(samples)).last_hidden_state
        heard = torch.div(lengths + 2 * self.hop - 1, 2 * self.hop, rounding_mode="floor")
        return masked_mean(frames, _within(heard.clamp(1, frames.shape[1]), frames.shape[1]))

    def pictures(self, samples: Tensor) -> Tensor:
        """Return Whisper's log mel spectrograms, [clips, bands, frames]."""
        with torch.autocast(samples.device.type, enabled=False), torch.no_grad():
            padded = nn.functional.pad(samples, (0, self.span - samples.shape[1]))
            power = _power(padded, self.window, hop=self.hop)[:, :-1]
            said = torch.einsum("ntf,fm->nmt", power, self.filters).clamp_min(_SMALLEST_POWER).log10()
            return (torch.maximum(said, said.amax(dim=(1, 2), keepdim=True) - 8.0) + 4.0) / 4.0


class Features(nn.Module):
    """Precomputed features of a clip, for instance of the built-in ear, and a hidden layer over them."""

    centre: Tensor
    spread: Tensor

    def __init__(self, part: AudioPart) -> None:
        super().__init__()
        size, self.width = (int(cast(int, part.model[name])) for name in ("size", "hidden"))
        self.register_buffer("centre", torch.zeros(size))
        self.register_buffer("spread", torch.ones(size))
        self.hidden = nn.Linear(size, self.width)

    def forward(self, features: Tensor) -> Tensor:
        """Return one vector for each clip."""
        return gelu(self.hidden((features - self.centre) / self.spread))


def audio_encoder(part: AudioPart) -> Any:
    """Return the encoder that a part describes, with random weights."""
    kinds = {"spectrogram": Spectrogram, "waveform": Waveform, "whisper": Whisper, "features": Features}
    return kinds[part.kind](part)


def _without_type(reads: Mapping[str, Json]) -> dict[str, Any]:
    return {name: value for name, value in reads.items() if name != "feature_extractor_type"}


def _filled(samples: Tensor, lengths: Tensor, span: int, filling: str) -> Tensor:
    """Fill clips to a size: repeated as often as they fit (``repeatpad``), without end (``repeat``), or once.

    >>> clips, lengths = torch.tensor([[1.0, 2.0, 3.0], [4.0, 0.0, 0.0]]), torch.tensor([3, 1])
    >>> _filled(clips, lengths, 5, "repeatpad").tolist()
    [[1.0, 2.0, 3.0, 0.0, 0.0], [4.0, 4.0, 4.0, 4.0, 4.0]]
    >>> _filled(clips, lengths, 5, "repeat")[0].tolist()
    [1.0, 2.0, 3.0, 1.0, 2.0]
    """
    places = torch.arange(span, device=samples.device).expand(len(samples), -1)
    times = torch.div(span, lengths, rounding_mode="floor") if filling == "repeatpad" else torch.ones_like(lengths)
    whole = torch.full_like(lengths, span) if filling == "repeat" else times * lengths
    return samples.gather(1, places % lengths[:, None]).masked_fill(places >= whole[:, None], 0.0)


def _power(samples: Tensor, window: Tensor, *, hop: int) -> Tensor:
    """Return squared magnitudes of frames around every `hop` samples, [clips, frames, frequencies]."""
    spectra = torch.stft(samples.float(), len(window), hop, window=window, center=True, return_complex=True)
    return spectra.abs().square().transpose(1, 2)


def _within(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size, device=lengths.device) < lengths[:, None]


def _standardised(samples: Tensor, within: Tensor) -> Tensor:
    """Standardise each clip to mean 0 and deviation 1, zeros behind it, as transformers does."""
    count = within.sum(dim=1, keepdim=True)
    centred = (samples - (samples * within).sum(dim=1, keepdim=True) / count) * within
    return centred / (centred.square().sum(dim=1, keepdim=True) / count + 1e-7).sqrt()


def masked_mean(states: Tensor, within: Tensor) -> Tensor:
    """Return the mean over the positions within the mask, [rows, width]."""
    weights = within[..., None].to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1)


FIRST_SCALE = 1 / 0.07
LARGEST_SCALE = 100.0
"""Initial and largest scale of cosines in CLIP."""


class Projection(nn.Module):
    """Two linear layers with a ReLU between them; names and order are those of transformers' CLAP."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(width, size)
        self.linear2 = nn.Linear(size, size)

    def forward(self, pooled: Tensor) -> Tensor:
        """Map [rows, width] to [rows, size]."""
        projected: Tensor = self.linear2(relu(self.linear1(pooled)))
        return projected


class ResidualProjection(nn.Module):
    """Projection of Microsoft's CLAP: two linear layers without a bias, a residual connection, and a norm."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(width, size, bias=False)
        self.linear2 = nn.Linear(size, size, bias=False)
        self.layer_norm = nn.LayerNorm(size)
        self.drop = nn.Dropout(0.5)

    def forward(self, pooled: Tensor) -> Tensor:
        """Map [rows, width] to [rows, size]."""
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
        """Return clips as rows of length 1.

        Args:
            inputs: ``samples`` [clips, samples] padded behind with zeros, and ``lengths`` [clips]; or ``features``.
        """
        return normalize(self.audio_projection(self.audio_encoder(**inputs)).float(), dim=1)

    def embed_text(self, inputs: Mapping[str, Tensor]) -> Tensor:
        """Return descriptions, ``tokens`` and ``mask`` [texts, tokens] padded behind, as rows of length 1."""
        return normalize(self.text_projection(self.text_encoder(**inputs)).float(), dim=1)

    def scale(self) -> Tensor:
        """Scale of cosines: one over the temperature."""
        return self.log_scale.exp()

    @torch.no_grad()
    def hold_scale(self) -> None:
        """Keep the scale between 1 and 100, as CLIP's training does after each step."""
        self.log_scale.clamp_(0.0, math.log(LARGEST_SCALE))


class TextEncoder(nn.Module):
    """Text encoder of transformers with pooling."""

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
        """Return one vector for each text."""
        if self.pooling == "padded mean":
            behind = (0, self.longest - tokens.shape[1])
            tokens, mask = (nn.functional.pad(one, behind) for one in (tokens, mask))
        said = self.model(input_ids=tokens, attention_mask=mask)
        if self.pooling == "pooler":
            return cast(Tensor, said.pooler_output)
        return pooled(said.last_hidden_state, mask, self.pooling)


def pooled(states: Tensor, mask: Tensor, pooling: TextPooling) -> Tensor:
    """Pool token vectors to one vector for each text, [texts, width]; padding is on the right and does not count."""
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
    """Stack rows of unequal length, zeros behind the shorter ones."""
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


def parameters_of(network: ClapNetwork) -> dict[str, list[nn.Parameter]]:
    """Return the trainable parameters by group: ``audio``, ``text``, and ``projection`` with the temperature."""
    projections = (*network.audio_projection.parameters(), *network.text_projection.parameters())
    return {
        "audio": list(network.audio_encoder.parameters()),
        "text": list(network.text_encoder.parameters()),
        "projection": [*projections, network.log_scale],
    }
