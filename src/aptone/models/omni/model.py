"""Thinker of Qwen2.5-Omni with the adaptive audio attention bias of CEAEval-M.

No modelling code of transformers is copied: a decoder layer with three more projections replaces the stock one, and the
bias uses transformers' registry of attention functions. Parameters have the names of the public release; checkpoints
without gates, and whole ones with talker and vocoder, are read as well.

The decoder of the stock model is found by a method: it lies one level deeper since transformers 5.20.
"""

import contextlib
import inspect
from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor, nn
from transformers import (
    AttentionInterface,
    AttentionMaskInterface,
    DynamicCache,
    Qwen2_5OmniThinkerConfig,
    Qwen2_5OmniThinkerForConditionalGeneration,
)
from transformers.conversion_mapping import get_checkpoint_conversion_mapping, register_checkpoint_conversion_mapping
from transformers.generation import GenerationConfig, GenerationMode
from transformers.masking_utils import flash_attention_mask
from transformers.modeling_outputs import CausalLMOutputWithPast
from transformers.models.qwen2_5_omni.modeling_qwen2_5_omni import Qwen2_5OmniAttention, Qwen2_5OmniDecoderLayer

from aptone.models.omni.attention import (
    Bias,
    GatePosition,
    Trace,
    Tracker,
    biased_attention,
    extend,
    log_gates,
    one_query_attention,
)
from aptone.models.omni.attention_kernels import unprepared
from aptone.models.omni.attention_layout import Layout, Markers, lay_out, not_laid_out
from aptone.models.omni.attention_pieces import MOST_SEGMENTS, WORTH_IT
from aptone.models.omni.fixed_step import FixedCache, FixedStep

ATTENTION = "aptone_audio_bias"
"""Name of the attention function in transformers' registry."""

Writing = Literal["auto", "fixed", "growing"]
"""Decoding: with a cache in fixed memory, whose steps a GPU replays; or with the stock cache."""

GATES = ("focus_biasfc", "supress_biasfc", "instruct_biasfc")
"""Projections of a layer, spelt as in the release."""


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    bias: Bias | Tensor | None = None,
    layout: Layout | None = None,
    scaling: float,
    dropout: float = 0.0,
    **options: Any,
) -> tuple[Tensor, None]:
    """Compute attention, with the signature of transformers' attention functions.

    Args:
        query, key, value: (batch, heads or key heads, positions, width).
        attention_mask: (batch, keys), true where a position is real; None where all are.
        bias: bias of a layer; a row for each sequence where there is one query (`row_of_bias`), padding included.

    Raises:
        ValueError: if there is a mask for each pair of positions.
    """
    if attention_mask is not None and attention_mask.ndim != 2:
        raise ValueError(f"{ATTENTION} takes a mask of padding, (batch, positions), not {tuple(attention_mask.shape)}.")
    if isinstance(bias, Tensor):
        attended = one_query_attention(query, key, value, added=bias, scaling=scaling)
    else:
        attended = biased_attention(
            query, key, value, bias=bias, scaling=scaling, padding=attention_mask, layout=layout, dropout=dropout
        )
    return attended.transpose(1, 2), None


AttentionInterface.register(ATTENTION, attend)
AttentionMaskInterface.register(ATTENTION, flash_attention_mask)  # padding only: no mask for each pair of positions


class GatedAttention(Qwen2_5OmniAttention):  # type: ignore[misc]
    """Attention whose bias is read from its input: the layer's input after the first norm."""

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        *,
        trace: Trace | None = None,
        gate_position: GatePosition = "query",
        gates: Mapping[str, nn.Linear] | None = None,
        **options: Any,
    ) -> Any:
        """Compute the stock attention; with a trace, biased attention."""
        # Layers may lie on several devices, and Triton starts its kernels on the current one.
        with torch.cuda.device_of(hidden_states):  # type: ignore[no-untyped-call]
            if trace is not None:
                assert gates is not None
                trace = trace.to(hidden_states.device)
                options["bias"] = layer_bias(hidden_states, attention_mask, trace, gate_position, gates)
            return super().forward(hidden_states, attention_mask, **options)


