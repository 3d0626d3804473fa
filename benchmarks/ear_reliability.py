"""Draw how far the ear's probabilities can be taken at their word: the plot of its model card.

Run:
    python -m benchmarks.ear_reliability

Reads what `benchmarks.ear --only calibration` has measured from ``results/ear.json``, and writes ``reliability.svg``
beside the model card.
"""

import json
from pathlib import Path
from typing import Any

RESULT = Path(__file__).parent / "results" / "ear.json"
PICTURE = Path(__file__).parents[1] / "src" / "aptone" / "ear" / "weights" / "reliability.svg"
HEADS = {
    "emotion, unseen speakers": "#1b6ca8",
    "emotion, unseen corpora": "#d1495b",
    "recording condition": "#66a182",
    "sex": "#8d6a9f",
}
"""Heads that are plotted, with their colours."""
SIDE = 300
LEFT, TOP = 56, 16
LEGEND = 250
FEWEST = 10
"""Answers that a point stands for at least."""


def main() -> None:
    """Draw it and say where it lies."""
    sections = json.loads(RESULT.read_text(encoding="utf-8"))["sections"]
    tables = sections["calibration"]["details"]["reliability"]
    errors = {row["task"].removeprefix("calibration error, "): row["ours"] for row in sections["calibration"]["rows"]}
    PICTURE.write_text(drawing(tables, errors), encoding="utf-8")
    print(PICTURE.name, {head: errors[head] for head in HEADS if head in errors})


def drawing(tables: dict[str, list[dict[str, Any]]], errors: dict[str, float]) -> str:
    """The diagram as SVG: how sure on the horizontal axis, how often right on the vertical one."""
    width, height = LEFT + SIDE + 16 + LEGEND, TOP + SIDE + 48
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12" fill="#333333">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        f'<rect x="{LEFT}" y="{TOP}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#bbbbbb"/>',
        f'<path d="M{place(0, 0)} L{place(1, 1)}" stroke="#999999" stroke-dasharray="4 4"/>',
        f'<text x="{LEFT + SIDE / 2}" y="{height - 10}" text-anchor="middle">probability of the answer</text>',
        f'<text transform="translate(16 {TOP + SIDE / 2}) rotate(-90)" text-anchor="middle">share that is right</text>',
    ]
    for step in range(0, 11, 2):
        share = step / 10
        parts.append(
            f'<text x="{LEFT + share * SIDE}" y="{TOP + SIDE + 18}" text-anchor="middle">{share:g}</text>'
            f'<text x="{LEFT - 8}" y="{TOP + SIDE - share * SIDE + 4}" text-anchor="end">{share:g}</text>'
        )
    shown = [head for head in HEADS if head in tables]
    for number, head in enumerate(shown):
        parts += curve(tables[head], HEADS[head])
        x, y = LEFT + SIDE + 24, TOP + 14 + 36 * number
        parts.append(
            f'<rect x="{x}" y="{y - 10}" width="12" height="12" fill="{HEADS[head]}"/>'
            f'<text x="{x + 18}" y="{y}">{head}</text>'
            f'<text x="{x + 18}" y="{y + 15}" fill="#777777">calibration error {errors[head]:.3f}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def curve(bins: list[dict[str, Any]], colour: str) -> list[str]:
    """A line through the bins that hold enough answers, with a dot for each, larger where it holds more."""
    kept = [one for one in bins if one["count"] >= FEWEST]
    total = sum(one["count"] for one in kept)
    points = [place(one["confidence"], one["right"]) for one in kept]
    radii = [2.5 + 6 * (one["count"] / total) ** 0.5 for one in kept]
    dots = [
        f'<circle cx="{x}" cy="{y}" r="{radius:.1f}" fill="{colour}" fill-opacity="0.8"/>'
        for (x, y), radius in zip((point.split(",") for point in points), radii, strict=True)
    ]
    return [f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="1.5"/>', *dots]


def place(confidence: float, right: float) -> str:
    """Return the place of a point in the picture."""
    return f"{LEFT + confidence * SIDE:.1f},{TOP + SIDE - right * SIDE:.1f}"


if __name__ == "__main__":
    main()
