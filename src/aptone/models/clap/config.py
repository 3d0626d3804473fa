"""Configuration of a dual encoder: audio encoder, text encoder, and dimension of the space.

Encoders are described by transformers' own configurations, so that a checkpoint loads offline and without remote code.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

import transformers

from aptone.errors import UsageError
from aptone.models.local.placement import frame_grid
from aptone.types import Json

AudioKind = Literal["spectrogram", "waveform", "whisper", "features"]
"""HTS-AT as in CLAP; WavLM, HuBERT or wav2vec 2.0; Whisper's encoder; or precomputed features of a clip."""

TextPooling = Literal["mean", "last", "first", "max", "pooler", "padded mean"]
"""Pooling of token vectors: as in `aptone.models.local.text_embedder`, by a layer of the model, or, as in AF-CLAP, the
mean over all positions that it reads, the empty ones included."""
ProjectionKind = Literal["plain", "residual"]
"""Projection of LAION's CLAP, or of Microsoft's."""

WAVEFORM_MODELS = ("wavlm", "hubert", "wav2vec2", "unispeech", "unispeech-sat", "data2vec-audio")
ENCODER_ONLY = {"t5": "T5EncoderModel", "mt5": "MT5EncoderModel", "umt5": "UMT5EncoderModel"}
"""Encoder classes of models whose decoder transformers' AutoModel would build too."""
_NOISE = ("_name_or_path", "architectures", "dtype", "id2label", "label2id", "torch_dtype", "transformers_version")


@dataclass(frozen=True, slots=True)
class AudioPart:
    """Audio encoder.

    Args:
        model: configuration in transformers; for ``features``, ``{"size": numbers, "hidden": width}``.
        reads: configuration of transformers' feature extractor; for ``features``, origin of the features.

    Raises:
        UsageError: if there is no such kind.
    """

    kind: AudioKind
    model: Mapping[str, Json]
    reads: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in get_args(AudioKind):
            raise UsageError(f"an audio encoder is one of {', '.join(get_args(AudioKind))}, got {self.kind!r}.")

    @property
    def rate(self) -> int:
        """Sample rate."""
        return int(cast(int, self.reads["sampling_rate"]))

    @property
    def longest(self) -> float:
        """Longest clip in seconds; infinite where it has no limit."""
        if self.kind == "spectrogram":
            return float(cast(float, self.reads["max_length_s"]))
        if self.kind == "whisper":
            return float(cast(float, self.reads["chunk_length"]))
        return math.inf

    @property
    def shortest(self) -> int:
        """Fewest samples of a clip."""
        if self.kind != "waveform":
            return 1
        return frame_grid(cast(Any, self.model["conv_kernel"]), cast(Any, self.model["conv_stride"]))[1]


@dataclass(frozen=True, slots=True)
class TextPart:
    """Text encoder.

    Args:
        prompt: prefix of every description.
        longest: most tokens of a description.
        ending: suffix of every description.

    Raises:
        UsageError: if the pooling is unknown, or the limit is below 1.
    """

    model: Mapping[str, Json]
    pooling: TextPooling
    prompt: str = ""
    longest: int = 512
    ending: str = ""

    def __post_init__(self) -> None:
        if self.pooling not in get_args(TextPooling):
            raise UsageError(f"the pooling is one of {', '.join(get_args(TextPooling))}, got {self.pooling!r}.")
        if self.longest < 1:
            raise UsageError(f"a text encoder reads 1 token or more, got {self.longest}.")


@dataclass(frozen=True, slots=True)
class ClapConfig:
    """Configuration of a dual encoder; raises `UsageError` if there is no such kind."""

    audio: AudioPart
    text: TextPart
    size: int = 512
    projection: ProjectionKind = "plain"

    def __post_init__(self) -> None:
        if self.projection not in get_args(ProjectionKind):
            raise UsageError(f"a projection is one of {', '.join(get_args(ProjectionKind))}, got {self.projection!r}.")


def config_fields(config: Any) -> dict[str, Json]:
    """Return the fields of a configuration of transformers that describe the network, as JSON."""
    return {name: value for name, value in config.to_dict().items() if name not in _NOISE}


def reader_fields(extractor: Any) -> dict[str, Json]:
    """Return the configuration of a feature extractor of transformers, without its filters."""
    plain: dict[str, Json] = {
        name: value
        for name, value in extractor.to_dict().items()
        if value is None or isinstance(value, bool | int | float | str)
    }
    return plain


def transformers_config(given: Mapping[str, Json]) -> Any:
    """Return a configuration of transformers from its fields; only model types of transformers itself."""
    fields = dict(given)
    kind = fields.pop("model_type", None)
    try:
        return transformers.AutoConfig.for_model(kind, **fields)
    except (KeyError, ValueError) as error:
        raise UsageError(f"transformers {transformers.__version__} knows no model of the kind {kind!r}.") from error
