"""Conversion of Microsoft's CLAP 2023 and NVIDIA's AF-CLAP, from the published files to folders of ours.

    python -m aptone.models.clap.convert CLAP_weights_2023.pth FOLDER --tokenizer openai-community/gpt2
    python -m aptone.models.clap.convert epoch_15.pt FOLDER --tokenizer google/flan-t5-large

Both hear with HTS-AT under the names of its first authors, which become those of transformers; sizes are read off the
weights. Microsoft's reads with GPT-2 and takes its last token, AF-CLAP with Flan-T5 and takes the mean over 77 places.
The files are pickles: torch reads nothing but tensors out of them (``weights_only``), and no code runs.

Neither file was at hand when this was written: names, sizes and steps are those of the authors' public code, and tests
run on small random weights under the same names. Departures: a long clip is cut into stretches instead of sampling one
of them; in Microsoft's, exclamation marks do not shift the token that is taken;
AF-CLAP's way of looking at long clips as a whole (fusion) is left out, as its own code does for short ones.
"""

import argparse
import math
import pickle
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor, nn

from aptone.errors import UsageError
from aptone.models.clap.config import AudioPart, ClapConfig, TextPart, config_fields, reader_fields
from aptone.models.clap.folder import Clap, write_clap
from aptone.models.clap.model import ClapNetwork

Weights = Mapping[str, Tensor]

PLACES = 77
"""Most tokens of both text encoders."""
END = " <|endoftext|>"
"""Suffix of a description in Microsoft's."""
_FREQUENCY_FOLDS = 4
"""Folds of a spectrogram's bands in HTS-AT's square picture."""
_HEAD = 64
"""Width of a head of GPT-2, at any model size."""

_RENAMED = (
    (r"\.attn\.proj\.", ".attention.output.dense."),
    (r"\.attn\.", ".attention.self."),
    (r"\.mlp\.fc1\.", ".intermediate.dense."),
    (r"\.mlp\.fc2\.", ".output.dense."),
    (r"\.norm1\.", ".layernorm_before."),
    (r"\.norm2\.", ".layernorm_after."),
    (r"^bn0\.", "batch_norm."),
)
_UNUSED = re.compile(
    r"spectrogram_extractor\.|logmel_extractor\.|tscam_conv\.|head\.|patch_embed\.(mel_conv2d|fusion_model)\.|"
    r".*(attn_mask|relative_position_index|num_batches_tracked)$"
)


def convert_clap(weights: Path, out: Path, *, tokenizer: str) -> None:
    """Make a folder of ours from a published file.

    Args:
        weights: ``CLAP_weights_2023.pth`` or AF-CLAP's ``epoch_15.pt``.
        tokenizer: folder or name of the text encoder's tokenizer, which the file does not hold.

    Raises:
        UsageError: if the file is neither, or does not hold all that is needed.
        RunError: if the folder cannot be written.
    """
    given = _read(weights)
    try:
        if any(name.startswith("caption_encoder.") for name in given):
            network = _microsoft(given)
        elif any(name.startswith("text_branch.") for name in given):
            network = _afclap(given)
        else:
            raise UsageError(
                f"{weights}: neither Microsoft's CLAP nor AF-CLAP; its names begin with {sorted(given)[:2]}."
            )
        reads = transformers.AutoTokenizer.from_pretrained(tokenizer, trust_remote_code=False)
    except (KeyError, IndexError, OSError, RuntimeError, ValueError) as error:
        raise UsageError(
            f"{weights}: cannot be made into a dual encoder ({' '.join(str(error).split())[:300]})."
        ) from error
    write_clap(out, Clap(network, reads), {"converted from": weights.name})


def _read(path: Path) -> Weights:
    try:
        whole: Any = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
        raise UsageError(f"{path}: no file of weights ({' '.join(str(error).split())[:200]}).") from error
    for key in ("model", "state_dict"):
        whole = whole[key] if isinstance(whole, Mapping) and isinstance(whole.get(key), Mapping) else whole
    if not isinstance(whole, Mapping) or not all(isinstance(value, Tensor) for value in whole.values()):
        raise UsageError(f"{path}: expected tensors by name.")
    return {str(name).removeprefix("module."): value for name, value in whole.items()}


def _microsoft(given: Weights) -> ClapNetwork:
    heard = _under("audio_encoder.base.htsat.", given)
    bands = heard["bn0.weight"].shape[0]
    options = {"sampling_rate": 44_100, "max_length_s": 7, "hop_length": 320, "padding": "repeat"}
    reader = _matching(heard["logmel_extractor.melW"], bands, **options)
    text = _under("caption_encoder.base.", given)
    words, width = text["wte.weight"].shape
    config = transformers.GPT2Config(
        vocab_size=words,
        n_positions=text["wpe.weight"].shape[0],
        n_embd=width,
        n_layer=_count(r"h\.(\d+)\.", text),
        n_head=width // _HEAD,
    )
    size = given["audio_encoder.projection.linear2.weight"].shape[0]
    part = TextPart(config_fields(config), "last", longest=PLACES, ending=END)
    network = ClapNetwork(ClapConfig(_audio_part(heard, reader), part, size=size, projection="residual"))
    masks = re.compile(r".*\.attn\.(masked_)?bias$")  # older transformers kept GPT-2's mask among the weights
    _fill(network.audio_encoder.model.audio_encoder, _htsat(heard))
    _fill(network.text_encoder.model, {name: value for name, value in text.items() if not masks.match(name)})
    _fill(network.audio_projection, _under("audio_encoder.projection.", given))
    _fill(network.text_projection, _under("caption_encoder.projection.", given))
    _fill_scale(network, given["logit_scale"])
    return network


