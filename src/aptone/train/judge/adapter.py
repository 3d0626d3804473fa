"""What a judge has learned, kept apart from its base: LoRA as peft has it, and the gates of the attention bias."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from aptone.errors import RecordError, UsageError
from aptone.files import make_folder, whole_file
from aptone.models.omni.checkpoint import BIAS_FORM, GATE_POSITION, bias_form_of
from aptone.train.judge.model import Judge, is_gate
from aptone.types import loads

ADAPTER, GATES_FILE = "adapter", "gates.safetensors"
USUAL = {GATE_POSITION: "query", BIAS_FORM: "release"}
"""How gates were taught of which nothing is said."""


def save_adapter(folder: Path, judge: Judge) -> None:
    """Write LoRA as peft has it, and the gates beside it.

    Raises:
        RunError: if it cannot be written.
        UsageError: if all weights are trained: then there is no adapter.
    """
    if judge.trained.adapter != "lora":
        raise UsageError("all weights are trained: there is no adapter to keep, but a whole model.")
    make_folder(folder)
    judge.model.save_pretrained(folder, save_embedding_layers=False)
    (folder / "README.md").unlink(missing_ok=True)  # a form that nobody has filled in
    gates = {name: one.detach().cpu().contiguous() for name, one in judge.parameters().items() if is_gate(name)}
    if gates:
        with whole_file(folder / GATES_FILE) as partial:
            save_file({_plain(name): one for name, one in gates.items()}, partial, metadata=_taught(judge))


def load_adapter(folder: Path, judge: Judge) -> None:
    """Put an adapter that was kept into a judge that was made with the same settings.

    Its files are read as they are: peft itself would look for a missing one on the hub, and take a pickle for one.

    Raises:
        UsageError: if it cannot be read, or was made with other settings.
    """
    from peft import get_peft_model_state_dict, set_peft_model_state_dict
    from peft.utils import CONFIG_NAME, SAFETENSORS_WEIGHTS_NAME

    try:
        weights = load_file(folder / SAFETENSORS_WEIGHTS_NAME)
        gates, taught = _kept_gates(folder / GATES_FILE)
        said: Any = loads((folder / CONFIG_NAME).read_bytes(), what=str(folder / CONFIG_NAME))
    except (OSError, RecordError, SafetensorError) as error:
        raise UsageError(f"{folder}: holds no adapter ({error}); name a folder that a training has written.") from error
    own_gates = {_plain(name): one for name, one in judge.parameters().items() if is_gate(name)}
    is_own = _shapes(weights) == _shapes(get_peft_model_state_dict(judge.model)) and _shapes(gates) == _shapes(
        own_gates
    )
    is_scaled = isinstance(said, dict) and said.get("lora_alpha") == judge.trained.alpha
    if not (is_own and is_scaled) or (gates and taught != _taught(judge)):
        raise UsageError(f"{folder}: the adapter was made with other settings, or for another base.")
    set_peft_model_state_dict(judge.model, weights)
    with torch.no_grad():
        for name, one in gates.items():
            own_gates[name].copy_(one)


def _kept_gates(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The gates beside an adapter, if there are any, and how they were taught; where nothing says it, as usual."""
    if not path.is_file():
        return {}, USUAL
    with safe_open(path, framework="pt") as file:
        said = file.metadata() or {}
    return load_file(path), {name: said.get(name, usual) for name, usual in USUAL.items()}


def _taught(judge: Judge) -> dict[str, str]:
    """Where gates are read, and in which form of the bias."""
    model = judge.omni.model
    return {GATE_POSITION: model.gate_position, BIAS_FORM: bias_form_of(model.config)}


def _shapes(tensors: Mapping[str, Tensor]) -> dict[str, torch.Size]:
    return {name: one.shape for name, one in tensors.items()}


def _plain(name: str) -> str:
    return name.removeprefix("base_model.model.")
