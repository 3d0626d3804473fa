"""Fine-tune a judge on rated lines: input is a clip with its plan or story, target is the answer.

CEAEval's second stage (section 3.3.3, appendices D to F): index the examples in the shards (with reasoning, scores
alone, or both mixed); load the base with LoRA, gates and new tokens; train on the answers, with the same weight for
every token; write the merged model, the adapter and a model card. Prompt tokens carry no loss.

Departures from the paper, which gives few details: see `aptone.train.judge.config` for the schedule and
`aptone.train.judge.model` for what is trained. Gates of a base that has none start at projections of 0.

The first and last steps are those of every judge training: a finished folder holds the merged model (for ``--engine
local``), the adapter alone, a card, the checkpoint from which an unfinished training resumes, and the trackers' files.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor

from aptone.errors import RecordError, UsageError
from aptone.files import make_folder, whole_file, write_whole
from aptone.messages import message
from aptone.models.omni.checkpoint import BIAS_FORM, GATE_POSITION, bias_form_of
from aptone.train.checkpoint import checkpoint_weights
from aptone.train.distributed import process_rank, world_size
from aptone.train.judge.batch import Inputs, make_inputs
from aptone.train.judge.config import JudgeConfig
from aptone.train.judge.dataset import ExampleBatches, ExampleFilter, ExampleIndex, index_examples
from aptone.train.judge.example import Example
from aptone.train.judge.loop import (
    CHECKPOINT,
    TRACKERS,
    Metrics,
    TrainContext,
    TrainState,
    count_answer_tokens,
    likelihood_step,
    make_accelerator,
    train_judge,
)
from aptone.train.judge.model import AdapterConfig, Judge, is_gate, load_judge, write_merged
from aptone.train.model_cards import judge_card
from aptone.train.shards import read_ahead
from aptone.types import Json, loads

DEFAULT_ADAPTER = AdapterConfig()
JUDGED = ExampleFilter(kinds=("reasoned", "score"))
CARD = "README.md"
SHORTEST = 0.05
"""Shortest clip in seconds; shorter ones give no audio token."""
ADAPTER, GATES_FILE = "adapter", "gates.safetensors"
DEFAULT_GATES = {GATE_POSITION: "query", BIAS_FORM: "release"}
"""Settings of gates in files that name none."""


@dataclass(frozen=True, slots=True)
class TrainedJudge:
    """Result of a training: folder of the model, final state, and number of training examples."""

    folder: Path
    state: TrainState
    examples: int


def prepare_folder(out: Path, accelerator: Accelerator, *, base: str, restart: bool) -> None:
    """Make the output folder of a training; with `restart`, discard an earlier checkpoint in it.

    Raises:
        RunError: if it cannot be made.
        UsageError: if it is the folder of the base, which would be overwritten.
    """
    if Path(base).is_dir() and Path(base).resolve() == out.resolve():
        raise UsageError(f"{out}: is the base itself, which would be written over; name another folder for the model.")
    make_folder(out)
    if restart and process_rank() == 0:
        (out / CHECKPOINT).unlink(missing_ok=True)
    accelerator.wait_for_everyone()


def load_on(accelerator: Accelerator, base: str, adapter: AdapterConfig, config: JudgeConfig) -> Judge:
    """Return the judge to train, on the device of this process; errors as those of `load_judge`."""
    return load_judge(
        base,
        adapter,
        device=str(accelerator.device),
        precision=config.precision,
        gradient_checkpointing=config.gradient_checkpointing,
        seed=config.seed,
    )


def filter_audible(index: ExampleIndex, judge: Judge, log: Callable[[str], None]) -> ExampleIndex:
    """Return the examples whose clips fit the model's input, and log how many do not.

    Raises:
        RecordError: if none does.
    """
    longest = judge.omni.extractor.chunk_length
    within = (index.seconds >= SHORTEST) & (index.seconds <= longest)
    if within.all():
        return index
    if not within.any():
        raise RecordError(f"no clip lasts {SHORTEST:g} to {longest:g} s, which is what {judge.base} hears.")
    if process_rank() == 0:
        log(message("train.examples-left-out-model-hears", count=int((~within).sum()), low=SHORTEST, high=longest))
    return index.take(np.flatnonzero(within))


def micro_batches(judge: Judge, examples: list[Example], size: int) -> list[Inputs]:
    """Return examples as model inputs, `size` at a time; errors as those of `make_inputs`."""
    return [make_inputs(judge.omni, examples[first : first + size]) for first in range(0, len(examples), size)]


@dataclass(frozen=True, slots=True, eq=False)
class PreparedBatches:
    """Batches as model inputs, prepared while the model trains on the ones before."""

    batches: ExampleBatches
    judge: Judge
    micro_batch_size: int

    @property
    def identity(self) -> str:
        """Hash of the data that batches are made of."""
        return self.batches.identity

    def shares(self, first: int, last: int) -> Iterator[list[Inputs]]:
        """Yield this process's share of the batches of steps `first` to `last` - 1."""
        shares = ([examples] for examples in self.batches.shares(first, last))
        with ThreadPoolExecutor(1) as pool:
            for (inputs,) in read_ahead(
                shares, lambda examples: micro_batches(self.judge, examples, self.micro_batch_size), pool
            ):
                yield inputs


