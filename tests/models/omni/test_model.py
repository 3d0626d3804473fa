"""The gated thinker against the release's formula, transcribed: softmax, times a factor, normed again, all L×L."""

import pytest

pytest.importorskip("torch", reason="the model needs torch: pip install 'aptone[local]'")
pytest.importorskip("transformers", reason="the extra local is not installed")

import copy
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import save_file
from torch import Tensor

from aptone.models.omni import attention as local_attention
from aptone.models.omni import model as local_omni_model
from aptone.models.omni.attention import GatePosition, extend
from aptone.models.omni.attention_layout import Markers, lay_out
from aptone.models.omni.model import GatedThinker
from tests.models.local_models import Dictation, omni_config, omni_weights

WORDS = 40
AUDIO, SCORE, SCORE_END, FOCUS, FOCUS_END = 30, 31, 32, 33, 34
MARKERS = Markers(audio=(AUDIO,), spans=((SCORE, SCORE_END), (FOCUS, FOCUS_END)))
IDS = {"<|AUDIO|>": AUDIO, "<|audio_bos|>": 35, "<|audio_eos|>": 36}

# Two prompts, the first of them padded on the left by three; in the second, a span was opened and closed before.
PADDING = (3, 0)
PROMPTS = [
    [0, 0, 0, 5, 6, 35, AUDIO, AUDIO, AUDIO, 36, 7, 8],
    [4, SCORE, 9, SCORE_END, 35, AUDIO, AUDIO, 36, 10, 11, FOCUS, 12],
]
WRITTEN = [
    [FOCUS, 13, 14, FOCUS_END, 15, SCORE, 16, 17, SCORE_END, 18],
    [13, FOCUS_END, 14, 15, SCORE, 16, FOCUS, 17, 18, 19],
]


def active(ids: list[int]) -> list[bool]:
    """The release's rule, read off its description: after an opening token, up to and including the closing one."""
    found = [False] * len(ids)
    for opening, closing in ((SCORE, SCORE_END), (FOCUS, FOCUS_END)):
        for begin, token in enumerate(ids):
            if token == opening:
                ends = [place for place in range(begin, len(ids)) if ids[place] == closing]
                for place in range(begin + 1, (ends[0] if ends else len(ids) - 1) + 1):
                    found[place] = True
    return found


class Transcription:
    """The release's attention on the stock model.

    Args:
        config: of the model.
        weights: under the release's names.
        gate_position: of the formula. On a whole sequence the release reads gates at the key; while it decodes, at the
            query. The paper reads them at the query.
    """

    def __init__(self, config: Any, weights: Mapping[str, Tensor], gate_position: GatePosition) -> None:
        self._weights = weights
        self._position = gate_position
        self._normed: dict[int, Tensor] = {}
        self._ids = [prompt + written for prompt, written in zip(PROMPTS, WRITTEN, strict=True)]
        name = f"transcribed_{gate_position}"
        transformers.AttentionInterface.register(name, self.attend)
        transformers.AttentionMaskInterface.register(name, lambda *_, **__: None)
        stock = transformers.Qwen2_5OmniThinkerForConditionalGeneration(config).eval()
        with torch.no_grad():
            for parameter, value in stock.named_parameters():
                flat = parameter.replace("model.language_model.", "model.").replace("model.audio_tower", "audio_tower")
                value.copy_(weights[flat.replace("model.visual", "visual")])
        stock.set_attn_implementation({"text_config": name})
        for number, layer in enumerate(stock.get_decoder().layers):
            layer.input_layernorm.register_forward_hook(self._remember(number))
        self.model = stock

    def _remember(self, number: int) -> Any:
        return lambda module, given, normed: self._normed.__setitem__(number, normed)

    def attend(
        self, module: Any, query: Tensor, key: Tensor, value: Tensor, mask: None, *, scaling: float, **_: Any
    ) -> tuple[Tensor, None]:
        queries, keys = query.shape[2], key.shape[2]
        key, value = (states.repeat_interleave(module.num_key_value_groups, dim=1) for states in (key, value))
        factors = self._factors(module.layer_idx, queries, keys)
        scores = (query @ key.transpose(2, 3)).float() * scaling
        allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries).repeat(len(PADDING), 1, 1)
        for row, padding in enumerate(PADDING):
            allowed[row, :, :padding] = False
            allowed[row, range(queries), range(keys - queries, keys)] = True  # padding at least sees itself
        shares = torch.softmax(scores.masked_fill(~allowed[:, None], float("-inf")), dim=-1) * factors[:, None]
        return ((shares / shares.sum(dim=-1, keepdim=True)) @ value).transpose(1, 2), None

    def _factors(self, layer: int, queries: int, keys: int) -> Tensor:
        def gate(name: str) -> Tensor:
            prefix = f"model.layers.{layer}.{name}"
            linear = self._normed[layer] @ self._weights[f"{prefix}.weight"].T + self._weights[f"{prefix}.bias"]
            return torch.sigmoid(linear.float())[..., 0]

        instruct, focus, suppress = 2 * gate("instruct_biasfc"), 1 + gate("focus_biasfc"), gate("supress_biasfc")
        factors = torch.ones(len(PADDING), queries, keys)
        for row, all_ids in enumerate(self._ids):
            ids = all_ids[:keys]
            first_audio = ids.index(AUDIO)
            is_active = active(ids)
            for at in range(queries):
                if not is_active[keys - queries + at]:
                    continue
                for seen in range(keys):
                    read = seen if self._position == "key" and queries == keys else at
                    kind = focus if ids[seen] == AUDIO else instruct if seen < first_audio else suppress
                    factors[row, at, seen] = kind[row, read]
        return factors


