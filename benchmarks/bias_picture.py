"""The attention bias of a trained judge, as the paper's Figure 6 draws it: first layer and last.

    python -m benchmarks.bias_picture --data MINIATURE --work WORK --out benchmarks/results/bias.svg

A row is a token that attends, a column one that is attended to; red is a factor above 1, blue one below, white 1. The
judge is row 12 of the miniature, the example the first pair of dev, with the reply that the judge itself writes.
"""

import argparse
import json
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from aptone.models.local.generation import write_replies
from aptone.models.local.placement import Placement
from aptone.models.omni.attention import Bias
from aptone.models.omni.attention_layout import Region
from aptone.models.omni.checkpoint import load_omni
from aptone.models.omni.model import layer_bias
from aptone.train.ablation.rows import FULL, ROWS
from aptone.train.judge.batch import conversation_inputs
from benchmarks.made_with import with_revisions
from recipes.miniature.batches import remembering
from recipes.miniature.config import MAX_REASONING_TOKENS
from recipes.miniature.examples import judge_examples
from recipes.miniature.material import read_material
from recipes.miniature.run import SOUNDS
from recipes.miniature.sounds import read_sounds

SIZE, MARGIN, GAP = 420.0, 40.0, 60.0
NAMES = {Region.INSTRUCTION: "instruction", Region.AUDIO: "audio", Region.REST: "reply", Region.BASE: "base"}

Matrix = npt.NDArray[np.float64]


def main() -> None:
    """Draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="made by: python -m recipes.miniature rows")
    parser.add_argument("--work", type=Path, required=True, help="folder of the models")
    parser.add_argument("--out", type=Path, required=True, help="an SVG file; the numbers go beside it as JSON")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    factors, regions = bias_of_example(arguments.data, arguments.work, device=arguments.device)
    arguments.out.write_text(bias_svg(factors, regions), encoding="utf-8")
    summary = {name: means(matrix, regions) for name, matrix in factors.items()}
    arguments.out.with_suffix(".json").write_text(
        json.dumps(with_revisions(summary, "ear"), indent=1) + "\n", encoding="utf-8"
    )
    print(json.dumps(summary, indent=1))


def bias_of_example(data: Path, work: Path, *, device: str) -> tuple[dict[str, Matrix], list[int]]:
    """Factors of the first and the last layer, (queries, keys), and the region of every position."""
    material = read_material(data)
    folder = work / ROWS[FULL].name
    loaded = load_omni.__wrapped__(Placement(str(folder), device=device, precision="float32"))
    loaded.switch(gated="auto")
    omni = remembering(loaded, read_sounds(work / SOUNDS))
    pairs = material.readable("dev")[:1]
    asked = [one.messages() for one in judge_examples(pairs, planned="vote", reasons={}, answered=False)]
    written = write_replies(
        omni.model,
        omni.tokenizer,
        omni.inputs(asked, aac=False),
        max_tokens=MAX_REASONING_TOKENS,
        temperature=0.0,
        json_schema=None,
        seeds=[0],
    )
    replies = [omni.tokenizer(written[0].text, add_special_tokens=False)["input_ids"]]
    inputs = {name: value for name, value in conversation_inputs(omni, asked, replies).items() if name != "labels"}
    found: list[Bias] = []

    def keep(module: Any, given: Any, options: dict[str, Any], made: Any) -> None:
        states = options["hidden_states"] if "hidden_states" in options else given[0]
        bias = layer_bias(states, None, options["trace"], options["gate_position"], options["gates"])
        assert isinstance(bias, Bias)
        found.append(bias)

    layers = omni.model.get_decoder().layers
    hooks = [
        layer.self_attn.register_forward_hook(keep, with_kwargs=True) for layer in (layers[0], layers[len(layers) - 1])
    ]
    with torch.no_grad():
        omni.model(**inputs)
    for hook in hooks:
        hook.remove()
    regions = found[0].trace.regions[0].tolist()
    named = {"first layer": found[0], "last layer": found[-1]}
    return {name: bias.log_factors()[0].exp().double().cpu().numpy() for name, bias in named.items()}, regions


def means(factors: Matrix, regions: list[int]) -> dict[str, float]:
    """The mean factor of each region over the queries that are biased and see it."""
    queries = np.flatnonzero((factors != 1.0).any(axis=1))
    kinds = np.array(regions)
    return {
        NAMES[Region(kind)]: round(float(np.mean([factors[query, : query + 1][seen].mean() for query in queries
                                                  if (seen := kinds[: query + 1] == kind).any()])), 3)
        for kind in sorted(set(regions))
    }  # fmt: skip


def bias_svg(factors: dict[str, Matrix], regions: list[int]) -> str:
    """The matrices side by side as SVG."""
    width = 2 * MARGIN + len(factors) * SIZE + (len(factors) - 1) * GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {SIZE + 3 * MARGIN:.0f}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{width:.0f}" height="{SIZE + 3 * MARGIN:.0f}" fill="white"/>',
    ]
    for number, (name, matrix) in enumerate(factors.items()):
        left = MARGIN + number * (SIZE + GAP)
        parts += _panel(name, matrix, regions, left=left)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(name: str, matrix: Matrix, regions: list[int], *, left: float) -> list[str]:
    cell, top = SIZE / len(matrix), MARGIN
    parts = [f'<text x="{left:.1f}" y="{top - 14:.1f}">{name}</text>']
    for query, row in enumerate(np.round(matrix, 2)):
        at = 0
        for factor, run in groupby(row[: query + 1].tolist()):
            count = len(list(run))
            if factor != 1.0:
                parts.append(
                    f'<rect x="{left + at * cell:.2f}" y="{top + query * cell:.2f}" width="{count * cell:.2f}" '
                    f'height="{cell:.2f}" fill="{_colour(factor)}"><title>{factor}</title></rect>'
                )
            at += count
    parts.append(
        f'<rect x="{left}" y="{top}" width="{SIZE}" height="{SIZE}" fill="none" stroke="#555"/>'
        f'<path d="M{left},{top} L{left + SIZE},{top + SIZE}" stroke="#999" stroke-width="0.5"/>'
    )
    at = 0
    for kind, run in groupby(regions):
        count = len(list(run))
        if count * cell > 24:
            middle = left + (at + count / 2) * cell
            parts.append(
                f'<text x="{middle:.1f}" y="{top + SIZE + 22:.1f}" text-anchor="middle">{NAMES[Region(kind)]}</text>'
            )
            parts.append(
                f'<path d="M{left + at * cell:.1f},{top + SIZE + 4} v4 h{count * cell:.1f} v-4" fill="none" '
                'stroke="#555"/>'
            )
        at += count
    low, high = float(matrix.min()), float(matrix.max())
    parts.append(
        f'<text x="{left:.1f}" y="{top + SIZE + 44:.1f}">factors from {low:.2f} (blue) to {high:.2f} (red)</text>'
    )
    return parts


def _colour(factor: float) -> str:
    """Red above 1, blue below; a factor of 2, and of 1/2, is full."""
    strength = min(1.0, abs(np.log2(max(factor, 1e-6))))
    faint = round(255 * (1.0 - strength))
    return f"rgb(255,{faint},{faint})" if factor > 1.0 else f"rgb({faint},{faint},255)"


if __name__ == "__main__":
    main()