def held_out_loss(judge: Judge, index: ExampleIndex, *, micro_batch_size: int) -> Callable[[TrainContext], Metrics]:
    """Return an evaluation: the mean negative log-likelihood of held-out answer tokens.

    Every process does the same number of passes, as sharded weights need it.
    """

    @torch.no_grad()
    def evaluate(context: TrainContext) -> Metrics:
        context.network.eval()
        summed, tokens = 0.0, 0
        size = micro_batch_size * world_size()
        for first in range(0, len(index), size):
            shared = range(first, min(first + size, len(index)))
            own = shared[process_rank() :: world_size()]
            inputs = make_inputs(judge.omni, [index.read(number) for number in own or shared[:1]])
            found = -context.network(inputs).sum().item()
            if own:
                summed, tokens = summed + found, tokens + count_answer_tokens(inputs)
        return {"loss": context.total(summed) / context.total(tokens)}

    return evaluate


def write_model(
    out: Path,
    *,
    stage: str,
    base: str,
    adapter: AdapterConfig,
    config: JudgeConfig,
    state: TrainState,
    index: ExampleIndex,
    folder: Path,
    accelerator: Accelerator,
    merge: bool = True,
    settings: Mapping[str, Json] | None = None,
) -> TrainedJudge:
    """Write model, adapter and card from the checkpoint, in the first of several processes.

    The base is loaded again and gets the trained weights, so that it does not matter how they were sharded.

    Args:
        merge: write the merged model; one of 7 billion parameters takes 16 GB.
    """
    for tracker in accelerator.trackers:
        tracker.finish()
    if process_rank() == 0:
        judge = load_judge(base, adapter, precision=config.precision, seed=config.seed)
        judge.load_weights(checkpoint_weights(out / CHECKPOINT))
        if adapter.kind == "lora":
            save_adapter(out / ADAPTER, judge)
        if merge or adapter.kind == "all":
            write_merged(judge, out)
        about = {
            "stage": stage,
            "base": base,
            "data": {"folder": str(folder), "examples": len(index), "hours": index.hours, "kinds": index.kinds},
            "adapter": asdict(judge.adapter),
            "config": asdict(config),
            "processes": world_size(),
            "evaluations": [asdict(one) for one in state.evaluations],
            "settings": settings or {},
        }
        write_whole(out / CARD, judge_card(about))
    accelerator.wait_for_everyone()
    return TrainedJudge(out, state, len(index))


def save_adapter(folder: Path, judge: Judge) -> None:
    """Write LoRA in peft's format, and the gates next to it.

    Raises:
        RunError: if it cannot be written.
        UsageError: if all weights are trained, so that there is no adapter.
    """
    if judge.adapter.kind != "lora":
        raise UsageError("all weights are trained: there is no adapter to keep, but a whole model.")
    make_folder(folder)
    judge.model.save_pretrained(folder, save_embedding_layers=False)
    (folder / "README.md").unlink(missing_ok=True)  # a form that nobody has filled in
    gates = {name: one.detach().cpu().contiguous() for name, one in judge.parameters().items() if is_gate(name)}
    if gates:
        with whole_file(folder / GATES_FILE) as partial:
            save_file({_plain(name): one for name, one in gates.items()}, partial, metadata=_gate_settings(judge))


