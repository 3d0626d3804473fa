"""Fine-tune a judge on rated lines: input is a clip with its plan or story, target is the answer.

CEAEval's second stage (section 3.3.3, appendices D to F): index the examples in the shards (with reasoning, scores
alone, or both mixed); load the base with LoRA, gates and new tokens; train on the answers, with the same weight for
every token; write the merged model, the adapter and a model card. Prompt tokens carry no loss.

Departures from the paper, which gives few details: see `aptone.train.judge.config` for the schedule and
`aptone.train.judge.model` for what is trained. Gates of a base that has none start at projections of 0.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from aptone.train.judge.config import JudgeConfig
from aptone.train.judge.dataset import ExampleBatches, ExampleFilter, index_examples
from aptone.train.judge.loop import TRACKERS, likelihood_step, make_accelerator, train_judge
from aptone.train.judge.model import AdapterConfig, load_judge
from aptone.train.judge.run import (
    PreparedBatches,
    TrainedJudge,
    filter_audible,
    held_out_loss,
    prepare_folder,
    write_model,
)
from aptone.types import Json

DEFAULT_ADAPTER = AdapterConfig()
JUDGED = ExampleFilter(kinds=("reasoned", "score"))


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
        data: folder of training shards.
        out: folder for the model.
        base: folder, or name on the Hugging Face hub.
        config: hyperparameters.
        adapter: trainable weights, and whether the attention bias is on.
        epochs: passes over the data, in the place of ``config.steps``.
        example_filter: examples to use, in training and held-out shards.
        eval_data: folder of held-out shards.
        device: ``cpu`` to leave GPUs alone.
        num_workers: threads that read shards.
        trackers: names of trackers as accelerate knows them.
        merge: write the whole model at the end, not the adapter alone.
        restart: discard an earlier training in the folder.
        stage: name of the stage in the model card.
        log: receives progress lines.

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

    judge = load_judge(
        base,
        adapter,
        device=str(accelerator.device),
        precision=config.precision,
        gradient_checkpointing=config.gradient_checkpointing,
        seed=config.seed,
    )
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
