"""A dual encoder in words: what hears, what reads, and how large the space is.

Encoders are described in the words of transformers' own configurations, so that a checkpoint loads without a network
and without running anybody's code.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

import transformers

from aptone.errors import UsageError
from aptone.types import Json

AudioKind = Literal["spectrogram", "waveform", "whisper", "features"]
"""HTS-AT as in CLAP; WavLM, HuBERT or wav2vec 2.0; Whisper's encoder; or numbers that somebody else made of a clip."""

TextPooling = Literal["mean", "last", "first", "max", "pooler", "padded mean"]
"""How the vectors of the tokens become one: as in `aptone.models.local.text_embedder`, by a layer of the model, or, as
in AF-CLAP, the mean over as many places as it reads at most, the empty ones with it."""
ProjectionKind = Literal["plain", "residual"]
"""That of LAION's CLAP, or that of Microsoft's."""

WAVEFORM_MODELS = ("wavlm", "hubert", "wav2vec2", "unispeech", "unispeech-sat", "data2vec-audio")
ENCODER_ONLY = {"t5": "T5EncoderModel", "mt5": "MT5EncoderModel", "umt5": "UMT5EncoderModel"}
"""Of these, transformers' AutoModel would build the decoder too."""
_NOISE = ("_name_or_path", "architectures", "dtype", "id2label", "label2id", "torch_dtype", "transformers_version")


@dataclass(frozen=True, slots=True)
class AudioPart:
    """What hears.

    Args:
        kind: which sort of encoder.
        model: its configuration in transformers; for ``features``, ``{"size": numbers, "hidden": width}``.
        reads: what transformers' feature extractor says about the sound that it wants; for ``features``, what made
            the numbers.

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
        """Samples per second that it hears."""
        return int(cast(int, self.reads["sampling_rate"]))

    @property
    def longest(self) -> float:
        """Seconds that it hears at once; infinite where it has no limit."""
        if self.kind == "spectrogram":
            return float(cast(float, self.reads["max_length_s"]))
        if self.kind == "whisper":
            return float(cast(float, self.reads["chunk_length"]))
        return math.inf

    @property
    def shortest(self) -> int:
        """Samples of which it can make something."""
        if self.kind != "waveform":
            return 1
        kernels, strides = self.model["conv_kernel"], self.model["conv_stride"]
        span, hop = 1, 1
        for kernel, stride in zip(cast(Any, kernels), cast(Any, strides), strict=True):
            span, hop = span + (kernel - 1) * hop, hop * stride
        return span


@dataclass(frozen=True, slots=True)
class TextPart:
    """What reads.

    Args:
        model: its configuration in transformers.
        pooling: how the vectors of the tokens become one.
        prompt: what stands before every description.
        longest: tokens that it reads at most.
        ending: what stands behind every description.

    Raises:
        UsageError: if there is no such pooling, or it reads nothing.
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
    """A dual encoder in words.

    Args:
        audio: what hears.
        text: what reads.
        size: numbers in a vector.
        projection: of which kind.

    Raises:
        UsageError: if there is no such kind.
    """

    audio: AudioPart
    text: TextPart
    size: int = 512
    projection: ProjectionKind = "plain"

    def __post_init__(self) -> None:
        if self.projection not in get_args(ProjectionKind):
            raise UsageError(f"a projection is one of {', '.join(get_args(ProjectionKind))}, got {self.projection!r}.")


def config_fields(config: Any) -> dict[str, Json]:
    """The fields of a configuration of transformers that say what a network is, as JSON holds them."""
    return {name: value for name, value in config.to_dict().items() if name not in _NOISE}


def reader_fields(extractor: Any) -> dict[str, Json]:
    """What a feature extractor of transformers says about itself, without its filters."""
    plain: dict[str, Json] = {
        name: value
        for name, value in extractor.to_dict().items()
        if value is None or isinstance(value, bool | int | float | str)
    }
    return plain


def transformers_config(given: Mapping[str, Json]) -> Any:
    """A configuration of transformers from its fields; only kinds of models that transformers itself brings."""
    fields = dict(given)
    kind = fields.pop("model_type", None)
    try:
        return transformers.AutoConfig.for_model(kind, **fields)
    except (KeyError, ValueError) as error:
        raise UsageError(f"transformers {transformers.__version__} knows no model of the kind {kind!r}.") from error