def attention_mask(length: int) -> Tensor:
    return torch.tensor([[int(place >= padding) for place in range(length)] for padding in PADDING])


def logits_while_writing(model: Any) -> Tensor:
    """(batch, steps, words): before each dictated token; the first comes from prefill, the rest from decoding."""
    ids = torch.tensor(PROMPTS)
    with torch.inference_mode():
        made = model.generate(
            input_ids=ids,
            attention_mask=attention_mask(ids.shape[1]),
            max_new_tokens=len(WRITTEN[0]),
            do_sample=False,
            eos_token_id=None,
            pad_token_id=0,
            logits_processor=[Dictation(WRITTEN, shown=len(PROMPTS[0]))],
            output_logits=True,
            return_dict_in_generate=True,
        )
    assert made.sequences[:, ids.shape[1] :].tolist() == WRITTEN
    return torch.stack(made.logits, dim=1)


def logits_at_once(model: Any) -> Tensor:
    ids = torch.tensor([prompt + written for prompt, written in zip(PROMPTS, WRITTEN, strict=True)])
    with torch.inference_mode():
        found: Tensor = model(input_ids=ids, attention_mask=attention_mask(ids.shape[1])).logits
    return found


@pytest.fixture(scope="module")
def config() -> Any:
    return omni_config(WORDS, IDS)


@pytest.fixture(scope="module")
def weights(config: Any) -> dict[str, Tensor]:
    return omni_weights(config)


@pytest.fixture(scope="module")
def gated(config: Any, weights: dict[str, Tensor], tmp_path_factory: pytest.TempPathFactory) -> GatedThinker:
    folder = tmp_path_factory.mktemp("release")
    config.save_pretrained(folder)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    model, found = GatedThinker.from_pretrained(folder, output_loading_info=True)
    assert not found["missing_keys"]
    assert not found["unexpected_keys"]
    model.eval()
    return model  # type: ignore[no-any-return]


def within(found: Tensor, expected: Tensor) -> float:
    """The largest difference, padding left out."""
    real = attention_mask(found.shape[1]).bool() if found.shape[1] > len(WRITTEN[0]) else slice(None)
    return float((found - expected)[real].abs().max())


@pytest.mark.parametrize("gate_position", ["key", "query"])
def test_prefill_and_cached_decoding_equal_the_transcribed_formula(
    gated: GatedThinker, config: Any, weights: dict[str, Tensor], gate_position: GatePosition
) -> None:
    reference = Transcription(copy.deepcopy(config), weights, gate_position).model
    gated.bias_by(MARKERS, gate_position=gate_position)
    whole, written = logits_at_once(gated), logits_while_writing(gated)
    assert within(whole, logits_at_once(reference)) < 1e-4
    assert within(written, logits_while_writing(reference)) < 1e-4
    gated.bias_by(None)
    assert within(whole, logits_at_once(gated)) > 0.1, "the bias does something"
    assert within(written, logits_while_writing(gated)) > 0.1


