"""The miniature model: Qwen2.5-Omni's thinker with random weights, small enough to train in minutes.

Its tokenizer is trained on the texts that the miniature reads and writes: byte-level pieces, single digits, and the
special tokens of Qwen2.5-Omni and CEAEval. The folder is a checkpoint that `load_omni` reads.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    PreTrainedTokenizerFast,
    Qwen2_5OmniThinkerConfig,
    WhisperFeatureExtractor,
)

from aptone.files import make_folder
from aptone.models.omni.checkpoint import TOKENS
from aptone.models.omni.model import GATES, GatedThinker
from recipes.miniature.frames import FRAME_NUMBERS, LONGEST_SECONDS

END, TURN, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
AUDIO, AUDIO_BEGIN, AUDIO_END = "<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>"
UNSEEN = ("<|IMAGE|>", "<|VIDEO|>", "<|vision_bos|>", "<|vision_eos|>")
"""Inputs of the stock model that this one never gets."""
CONTROL = (END, TURN, TURN_END, AUDIO, AUDIO_BEGIN, AUDIO_END, *UNSEEN, *TOKENS)
VOCABULARY = 2048


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of a miniature; heads are 64 wide. Wide rather than deep: each layer costs the host time in each step.

    Args:
        width, layers, heads, key_heads, inner: sizes of the decoder.
        audio_width, audio_layers, audio_heads, audio_inner: sizes of the audio encoder.
    """

    width: int = 512
    layers: int = 4
    heads: int = 8
    key_heads: int = 2
    inner: int = 832
    audio_width: int = 384
    audio_layers: int = 3
    audio_heads: int = 6
    audio_inner: int = 768


SIZES: Mapping[str, Sizes] = {
    "small": Sizes(),
    "smoke": Sizes(
        width=64,
        layers=2,
        heads=2,
        key_heads=1,
        inner=96,
        audio_width=32,
        audio_layers=1,
        audio_heads=2,
        audio_inner=48,
    ),
}
"""The miniature, and one for smoke tests."""


def miniature_tokenizer(texts: Iterable[str], *, vocabulary: int = VOCABULARY) -> PreTrainedTokenizerFast:
    """Train a byte-level tokenizer on texts, with one token for each digit."""
    bare = Tokenizer(models.BPE())
    bare.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"\d"), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    bare.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(CONTROL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    bare.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=bare,
        eos_token=TURN_END,
        pad_token=END,
        additional_special_tokens=[token for token in CONTROL if token not in (END, TURN_END)],
    )


def miniature_config(sizes: Sizes, tokenizer: PreTrainedTokenizerFast) -> Qwen2_5OmniThinkerConfig:
    """Return the configuration of a thinker of these sizes."""
    ids: Any = tokenizer.get_vocab()
    half = sizes.width // sizes.heads // 2
    return Qwen2_5OmniThinkerConfig(
        audio_config={
            "num_mel_bins": FRAME_NUMBERS,
            "d_model": sizes.audio_width,
            "encoder_layers": sizes.audio_layers,
            "encoder_attention_heads": sizes.audio_heads,
            "encoder_ffn_dim": sizes.audio_inner,
            "max_source_positions": LONGEST_SECONDS * 25,
            "n_window": LONGEST_SECONDS * 25,
            "output_dim": sizes.width,
        },
        vision_config={
            "depth": 1,
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_heads": 2,
            "out_hidden_size": sizes.width,
            "patch_size": 4,
            "fullatt_block_indexes": [0],
        },
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": sizes.width,
            "intermediate_size": sizes.inner,
            "num_hidden_layers": sizes.layers,
            "num_attention_heads": sizes.heads,
            "num_key_value_heads": sizes.key_heads,
            "max_position_embeddings": 4096,
            "rope_parameters": {
                "rope_type": "default",
                "mrope_section": [half - 2 * (half * 3 // 8), half * 3 // 8, half * 3 // 8],
                "rope_theta": 10_000.0,
            },
            "tie_word_embeddings": False,
        },
        audio_token_index=ids[AUDIO],
        audio_start_token_id=ids[AUDIO_BEGIN],
        audio_end_token_id=ids[AUDIO_END],
        image_token_index=ids["<|IMAGE|>"],
        video_token_index=ids["<|VIDEO|>"],
        vision_start_token_id=ids["<|vision_bos|>"],
    )


def make_miniature(folder: Path, tokenizer: Path, *, sizes: Sizes, seed: int = 1) -> int:
    """Write the checkpoint of an untrained miniature.

    The gates are zero, so that with the bias the instruction and the rest have factors 1 and 1/2, and the audio 3/2:
    the middle of their ranges.

    Args:
        folder: output folder.
        tokenizer: folder of its tokenizer (`miniature_tokenizer`).
        sizes: sizes of the model.
        seed: random seed of its weights.

    Returns:
        The number of parameters, without the part for pictures.
    """
    make_folder(folder)
    reads = PreTrainedTokenizerFast.from_pretrained(tokenizer)
    config = miniature_config(sizes, reads)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = GatedThinker(config)
        for name, weight in model.named_parameters():
            if name.split(".")[-2] in GATES:
                torch.nn.init.zeros_(weight)
    model.generation_config.eos_token_id = reads.eos_token_id
    model.generation_config.pad_token_id = reads.pad_token_id
    model.save_pretrained(folder)
    reads.save_pretrained(folder)
    WhisperFeatureExtractor().save_pretrained(folder)  # so that it loads; its frames are made beforehand
    return sum(weight.numel() for name, weight in model.named_parameters() if "visual" not in name)
