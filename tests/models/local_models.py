"""Tiny models with random weights, made on the spot: they write nonsense, but by the same way as large ones."""

import itertools
import math
from collections.abc import Sequence
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


def tokenizer(*more: str) -> Any:
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
        additional_special_tokens=SPECIAL[1:2] + SPECIAL[3:] + list(more),
        chat_template=TEMPLATE,
    )


class Dictation:
    """Makes a model write a given text.

    Args:
        written: ids that each row writes.
        shown: ids that it is shown before.
    """

    def __init__(self, written: Sequence[Sequence[int]], *, shown: int) -> None:
        self._written, self._shown = written, shown

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        forced = scores.new_full(scores.shape, -math.inf)
        for row, ids in enumerate(self._written):
            forced[row, ids[input_ids.shape[1] - self._shown]] = 0.0
        return forced


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


def omni_config(words: int, ids: dict[str, int]) -> Any:
    """The thinker of a Qwen2.5-Omni with two layers, four heads, and two heads of keys."""
    return transformers().Qwen2_5OmniThinkerConfig(
        audio_config={
            "num_mel_bins": 16,
            "d_model": 16,
            "encoder_layers": 1,
            "encoder_attention_heads": 2,
            "encoder_ffn_dim": 16,
            "max_source_positions": 100,
            "n_window": 50,
            "output_dim": 32,
        },
        vision_config={
            "depth": 1,
            "hidden_size": 16,
            "intermediate_size": 16,
            "num_heads": 2,
            "out_hidden_size": 32,
            "patch_size": 4,
            "fullatt_block_indexes": [0],
        },
        text_config={
            "vocab_size": words,
            "hidden_size": 32,
            "intermediate_size": 48,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "max_position_embeddings": 4096,
            "rope_parameters": {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 10000.0},
            "tie_word_embeddings": False,
        },
        audio_token_index=ids["<|AUDIO|>"],
        audio_start_token_id=ids["<|audio_bos|>"],
        audio_end_token_id=ids["<|audio_eos|>"],
        image_token_index=words - 1,
        video_token_index=words - 2,
        vision_start_token_id=words - 3,
    )


def release_name(name: str) -> str:
    """A parameter of the stock thinker as the release calls it; the tree was flat when it was written."""
    return name.replace("model.language_model.", "model.").replace("model.audio_tower", "audio_tower")


def omni_weights(config: Any, *, seed: int = 0) -> dict[str, Any]:
    """Random weights under the release's names, gates included; what is heard and what the gates do outweighs noise."""
    import torch

    torch.manual_seed(seed)
    stock = transformers().Qwen2_5OmniThinkerForConditionalGeneration(config)
    weights = {
        release_name(name).replace("model.visual", "visual"): weight.detach().clone()
        for name, weight in stock.named_parameters()
    }
    for name, weight in weights.items():
        if weight.ndim > 1 and (name.startswith(("model.layers", "lm_head")) or "proj" in name):
            weight.mul_(10.0)
        if name.startswith("audio_tower.conv"):
            weight.mul_(100.0)
    width = config.text_config.hidden_size
    for layer in range(config.text_config.num_hidden_layers):
        for gate in ("focus_biasfc", "supress_biasfc", "instruct_biasfc"):
            weights[f"model.layers.{layer}.{gate}.weight"] = torch.randn(1, width)
            weights[f"model.layers.{layer}.{gate}.bias"] = torch.randn(1)
    return weights


def teach_to_score(weights: dict[str, Any], reads: Any) -> None:
    """Make weights write ``<score>d.5</score>``, where the digit d from 0 to 4 depends on all that they attend to.

    Each token of that text has an axis of its own, by which the next one is chosen; attention adds to the other axes,
    and only the digits look there.
    """
    import torch

    def ids(text: str) -> list[int]:
        return list(reads(text, add_special_tokens=False).input_ids)

    chain = [ids("\n"), ids("<score>"), ids("01234"), ids("."), ids("5"), ids("</score>"), ids("<|im_end|>")]
    axes = len(chain) - 1
    for name, weight in weights.items():
        if name.endswith("o_proj.weight"):
            weight.mul_(0.02)
            weight[:axes] = 0.0
        if name.endswith("down_proj.weight") and name.startswith("model."):
            weight.zero_()
    words, head = weights["model.embed_tokens.weight"], weights["lm_head.weight"]
    words[:, :axes] = 0.0
    head.zero_()
    for axis, (tokens, following) in enumerate(itertools.pairwise(chain)):
        for token in tokens:
            words[token] = 0.0
            words[token, axis] = 1.0
        for token in following:
            head[token, axis] = 10.0
    head[chain[2], axes:] = 10.0 * torch.randn(len(chain[2]), head.shape[1] - axes)


def save_omni(
    folder: Path,
    *,
    gated: bool = True,
    scores: bool = False,
    whole: bool = False,
    tokens: bool = True,
    room: int = 16,
    drop: str | None = None,
    add: str | None = None,
) -> Path:
    """A checkpoint as the release has it, which hears up to four seconds.

    Args:
        folder: where to.
        gated: with gates, or as the plain model.
        scores: whether it writes scores and not only noise.
        whole: as a part of the whole model, with something of its talker and vocoder.
        tokens: whether the tokenizer knows the release's six.
        room: rows of the embeddings beyond the tokenizer's first words.
        drop: a weight to leave out.
        add: a weight too many.
    """
    import torch
    from safetensors.torch import save_file

    library = transformers()
    six = ("<think>", "</think>", "<score>", "</score>", "<focus_audio>", "</focus_audio>")
    reads = tokenizer(*(six if tokens else ()))
    reads.chat_template = None
    config = omni_config(len(tokenizer()) + room, reads.get_vocab())
    weights = {name: weight for name, weight in omni_weights(config).items() if gated or "biasfc" not in name}
    if scores:
        teach_to_score(weights, reads)
    if drop is not None:
        del weights[drop]
    if add is not None:
        weights[add] = torch.zeros(1)
    if whole:
        weights = {f"thinker.{name}": weight for name, weight in weights.items()}
        weights |= {"talker.codec_head.weight": torch.zeros(2, 2), "token2wav.code2wav.weight": torch.zeros(2)}
        library.Qwen2_5OmniConfig(thinker_config=config.to_dict()).save_pretrained(folder)
    else:
        config.save_pretrained(folder)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    reads.save_pretrained(folder)
    library.WhisperFeatureExtractor(feature_size=16, chunk_length=4, n_fft=400, hop_length=160).save_pretrained(folder)
    return folder