def layer_bias(
    states: Tensor, padding: Tensor | None, trace: Trace, gate_position: GatePosition, gates: Mapping[str, nn.Linear]
) -> Bias | Tensor:
    """Return the bias of a layer; for one query a row on a GPU, the addend of its scores, padding included.

    Args:
        states: (batch, queries, width), the layer's input after the first norm.
        padding: (batch, keys), true where a position is real; None where all are.
        gates: projections of the layer, by name.
    """
    if states.is_cuda and states.shape[1] == 1 and not torch.is_grad_enabled():
        from aptone.models.omni.attention_triton import row_of_bias

        return row_of_bias(
            states,
            (gates["instruct_biasfc"], gates["focus_biasfc"], gates["supress_biasfc"]),
            regions=trace.regions,
            active=trace.active[:, -1:],
            padding=padding,
        )
    instruction, focus, suppression = (gates[f"{name}_biasfc"](states) for name in ("instruct", "focus", "supress"))
    return Bias(trace, log_gates(instruction, focus, suppression), gate_position)


class GatedDecoderLayer(Qwen2_5OmniDecoderLayer):  # type: ignore[misc]
    """Decoder layer with three more projections, which its attention reads."""

    def __init__(self, config: Any, layer_idx: int) -> None:
        super().__init__(config, layer_idx)
        self.self_attn = GatedAttention(config, layer_idx)
        for name in GATES:
            self.add_module(name, nn.Linear(config.hidden_size, 1))

    def forward(self, hidden_states: Tensor, *, trace: Trace | None = None, **options: Any) -> Tensor:
        """Return the layer's output; with a trace, by biased attention."""
        if trace is not None:
            options |= {"trace": trace, "gates": {name: getattr(self, name) for name in GATES}}
        return super().forward(hidden_states, **options)  # type: ignore[no-any-return]