def _afclap(given: Weights) -> ClapNetwork:
    heard = _under("audio_branch.", given)
    # Mel bands as torchaudio draws them, which transformers' reader does for the kind that it calls fusion.
    reader = _reader(
        heard["bn0.weight"].shape[0],
        sampling_rate=16_000,
        max_length_s=10,
        hop_length=160,
        frequency_min=50,
        frequency_max=8000,
        truncation="fusion",
    )
    text = _under("text_branch.", given)
    attention = "encoder.block.0.layer.0.SelfAttention."
    buckets, heads = text[f"{attention}relative_attention_bias.weight"].shape
    words, width = text["shared.weight"].shape
    is_gated = "encoder.block.0.layer.1.DenseReluDense.wi_0.weight" in text
    inner = text[f"encoder.block.0.layer.1.DenseReluDense.{'wi_0' if is_gated else 'wi'}.weight"]
    config = transformers.T5Config(
        vocab_size=words,
        d_model=width,
        d_kv=text[f"{attention}q.weight"].shape[0] // heads,
        d_ff=inner.shape[0],
        num_layers=_count(r"encoder\.block\.(\d+)\.", text),
        num_heads=heads,
        relative_attention_num_buckets=buckets,
        feed_forward_proj="gated-gelu" if is_gated else "relu",
    )
    part = TextPart(config_fields(config), "padded mean", longest=PLACES)
    size = given["audio_projection.2.weight"].shape[0]
    network = ClapNetwork(ClapConfig(_audio_part(heard, reader), part, size=size))
    _fill(network.audio_encoder.model.audio_encoder, _htsat(heard))
    _fill(network.text_encoder.model, text)
    for side in ("audio", "text"):
        layers = _under(f"{side}_projection.", given)
        renamed = {name.replace("0.", "linear1.").replace("2.", "linear2."): value for name, value in layers.items()}
        _fill(getattr(network, f"{side}_projection"), renamed)
    _fill_scale(network, given["logit_scale_a"])
    return network


def _audio_part(heard: Weights, reader: Any) -> AudioPart:
    """Return the configuration of HTS-AT in transformers, with sizes read off the weights."""
    bands = heard["bn0.weight"].shape[0]
    patch = heard["patch_embed.proj.weight"]
    stages = _count(r"layers\.(\d+)\.", heard)
    tables = [heard[f"layers.{stage}.blocks.0.attn.relative_position_bias_table"] for stage in range(stages)]
    config = transformers.ClapAudioConfig(
        spec_size=_FREQUENCY_FOLDS * bands,
        num_mel_bins=bands,
        patch_size=patch.shape[-1],
        patch_stride=[patch.shape[-1]] * 2,
        patch_embeds_hidden_size=patch.shape[0],
        hidden_size=patch.shape[0] * 2 ** (stages - 1),
        depths=[_count(rf"layers\.{stage}\.blocks\.(\d+)\.", heard) for stage in range(stages)],
        num_attention_heads=[table.shape[1] for table in tables],
        window_size=(math.isqrt(tables[0].shape[0]) + 1) // 2,
    )
    return AudioPart("spectrogram", config_fields(config), reader_fields(reader))


def _htsat(heard: Weights) -> dict[str, Tensor]:
    """Return HTS-AT's weights under the names of transformers; queries, keys and values are split."""
    found: dict[str, Tensor] = {}
    for name, value in heard.items():
        if _UNUSED.match(name):
            continue
        for old, new in _RENAMED:
            name = re.sub(old, new, name)
        if ".qkv." in name:
            for part, piece in zip(("query", "key", "value"), value.chunk(3), strict=True):
                found[name.replace("qkv", part)] = piece
        else:
            found[name] = value
    return found


def _reader(bands: int, **options: Any) -> Any:
    given = {"feature_size": bands, "fft_window_size": 1024, "truncation": "rand_trunc", **options}
    return transformers.ClapFeatureExtractor(**given)


def _matching(filters: Tensor, bands: int, **options: Any) -> Any:
    """Return the feature extractor whose mel bands are those of the checkpoint: no other record gives their range."""
    for highest in (8000, 14_000):
        found = _reader(bands, frequency_min=50, frequency_max=highest, **options)
        expected = torch.from_numpy(found.mel_filters_slaney)
        if filters.shape == expected.shape and (filters - expected).abs().max() < 1e-4 * expected.max():
            return found
    raise ValueError("its mel bands are neither those up to 8 kHz nor those up to 14 kHz")


def _fill(module: nn.Module, given: Weights) -> None:
    """Load the weights of a module; only computed buffers may be missing."""
    missing, unexpected = module.load_state_dict(given, strict=False)
    computed = re.compile(r".*(relative_position_index|num_batches_tracked|embed_tokens\.weight)$")
    lacking = [name for name in missing if not computed.match(name)]
    if lacking or unexpected:
        raise ValueError(f"missing {lacking[:3]}, unexpected {unexpected[:3]}")


def _fill_scale(network: ClapNetwork, given: Tensor) -> None:
    with torch.no_grad():
        network.log_scale.copy_(given.reshape(()))


def _under(prefix: str, given: Weights) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in given.items() if name.startswith(prefix)}


def _count(pattern: str, given: Weights) -> int:
    return 1 + max(int(match.group(1)) for name in given if (match := re.match(pattern, name)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the conversion from the command line."""
    parser = argparse.ArgumentParser(description="Microsoft's CLAP or AF-CLAP as a folder of Aptone's.")
    parser.add_argument("weights", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--tokenizer", required=True, help="Folder or name: openai-community/gpt2, google/flan-t5-large."
    )
    given = parser.parse_args(arguments)
    convert_clap(given.weights, given.out, tokenizer=given.tokenizer)


if __name__ == "__main__":
    main()
