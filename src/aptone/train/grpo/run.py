"""Reinforce a judge: it writes several verdicts on each clip, and learns from those that come nearer to people's.

CEAEval's last stage (section 3.3.5, appendix G). Top to bottom, for each batch of prompts:

1. the judge writes a group of replies to each prompt, drawn from its own distribution, with the clip in its ears;
2. each reply is worth what `aptone.train.grpo.reward` says; its advantage is against the others of its group;
3. the reference says how likely it finds those replies;
4. one or several steps on the clipped loss of `aptone.train.grpo.loss`, against the log-probabilities of the judge that
   wrote the replies.

The reference is the judge as this stage found it: without its adapter, and with gates as they were. (The paper's
reference "excludes LoRA parameters" and does not mention gates; with trained gates it would be a model that never was.)
So start from a whole model that `aptone train sft` has made: then the reference is the fine-tuned judge. Where all
weights are trained, the reference has those that it started with.

Where this departs from the paper: ε clips the policy's ratio and not the reward, see `aptone.train.grpo.loss`; a prompt
has eight replies of at most 768 tokens, which the paper does not say. TRL's trainer is not used, since its
log-probabilities leave out the audio; the loss is compared with TRL's on text.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from accelerate.utils import DistributedType

from aptone.errors import UsageError
from aptone.messages import message
from aptone.train.grpo.data import LONGEST, Drawn, draw_examples
from aptone.train.grpo.step import Reinforce, Reinforcement, Turns, described, held_out_replies
from aptone.train.judge.config import JudgeRecipe
from aptone.train.judge.dataset import ExampleBatches
from aptone.train.judge.example import Kind
from aptone.train.judge.loop import TRACKERS, make_accelerator, train_judge
from aptone.train.judge.model import Trained, load_judge
from aptone.train.judge.run import MadeJudge, begin, finish
from aptone.train.processes import process_number
from aptone.types import Json, Language

STAGE = "grpo"
USUAL = Reinforcement()
LORA = Trained()
WHOLE_COPIES = (DistributedType.NO, DistributedType.MULTI_CPU, DistributedType.MULTI_GPU)
"""How processes may share the work."""


def reinforce(
    data: Path,
    out: Path,
    *,
    base: str,
    recipe: JudgeRecipe,
    settings: Reinforcement = USUAL,
    trained: Trained = LORA,
    kinds: tuple[Kind, ...] = ("reasoned", "score"),
    languages: tuple[Language, ...] = (),
    balance: bool = True,
    dev: Path | None = None,
    epochs: float | None = None,
    device: str | None = None,
    threads: int = 2,
    trackers: Sequence[str] = TRACKERS,
    merged: bool = True,
    anew: bool = False,
    log: Callable[[str], None],
) -> MadeJudge:
    """Reinforce a judge by its scores; the same call goes on where it was stopped.

    Args:
        data: folder of shards, whose examples have scores.
        out: folder for the model.
        base: a judge that can write scores already: a folder that fine-tuning has made.
        recipe: how it is taught; batches, steps and what lies between looks are in prompts and batches of them.
        settings: how it is reinforced.
        trained: what of it is trained, and whether the attention bias is on.
        kinds: how it is asked: with reasons, for the score only, or both.
        languages: of the instructions; empty for all.
        balance: whether scores are made equally frequent.
        dev: folder of shards that it does not learn from.
        epochs: rounds through the data, instead of the recipe's steps.
        device: ``cpu`` to leave GPUs alone.
        threads: that read.
        trackers: as accelerate names them.
        merged: whether the whole model is written at the end.
        anew: whether an earlier training in the folder is forgotten.
        log: is told what is seen.

    Raises:
        AudioError: if a recording cannot be read.
        MissingExtraError: if peft or TensorBoard is missing.
        RecordError: if a shard is damaged, or no example can be used.
        UsageError: if the base cannot be loaded, the folder is the base's or holds another training, or weights are
            sharded.
    """
    accelerator = make_accelerator(device=device, trackers=trackers, out=out)
    if accelerator.distributed_type not in WHOLE_COPIES:
        raise UsageError(
            "reinforcement needs a whole copy of the weights in every process, since each writes replies of its own: "
            "start it with torchrun, without FSDP or DeepSpeed."
        )
    begin(out, accelerator, base=base, anew=anew)
    judge = load_judge(
        base,
        trained,
        device=str(accelerator.device),
        precision=recipe.precision,
        checkpointing=recipe.checkpointing,
        seed=recipe.seed,
    )
    longest = min(LONGEST, judge.omni.extractor.chunk_length)  # what the model hears may be less
    draw = partial(draw_examples, seed=recipe.seed, kinds=kinds, languages=languages, longest=longest)
    drawn = draw(data, balance=balance)
    if process_number() == 0:
        log(_told(drawn))
    batches = ExampleBatches(drawn.index, recipe.batch, recipe.seed, threads)
    if epochs is not None:
        recipe = recipe.for_epochs(epochs, per_epoch=batches.per_epoch)
    recipe = settings.spread(recipe)
    settings = replace(settings, writing=replace(settings.writing, precision=recipe.precision))
    looked = draw(dev, balance=False).index if dev is not None else None

    about: dict[str, Json] = {
        "stage": STAGE,
        "dev": looked.identity if looked is not None else "",
        **described(settings),
    }
    accelerator.init_trackers(STAGE)
    progress = train_judge(
        judge,
        Turns(batches, settings.updates),
        Reinforce(judge, settings),
        out,
        recipe=recipe,
        accelerator=accelerator,
        about=about,
        dev=held_out_replies(judge, looked, settings) if looked is not None else None,
        log=log,
    )
    counts: dict[str, Json] = {f"left out: {why}": count for why, count in drawn.left_out.items()}
    counts |= {
        f"examples from {step}": f"{drawn.before[step]} drawn as {drawn.after[step]}" for step in sorted(drawn.before)
    }
    return finish(
        out,
        stage=STAGE,
        base=base,
        trained=trained,
        recipe=recipe,
        progress=progress,
        index=drawn.index,
        folder=data,
        accelerator=accelerator,
        merged=merged,
        settings={**described(settings), **counts},
    )


def _told(drawn: Drawn) -> str:
    left = ", ".join(f"{count} {why}" for why, count in drawn.left_out.items() if count)
    steps = ", ".join(f"{step}: {drawn.before[step]} → {drawn.after[step]}" for step in sorted(drawn.before))
    line = message("train.examples-by-score", what=steps)
    return message("train.examples-left-out", line=line, names=left) if left else line
