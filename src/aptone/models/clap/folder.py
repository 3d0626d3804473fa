"""Dual encoders on the disk: ours, transformers' CLAP, and new ones from two pretrained encoders.

Ours is a folder with ``config.json`` (encoders and training), ``model.safetensors`` and the folder ``tokenizer``. It
loads offline. LAION-CLAP loads in the layout of transformers, as ``laion/larger_clap_music_and_speech`` has it. Weights
are read from safetensors only, never from a pickle, and no remote code is run. Microsoft's CLAP and AF-CLAP come as
files of torch: see `aptone.models.clap.convert`.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import load_model, save_model
from torch import Tensor

from aptone.errors import RecordError, UsageError
from aptone.files import make_folder, whole_file, write_whole
from aptone.models.clap.config import (
    ENCODER_ONLY,
    WAVEFORM_MODELS,
    AudioKind,
    AudioPart,
    ClapConfig,
    TextPart,
    TextPooling,
    config_fields,
    reader_fields,
)
from aptone.models.clap.model import ClapNetwork
from aptone.models.local.placement import Placement
from aptone.models.local.text_embedder import read_pooling
from aptone.types import Json, dumps, loads

MODEL_TYPE = "aptone-clap"
"""Name of our layout in ``config.json``."""
CONFIG = "config.json"
WEIGHTS = "model.safetensors"
TOKENIZER = "tokenizer"
LONGEST_TEXT = 512
"""Most tokens of a description, where the encoder would read more."""


@dataclass(frozen=True, slots=True, eq=False)
class Clap:
    """Loaded dual encoder, with the description of its training where known."""

    network: ClapNetwork
    tokenizer: Any
    training: Mapping[str, Json] = field(default_factory=dict)

    def tokens(self, texts: Sequence[str], *, cut: bool = False) -> list[Tensor]:
        """Return the tokens of each description; with `cut`, those that are too long are truncated, not refused.

        Raises:
            UsageError: if one has no tokens, or is too long.
        """
        part = self.network.config.text
        given = [part.prompt + text + part.ending for text in texts]
        limits: dict[str, Any] = {"truncation": True, "max_length": part.longest} if cut else {"truncation": False}
        rows = self.tokenizer(given, verbose=False, **limits)["input_ids"]
        for number, row in enumerate(rows, start=1):
            if not row:
                raise UsageError(f"text {number} holds nothing that the text encoder can read.")
            if len(row) > part.longest:
                raise UsageError(f"text {number} has {len(row)} tokens, {part.longest} are read; shorten it.")
        return [torch.tensor(row) for row in rows]


def write_clap(folder: Path, clap: Clap, training: Mapping[str, Json]) -> None:
    """Write a dual encoder to a folder; raises `RunError` if it cannot be written."""
    make_folder(folder)
    with whole_file(folder / WEIGHTS) as partial:
        try:
            save_model(clap.network, str(partial))
            clap.tokenizer.save_pretrained(folder / TOKENIZER)
        except SafetensorError as error:
            raise OSError(str(error)) from error
    whole: dict[str, Json] = {"model_type": MODEL_TYPE, **asdict(clap.network.config), "training": training}
    write_whole(folder / CONFIG, dumps(whole, indent=1) + "\n")


def load_clap(model: str | os.PathLike[str], *, revision: str = "", device: str = "cpu") -> Clap:
    """Load a dual encoder of ours, or a CLAP of transformers, from a folder or the Hugging Face hub.

    Raises:
        UsageError: if it is neither, or the weights do not fit the configuration.
    """
    folder = Path(model)
    if folder.is_dir() and _read_config(folder).get("model_type") == MODEL_TYPE:
        made = _load_ours(folder)
    else:
        made = _load_transformers(Placement(os.fspath(model), revision=revision, device="cpu", precision="float32"))
    made.network.to(device).eval()
    return made


def start_clap(
    audio_encoder: str | AudioPart,
    text_encoder: str,
    *,
    size: int = 512,
    pooling: TextPooling | None = None,
    longest_text: int = LONGEST_TEXT,
) -> Clap:
    """Return a dual encoder to be trained, from two pretrained encoders.

    Args:
        audio_encoder: folder or name of a CLAP (its audio side), WavLM, HuBERT, wav2vec 2.0 or Whisper; or the
            description of precomputed features.
        text_encoder: folder or name of a sentence encoder, T5 or mT5.
        pooling: pooling of the text encoder; ``None`` for its own (mean for T5).

    Raises:
        UsageError: if an encoder cannot be loaded, or its kind is not supported.
    """
    part, heard = _audio_start(audio_encoder) if isinstance(audio_encoder, str) else (audio_encoder, None)
    text, read, tokenizer = _text_start(text_encoder, pooling=pooling, longest=longest_text)
    network = ClapNetwork(ClapConfig(part, text, size=size))
    if heard is not None:
        network.audio_encoder.model.load_state_dict(heard.state_dict())
    network.text_encoder.model.load_state_dict(read.state_dict())
    return Clap(network, tokenizer)


def _load_ours(folder: Path) -> Clap:
    given = _read_config(folder)
    try:
        config = ClapConfig(
            AudioPart(**cast(Any, given["audio"])),
            TextPart(**cast(Any, given["text"])),
            size=cast(int, given["size"]),
            projection=cast(Any, given["projection"]),
        )
        network = ClapNetwork(config)
        load_model(network, folder / WEIGHTS)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder / TOKENIZER, trust_remote_code=False)
    except (OSError, KeyError, TypeError, ValueError, RuntimeError, SafetensorError) as error:
        raise UsageError(
            f"{folder}: not a whole dual encoder ({' '.join(str(error).split())[:300]}); make it again: "
            "aptone train clap"
        ) from error
    training = given.get("training")
    return Clap(network, tokenizer, training if isinstance(training, Mapping) else {})


def _load_transformers(placement: Placement) -> Clap:
    kind = getattr(placement.config(), "model_type", "")
    if kind != "clap":
        raise UsageError(
            f"{placement.model}: expected a folder that aptone train clap wrote, or a CLAP of transformers such as "
            f"laion/larger_clap_music_and_speech, got {kind or 'something else'!r}."
        )
    whole = _pretrained(placement, "ClapModel")
    tokenizer = _reader(placement, "AutoTokenizer")
    config = whole.config
    if config.projection_hidden_act != "relu":
        raise UsageError(f"{placement.model}: its projections use {config.projection_hidden_act}, expected relu.")
    audio = AudioPart("spectrogram", config_fields(config.audio_config), _reads(placement))
    longest = min(config.text_config.max_position_embeddings - 2, LONGEST_TEXT)  # the first two places are padding's
    text = TextPart(config_fields(config.text_config), "pooler", longest=longest)
    network = ClapNetwork(ClapConfig(audio, text, size=config.projection_dim))
    network.audio_encoder.model.load_state_dict(whole.audio_model.state_dict())
    network.text_encoder.model.load_state_dict(whole.text_model.state_dict())
    network.audio_projection.load_state_dict(whole.audio_projection.state_dict())
    network.text_projection.load_state_dict(whole.text_projection.state_dict())
    with torch.no_grad():
        network.log_scale.copy_(whole.logit_scale_a)
    return Clap(network, tokenizer)


def _audio_start(name: str) -> tuple[AudioPart, Any]:
    placement = Placement(name, device="cpu", precision="float32")
    kind = getattr(placement.config(), "model_type", "")
    form: AudioKind = "spectrogram"
    if kind == "clap":
        model = _pretrained(placement, "ClapModel").audio_model
    elif kind == "clap_audio_model":
        model = _pretrained(placement, "ClapAudioModel")
    elif kind == "whisper":
        form, model = "whisper", _pretrained(placement, "WhisperModel").encoder
    elif kind in WAVEFORM_MODELS:
        form, model = "waveform", _pretrained(placement, "AutoModel")
    else:
        known = ", ".join(WAVEFORM_MODELS)
        raise UsageError(f"{name}: an audio encoder is a CLAP, Whisper, {known}, got {kind or 'something else'!r}.")
    return AudioPart(form, config_fields(model.config), _reads(placement)), model


def _text_start(name: str, *, pooling: TextPooling | None, longest: int) -> tuple[TextPart, Any, Any]:
    placement = Placement(name, device="cpu", precision="float32")
    kind = getattr(placement.config(), "model_type", "")
    model = _pretrained(placement, ENCODER_ONLY.get(kind, "AutoModel"))
    tokenizer = _reader(placement, "AutoTokenizer")
    habits = read_pooling(placement)
    said = pooling or habits.pooling or ("mean" if kind in ENCODER_ONLY else None)
    if said is None:
        raise UsageError(
            f"{name}: it does not say how its tokens become one vector; say --text-pooling mean (or last)."
        )
    places = getattr(model.config, "max_position_embeddings", None)
    limits = [longest, habits.longest, places, tokenizer.model_max_length]
    part = TextPart(
        config_fields(model.config), said, habits.prompt, min(one for one in limits if isinstance(one, int))
    )
    return part, model, tokenizer


def _pretrained(placement: Placement, kind: str) -> Any:
    with placement.load_errors():
        return getattr(transformers, kind).from_pretrained(
            placement.model, **placement.options, dtype=torch.float32, use_safetensors=True
        )


def _reader(placement: Placement, kind: str) -> Any:
    with placement.load_errors():
        return getattr(transformers, kind).from_pretrained(placement.model, **placement.options)


def _reads(placement: Placement) -> dict[str, Json]:
    return reader_fields(_reader(placement, "AutoFeatureExtractor"))


def _read_config(folder: Path) -> Mapping[str, Json]:
    path = folder / CONFIG
    try:
        given = loads(path.read_bytes(), what=str(path))
    except (OSError, RecordError) as error:
        raise UsageError(f"{folder}: no model ({error}); make one: aptone train clap") from error
    if not isinstance(given, Mapping):
        raise UsageError(f"{path}: expected an object.")
    return given