def load_adapter(folder: Path, judge: Judge) -> None:
    """Load a saved adapter into a judge that was made with the same settings.

    Its files are read directly: peft would search the hub for a missing one, and accept a pickle.

    Raises:
        UsageError: if it cannot be read, or was made with other settings.
    """
    from peft import get_peft_model_state_dict, set_peft_model_state_dict
    from peft.utils import CONFIG_NAME, SAFETENSORS_WEIGHTS_NAME

    try:
        weights = load_file(folder / SAFETENSORS_WEIGHTS_NAME)
        gates, saved = _read_gates(folder / GATES_FILE)
        lora: Any = loads((folder / CONFIG_NAME).read_bytes(), what=str(folder / CONFIG_NAME))
    except (OSError, RecordError, SafetensorError) as error:
        raise UsageError(f"{folder}: holds no adapter ({error}); name a folder that a training has written.") from error
    own_gates = {_plain(name): one for name, one in judge.parameters().items() if is_gate(name)}
    lora_shapes, own_shapes = _shapes(weights), _shapes(get_peft_model_state_dict(judge.model))
    is_own = lora_shapes == own_shapes and _shapes(gates) == _shapes(own_gates)
    is_scaled = isinstance(lora, dict) and lora.get("lora_alpha") == judge.adapter.lora_alpha
    if not (is_own and is_scaled) or (gates and saved != _gate_settings(judge)):
        raise UsageError(f"{folder}: the adapter was made with other settings, or for another base.")
    set_peft_model_state_dict(judge.model, weights)
    with torch.no_grad():
        for name, one in gates.items():
            own_gates[name].copy_(one)


def _read_gates(path: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Return the gates next to an adapter and their settings; defaults for settings that the file lacks."""
    if not path.is_file():
        return {}, DEFAULT_GATES
    with safe_open(path, framework="pt") as file:
        metadata = file.metadata() or {}
    return load_file(path), {name: metadata.get(name, default) for name, default in DEFAULT_GATES.items()}


def _gate_settings(judge: Judge) -> dict[str, str]:
    """Return the position at which gates are read, and the form of the bias."""
    model = judge.omni.model
    return {GATE_POSITION: model.gate_position, BIAS_FORM: bias_form_of(model.config)}


def _shapes(tensors: Mapping[str, Tensor]) -> dict[str, torch.Size]:
    return {name: one.shape for name, one in tensors.items()}


def _plain(name: str) -> str:
    return name.removeprefix("base_model.model.")


def fine_tune(
    data: Path,
    out: Path,
    *,
    base: str,
    config: JudgeConfig,
    adapter: AdapterConfig = DEFAULT_ADAPTER,
    epochs: float | None = None,
    example_filter: ExampleFilter = JUDGED,
    eval_data: Path | None = None,
    device: str | None = None,
    num_workers: int = 2,
    trackers: Sequence[str] = TRACKERS,
    merge: bool = True,
    restart: bool = False,
    stage: str = "sft",
    log: Callable[[str], None],
) -> TrainedJudge:
    """Train a judge on the answers of examples; the same call resumes an interrupted training.

    Args:
        base: folder, or name on the Hugging Face hub.
        adapter: trainable weights, and whether the attention bias is on.
        epochs: passes over the data, in the place of ``config.steps``.
        example_filter: examples to use, in training and held-out shards.
        device: ``cpu`` to leave GPUs alone.
        trackers: names of trackers as accelerate knows them.
        merge: write the whole model at the end, not the adapter alone.
        restart: discard an earlier training in the folder.
        stage: name of the stage in the model card.

    Raises:
        AudioError: if a recording cannot be read.
        MissingExtraError: if peft or TensorBoard is missing.
        RecordError: if a shard is damaged, or holds no usable example.
        UsageError: if the base cannot be loaded, or the folder is the base's or holds another training.
    """
    accelerator = make_accelerator(device=device, trackers=trackers, out=out)
    prepare_folder(out, accelerator, base=base, restart=restart)
    index = index_examples(data, example_filter)
    eval_index = index_examples(eval_data, example_filter) if eval_data is not None else None

    judge = load_on(accelerator, base, adapter, config)
    index = filter_audible(index, judge, log)
    batches = ExampleBatches(index, config.batch_size, config.seed, num_workers)
    if epochs is not None:
        config = config.for_epochs(epochs, per_epoch=batches.per_epoch)
    evaluate = None
    if eval_index is not None:
        eval_index = filter_audible(eval_index, judge, log)
        evaluate = held_out_loss(judge, eval_index, micro_batch_size=config.micro_batch_size)

    about: dict[str, Json] = {"stage": stage, "eval_data": eval_index.identity if eval_index is not None else ""}
    accelerator.init_trackers(stage)
    state = train_judge(
        judge,
        PreparedBatches(batches, judge, config.micro_batch_size),
        likelihood_step,
        out,
        config=config,
        accelerator=accelerator,
        about=about,
        evaluate=evaluate,
        log=log,
    )
    return write_model(
        out,
        stage=stage,
        base=base,
        adapter=adapter,
        config=config,
        state=state,
        index=index,
        folder=data,
        accelerator=accelerator,
        merge=merge,
    )
