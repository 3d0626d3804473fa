"""Tiny models with random weights, made on the spot: they write nonsense, but by the same way as large ones."""

from pathlib import Path
from typing import Any

import pytest

TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}{{ suffix if suffix is defined else '' }}"
)
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|AUDIO|>", "<|audio_bos|>", "<|audio_eos|>"]


def transformers() -> Any:
    """The library, or a skip that says why."""
    return pytest.importorskip("transformers", reason="the extra local is not installed")


def tokenizer() -> Any:
    """One token for each byte, and the special ones."""
    library = transformers()
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: number for number, letter in enumerate(letters)}
    bare = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    return library.PreTrainedTokenizerFast(
        tokenizer_object=bare,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=SPECIAL[1:2] + SPECIAL[3:],
        chat_template=TEMPLATE,
    )


def text_sizes(words: int) -> dict[str, Any]:
    return {
        "vocab_size": words,
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "max_position_embeddings": 2048,
    }


def save_chat(folder: Path) -> Path:
    """A text model."""
    import torch

    library, reads = transformers(), tokenizer()
    torch.manual_seed(0)
    config = library.Qwen2Config(**text_sizes(len(reads)), eos_token_id=reads.eos_token_id, bos_token_id=None)
    library.Qwen2ForCausalLM(config).save_pretrained(folder)
    reads.save_pretrained(folder)
    return folder


def save_audio_chat(folder: Path) -> Path:
    """A model of the kind of Qwen2-Audio, which hears up to two seconds."""
    import torch

    library, reads = transformers(), tokenizer()
    reads.chat_template = None
    torch.manual_seed(0)
    config = library.Qwen2AudioConfig(
        audio_config={
            "model_type": "qwen2_audio_encoder",
            "num_mel_bins": 16,
            "d_model": 16,
            "encoder_layers": 1,
            "encoder_attention_heads": 2,
            "encoder_ffn_dim": 16,
            "max_source_positions": 100,
        },
        text_config={"model_type": "qwen2", **text_sizes(len(reads)), "eos_token_id": reads.eos_token_id},
        audio_token_index=reads.convert_tokens_to_ids("<|AUDIO|>"),
    )
    model = library.Qwen2AudioForConditionalGeneration(config)
    with torch.no_grad():  # so that what it hears outweighs what it reads
        for name, weights in model.named_parameters():
            if "projector" in name or "lm_head" in name:
                weights.mul_(100.0)
    model.save_pretrained(folder)
    extractor = library.WhisperFeatureExtractor(feature_size=16, chunk_length=2, n_fft=400, hop_length=160)
    library.Qwen2AudioProcessor(feature_extractor=extractor, tokenizer=reads).save_pretrained(folder)
    return folder
