"""Tiny dual encoders with random weights: a few numbers wide, by the same way as large ones."""

from pathlib import Path
from typing import Any

from aptone.models.clap.config import AudioPart, ClapConfig, TextPart, config_fields, reader_fields
from aptone.models.clap.folder import Clap
from aptone.models.clap.model import ClapNetwork
from tests.models.local_models import text_sizes, tokenizer, transformers

RATE = 8000


def extractor(*, fused: bool = False) -> Any:
    """Reads two seconds at 8 kHz."""
    return transformers().ClapFeatureExtractor(
        truncation="fusion" if fused else "rand_trunc",
        feature_size=16,
        sampling_rate=RATE,
        hop_length=64,
        max_length_s=2,
        fft_window_size=128,
        frequency_max=4000,
    )


def audio_sizes(*, fused: bool = False, dropout: float = 0.0) -> dict[str, Any]:
    fusion = {"enable_fusion": True, "aff_block_r": 1} if fused else {}
    return {
        "spec_size": 64,
        "num_mel_bins": 16,
        "patch_embeds_hidden_size": 8,
        "depths": [1, 1],
        "num_attention_heads": [2, 2],
        "hidden_size": 16,
        "window_size": 4,
        "projection_dim": 12,
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": dropout,
        **fusion,
    }


def clap_config(*, dropout: float = 0.0, size: int = 12) -> ClapConfig:
    library = transformers()
    audio = config_fields(library.ClapAudioConfig(**audio_sizes(dropout=dropout)))
    text = config_fields(library.Qwen3Config(**text_sizes(len(tokenizer())), head_dim=8, attention_dropout=dropout))
    part = AudioPart("spectrogram", audio, reader_fields(extractor()))
    return ClapConfig(part, TextPart(text, "last", longest=64), size=size)


def features_config(size: int = 6) -> ClapConfig:
    text = config_fields(transformers().Qwen3Config(**text_sizes(len(tokenizer())), head_dim=8))
    part = AudioPart("features", {"size": size, "hidden": 16}, {"name": "six numbers"})
    return ClapConfig(part, TextPart(text, "mean", longest=64), size=12)


def tiny_clap(config: ClapConfig | None = None, *, seed: int = 0) -> Clap:
    import torch

    torch.manual_seed(seed)
    return Clap(ClapNetwork(config or clap_config()), tokenizer())


def save_laion_clap(folder: Path, *, fused: bool = False) -> Path:
    """A checkpoint in the layout of ``laion/larger_clap_music_and_speech``, with a tokenizer of bytes."""
    import torch

    library, reads = transformers(), tokenizer()
    torch.manual_seed(0)
    config = library.ClapConfig(
        audio_config=audio_sizes(fused=fused),
        text_config={
            "vocab_size": len(reads),
            "hidden_size": 16,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "intermediate_size": 16,
            "max_position_embeddings": 66,
            "projection_dim": 12,
            "pad_token_id": 1,
        },
        projection_dim=12,
    )
    library.ClapModel(config).save_pretrained(folder)
    extractor(fused=fused).save_pretrained(folder)
    reads.save_pretrained(folder)
    return folder
