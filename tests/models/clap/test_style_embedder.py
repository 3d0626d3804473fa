"""Dual encoders on this machine: vectors without neighbours, other people's layouts, and folders that come back."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the extra local is not installed")

import torch

from aptone.errors import UsageError
from aptone.models import load_style_embedder
from aptone.models.clap.config import AudioPart, ClapConfig, TextPart, TextPooling, config_fields, reader_fields
from aptone.models.clap.folder import CONFIG, WEIGHTS, load_clap, start_clap, write_clap
from aptone.models.clap.model import ClapNetwork, padded, pooled
from aptone.models.clap.style_embedder import LocalStyleEmbedder
from aptone.types import Audio
from tests.models.local_claps import RATE, clap_config, extractor, features_config, save_laion_clap, tiny_clap
from tests.models.local_models import tokenizer, transformers
from tests.models.local_speech_models import save_sentence_encoder, save_wavlm, save_whisper

TEXTS = ["a", "a soft voice", "a loud one", "轻声", "She whispers, as if afraid of being heard."]


def noise(seconds: float, *, seed: int = 0, rate: int = RATE) -> Audio:
    samples = np.random.default_rng(seed).normal(size=round(seconds * rate)) * 0.1
    return Audio(samples.astype(np.float32), rate=rate, source="noise")


def clips(count: int) -> list[Audio]:
    return [noise(0.5 + 0.25 * (number % 9), seed=number) for number in range(count)]


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ours")
    write_clap(folder, tiny_clap(), {"data": "none"})
    return folder


@pytest.fixture(scope="module")
def laion(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_laion_clap(tmp_path_factory.mktemp("laion"))


def embedder(folder: Path, **options: Any) -> LocalStyleEmbedder:
    return LocalStyleEmbedder(model=str(folder), device="cpu", **options)


@pytest.mark.parametrize("layout", ["ours", "laion"])
def test_a_vector_is_the_same_at_any_batch_size_in_any_order(layout: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(layout)
    given = clips(33)
    alone = embedder(folder, batch=1).embed_audio(given)
    together = embedder(folder, batch=32)
    order = np.random.default_rng(1).permutation(len(given))
    shuffled = together.embed_audio([given[place] for place in order])
    assert np.abs(together.embed_audio(given) - alone).max() < 1e-5
    assert np.abs(shuffled - alone[order]).max() < 1e-5
    assert np.linalg.norm(alone, axis=1) == pytest.approx(1.0, abs=1e-6)
    words = [f"{text} {number}" for number in range(7) for text in TEXTS]
    read = embedder(folder, batch=1).embed_texts(words)
    assert np.abs(together.embed_texts(words[::-1])[::-1] - read).max() < 1e-5


def test_a_clap_of_transformers_says_what_transformers_itself_says(laion: Path) -> None:
    library = transformers()
    model = library.ClapModel.from_pretrained(laion).eval()
    clip = noise(1.3)
    given = extractor()(clip.samples, sampling_rate=RATE, return_tensors="pt")
    with torch.inference_mode():
        heard = model.get_audio_features(**given).pooler_output.numpy()
        read = model.get_text_features(
            **library.AutoTokenizer.from_pretrained(laion)("a soft voice", return_tensors="pt")
        )
    found = embedder(laion)
    np.testing.assert_allclose(found.embed_audio([clip]), heard, atol=1e-5)
    np.testing.assert_allclose(found.embed_texts(["a soft voice"]), read.pooler_output.numpy(), atol=1e-5)
    assert found.size == 12


def test_a_clap_with_fusion_hears_short_clips_as_transformers_does_without_its_dice(tmp_path: Path) -> None:
    save_laion_clap(tmp_path, fused=True)
    clip = noise(1.3)
    given = extractor(fused=True)(clip.samples, sampling_rate=RATE, return_tensors="pt")
    given["is_longer"] = torch.zeros(1, 1, dtype=torch.bool)  # the extractor calls one clip of a batch long, by lot
    with torch.inference_mode():
        model = transformers().ClapModel.from_pretrained(tmp_path).eval()
        heard = model.get_audio_features(**given).pooler_output.numpy()
    np.testing.assert_allclose(embedder(tmp_path).embed_audio([clip]), heard, atol=1e-5)


def test_a_long_clip_is_heard_in_equal_stretches_and_silence_has_no_vector(ours: Path) -> None:
    whole = noise(3.0)  # two seconds are heard at once: two stretches of 1.5 s
    halves = [Audio(part, rate=RATE) for part in np.split(whole.samples, 2)]
    found = embedder(ours)
    first, second = found.embed_audio(halves)
    expected = (first + second) / np.linalg.norm(first + second)
    silence = Audio(np.zeros(RATE, dtype=np.float32), rate=RATE)
    heard = found.embed_audio([whole, silence, halves[0]])
    np.testing.assert_allclose(heard[0], expected, atol=1e-5)
    assert np.isnan(heard[1]).all()
    np.testing.assert_allclose(heard[2], first, atol=1e-6)


def test_a_folder_of_ours_comes_back_with_the_same_weights_and_no_network(ours: Path) -> None:
    made, back = tiny_clap(), load_clap(ours)
    for (name, before), after in zip(made.network.named_parameters(), back.network.parameters(), strict=True):
        assert torch.equal(before, after), name
    assert back.training == {"data": "none"}
    kinds = {path.suffix for path in ours.rglob("*") if path.is_file()}
    assert kinds <= {".json", ".safetensors", ".jinja"}  # no pickle
    again = load_style_embedder("local", model=str(ours), device="cpu")
    assert again.signature == embedder(ours, batch=3).signature


def test_a_signature_names_the_weights_without_loading_them(ours: Path, laion: Path, tmp_path: Path) -> None:
    named = LocalStyleEmbedder(model="nobody/has-this", revision="1").signature
    copied = tmp_path / "copy"
    shutil.copytree(ours, copied)
    assert embedder(copied).signature == embedder(ours).signature  # content counts, not where it lies
    assert len({named, embedder(ours).signature, embedder(laion).signature}) == 3


@pytest.mark.parametrize("kind", ["wavlm", "whisper"])
@pytest.mark.parametrize("pooling", ["last", "mean"])
def test_encoders_of_other_kinds_start_with_their_own_weights(kind: str, pooling: TextPooling, tmp_path: Path) -> None:
    (tmp_path / "text").mkdir()
    audio = save_wavlm(tmp_path / "audio") if kind == "wavlm" else save_whisper(tmp_path / "audio", multilingual=True)
    text = save_sentence_encoder(tmp_path / "text")
    clap = start_clap(str(audio), str(text), size=8, pooling=pooling)
    write_clap(tmp_path / "whole", clap, {})
    found = embedder(tmp_path / "whole", batch=1)
    given = [noise(0.4 + 0.2 * number, seed=number, rate=16_000) for number in range(4)]
    alone = found.embed_audio(given)
    assert np.abs(embedder(tmp_path / "whole").embed_audio(given[::-1])[::-1] - alone).max() < 1e-5


@pytest.mark.filterwarnings("ignore:Support for mismatched key_padding_mask")  # inside WavLM
@pytest.mark.parametrize("kind", ["wavlm", "whisper", "htsat"])
def test_what_stands_behind_a_clip_in_a_batch_does_not_count(kind: str) -> None:
    library = transformers()
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    convolutions = {"conv_dim": (8, 8), "conv_kernel": (40, 8), "conv_stride": (40, 8), "num_feat_extract_layers": 2}
    places = {"num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 2}
    as_large = {"feat_extract_norm": "layer", "do_stable_layer_norm": True}  # WavLM-Base norms over the whole row
    wavlm = library.WavLMConfig(**sizes, **convolutions, **places, **as_large)
    whisper = library.WhisperConfig(
        num_mel_bins=16, d_model=16, encoder_layers=1, encoder_attention_heads=2, max_source_positions=100
    )
    hears = library.WhisperFeatureExtractor(feature_size=16, chunk_length=2)
    parts = {
        "wavlm": AudioPart("waveform", config_fields(wavlm), {"do_normalize": True, "sampling_rate": 16_000}),
        "whisper": AudioPart("whisper", config_fields(whisper), reader_fields(hears)),
        "htsat": clap_config().audio,
    }
    torch.manual_seed(0)
    network = ClapNetwork(ClapConfig(parts[kind], features_config().text, size=8)).eval()
    rows = [torch.from_numpy(noise(0.4 + 0.2 * number, seed=number).samples.copy()) for number in range(4)]
    lengths = torch.tensor([len(row) for row in rows])
    with torch.inference_mode():
        together = network.embed_audio({"samples": padded(rows), "lengths": lengths})
        alone = [network.embed_audio({"samples": row[None], "lengths": torch.tensor([len(row)])}) for row in rows]
    np.testing.assert_allclose(together.numpy(), torch.cat(alone).numpy(), atol=1e-5)


def test_whisper_s_spectrogram_is_that_of_its_own_reader(tmp_path: Path) -> None:
    save_whisper(tmp_path, multilingual=True)
    reader = transformers().AutoFeatureExtractor.from_pretrained(tmp_path)
    clap = start_clap(str(tmp_path), str(save_sentence_encoder(tmp_path / "text")), pooling="mean")
    clip = noise(1.0, rate=16_000)
    expected = reader(clip.samples, sampling_rate=16_000, return_tensors="pt").input_features
    found = clap.network.audio_encoder.pictures(torch.from_numpy(clip.samples.copy())[None])
    np.testing.assert_allclose(found.numpy(), expected.numpy(), atol=1e-4)


def test_mt5_reads_with_its_encoder_alone_and_means_its_tokens(tmp_path: Path) -> None:
    library, reads = transformers(), tokenizer()
    torch.manual_seed(0)
    config = library.MT5Config(
        vocab_size=len(reads), d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2, tie_word_embeddings=False
    )
    library.MT5EncoderModel(config).save_pretrained(tmp_path)
    reads.save_pretrained(tmp_path)
    clap = start_clap(AudioPart("features", {"size": 3, "hidden": 4}), str(tmp_path))
    assert clap.network.config.text.pooling == "mean"
    write_clap(tmp_path / "whole", clap, {})
    rows = embedder(tmp_path / "whole").embed_texts(TEXTS)
    (tokens,) = clap.tokens(["a soft voice"])
    with torch.inference_mode():
        states = library.MT5EncoderModel.from_pretrained(tmp_path).eval()(tokens[None]).last_hidden_state
        expected = torch.nn.functional.normalize(clap.network.eval().text_projection(states.mean(dim=1)), dim=1)
    np.testing.assert_allclose(rows[1], expected[0].numpy(), atol=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "last", "first", "max"])
def test_padding_does_not_count_in_any_pooling(pooling: TextPooling) -> None:
    states = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4)
    mask = torch.tensor([[1, 1, 1], [1, 1, 0]])
    expected = {"mean": 14.0, "last": 16.0, "first": 12.0, "max": 16.0}  # of [12…15] and [16…19], first column
    assert pooled(states, mask, pooling)[1, 0] == expected[pooling]
    assert torch.equal(pooled(states, mask, pooling)[:1], pooled(states[:1], mask[:1], pooling))


def test_a_model_of_numbers_asks_for_what_makes_them(tmp_path: Path) -> None:
    write_clap(tmp_path, tiny_clap(features_config()), {})
    with pytest.raises(UsageError, match=r"trained on six numbers of each clip, .* from Python: LocalStyleEmbedder\("):
        embedder(tmp_path).embed_audio(clips(2))
    found = embedder(tmp_path, features=lambda clip: np.resize(clip.samples, 6))
    assert found.embed_audio(clips(3)).shape == (3, 12)


def test_what_cannot_be_embedded_is_refused(ours: Path) -> None:
    found = embedder(ours)
    with pytest.raises(UsageError, match="no clip was given"):
        found.embed_audio([])
    with pytest.raises(UsageError, match="text 2 of 2 is empty"):
        found.embed_texts(["a", " "])
    with pytest.raises(UsageError, match="text 1 has 65 tokens, 64 are read"):
        found.embed_texts(["a" * 65])
    with pytest.raises(UsageError, match="1 clip or more"):
        embedder(ours, batch=0)
    with pytest.raises(UsageError, match="from Python only; got 'ear'"):
        embedder(ours, features="ear")


def test_folders_that_hold_something_else_or_not_all_of_it_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no model"):
        load_clap(tmp_path)
    write_clap(tmp_path / "cut", tiny_clap(), {})
    (tmp_path / "cut" / WEIGHTS).write_bytes(b"\0" * 100)
    with pytest.raises(UsageError, match="not a whole dual encoder"):
        load_clap(tmp_path / "cut")
    given = json.loads((tmp_path / "cut" / CONFIG).read_text(encoding="utf-8"))
    given["text"]["model"]["model_type"] = "somebody's own"
    (tmp_path / "cut" / CONFIG).write_text(json.dumps(given), encoding="utf-8")
    with pytest.raises(UsageError, match="knows no model of the kind"):
        load_clap(tmp_path / "cut")
    (tmp_path / "text").mkdir()
    with pytest.raises(UsageError, match="expected a folder that aptone train clap wrote"):
        load_clap(save_sentence_encoder(tmp_path / "text"))
    with pytest.raises(UsageError, match="an audio encoder is a CLAP"):
        start_clap(str(tmp_path / "text"), str(tmp_path / "text"))
    with pytest.raises(UsageError, match="say --text-pooling"):
        start_clap(AudioPart("features", {"size": 3, "hidden": 4}), str(tmp_path / "text"))


def test_a_pickle_is_never_read(laion: Path, tmp_path: Path) -> None:
    model = transformers().ClapModel.from_pretrained(laion)
    model.config.save_pretrained(tmp_path)
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(UsageError, match="cannot be loaded"):
        load_clap(tmp_path)


def test_kinds_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UsageError, match="an audio encoder is one of"):
        AudioPart("picture", {})  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="the pooling is one of"):
        TextPart({}, "middle")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="1 token or more"):
        TextPart({}, "mean", longest=0)
    with pytest.raises(UsageError, match="knows no model"):
        ClapNetwork(ClapConfig(AudioPart("features", {"size": 1, "hidden": 1}), TextPart({"model_type": "x"}, "mean")))


def test_the_scale_stays_between_one_and_a_hundred() -> None:
    network = tiny_clap(features_config()).network
    assert network.scale().item() == pytest.approx(1 / 0.07)
    for given, held in ((9.0, 100.0), (-1.0, 1.0), (2.0, float(np.exp(2.0)))):
        with torch.no_grad():
            network.log_scale.fill_(given)
        network.hold_scale()
        assert network.scale().item() == pytest.approx(held)