def test_with_gates_at_the_query_decoding_equals_the_whole_sequence(gated: GatedThinker) -> None:
    gated.bias_by(MARKERS)
    before = len(PROMPTS[0]) - 1
    assert within(logits_while_writing(gated), logits_at_once(gated)[:, before:-1]) < 1e-4


def test_with_gates_at_the_key_it_does_not_as_in_the_release(gated: GatedThinker) -> None:
    gated.bias_by(MARKERS, gate_position="key")
    before = len(PROMPTS[0]) - 1
    assert within(logits_while_writing(gated), logits_at_once(gated)[:, before:-1]) > 0.01


def test_without_the_bias_it_is_the_stock_model(gated: GatedThinker, config: Any, weights: dict[str, Tensor]) -> None:
    stock = Transcription(copy.deepcopy(config), weights, "query").model
    stock.set_attn_implementation({"text_config": "sdpa"})
    gated.bias_by(None)
    assert within(logits_at_once(gated), logits_at_once(stock)) < 1e-5


@pytest.mark.parametrize("markers", [MARKERS, None])
def test_where_sequences_lie_is_asked_once_and_not_in_every_layer(
    gated: GatedThinker, markers: Markers | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a GPU, every question makes the host wait for the device.
    asked: list[int] = []

    def counting(*given: Any, **options: Any) -> Any:
        asked.append(1)
        return lay_out(*given, **options)

    for module in (local_attention, local_omni_model):
        monkeypatch.setattr(module, "lay_out", counting)
    gated.bias_by(markers)
    logits_at_once(gated)
    assert len(asked) == 1


def test_a_cache_without_a_trace_is_refused_and_with_one_it_goes_on(gated: GatedThinker) -> None:
    gated.bias_by(MARKERS)
    ids, places = torch.tensor([[4, AUDIO, AUDIO, SCORE, 5, 6]]), torch.arange(6)[None]
    with torch.inference_mode():
        whole = gated(input_ids=ids, position_ids=places).logits
        cache = gated(input_ids=ids[:, :4], position_ids=places[:, :4], use_cache=True).past_key_values
        with pytest.raises(ValueError, match="all token ids so far, or their trace"):
            gated(input_ids=ids[:, 4:], position_ids=places[:, 4:], past_key_values=cache)
        trace = extend(extend(None, ids[:, :4], MARKERS), ids[:, 4:], MARKERS)
        rest = gated(input_ids=ids[:, 4:], position_ids=places[:, 4:], past_key_values=cache, trace=trace).logits
    assert torch.allclose(rest, whole[:, 4:], atol=1e-4)


def test_every_gate_learns_from_what_is_written_in_a_span(gated: GatedThinker) -> None:
    model = copy.deepcopy(gated).train()
    model.bias_by(MARKERS)
    ids = torch.tensor([PROMPTS[1] + WRITTEN[1]])
    model(input_ids=ids, attention_mask=torch.ones_like(ids), labels=ids).loss.backward()
    gates = [(name, weight) for name, weight in model.named_parameters() if "biasfc" in name]
    assert len(gates) == 2 * 3 * 2  # layers, gates, weight and bias
    for name, weight in gates:
        assert weight.grad is not None, name
        assert weight.grad.abs().max() > 0, name


def test_it_is_saved_under_the_release_s_names(gated: GatedThinker, weights: dict[str, Tensor], tmp_path: Path) -> None:
    from safetensors import safe_open

    gated.save_pretrained(tmp_path)
    with safe_open(tmp_path / "model.safetensors", "pt") as file:
        assert set(file.keys()) == set(weights)


def test_loading_and_writing_log_nothing(
    gated: GatedThinker, config: Any, weights: dict[str, Tensor], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config.save_pretrained(tmp_path)
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    logger = logging.getLogger("transformers")
    logger.addHandler(caplog.handler)
    try:
        loaded = GatedThinker.from_pretrained(tmp_path).eval()
        loaded.bias_by(MARKERS)
        logits_while_writing(loaded)
    finally:
        logger.removeHandler(caplog.handler)
    assert caplog.text == ""
