"""What a miniature judge says about pairs that it was not taught with, and the controls of that."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from aptone.messages import message
from aptone.models.local.placement import Placement, Precision
from aptone.models.omni.checkpoint import load_omni
from aptone.train.ablation.results import ALL, AT_ONCE, SHUFFLED, TOPLINE
from aptone.train.ablation.rows import ROWS, Planned
from aptone.train.ablation.verdicts import result_file, write_verdicts
from aptone.train.judge.evaluate import verdicts
from recipes.miniature.batches import remembering
from recipes.miniature.config import TOKENS_FOR_A_SCORE, TOKENS_FOR_REASONS, MiniatureSettings
from recipes.miniature.examples import judge_examples
from recipes.miniature.material import Material
from recipes.miniature.run import BASE, SOUNDS
from recipes.miniature.side_by_side import hear_side_by_side
from recipes.miniature.sounds import RememberedExample, read_sounds

RESULTS = "results"
Log = Callable[[str], None]


def score_row(
    row: int,
    part: str,
    material: Material,
    work: Path,
    settings: MiniatureSettings,
    *,
    device: str,
    control: str = "",
    results: Path | None = None,
    log: Log,
) -> Path:
    """Let a row judge the pairs of a part, and keep what it says; a file that is there already is left alone.

    Args:
        row: of the ablation; its model is made.
        part: dev or test.
        material: the pairs.
        work: where models lie.
        settings: of the miniature.
        device: to run on.
        control: empty, ``shuffled`` for the clips of other pairs, ``true`` for the true plan, ``all`` for all lines,
            ``at-once`` for a score without reasoning.
        results: folder for what it says; by default in the one of the models.
        log: is told what comes out.
    """
    recipe = ROWS[row]
    out = result_file(results or work / RESULTS, row, part, control)
    if out.is_file():
        return out
    planned: Planned = "true" if control == TOPLINE else recipe.planned
    pairs = material.pairs[part] if control == ALL else material.readable(part)
    reasons = recipe.reasons and control != AT_ONCE
    examples = list(judge_examples(pairs, planned=planned, reasons={} if reasons else None, answered=False))
    if control == SHUFFLED:
        examples = with_other_clips(examples)
    folder = work / (recipe.name if recipe.trained else BASE)
    started = time.monotonic()
    precision: Precision = "bfloat16" if device == "cuda" else "float32"
    loaded = load_omni.__wrapped__(Placement(str(folder), device=device, precision=precision))
    loaded.switch(gated="auto")
    hear_side_by_side(loaded.model)
    said = verdicts(
        remembering(loaded, read_sounds(work / SOUNDS)),
        examples,
        at_once=settings.at_once,
        max_tokens=TOKENS_FOR_REASONS if reasons else TOKENS_FOR_A_SCORE,
        draws=settings.draws if reasons else 0,
    )
    truth, speakers = np.array([pair.score for pair in pairs]), tuple(pair.speaker for pair in pairs)
    line = write_verdicts(out, said, row=row, control=control, truth=truth, groups=speakers)
    log(message("train.with-seconds", line=line, seconds=time.monotonic() - started))
    return out


def with_other_clips(examples: Sequence[RememberedExample], *, seed: int = 1) -> list[RememberedExample]:
    """The same conversations, each with the clip of another."""
    order = np.random.default_rng(seed).permutation(len(examples)).tolist()
    following = dict(zip(order, [*order[1:], order[0]], strict=True))
    return [replace(example, audio=examples[following[number]].audio) for number, example in enumerate(examples)]
