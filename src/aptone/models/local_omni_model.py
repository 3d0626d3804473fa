"""The thinker of Qwen2.5-Omni with the adaptive audio attention bias, as CEAEval-M has it.

Nothing of transformers' modelling code is repeated: a decoder layer with three more projections takes the place of the
stock one, and the bias goes by transformers' own register of attention functions. Parameters have the names of the
public release; checkpoints without gates, and whole ones with talker and vocoder, are read as well.

The stock model lies flat up to transformers 5.20 and one level deeper since; its decoder is asked for, not spelt out.
"""

import inspect
from typing import Any

from torch import Tensor, nn
from transformers import (
    AttentionInterface,
    AttentionMaskInterface,
    Qwen2_5OmniThinkerConfig,
    Qwen2_5OmniThinkerForConditionalGeneration,
)
from transformers.conversion_mapping import get_checkpoint_conversion_mapping, register_checkpoint_conversion_mapping
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask
from transformers.models.qwen2_5_omni.modeling_qwen2_5_omni import Qwen2_5OmniDecoderLayer

from aptone.models.local_attention import (
    Bias,
    GatePosition,
    Markers,
    Trace,
    Tracker,
    biased_attention,
    extend,
    log_gates,
)

ATTENTION = "aptone_audio_bias"
"""Under which transformers knows the attention function."""

GATES = ("focus_biasfc", "supress_biasfc", "instruct_biasfc")
"""The projections of a layer, spelt as in the release."""


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    bias: Bias | None = None,
    **options: Any,
) -> tuple[Tensor, None]:
    """Attention as transformers asks for it; without a bias, plain."""
    if bias is None:
        return sdpa_attention_forward(module, query, key, value, attention_mask, **options)  # type: ignore[no-any-return]
    attended = biased_attention(
        query,
        key,
        value,
        bias=bias,
        mask=attention_mask,
        scaling=options["scaling"],
        dropout=options.get("dropout", 0.0),
    )
    return attended.transpose(1, 2).contiguous(), None


AttentionInterface.register(ATTENTION, attend)
AttentionMaskInterface.register(ATTENTION, sdpa_mask)


class GatedDecoderLayer(Qwen2_5OmniDecoderLayer):  # type: ignore[misc]
    """A decoder layer whose gates read its input behind the first norm."""

    def __init__(self, config: Any, layer_idx: int) -> None:
        super().__init__(config, layer_idx)
        for name in GATES:
            self.add_module(name, nn.Linear(config.hidden_size, 1))

    def forward(
        self,
        hidden_states: Tensor,
        *,
        trace: Trace | None = None,
        gate_position: GatePosition = "query",
        **options: Any,
    ) -> Tensor:
        """The layer's output; with a trace, by way of biased attention."""
        if trace is not None:
            normed = self.input_layernorm(hidden_states)
            gates = log_gates(
                instruction=self.instruct_biasfc(normed),
                focus=self.focus_biasfc(normed),
                suppression=self.supress_biasfc(normed),
            )
            options["bias"] = Bias(trace.to(gates.device), gates, gate_position)  # layers may lie on several devices
        return super().forward(hidden_states, **options)  # type: ignore[no-any-return]


class GatedThinker(Qwen2_5OmniThinkerForConditionalGeneration):  # type: ignore[misc]
    """The thinker with gates in every layer.

    Attributes:
        markers: where the bias is active; None for no bias at all.
        gate_position: where gates are read.
    """

    _no_split_modules = (*Qwen2_5OmniThinkerForConditionalGeneration._no_split_modules, "GatedDecoderLayer")
    _keys_to_ignore_on_load_unexpected = (r"^talker\.", r"^token2wav\.")

    def __init__(self, config: Qwen2_5OmniThinkerConfig) -> None:
        super().__init__(config)
        self.markers: Markers | None = None
        self.gate_position: GatePosition = "query"
        self._tracker: Tracker | None = None
        decoder = self.get_decoder()
        layers = [GatedDecoderLayer(config.text_config, index) for index in range(len(decoder.layers))]
        decoder.layers = nn.ModuleList(layers)
        self.set_attn_implementation({"text_config": ATTENTION})
        self.post_init()

    def bias_by(self, markers: Markers | None, *, gate_position: GatePosition = "query") -> None:
        """Switch the bias on, where these markers say; None switches it off."""
        self.markers, self.gate_position = markers, gate_position
        self._tracker = None if markers is None else Tracker(markers)

    def forward(self, input_ids: Tensor | None = None, *, trace: Trace | None = None, **options: Any) -> Any:
        """As the stock model.

        Args:
            input_ids: token ids.
            trace: of everything up to these ids; needed with a cache that is not empty.
            options: what the stock model takes.

        Raises:
            ValueError: if the bias is on, and it cannot be known where.
        """
        if self.markers is not None:
            cache = options.get("past_key_values")
            if trace is None:
                if input_ids is None or (cache is not None and cache.get_seq_length() > 0):
                    raise ValueError("the bias needs all token ids so far, or their trace.")
                trace = extend(None, input_ids, self.markers)
            if input_ids is None or bool(trace.active[:, -input_ids.shape[1] :].any()):
                options |= {"trace": trace, "gate_position": self.gate_position}
        return super().forward(input_ids=input_ids, **options)

    # What generation looks at to find out which inputs the model takes.
    forward.__signature__ = inspect.signature(Qwen2_5OmniThinkerForConditionalGeneration.forward)  # type: ignore[attr-defined]

    def prepare_inputs_for_generation(self, input_ids: Tensor, **kwargs: Any) -> dict[str, Any]:
        """What the stock model prepares, and the trace: here all token ids are known, at every step."""
        inputs: dict[str, Any] = super().prepare_inputs_for_generation(input_ids, **kwargs)
        if self._tracker is not None:
            inputs["trace"] = self._tracker(input_ids)
        return inputs


_renamings = get_checkpoint_conversion_mapping(Qwen2_5OmniThinkerForConditionalGeneration.__name__)
if _renamings is not None:
    register_checkpoint_conversion_mapping(GatedThinker.__name__, _renamings, overwrite=True)
