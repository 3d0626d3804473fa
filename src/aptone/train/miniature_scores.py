"""What a miniature judge says about pairs that it was not taught with, and the controls of that.

A verdict is the likeliest reply, read as any judge's is. Beside it stands what the model expects at the place of the
score, over all digits that it thinks possible there: the same reply, less coarse.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from aptone.errors import UnusableReplyError
from aptone.judge.verdict import read_verdict
from aptone.models.audio_chat import AnyMessage
from aptone.models.local_generation import Placement, Precision, write_replies
from aptone.models.local_omni_checkpoint import SCORE, Omni, load_omni
from aptone.models.local_side_by_side import hear_side_by_side
from aptone.run.files import make_folder, write_whole
from aptone.train.ablation import ROWS, Planned
from aptone.train.ablation_results import RowResult, lcc, write_result
from aptone.train.judge_batch import END, IGNORED, conversation_inputs
from aptone.train.miniature_batches import remembering
from aptone.train.miniature_lessons import judge_examples
from aptone.train.miniature_material import Material
from aptone.train.miniature_run import BASE, SOUNDS
from aptone.train.miniature_settings import TOKENS_FOR_A_SCORE, TOKENS_FOR_REASONS, MiniatureSettings
from aptone.train.miniature_sounds import KeptSounds, RememberedExample, read_sounds

RESULTS = "results"
SHUFFLED, TOPLINE, ALL = "shuffled", "true", "all"
"""Controls of a row: the clips of other pairs; the true plan in the place of the planner's; all lines, also those that
no planner reads right."""
EXPECTED = "expected"
"""The same replies, read as the mean of the scores that were possible in the place of the likeliest one."""
WEIGHED_AT_ONCE = 256

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
        control: empty, ``shuffled`` for the clips of other pairs, ``true`` for the true plan, ``all`` for all lines.
        results: folder for what it says; by default in the one of the models.
        log: is told what comes out.
    """
    recipe = ROWS[row]
    out = (results or work / RESULTS) / f"row-{row:02d}-{part}{f'-{control}' if control else ''}.json"
    if out.is_file():
        return out
    planned: Planned = "true" if control == TOPLINE else recipe.planned
    pairs = material.pairs[part] if control == ALL else material.readable(part)
    examples = list(judge_examples(pairs, planned=planned, reasons={} if recipe.reasons else None, answered=False))
    if control == SHUFFLED:
        examples = with_other_clips(examples)
    folder = work / (recipe.name if recipe.trained else BASE)
    started = time.monotonic()
    said = verdicts(folder, examples, read_sounds(work / SOUNDS), settings, reasons=recipe.reasons, device=device)
    truth, speakers = np.array([pair.score for pair in pairs]), tuple(pair.speaker for pair in pairs)
    result = RowResult(row, control, truth, np.array([one.value for one in said]), speakers)
    weighed = RowResult(row, f"{control} {EXPECTED}".strip(), truth, np.array([one.expected for one in said]), speakers)
    make_folder(out.parent)
    write_whole(out.with_suffix(".txt"), "\n\n".join(one.reply for one in said[:6]) + "\n")
    write_result(out.with_name(f"{out.stem}-{EXPECTED}.json"), weighed)
    write_result(out, result)
    log(
        f"row {row} {part} {control}: LCC {lcc(result.given, truth):.3f}, expected {lcc(weighed.given, truth):.3f}, "
        f"{result.unreadable} unreadable, {time.monotonic() - started:.0f} s"
    )
    return out


