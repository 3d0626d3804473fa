"""Fine-tune a judge on rated lines: it hears a clip, reads the plan or the story, and learns the answer.

CEAEval's second stage (section 3.3.3, appendices D to F). Top to bottom: find the examples in the shards (with
reasoning, scores alone, or both mixed); load the base with LoRA, gates and new tokens; teach it the answers, every
token of them weighing the same; write the whole model, the adapter and a card. What stands before an answer is never
learned.

Where this departs from the paper, which says little: see `aptone.train.judge.config` for the schedule and
`aptone.train.judge.model` for what is trained. Gates of a base that has none start at projections of 0.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from aptone.train.judge.config import JudgeRecipe
from aptone.train.judge.dataset import ExampleBatches, Wanted, index_examples
from aptone.train.judge.loop import TRACKERS, likelihood, make_accelerator, train_judge
from aptone.train.judge.model import Trained, load_judge
from aptone.train.judge.run import MadeJudge, PreparedBatches, audible, begin, finish, held_out
from aptone.types import Json

TRAINED = Trained()
JUDGED = Wanted(kinds=("reasoned", "score"))


def fine_tune(
    data: Path,
    out: Path,
    *,
    base: str,
    recipe: JudgeRecipe,
    trained: Trained = TRAINED,
    epochs: float | None = None,
    wanted: Wanted = JUDGED,
    dev: Path | None = None,
    device: str | None = None,
    threads: int = 2,
    trackers: Sequence[str] = TRACKERS,
    merged: bool = True,
    anew: bool = False,
    stage: str = "sft",
    log: Callable[[str], None],
) -> MadeJudge:
    """Teach a judge what examples answer; the same call goes on where it was stopped.

    Args:
        data: folder of shards to learn from.
        out: folder for the model.
        base: a folder, or a name on the Hugging Face hub.
        recipe: how it is taught.
        trained: what of it is trained, and whether the attention bias is on.
        epochs: rounds through the data, instead of the recipe's steps.
        wanted: examples that count; dev keeps those of the same kind.
        dev: folder of shards that it does not learn from.
        device: ``cpu`` to leave GPUs alone.
        threads: that read.
        trackers: as accelerate names them.
        merged: whether the whole model is written at the end.
        anew: whether an earlier training in the folder is forgotten.
        stage: what the card calls it.
        log: is told what is seen.

    Raises:
        AudioError: if a recording cannot be read.
        MissingExtraError: if peft or TensorBoard is missing.
        RecordError: if a shard is damaged, or holds nothing to learn.
        UsageError: if the base cannot be loaded, or the folder is the base's or holds another training.
    """
    accelerator = make_accelerator(device=device, trackers=trackers, out=out)
    begin(out, accelerator, base=base, anew=anew)
    index = index_examples(data, wanted)
    looked = index_examples(dev, wanted) if dev is not None else None

    judge = load_judge(
        base,
        trained,
        device=str(accelerator.device),
        precision=recipe.precision,
        checkpointing=recipe.checkpointing,
        seed=recipe.seed,
    )
    index = audible(index, judge, log)
    batches = ExampleBatches(index, recipe.batch, recipe.seed, threads)
    if epochs is not None:
        recipe = recipe.for_epochs(epochs, per_epoch=batches.per_epoch)
    measure = None
    if looked is not None:
        looked = audible(looked, judge, log)
        measure = held_out(judge, looked, chunk=recipe.chunk)

    settings: dict[str, Json] = {"stage": stage, "dev": looked.identity if looked is not None else ""}
    accelerator.init_trackers(stage)
    progress = train_judge(
        judge,
        PreparedBatches(batches, judge, recipe.chunk),
        likelihood,
        out,
        recipe=recipe,
        accelerator=accelerator,
        about=settings,
        dev=measure,
        log=log,
    )
    return finish(
        out,
        stage=stage,
        base=base,
        trained=trained,
        recipe=recipe,
        progress=progress,
        index=index,
        folder=data,
        accelerator=accelerator,
        merged=merged,
    )
