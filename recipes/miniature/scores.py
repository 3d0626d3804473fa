"""Scores of a miniature judge on held-out pairs, and their controls."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from aptone.models.local.placement import Placement, Precision
from aptone.models.omni.checkpoint import load_omni
from aptone.train.ablation.results import ALL, AT_ONCE, SHUFFLED, TOPLINE, result_path, write_row_results
from aptone.train.ablation.rows import ROWS, Planned
from aptone.train.judge.evaluate import evaluate_judge
from recipes.miniature.batches import remembering
from recipes.miniature.config import MAX_REASONING_TOKENS, MAX_SCORE_TOKENS, MiniatureSettings
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
    """Score the pairs of a part with a row, and write the result; an existing one is kept.

    Args:
        row: row of the ablation, whose model exists.
        part: dev or test.
        material: the pairs.
        work: folder of the models.
        settings: settings of the miniature.
        device: device to run on.
        control: empty, ``shuffled`` for the clips of other pairs, ``true`` for the true plan, ``all`` for all lines,
            ``at-once`` for a score without reasoning.
        results: folder for the result; by default within that of the models.
        log: receives a line with the result.
    """
    recipe = ROWS[row]
    out = result_path(results or work / RESULTS, row, part, control)
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
    verdicts = evaluate_judge(
        remembering(loaded, read_sounds(work / SOUNDS)),
        examples,
        batch_size=settings.eval_batch_size,
        max_new_tokens=MAX_REASONING_TOKENS if reasons else MAX_SCORE_TOKENS,
        num_samples=settings.num_samples if reasons else 0,
    )
    truth, speakers = np.array([pair.score for pair in pairs]), tuple(pair.speaker for pair in pairs)
    line = write_row_results(out, verdicts, row=row, control=control, truth=truth, groups=speakers)
    log(f"{line}, {time.monotonic() - started:.0f} s")
    return out


def with_other_clips(examples: Sequence[RememberedExample], *, seed: int = 1) -> list[RememberedExample]:
    """Return the same conversations, each with the clip of another."""
    order = np.random.default_rng(seed).permutation(len(examples)).tolist()
    following = dict(zip(order, [*order[1:], order[0]], strict=True))
    return [replace(example, audio=examples[following[number]].audio) for number, example in enumerate(examples)]