def with_other_clips(examples: Sequence[RememberedExample], *, seed: int = 1) -> list[RememberedExample]:
    """The same conversations, each with the clip of another."""
    order = np.random.default_rng(seed).permutation(len(examples)).tolist()
    following = dict(zip(order, [*order[1:], order[0]], strict=True))
    return [replace(example, audio=examples[following[number]].audio) for number, example in enumerate(examples)]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model says about one example.

    Args:
        reply: the likeliest one, as a judge gives it.
        value: the score in it; NaN where none can be read.
        expected: the mean of the scores that it thinks possible at that place; NaN likewise.
    """

    reply: str
    value: float
    expected: float


def verdicts(
    folder: Path,
    examples: Sequence[RememberedExample],
    kept: KeptSounds,
    settings: MiniatureSettings,
    *,
    reasons: bool,
    device: str,
) -> list[Verdict]:
    """The likeliest verdict of a model on each example, and what it expects behind the same reasons."""
    precision: Precision = "bfloat16" if device == "cuda" else "float32"
    omni = remembering(load_omni.__wrapped__(Placement(str(folder), device=device, precision=precision)), kept)
    omni.switch(gated="auto", gate_position="query")
    hear_side_by_side(omni.model)
    found: list[Verdict] = []
    for first in range(0, len(examples), settings.at_once):
        some = examples[first : first + settings.at_once]
        conversations = [example.messages() for example in some]
        written = write_replies(
            omni.model,
            omni.tokenizer,
            omni.inputs(conversations, aac=False),
            max_tokens=TOKENS_FOR_REASONS if reasons else TOKENS_FOR_A_SCORE,
            temperature=0.0,
            json_schema=None,
            seeds=[0] * len(some),
        )
        values = [_value(reply.text, cut=reply.cut) for reply in written]
        expected = [
            mean
            for at in range(0, len(some), WEIGHED_AT_ONCE)
            for mean in expected_scores(
                omni,
                conversations[at : at + WEIGHED_AT_ONCE],
                [reply.text for reply in written[at : at + WEIGHED_AT_ONCE]],
            )
        ]
        found += [
            Verdict(reply.text, value, mean if not np.isnan(value) else np.nan)
            for reply, value, mean in zip(written, values, expected, strict=True)
        ]
    return found


def _value(text: str, *, cut: str) -> float:
    try:
        return read_verdict(text).value if not cut else float("nan")
    except UnusableReplyError:
        return float("nan")


@torch.inference_mode()
def expected_scores(omni: Omni, conversations: Sequence[Sequence[AnyMessage]], replies: Sequence[str]) -> list[float]:
    """The mean score of a model at the place where each reply gives one.

    Over the first digit all that it thinks possible count; decimals are those that it expects behind the digit that it
    wrote, and half a point behind others: each digit could have its own, but would need a pass of its own.

    Args:
        omni: the model.
        conversations: that were answered.
        replies: the answers.

    Returns:
        NaN for a reply without a score of one digit and a decimal.
    """
    tokenizer = omni.tokenizer
    digits = tokenizer.convert_tokens_to_ids([str(digit) for digit in range(10)])
    opening = tokenizer.convert_tokens_to_ids(SCORE[0])
    ids = [tokenizer(reply + END, add_special_tokens=False)["input_ids"] for reply in replies]
    places = [_score_place(one, opening, digits) for one in ids]
    inputs = conversation_inputs(omni, conversations, ids)
    begins = (inputs["labels"] != IGNORED).int().argmax(dim=1).tolist()
    scored = [row for row, place in enumerate(places) if place is not None]
    given = {name: value for name, value in inputs.items() if name != "labels"}
    logits = omni.model(**given, use_cache=False).logits
    at = [begins[row] + (places[row] or 0) - 1 for row in scored]
    # (2, rows, digits): before the first digit, and before the one behind the point
    likely = torch.stack([logits[scored, [place + behind for place in at]][:, digits] for behind in (0, 2)])
    shares = likely.float().softmax(dim=-1).cpu().numpy()
    found = np.full(len(ids), np.nan)
    weight = np.arange(10.0)
    for number, row in enumerate(scored):
        decimals = np.full(10, 0.5)
        decimals[digits.index(ids[row][places[row] or 0])] = float(shares[1, number] @ weight) / 10.0
        found[row] = min(5.0, float(shares[0, number] @ (weight + decimals)))
    return found.tolist()


def _score_place(ids: Sequence[int], opening: int, digits: Sequence[int]) -> int | None:
    """Where the first digit of the last score stands; None where there is none with one decimal behind it."""
    starts = [place + 1 for place, token in enumerate(ids) if token == opening]
    if not starts or starts[-1] + 2 >= len(ids):
        return None
    first, decimal = ids[starts[-1]], ids[starts[-1] + 2]
    return starts[-1] if first in digits and decimal in digits else None
