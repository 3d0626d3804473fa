"""A trainable Qwen2.5-Omni judge: adapters, gates and new tokens are trained, everything else is frozen.

LoRA (rank 32, alpha 64, section 4.2 of CEAEval) applies to the attention and feed-forward layers of the text decoder;
the gates of the attention bias are trained with it. A base that lacks the six tokens of the release gets new rows in
its embeddings and its head, which are trained as well: a row that stays the mean of its pieces could never be the
likeliest, since a mean of logits is never above all of them. ``all`` trains every weight of hearing and writing, for
small models without pre-training.

Trainable weights are kept in 32 bits whatever the precision of the base: at a learning rate of 5e-6, updates would
vanish in 16 bits.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn
from torch.distributed.tensor import DTensor

from aptone.errors import MissingExtraError, UsageError
from aptone.files import make_folder
from aptone.models.local.placement import Placement
from aptone.models.omni.attention import GatePosition
from aptone.models.omni.checkpoint import (
    BIAS_FORM,
    GATE_POSITION,
    TOKENS,
    BiasForm,
    Omni,
    bias_form_of,
    gate_position_of,
    load_omni,
    markers_of,
)
from aptone.models.omni.model import GATES, GatedDecoderLayer
from aptone.train.judge.batch import reply_log_probabilities
from aptone.train.judge.config import TrainingPrecision

AdapterKind = Literal["lora", "all"]

PROJECTIONS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
"""Projections of a decoder layer that LoRA adapts."""
FINGERPRINT_VALUES = 16
"""Values of each tensor that the fingerprint of a judge's weights is computed from."""
UNUSED = ("visual", "audio_bos_eos_token")
"""Parts that no audio passes through; never trained."""


