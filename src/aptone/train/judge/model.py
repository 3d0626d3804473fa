"""A Qwen2.5-Omni as a judge that learns: adapters, gates and new tokens are trained, all else is frozen.

LoRA (rank 32, alpha 64, section 4.2 of CEAEval) goes to the attention and the feed-forward layers of the text decoder;
the gates of the attention bias are trained beside it. A base that lacks the six tokens of the release gets rows for
them in its embeddings and its head, which are trained as well: a row that stays the mean of its pieces could never be
the likeliest, since a mean of logits is never above all of them. ``all`` trains every weight that hears or writes, for
small models that know nothing yet.

What is trained is kept in 32 bits whatever the base is kept in: at a rate of 5e-6, steps would vanish in 16 bits.
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
"""Of a decoder layer, which LoRA goes to."""
MARKED = 16
"""Numbers of each tensor that the mark of a judge's weights is made of."""
UNUSED = ("visual", "audio_bos_eos_token")
"""Parts that no sound passes through: they are never trained."""


@dataclass(frozen=True, slots=True)
class Trained:
    """What of a model is trained.

    Args:
        adapter: ``lora``, or ``all`` weights that hear or write.
        rank: of LoRA.
        alpha: of LoRA; what it adds is scaled by alpha / rank.
        dropout: of LoRA.
        bias: whether the attention bias is on, and its gates are trained.
        tokens: whether the base gets the tokens of the release where it lacks them.
        gate_position: where gates are read: ``query`` or ``key``; by default as the base was taught, or at the query.
        form: of the bias: ``release`` or ``paper``; by default that which the base was taught with, or the release's.

    Raises:
        UsageError: if there is no such adapter, or a number is not one.
    """

    adapter: AdapterKind = "lora"
    rank: int = 32
    alpha: int = 64
    dropout: float = 0.0
    bias: bool = True
    tokens: bool = True
    gate_position: GatePosition | None = None
    form: BiasForm | None = None

    def __post_init__(self) -> None:
        if self.adapter not in get_args(AdapterKind):
            raise UsageError(f"what is trained is {' or '.join(get_args(AdapterKind))}, got {self.adapter!r}.")
        if self.form not in (None, *get_args(BiasForm)):
            raise UsageError(f"the form of the bias is {' or '.join(get_args(BiasForm))}, got {self.form!r}.")
        if self.gate_position not in (None, *get_args(GatePosition)):
            raise UsageError(f"gates are read at the query or at the key, got {self.gate_position!r}.")
        if self.rank < 1 or self.alpha < 1 or not 0 <= self.dropout < 1:
            raise UsageError("rank and alpha are 1 or more, dropout is at least 0 and below 1.")
        if self.bias and not self.tokens:
            raise UsageError("the attention bias goes by the tokens of the release: it cannot be on without them.")


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """A model that learns, with what prepares its inputs.

    Args:
        omni: the thinker, into which adapters were put, and its tokenizer and feature extractor.
        model: the same thinker as peft sees it; the thinker itself where all is trained.
        trained: what of it is trained.
        base: which checkpoint it started from.
        new_tokens: ids of tokens that the base did not know.
    """

    omni: Omni
    model: Any
    trained: Trained
    base: str
    new_tokens: tuple[int, ...]

    def parameters(self) -> dict[str, nn.Parameter]:
        """What is trained, by name."""
        return {name: one for name, one in self.model.named_parameters() if one.requires_grad}

    @property
    def mark(self) -> str:
        """A mark of all weights but those that adapters add: some numbers of each, since all would take minutes.

        Every stage moves every weight that it trains, so that a base which was made anew has another mark.
        """
        digest = hashlib.sha256()
        for name, one in self.model.named_parameters():
            if not is_adapter(name):
                numbers = one.detach().flatten()
                some = numbers[:: max(1, len(numbers) // MARKED)][:MARKED].float().cpu()
                digest.update(name.encode() + some.numpy().tobytes())
        return digest.hexdigest()

    def put(self, weights: Mapping[str, Tensor]) -> None:
        """Put what was trained into its place.

        Raises:
            UsageError: if it is not what this model would train.
        """
        own = self.parameters()
        if set(own) != set(weights) or any(own[name].shape != one.shape for name, one in weights.items()):
            raise UsageError(f"{self.base}: the weights were not trained on this base, or with other settings.")
        with torch.no_grad():
            for name, one in weights.items():
                own[name].copy_(one)


class ReplyNetwork(nn.Module):
    """A judge as a network: inputs in, log-probabilities of its answers out.

    All that is computed with weights happens in its forward pass, so that what shards or copies weights over processes
    knows when they are needed.

    Args:
        judge: the model.
        precision: of the arithmetic.

    Attributes:
        temperature: at which answers were drawn; 1 where they were not.
    """

    _no_split_modules = (GatedDecoderLayer.__name__,)
    """By this name, accelerate asks for the parts that FSDP shards one by one."""

    def __init__(self, judge: Judge, *, precision: TrainingPrecision = "float32") -> None:
        super().__init__()
        self.model = judge.model
        self.precision = precision
        self.temperature = 1.0

    def forward(self, inputs: Mapping[str, Tensor]) -> Tensor:
        """As `aptone.train.judge.batch.reply_log_probabilities`."""
        kind = inputs["input_ids"].device.type
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=self.precision == "bfloat16"):
            found = reply_log_probabilities(self.model, inputs, temperature=self.temperature)
        return found + self._no_gates() if torch.is_grad_enabled() else found

    def _no_gates(self) -> Tensor | float:
        """A nought to which all gates contribute: without an active span in a chunk, they would have no gradient.

        Processes that wait for one another's gradients would then wait forever; sharded ones do not.
        """
        gates = [one for name, one in self.model.named_parameters() if one.requires_grad and is_gate(name)]
        if not gates or isinstance(gates[0], DTensor):
            return 0.0
        return 0.0 * torch.stack([one.sum() for one in gates]).sum()


def load_judge(
    base: str,
    trained: Trained,
    *,
    device: str = "cpu",
    precision: TrainingPrecision = "float32",
    checkpointing: bool = False,
    revision: str = "",
    seed: int = 1,
) -> Judge:
    """A checkpoint, made ready to learn.

    Args:
        base: a folder, or a name on the Hugging Face hub.
        trained: what of it.
        device: where to.
        precision: of weights that stay as they are; what is trained has 32 bits.
        checkpointing: whether layers are computed again in the backward pass, for less memory.
        revision: of the weights on the hub.
        seed: of what LoRA starts with; the same in every process.

    Raises:
        MissingExtraError: if peft is wanted and missing.
        UsageError: if the checkpoint cannot be loaded, or is no Qwen2.5-Omni.
    """
    kept = "float32" if trained.adapter == "all" else precision
    omni = load_omni.__wrapped__(Placement(base, revision=revision, device=device, precision=kept))
    new = _know_tokens(omni) if trained.tokens else ()
    if omni.markers is None:
        _start_gates(omni.model)
    if trained.form is not None:
        setattr(omni.model.config, BIAS_FORM, trained.form)
    omni = replace(omni, markers=markers_of(omni.tokenizer, omni.model.config) if trained.bias else None)
    return make_ready(omni, trained, new_tokens=new, checkpointing=checkpointing, seed=seed)


def make_ready(
    omni: Omni, trained: Trained, *, new_tokens: tuple[int, ...] = (), checkpointing: bool = False, seed: int = 1
) -> Judge:
    """A loaded model, made ready to learn.

    Args:
        omni: the model; the bias goes by its markers.
        trained: what of it.
        new_tokens: ids of tokens that the base did not know.
        checkpointing: whether layers are computed again in the backward pass, for less memory.
        seed: of what LoRA starts with.

    Raises:
        MissingExtraError: if peft is wanted and missing.
    """
    thinker = omni.model
    if trained.bias and trained.gate_position is not None:
        setattr(thinker.config, GATE_POSITION, trained.gate_position)
    form = bias_form_of(thinker.config) if trained.bias else None
    trained = replace(trained, gate_position=gate_position_of(thinker.config), form=form)
    omni.switch(gated="auto")
    if checkpointing:
        thinker.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = _with_lora(thinker, trained, new_tokens) if trained.adapter == "lora" else thinker
    if new_tokens and trained.adapter == "lora":
        # Peft sends ids of new tokens to the GPU in every pass, which cannot be recorded; replies to learn from are
        # written with the rows in place (`aptone.train.grpo.rollouts`).
        thinker.writing = "growing"
    for name, parameter in model.named_parameters():
        parts = name.split(".")
        if parts[-2] in GATES:
            parameter.requires_grad_(trained.bias)
        elif trained.adapter == "all":
            parameter.requires_grad_(not set(parts) & set(UNUSED))
        if parameter.requires_grad:
            parameter.data = parameter.data.float()
    return Judge(omni, model, trained, omni.name, new_tokens)


def _know_tokens(omni: Omni) -> tuple[int, ...]:
    """Add the release's tokens that are missing, with rows of their own; their ids."""
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
    """Gates of a base that has none: all projections 0, so that factors are 1 (instructions), 1.5 (audio), 0.5."""
    with torch.no_grad():
        for name, parameter in thinker.named_parameters():
            if name.split(".")[-2] in GATES:
                parameter.zero_()


def _with_lora(thinker: Any, trained: Trained, new: tuple[int, ...]) -> Any:
    try:
        import peft
    except ImportError as error:
        raise MissingExtraError("LoRA", extra="train") from error
    layers = next(name for name, module in thinker.named_modules() if module is thinker.get_decoder().layers)
    embeddings = [name for name, module in thinker.named_modules() if module is thinker.get_input_embeddings()]
    config = peft.LoraConfig(
        r=trained.rank,
        lora_alpha=trained.alpha,
        lora_dropout=trained.dropout,
        target_modules=rf"{re.escape(layers)}\.\d+\.(self_attn|mlp)\.({'|'.join(PROJECTIONS)})",
        trainable_token_indices={name: list(new) for name in (*embeddings, "lm_head")} if new else None,
    )
    return peft.get_peft_model(thinker, config)


def merge(judge: Judge, folder: Path) -> None:
    """Write a checkpoint with everything that was learned in it, which ``--engine local`` takes.

    The judge cannot learn on afterwards. Gates are part of it where the bias was on; without them it is a plain
    Qwen2.5-Omni.

    Raises:
        RunError: if it cannot be written.
    """
    make_folder(folder)
    thinker = judge.model.merge_and_unload() if judge.trained.adapter == "lora" else judge.model
    weights = {name: one for name, one in thinker.state_dict().items() if judge.trained.bias or not is_gate(name)}
    thinker.save_pretrained(folder, state_dict=weights)
    judge.omni.tokenizer.save_pretrained(folder)
    judge.omni.extractor.save_pretrained(folder)


def is_adapter(name: str) -> bool:
    """Whether a parameter is one that peft switches off with the adapter: LoRA, and rows of new tokens."""
    return any(part.startswith(("lora_", "trainable_tokens_")) for part in name.split("."))


def is_gate(name: str) -> bool:
    """Whether a parameter is a gate of the attention bias."""
    return name.split(".")[-2] in GATES