class GatedThinker(Qwen2_5OmniThinkerForConditionalGeneration):  # type: ignore[misc]
    """Thinker with gates in every layer.

    Attributes:
        markers: markers of the bias; None for no bias at all.
        gate_position: position that gates are read at.
        writing: cache of `generate`; ``auto`` is ``fixed`` on a GPU.
    """

    _no_split_modules = (*Qwen2_5OmniThinkerForConditionalGeneration._no_split_modules, "GatedDecoderLayer")
    _keys_to_ignore_on_load_unexpected = (r"^talker\.", r"^token2wav\.")

    def __init__(self, config: Qwen2_5OmniThinkerConfig) -> None:
        super().__init__(config)
        self.markers: Markers | None = None
        self.gate_position: GatePosition = "query"
        self.writing: Writing = "auto"
        self._tracker: Tracker | None = None
        decoder = self.get_decoder()
        layers = [GatedDecoderLayer(config.text_config, index) for index in range(len(decoder.layers))]
        decoder.layers = nn.ModuleList(layers)
        self.set_attn_implementation({"text_config": ATTENTION})
        self.post_init()

    def bias_by(self, markers: Markers | None, *, gate_position: GatePosition = "query") -> None:
        """Switch the bias on with these markers; None switches it off."""
        self.markers, self.gate_position = markers, gate_position
        self._tracker = None if markers is None else Tracker(markers)

    def forward(self, input_ids: Tensor | None = None, *, trace: Trace | None = None, **options: Any) -> Any:
        """Compute the stock model's output, with the bias.

        Args:
            trace: trace of everything up to these ids; needed with a cache that is not empty.
            options: arguments of the stock model. Rows that are padded on the right need no ``attention_mask``, as
                attention is causal; many short ones are faster without.

        Raises:
            ValueError: if the bias is on, and token ids or trace are missing.
        """
        cache = options.get("past_key_values")
        before = 0 if cache is None else cache.get_seq_length()
        given = input_ids if input_ids is not None else options["inputs_embeds"]
        queries = given.shape[1]
        if isinstance(cache, FixedCache) and cache.step is not None and input_ids is not None and queries == 1:
            logits = cache.step(cache, input_ids, options["position_ids"])
            return CausalLMOutputWithPast(logits=logits, past_key_values=cache)
        if self.markers is not None:
            if trace is None and input_ids is not None and before == 0:
                trace = extend(None, input_ids, self.markers)
            if trace is None or trace.regions.shape[1] != before + queries:  # of a chunk, generation shows that alone
                raise ValueError("the bias needs all token ids so far, or their trace.")
        if isinstance(cache, FixedCache):
            cache.expect(queries)
        if trace is not None and self.markers is not None and bool(trace.active[:, -queries:].any()):
            options |= {"trace": trace, "gate_position": self.gate_position}
        if queries > 1:
            known = trace if trace is not None else _untraced(given.shape[0], before + queries)
            options["layout"] = _layout(known, options.get("attention_mask"), queries, is_whole=before == 0)
        # In training the loop says so for all: what is computed again for its gradient must be computed alike.
        with contextlib.nullcontext() if torch.is_grad_enabled() else unprepared():
            made = super().forward(input_ids=input_ids, **options)
        if isinstance(cache, FixedCache):
            cache.advance(queries)
            cache.step = FixedStep(self, cache, real=options.get("attention_mask"), trace=trace, markers=self.markers)
        return made

    # What generation looks at to find out which inputs the model takes.
    forward.__signature__ = inspect.signature(Qwen2_5OmniThinkerForConditionalGeneration.forward)  # type: ignore[attr-defined]

    def prepare_inputs_for_generation(self, input_ids: Tensor, **kwargs: Any) -> dict[str, Any]:
        """Prepare the inputs of the stock model, and the trace: here all token ids are known, at every step."""
        inputs: dict[str, Any] = super().prepare_inputs_for_generation(input_ids, **kwargs)
        cache = inputs.get("past_key_values")
        # A step of such a cache follows the ids by itself.
        is_step = isinstance(cache, FixedCache) and cache.step is not None and inputs["input_ids"].shape[1] == 1
        if self._tracker is not None and not is_step:
            inputs["trace"] = self._tracker(input_ids)
        return inputs

    def _prepare_cache_for_generation(
        self,
        generation_config: GenerationConfig,
        model_kwargs: dict[str, Any],
        generation_mode: GenerationMode,
        *sizes: int,
    ) -> None:
        """Prepare the cache of the stock model, or one whose steps can be replayed."""
        given = model_kwargs.get("past_key_values")
        if isinstance(given, FixedCache):
            given.step = None  # the bias or an adapter may have been switched since, and a step may have failed
        super()._prepare_cache_for_generation(generation_config, model_kwargs, generation_mode, *sizes)
        is_stock = type(model_kwargs.get("past_key_values")) is DynamicCache and given is None
        is_asked_for = bool(generation_config.cache_implementation)
        # A step takes its tokens for real ones, and those of prompts may be padding.
        has_steps_in_prompts = generation_config.prefill_chunk_size == 1
        shows_more = generation_config.output_attentions or generation_config.output_hidden_states
        is_plain = generation_mode in (GenerationMode.GREEDY_SEARCH, GenerationMode.SAMPLE) and not shows_more
        if is_stock and is_plain and not (is_asked_for or has_steps_in_prompts) and self._writes_in_place():
            model_kwargs["past_key_values"] = FixedCache(len(self.get_decoder().layers), self.device)

    def _writes_in_place(self) -> bool:
        """Return true if decoding can, and is to, use a cache in fixed memory."""
        text = self.config.get_text_config(decoder=True)
        if text._attn_implementation != ATTENTION or set(text.layer_types) != {"full_attention"}:
            return False
        if self.writing == "auto":
            devices = {parameter.device for parameter in self.parameters()}
            return not self.training and len(devices) == 1 and devices.pop().type == "cuda"
        return self.writing == "fixed"


def _untraced(rows: int, keys: int) -> Trace:
    """Return the trace of sequences without a bias: their layout is still found once, not in every layer."""
    nowhere = torch.zeros(rows, keys, dtype=torch.bool)
    return Trace(nowhere.long(), nowhere, inside=nowhere[:, :0])


def _layout(trace: Trace, mask: Tensor | None, queries: int, *, is_whole: bool) -> Layout:
    padding = None if mask is None or mask.ndim != 2 else mask
    many = trace.regions.shape[0] > MOST_SEGMENTS and queries < WORTH_IT
    if padding is None and is_whole and many:
        return not_laid_out(queries)
    return lay_out(trace.regions, trace.active, padding=padding, queries=queries)


_renamings = get_checkpoint_conversion_mapping(Qwen2_5OmniThinkerForConditionalGeneration.__name__)
if _renamings is not None:
    register_checkpoint_conversion_mapping(GatedThinker.__name__, _renamings, overwrite=True)