@dataclass(frozen=True, slots=True)
class AdapterConfig:
    """Trainable weights of a judge.

    Args:
        kind: ``lora``, or ``all`` weights of hearing and writing.
        lora_alpha: scale of LoRA; its output is multiplied by alpha / rank.
        bias: switch on the attention bias and train its gates.
        tokens: add the release's tokens to a base that lacks them.
        gate_position: position at which gates are read, ``query`` or ``key``; by default that of the base, or the
            query.
        bias_form: form of the bias, ``release`` or ``paper``; by default that of the base, or the release's.

    Raises:
        UsageError: if there is no such kind, or a value is out of range.
    """

    kind: AdapterKind = "lora"
    lora_rank: int = 32
    lora_alpha: int = 64
    lora_dropout: float = 0.0
    bias: bool = True
    tokens: bool = True
    gate_position: GatePosition | None = None
    bias_form: BiasForm | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(AdapterKind):
            raise UsageError(f"what is trained is {' or '.join(get_args(AdapterKind))}, got {self.kind!r}.")
        if self.bias_form not in (None, *get_args(BiasForm)):
            raise UsageError(f"the form of the bias is {' or '.join(get_args(BiasForm))}, got {self.bias_form!r}.")
        if self.gate_position not in (None, *get_args(GatePosition)):
            raise UsageError(f"gates are read at the query or at the key, got {self.gate_position!r}.")
        if self.lora_rank < 1 or self.lora_alpha < 1 or not 0 <= self.lora_dropout < 1:
            raise UsageError("rank and alpha are 1 or more, dropout is at least 0 and below 1.")
        if self.bias and not self.tokens:
            raise UsageError("the attention bias goes by the tokens of the release: it cannot be on without them.")


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """A trainable model with its tokenizer and feature extractor.

    Args:
        omni: the thinker with adapters, its tokenizer and feature extractor.
        model: the thinker as a peft model; the thinker itself where all weights are trained.
        base: name of the checkpoint that it started from.
        new_tokens: ids of tokens that the base lacked.
    """

    omni: Omni
    model: Any
    adapter: AdapterConfig
    base: str
    new_tokens: tuple[int, ...]

    def parameters(self) -> dict[str, nn.Parameter]:
        """Return the trainable weights by name."""
        return {name: one for name, one in self.model.named_parameters() if one.requires_grad}

    @property
    def fingerprint(self) -> str:
        """Hash of some values of all weights but the adapter's; hashing all would take minutes.

        Every stage changes every weight that it trains, so a base that was trained again has another fingerprint.
        """
        digest = hashlib.sha256()
        for name, one in self.model.named_parameters():
            if not is_adapter(name):
                numbers = one.detach().flatten()
                some = numbers[:: max(1, len(numbers) // FINGERPRINT_VALUES)][:FINGERPRINT_VALUES].float().cpu()
                digest.update(name.encode() + some.numpy().tobytes())
        return digest.hexdigest()

    def load_weights(self, weights: Mapping[str, Tensor]) -> None:
        """Copy trained weights into the model.

        Raises:
            UsageError: if names or shapes differ from those of the trainable weights.
        """
        own = self.parameters()
        if set(own) != set(weights) or any(own[name].shape != one.shape for name, one in weights.items()):
            raise UsageError(f"{self.base}: the weights were not trained on this base, or with other settings.")
        with torch.no_grad():
            for name, one in weights.items():
                own[name].copy_(one)


class ReplyNetwork(nn.Module):
    """A judge as a network: inputs in, log-probabilities of its answers out.

    All computation with weights happens in its forward pass, so that wrappers that shard or copy weights over processes
    know when they are needed.

    Attributes:
        temperature: sampling temperature of the answers; 1 for answers that were not sampled.
    """

    _no_split_modules = (GatedDecoderLayer.__name__,)
    """Modules that FSDP shards one by one; accelerate reads this attribute."""

    def __init__(self, judge: Judge, *, precision: TrainingPrecision = "float32") -> None:
        super().__init__()
        self.model = judge.model
        self.precision = precision
        self.temperature = 1.0

    def forward(self, inputs: Mapping[str, Tensor]) -> Tensor:
        """Return log-probabilities; see `aptone.train.judge.batch.reply_log_probabilities`."""
        kind = inputs["input_ids"].device.type
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=self.precision == "bfloat16"):
            found = reply_log_probabilities(self.model, inputs, temperature=self.temperature)
        return found + self._no_gates() if torch.is_grad_enabled() else found

    def _no_gates(self) -> Tensor | float:
        """Return a zero that depends on all gates: without an active span in a micro-batch they would have no gradient.

        Processes that wait for one another's gradients would then wait forever; sharded ones do not.
        """
        gates = [one for name, one in self.model.named_parameters() if one.requires_grad and is_gate(name)]
        if not gates or isinstance(gates[0], DTensor):
            return 0.0
        return 0.0 * torch.stack([one.sum() for one in gates]).sum()


def load_judge(
    base: str,
    adapter: AdapterConfig,
    *,
    device: str = "cpu",
    precision: TrainingPrecision = "float32",
    gradient_checkpointing: bool = False,
    revision: str = "",
    seed: int = 1,
) -> Judge:
    """Load a checkpoint for training.

    Args:
        base: folder, or name on the Hugging Face hub.
        precision: precision of frozen weights; trainable ones have 32 bits.
        gradient_checkpointing: recompute layers in the backward pass, for less memory.
        seed: random seed of LoRA's initial weights; the same in every process.

    Raises:
        MissingExtraError: if peft is needed and missing.
        UsageError: if the checkpoint cannot be loaded, or is no Qwen2.5-Omni.
    """
    kept = "float32" if adapter.kind == "all" else precision
    omni = load_omni.__wrapped__(Placement(base, revision=revision, device=device, precision=kept))
    new = _add_tokens(omni) if adapter.tokens else ()
    if omni.markers is None:
        _start_gates(omni.model)
    if adapter.bias_form is not None:
        setattr(omni.model.config, BIAS_FORM, adapter.bias_form)
    omni = replace(omni, markers=markers_of(omni.tokenizer, omni.model.config) if adapter.bias else None)
    return make_trainable(omni, adapter, new_tokens=new, gradient_checkpointing=gradient_checkpointing, seed=seed)


def make_trainable(
    omni: Omni,
    adapter: AdapterConfig,
    *,
    new_tokens: tuple[int, ...] = (),
    gradient_checkpointing: bool = False,
    seed: int = 1,
) -> Judge:
    """Prepare a loaded model for training.

    Args:
        omni: the model, with the markers of the attention bias.
        new_tokens: ids of tokens that the base lacked.
        gradient_checkpointing: recompute layers in the backward pass, for less memory.
        seed: random seed of LoRA's initial weights.

    Raises:
        MissingExtraError: if peft is needed and missing.
    """
    thinker = omni.model
    if adapter.bias and adapter.gate_position is not None:
        setattr(thinker.config, GATE_POSITION, adapter.gate_position)
    bias_form = bias_form_of(thinker.config) if adapter.bias else None
    adapter = replace(adapter, gate_position=gate_position_of(thinker.config), bias_form=bias_form)
    omni.switch(gated="auto")
    if gradient_checkpointing:
        thinker.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = _with_lora(thinker, adapter, new_tokens) if adapter.kind == "lora" else thinker
    if new_tokens and adapter.kind == "lora":
        # Peft sends ids of new tokens to the GPU in every pass, which cannot be recorded; replies to learn from are
        # written with the rows in place (`aptone.train.grpo.rollouts`).
        thinker.writing = "growing"
    for name, parameter in model.named_parameters():
        parts = name.split(".")
        if parts[-2] in GATES:
            parameter.requires_grad_(adapter.bias)
        elif adapter.kind == "all":
            parameter.requires_grad_(not set(parts) & set(UNUSED))
        if parameter.requires_grad:
            parameter.data = parameter.data.float()
    return Judge(omni, model, adapter, omni.name, new_tokens)


def _add_tokens(omni: Omni) -> tuple[int, ...]:
    """Add the tokens of the release that are missing, with new rows, and return their ids."""
    known = omni.tokenizer.get_vocab()
    missing = [token for token in TOKENS if token not in known]
    if not missing:
        return ()
    before = len(known)
    omni.tokenizer.add_tokens(missing, special_tokens=True)
    new = tuple(int(one) for one in omni.tokenizer.convert_tokens_to_ids(missing))
    thinker = omni.model
    if len(omni.tokenizer) > thinker.get_input_embeddings().weight.shape[0]:
        thinker.resize_token_embeddings(len(omni.tokenizer), mean_resizing=False)
    generator = torch.Generator().manual_seed(before)
    with torch.no_grad():
        for rows in {id(one.weight): one.weight for one in (thinker.get_input_embeddings(), thinker.lm_head)}.values():
            usual = rows[:before].float()
            noise = torch.randn(len(new), rows.shape[1], generator=generator).to(rows.device)
            rows[list(new)] = (usual.mean(dim=0) + usual.std(dim=0) * noise).to(rows.dtype)
    return new


def _start_gates(thinker: Any) -> None:
    """Zero the gates of a base that has none, which gives the factors 1 (instructions), 1.5 (audio) and 0.5."""
    with torch.no_grad():
        for name, parameter in thinker.named_parameters():
            if name.split(".")[-2] in GATES:
                parameter.zero_()


def _with_lora(thinker: Any, adapter: AdapterConfig, new: tuple[int, ...]) -> Any:
    try:
        import peft
    except ImportError as error:
        raise MissingExtraError("LoRA", extra="train") from error
    layers = next(name for name, module in thinker.named_modules() if module is thinker.get_decoder().layers)
    embeddings = [name for name, module in thinker.named_modules() if module is thinker.get_input_embeddings()]
    config = peft.LoraConfig(
        r=adapter.lora_rank,
        lora_alpha=adapter.lora_alpha,
        lora_dropout=adapter.lora_dropout,
        target_modules=rf"{re.escape(layers)}\.\d+\.(self_attn|mlp)\.({'|'.join(PROJECTIONS)})",
        trainable_token_indices={name: list(new) for name in (*embeddings, "lm_head")} if new else None,
    )
    return peft.get_peft_model(thinker, config)


def write_merged(judge: Judge, folder: Path) -> None:
    """Write a checkpoint with the adapter merged into it, for ``--engine local``.

    The judge cannot be trained further afterwards. Gates are saved if the bias is on; without them it is a plain
    Qwen2.5-Omni.

    Raises:
        RunError: if it cannot be written.
    """
    make_folder(folder)
    thinker = judge.model.merge_and_unload() if judge.adapter.kind == "lora" else judge.model
    weights = {name: one for name, one in thinker.state_dict().items() if judge.adapter.bias or not is_gate(name)}
    thinker.save_pretrained(folder, state_dict=weights)
    judge.omni.tokenizer.save_pretrained(folder)
    judge.omni.extractor.save_pretrained(folder)


def is_adapter(name: str) -> bool:
    """Return true for a parameter that peft disables with the adapter: LoRA, and rows of new tokens."""
    return any(part.startswith(("lora_", "trainable_tokens_")) for part in name.split("."))


def is_gate(name: str) -> bool:
    """Return true for a gate of the attention bias."""
    return name.split(".")[-2] in GATES
