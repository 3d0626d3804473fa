"""What a judge has learned, kept apart from its base: LoRA as peft has it, and the gates of the attention bias."""

from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from aptone.errors import UsageError
from aptone.models.local_omni_checkpoint import GATE_POSITION
from aptone.run.files import make_folder, whole_file
from aptone.train.judge_model import Judge, is_gate

ADAPTER, GATES_FILE = "adapter", "gates.safetensors"


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
            position = {GATE_POSITION: judge.omni.model.gate_position}
            save_file({_plain(name): one for name, one in gates.items()}, partial, metadata=position)


def load_adapter(folder: Path, judge: Judge) -> None:
    """Put an adapter that was kept into a judge that was made with the same settings.

    Its files are read as they are: peft itself would look for a missing one on the hub, and take a pickle for one.

    Raises:
        UsageError: if it cannot be read, or was made with other settings.
    """
    from peft import get_peft_model_state_dict, set_peft_model_state_dict
    from peft.utils import SAFETENSORS_WEIGHTS_NAME

    try:
        weights = load_file(folder / SAFETENSORS_WEIGHTS_NAME)
        gates, position = _kept_gates(folder / GATES_FILE)
    except (OSError, SafetensorError) as error:
        raise UsageError(f"{folder}: holds no adapter ({error}); name a folder that a training has written.") from error
    own_gates = {_plain(name): one for name, one in judge.parameters().items() if is_gate(name)}
    is_own = set(weights) == set(get_peft_model_state_dict(judge.model)) and set(gates) == set(own_gates)
    if not is_own or (gates and position != judge.omni.model.gate_position):
        raise UsageError(f"{folder}: the adapter was made with other settings, or for another base.")
    set_peft_model_state_dict(judge.model, weights)
    with torch.no_grad():
        for name, one in gates.items():
            own_gates[name].copy_(one)


def _kept_gates(path: Path) -> tuple[dict[str, Tensor], str]:
    """The gates beside an adapter, if there are any, and where they were read: at the query where none says it."""
    if not path.is_file():
        return {}, "query"
    with safe_open(path, framework="pt") as file:
        return load_file(path), (file.metadata() or {}).get(GATE_POSITION, "query")


def _plain(name: str) -> str:
    return name.removeprefix("base_model.model.")
