"""Microsoft's CLAP and AF-CLAP from files with their names and small random weights."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the extra local is not installed")

import torch
from torch import Tensor, nn

from aptone.errors import UsageError
from aptone.models.clap.convert import main
from aptone.models.clap.style_embedder import LocalStyleEmbedder
from aptone.types import Audio
from tests.models.local_models import tokenizer, transformers

SIZE = 6


def hears() -> Any:
    """HTS-AT with 64 bands, as in both, and a few numbers a patch."""
    config = transformers().ClapAudioConfig(
        patch_embeds_hidden_size=4, depths=[1, 2], num_attention_heads=[1, 2], hidden_size=8, window_size=8
    )
    torch.manual_seed(0)
    model = transformers().ClapAudioModel(config).eval()
    model.audio_encoder.batch_norm.running_mean.normal_()
    return model


def first_names(model: Any) -> dict[str, Tensor]:
    """The weights of HTS-AT under the names of its first authors, with what comes along with them."""
    new: dict[str, Tensor] = {}
    given = {name.removeprefix("audio_encoder."): value for name, value in model.state_dict().items()}
    for name, value in given.items():
        old = (
            name.replace("batch_norm.", "bn0.").replace("layernorm_before", "norm1").replace("layernorm_after", "norm2")
        )
        old = old.replace("attention.output.dense", "attn.proj").replace("intermediate.dense", "mlp.fc1")
        old = old.replace(".output.dense", ".mlp.fc2").replace("attention.self", "attn")
        if old.endswith(("query.weight", "query.bias")):
            parts = [given[name.replace("query", part)] for part in ("query", "key", "value")]
            new[old.replace("query", "qkv")] = torch.cat(parts)
        elif not old.endswith(("key.weight", "key.bias", "value.weight", "value.bias")):
            new[old] = value
    new["spectrogram_extractor.stft.conv_real.weight"] = torch.zeros(3)
    new["tscam_conv.weight"] = torch.zeros(3)
    new["head.bias"] = torch.zeros(3)
    new["layers.0.blocks.0.attn_mask"] = torch.zeros(3)
    return new


def named(prefix: str, weights: dict[str, Tensor]) -> dict[str, Tensor]:
    return {f"{prefix}{name}": value for name, value in weights.items()}


def noise(seconds: float, rate: int) -> Audio:
    return Audio(np.random.default_rng(0).normal(size=round(seconds * rate)).astype(np.float32) * 0.1, rate=rate)


def converted(weights: dict[str, Any], folder: Path) -> LocalStyleEmbedder:
    torch.save(weights, folder / "weights.pth")
    tokenizer().save_pretrained(folder / "words")
    main([str(folder / "weights.pth"), str(folder / "made"), "--tokenizer", str(folder / "words")])
    return LocalStyleEmbedder(model=str(folder / "made"), device="cpu")


@pytest.mark.parametrize("highest", [8000, 14_000])
def test_microsoft_s_clap_hears_and_reads_as_its_code_does(highest: int, tmp_path: Path) -> None:
    library, heard = transformers(), hears()
    reader = library.ClapFeatureExtractor(
        truncation="rand_trunc",
        padding="repeat",
        sampling_rate=44_100,
        max_length_s=7,
        hop_length=320,
        frequency_min=50,
        frequency_max=highest,
    )
    text = library.GPT2Model(
        library.GPT2Config(vocab_size=len(tokenizer()), n_positions=77, n_embd=64, n_layer=1, n_head=1)
    )
    text.eval()

    class Projection(nn.Module):
        def __init__(self, width: int) -> None:
            super().__init__()
            self.linear1, self.linear2 = nn.Linear(width, SIZE, bias=False), nn.Linear(SIZE, SIZE, bias=False)
            self.layer_norm = nn.LayerNorm(SIZE)

        def forward(self, given: Tensor) -> Tensor:
            first = self.linear1(given)
            return nn.functional.normalize(self.layer_norm(first + self.linear2(nn.functional.gelu(first))), dim=1)

    audio_projection, text_projection = Projection(8), Projection(64)
    filters = {"logmel_extractor.melW": torch.from_numpy(reader.mel_filters_slaney).float()}
    weights = {
        **named("audio_encoder.base.htsat.", {**first_names(heard), **filters}),
        **named("audio_encoder.projection.", audio_projection.state_dict()),
        **named("caption_encoder.base.", {**text.state_dict(), "h.0.attn.masked_bias": torch.tensor(-1e4)}),
        **named("caption_encoder.projection.", text_projection.state_dict()),
        "logit_scale": torch.tensor([3.0]),
    }
    found = converted({"model": weights}, tmp_path)
    clip = noise(2.5, 44_100)
    with torch.inference_mode():
        pictures = reader(clip.samples, sampling_rate=44_100, return_tensors="pt")["input_features"]
        audio = audio_projection(heard(pictures).pooler_output)
        words = tokenizer()("a soft voice <|endoftext|>", return_tensors="pt").input_ids
        read = text_projection(text(words).last_hidden_state[:, -1])
    np.testing.assert_allclose(found.embed_audio([clip]), audio.numpy(), atol=1e-4)
    np.testing.assert_allclose(found.embed_texts(["a soft voice"]), read.numpy(), atol=1e-5)


def test_af_clap_hears_and_reads_as_its_code_does(tmp_path: Path) -> None:
    library, heard = transformers(), hears()
    reader = library.ClapFeatureExtractor(
        truncation="fusion", sampling_rate=16_000, hop_length=160, frequency_min=50, frequency_max=8000
    )
    text = library.T5EncoderModel(
        library.T5Config(
            vocab_size=len(tokenizer()),
            d_model=16,
            d_kv=4,
            d_ff=8,
            num_layers=2,
            num_heads=2,
            feed_forward_proj="gated-gelu",
        )
    ).eval()
    projections = [
        nn.Sequential(nn.Linear(width, SIZE), nn.ReLU(), nn.Linear(SIZE, SIZE))
        for width in (heard.config.hidden_size, 16)
    ]
    fusion = {
        "patch_embed.mel_conv2d.weight": torch.zeros(2),
        "patch_embed.fusion_model.local_att.0.weight": torch.zeros(2),
    }
    weights = {
        **named("audio_branch.", {**first_names(heard), **fusion}),
        **named("text_branch.", text.state_dict()),
        **named("audio_projection.", projections[0].state_dict()),
        **named("text_projection.", projections[1].state_dict()),
        "audio_transform.sequential.0.weight": torch.zeros(2),
        "logit_scale_a": torch.tensor(3.0),
        "logit_scale_t": torch.tensor(3.0),
    }
    found = converted({"epoch": 15, "state_dict": named("module.", weights)}, tmp_path)
    clip = noise(2.5, 16_000)
    with torch.inference_mode():
        pictures = reader(clip.samples, sampling_rate=16_000, return_tensors="pt")["input_features"][:, :1]
        audio = nn.functional.normalize(projections[0](heard(pictures).pooler_output), dim=1)
        words = tokenizer()("a soft voice", return_tensors="pt").input_ids
        count = words.shape[1]
        tokens = nn.functional.pad(words, (0, 77 - count))
        states = text(tokens, attention_mask=(torch.arange(77) < count).long()[None]).last_hidden_state
        read = nn.functional.normalize(projections[1](states.mean(dim=1)), dim=1)  # over empty places too
    np.testing.assert_allclose(found.embed_audio([clip]), audio.numpy(), atol=1e-4)
    np.testing.assert_allclose(found.embed_texts(["a soft voice"]), read.numpy(), atol=1e-5)
    texts = ["a", "a soft voice", "轻声"]
    np.testing.assert_allclose(found.embed_texts(texts[::-1])[::-1], found.embed_texts(texts), atol=1e-5)


class Hostile:
    def __reduce__(self) -> tuple[Any, ...]:
        return print, ("run",)


def test_what_runs_code_and_what_is_something_else_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for weights, words in (
        ({"model": Hostile()}, "no file of weights"),
        ({"model": {"x": 3}}, "expected tensors by name"),
        ({"model": {"x": torch.zeros(1)}}, "neither Microsoft's CLAP nor AF-CLAP"),
        ({"caption_encoder.base.wte.weight": torch.zeros(1, 1)}, "cannot be made into a dual encoder"),
    ):
        with pytest.raises(UsageError, match=words):
            converted(weights, tmp_path)
    assert "run" not in capsys.readouterr().out
    (tmp_path / "weights.pth").write_bytes(b"nothing")
    with pytest.raises(UsageError, match="no file of weights"):
        main([str(tmp_path / "weights.pth"), str(tmp_path / "made"), "--tokenizer", str(tmp_path / "words")])
