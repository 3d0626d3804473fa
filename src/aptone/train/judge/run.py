"""What all stages of a judge's training begin and end with: the model that learns, dev, and what is left on the disk.

A finished folder holds the whole model (``--engine local`` takes it), the adapter alone, a card, the checkpoint that an
unfinished training goes on from, and what trackers wrote.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator

from aptone.errors import RecordError, UsageError
from aptone.files import make_folder, write_whole
from aptone.messages import message
from aptone.train.checkpoint import trained_weights
from aptone.train.judge.adapter import ADAPTER, save_adapter
from aptone.train.judge.batch import Inputs, make_inputs
from aptone.train.judge.card import judge_card
from aptone.train.judge.config import JudgeRecipe
from aptone.train.judge.dataset import ExampleBatches, ExampleIndex
from aptone.train.judge.example import Example
from aptone.train.judge.loop import CHECKPOINT, Figures, Progress, Taught, answer_tokens
from aptone.train.judge.model import Judge, Trained, load_judge, merge
from aptone.train.processes import process_number, processes
from aptone.train.shards.order import read_ahead
from aptone.types import Json

CARD = "README.md"
SHORTEST = 0.05
"""Seconds of a clip: shorter ones give no token of sound."""


@dataclass(frozen=True, slots=True)
class MadeJudge:
    """What a training has made.

    Args:
        folder: of the model.
        progress: how it went.
        examples: how many it learned from.
    """

    folder: Path
    progress: Progress
    examples: int


def begin(out: Path, accelerator: Accelerator, *, base: str, anew: bool) -> None:
    """Make the folder of a training; with `anew`, an earlier training in it is forgotten, before any process goes on.

    Raises:
        RunError: if it cannot be made.
        UsageError: if it is the base's: what is made would be written over what it is made of, and a training that was
            stopped could not go on.
    """
    if Path(base).is_dir() and Path(base).resolve() == out.resolve():
        raise UsageError(f"{out}: is the base itself, which would be written over; name another folder for the model.")
    make_folder(out)
    if anew and process_number() == 0:
        (out / CHECKPOINT).unlink(missing_ok=True)
    accelerator.wait_for_everyone()


def audible(index: ExampleIndex, judge: Judge, log: Callable[[str], None]) -> ExampleIndex:
    """The examples whose clips the model can hear; how many it cannot is told, before it learns and not while it does.

    Raises:
        RecordError: if there is none.
    """
    longest = judge.omni.extractor.chunk_length
    within = (index.seconds >= SHORTEST) & (index.seconds <= longest)
    if within.all():
        return index
    if not within.any():
        raise RecordError(f"no clip lasts {SHORTEST:g} to {longest:g} s, which is what {judge.base} hears.")
    if process_number() == 0:
        log(message("train.examples-left-out-model-hears", count=int((~within).sum()), low=SHORTEST, high=longest))
    return index.take(np.flatnonzero(within))


def chunks_of(judge: Judge, examples: list[Example], chunk: int) -> list[Inputs]:
    """Examples as inputs, a few at a time; errors as those of `make_inputs`."""
    return [make_inputs(judge.omni, examples[first : first + chunk]) for first in range(0, len(examples), chunk)]


@dataclass(frozen=True, slots=True, eq=False)
class PreparedBatches:
    """Batches as inputs, made ready while the model learns from the ones before: decoding and log-mel frames take time.

    Args:
        batches: of examples.
        judge: for which they are made ready.
        chunk: examples that are in memory at once.
    """

    batches: ExampleBatches
    judge: Judge
    chunk: int

    @property
    def identity(self) -> str:
        """What they are made of."""
        return self.batches.identity

    def shares(self, first: int, last: int) -> Iterator[list[Inputs]]:
        """The batches of the steps from `first` to before `last`, this process's share of each."""
        shares = ([examples] for examples in self.batches.shares(first, last))
        with ThreadPoolExecutor(1) as pool:
            for (chunks,) in read_ahead(shares, lambda examples: chunks_of(self.judge, examples, self.chunk), pool):
                yield chunks


def held_out(judge: Judge, index: ExampleIndex, *, chunk: int) -> Callable[[Taught], Figures]:
    """What dev says: the mean negative log-likelihood of the tokens of its answers.

    Every process does the same number of passes, as sharded weights need it.
    """

    @torch.no_grad()
    def look(work: Taught) -> Figures:
        work.network.eval()
        summed, tokens = 0.0, 0
        for first in range(0, len(index), chunk * processes()):
            together = range(first, min(first + chunk * processes(), len(index)))
            own = together[process_number() :: processes()]
            inputs = make_inputs(judge.omni, [index.read(number) for number in own or together[:1]])
            found = -work.network(inputs).sum().item()
            if own:
                summed, tokens = summed + found, tokens + answer_tokens(inputs)
        return {"loss": work.total(summed) / work.total(tokens)}

    return look


def finish(
    out: Path,
    *,
    stage: str,
    base: str,
    trained: Trained,
    recipe: JudgeRecipe,
    progress: Progress,
    index: ExampleIndex,
    folder: Path,
    accelerator: Accelerator,
    merged: bool = True,
    settings: Mapping[str, Json] | None = None,
) -> MadeJudge:
    """Write model, adapter and card from the checkpoint, in the first of several processes.

    The base is loaded anew and gets what was trained: so it does not matter how weights were spread while it learned.

    Args:
        out: folder of the training.
        stage: its name.
        base: which checkpoint it started from.
        trained: what of it was trained.
        recipe: how.
        progress: how far it came.
        index: what it learned from.
        folder: where that lies.
        accelerator: of this process.
        merged: whether the whole model is written; a model of 7 billion parameters takes 16 GB.
        settings: of the stage, for the card.
    """
    for tracker in accelerator.trackers:
        tracker.finish()
    if process_number() == 0:
        judge = load_judge(base, trained, precision=recipe.precision, seed=recipe.seed)
        judge.put(trained_weights(out / CHECKPOINT))
        if trained.adapter == "lora":
            save_adapter(out / ADAPTER, judge)
        if merged or trained.adapter == "all":
            merge(judge, out)
        about = {
            "stage": stage,
            "base": base,
            "data": {"folder": str(folder), "examples": len(index), "hours": index.hours, "kinds": index.kinds},
            "trained": asdict(judge.trained),
            "recipe": asdict(recipe),
            "processes": processes(),
            "looks": [asdict(look) for look in progress.looks],
            "settings": settings or {},
        }
        write_whole(out / CARD, judge_card(about))
    accelerator.wait_for_everyone()
    return MadeJudge(out, progress, len(index))
