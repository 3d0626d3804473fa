"""What hears in a dual encoder: HTS-AT, WavLM and its relatives, Whisper's encoder, or numbers made elsewhere.

Sound comes as samples at the encoder's rate; spectrograms are made here, on the device, in 32 bits. What stands behind
a clip in a batch does not count. This file needs torch and transformers only.
"""

from collections.abc import Mapping
from typing import Any, cast

import torch
import transformers
from torch import Tensor, nn
from torch.nn.functional import gelu

from aptone.models.clap.config import AudioKind, AudioPart, transformers_config
from aptone.types import Json

_SMALLEST_POWER = 1e-10


class Spectrogram(nn.Module):
    """HTS-AT, the audio encoder of CLAP: a log mel spectrogram of ten seconds as a picture.

    A shorter clip is repeated as often as it fits and then padded, or repeated and cut, or only padded, as CLAP's own
    reader does it. The spectrogram's normalisation holds still while it is taught: statistics of a batch would make a
    vector depend on its neighbours.
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
        """One vector for each clip."""
        pictures = self.pictures(samples, lengths).expand(-1, self.channels, -1, -1)
        longer = torch.zeros(len(samples), 1, dtype=torch.bool, device=samples.device)
        heard: Tensor = self.model(input_features=pictures, is_longer=longer).pooler_output
        return heard

    def pictures(self, samples: Tensor, lengths: Tensor) -> Tensor:
        """Decibels, [clips, 1, frames, bands]."""
        with torch.autocast(samples.device.type, enabled=False), torch.no_grad():
            power = _power(_filled(samples, lengths, self.span, self.filling), self.window, hop=self.hop)
            bands = torch.einsum("ntf,fm->ntm", power, self.filters)
            return 10.0 * bands.clamp_min(_SMALLEST_POWER).log10()[:, None]

    def train(self, mode: bool = True) -> "Spectrogram":
        """Everything but the normalisation of the spectrogram."""
        super().train(mode)
        self.model.audio_encoder.batch_norm.eval()
        return self


class Waveform(nn.Module):
    """WavLM or a relative: its last layer, averaged over the frames that lie in the clip."""

    def __init__(self, part: AudioPart) -> None:
        super().__init__()
        # Its masking of features draws from numpy, which cannot be repeated chunk by chunk.
        config = transformers_config({**part.model, "apply_spec_augment": False})
        self.model = transformers.AutoModel.from_config(config)
        self.width = int(config.hidden_size)
        self.is_normalised = bool(part.reads.get("do_normalize", True))
        self.steps = tuple(zip(config.conv_kernel, config.conv_stride, strict=True))

    def forward(self, samples: Tensor, lengths: Tensor) -> Tensor:
        """One vector for each clip."""
        within = _within(lengths, samples.shape[1])
        given = _standardised(samples, within) if self.is_normalised else samples
        frames = self.model(given, attention_mask=None if within.all() else within.long()).last_hidden_state
        for kernel, stride in self.steps:
            lengths = torch.div(lengths - kernel, stride, rounding_mode="floor") + 1
        return masked_mean(frames, _within(lengths, frames.shape[1]))


class Whisper(nn.Module):
    """The encoder of Whisper: its last layer, averaged over the frames that lie in the clip."""

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
        """One vector for each clip."""
        frames = self.model(self.pictures(samples)).last_hidden_state
        heard = torch.div(lengths + 2 * self.hop - 1, 2 * self.hop, rounding_mode="floor")
        return masked_mean(frames, _within(heard.clamp(1, frames.shape[1]), frames.shape[1]))

    def pictures(self, samples: Tensor) -> Tensor:
        """Whisper's log mel spectrogram, [clips, bands, frames]."""
        with torch.autocast(samples.device.type, enabled=False), torch.no_grad():
            padded = nn.functional.pad(samples, (0, self.span - samples.shape[1]))
            power = _power(padded, self.window, hop=self.hop)[:, :-1]
            said = torch.einsum("ntf,fm->nmt", power, self.filters).clamp_min(_SMALLEST_POWER).log10()
            return (torch.maximum(said, said.amax(dim=(1, 2), keepdim=True) - 8.0) + 4.0) / 4.0


class Features(nn.Module):
    """Numbers that were made of a clip elsewhere, for instance by the built-in ear, and a hidden layer over them."""

    centre: Tensor
    spread: Tensor

    def __init__(self, part: AudioPart) -> None:
        super().__init__()
        size, self.width = (int(cast(int, part.model[name])) for name in ("size", "hidden"))
        self.register_buffer("centre", torch.zeros(size))
        self.register_buffer("spread", torch.ones(size))
        self.hidden = nn.Linear(size, self.width)

    def forward(self, features: Tensor) -> Tensor:
        """One vector for each clip."""
        return gelu(self.hidden((features - self.centre) / self.spread))


def audio_encoder(part: AudioPart) -> Any:
    """The encoder that a part describes, with random weights."""
    kinds: dict[AudioKind, type[nn.Module]] = {
        "spectrogram": Spectrogram,
        "waveform": Waveform,
        "whisper": Whisper,
        "features": Features,
    }
    return kinds[part.kind](part)


def _without_type(reads: Mapping[str, Json]) -> dict[str, Any]:
    return {name: value for name, value in reads.items() if name != "feature_extractor_type"}


def _filled(samples: Tensor, lengths: Tensor, span: int, filling: str) -> Tensor:
    """So many samples of each clip: repeated as often as it fits (``repeatpad``), without end (``repeat``), or once.

    >>> clips, lengths = torch.tensor([[1.0, 2.0, 3.0], [4.0, 0.0, 0.0]]), torch.tensor([3, 1])
    >>> _filled(clips, lengths, 5, "repeatpad").tolist()
    [[1.0, 2.0, 3.0, 0.0, 0.0], [4.0, 4.0, 4.0, 4.0, 4.0]]
    >>> _filled(clips, lengths, 5, "repeat")[0].tolist()
    [1.0, 2.0, 3.0, 1.0, 2.0]
    """
    places = torch.arange(span, device=samples.device).expand(len(samples), -1)
    times = torch.div(span, lengths, rounding_mode="floor") if filling == "repeatpad" else torch.ones_like(lengths)
    whole = torch.full_like(lengths, span) if filling == "repeat" else times * lengths
    found = samples.gather(1, places % lengths[:, None])
    return found.masked_fill(places >= whole[:, None], 0.0)


def _power(samples: Tensor, window: Tensor, *, hop: int) -> Tensor:
    """[clips, frames, frequencies]: squared magnitudes of frames around every `hop` samples."""
    spectra = torch.stft(samples.float(), len(window), hop, window=window, center=True, return_complex=True)
    return spectra.abs().square().transpose(1, 2)


def _within(lengths: Tensor, size: int) -> Tensor:
    return torch.arange(size, device=lengths.device) < lengths[:, None]


def _standardised(samples: Tensor, within: Tensor) -> Tensor:
    """Mean 0 and spread 1 over each clip, zeros behind it, as transformers' readers do it."""
    count = within.sum(dim=1, keepdim=True)
    centred = (samples - (samples * within).sum(dim=1, keepdim=True) / count) * within
    return centred / (centred.square().sum(dim=1, keepdim=True) / count + 1e-7).sqrt()


def masked_mean(states: Tensor, within: Tensor) -> Tensor:
    """The mean over the places that lie within, [rows, width]."""
    weights = within[..., None].to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1)
