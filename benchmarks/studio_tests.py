"""Simulated listening tests: is a planted difference found with the promised power, and nothing where there is none?

    .venv/bin/python benchmarks/studio_tests.py [--studies 300] [-o benchmarks/results/studio_tests.json]

Listeners rate clips of two systems from 1 to 5. A rating is the sum of the system's quality, the listener's and the
text's own levels, the listener's and the text's own leaning between the systems, and chance; the rating page rounds it
to the scale. Studies come in three designs: everybody rates everything; a third of the ratings is missing at random;
nobody hears a text twice (the systems are balanced for each listener). The promised power is that of
`aptone.stats.power`, from the deviations that the listeners are made with, before the scale rounds them.
"""

import argparse
import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from aptone.stats.binomial import clopper_pearson
from aptone.stats.crossed import CrossedMean, crossed_difference
from aptone.stats.power import Deviations, difference_power

RESULT = Path(__file__).parent / "results" / "studio_tests.json"
RATERS, ITEMS = 24, 20
PLANTED = 0.3
LEVELS = (0.4, 0.3)  # deviations of listeners' and texts' own levels, which a difference does not feel
DEVIATIONS = Deviations(rater=0.3, item=0.2, rest=0.7 * math.sqrt(2))  # of differences: two ratings, each with 0.7
DESIGNS = ("complete", "a third missing", "no text twice")


def study(seed: int, *, difference: float, design: str, rounded: bool) -> CrossedMean:
    """Make one study, and test its difference as the studio does."""
    generator = np.random.default_rng(seed)
    people, texts = generator.normal(0, LEVELS[0], RATERS), generator.normal(0, LEVELS[1], ITEMS)
    own_people, own_texts = generator.normal(0, DEVIATIONS.rater, RATERS), generator.normal(0, DEVIATIONS.item, ITEMS)
    chance = generator.normal(0, DEVIATIONS.rest / math.sqrt(2), (RATERS, ITEMS, 2))
    missing = generator.random((RATERS, ITEMS, 2)) < 1 / 3
    values, sides, raters, items = [], [], [], []
    for rater, item, side in heard(design):
        if design == "a third missing" and missing[rater, item, side]:
            continue
        leaning = (side - 0.5) * (difference + own_people[rater] + own_texts[item])
        score = 3.2 + people[rater] + texts[item] + leaning + chance[rater, item, side]
        values.append(float(min(5, max(1, round(score)))) if rounded else float(score))
        sides.append(bool(side))
        raters.append(rater)
        items.append(item)
    return crossed_difference(values, sides, raters, items)


def heard(design: str) -> Iterator[tuple[int, int, int]]:
    """Who hears which text by which system."""
    for rater in range(RATERS):
        for item in range(ITEMS):
            sides = ((rater + item) % 2,) if design == "no text twice" else (0, 1)
            yield from ((rater, item, side) for side in sides)


def share(found: list[bool]) -> dict[str, float]:
    """Share of studies, with its exact interval."""
    low, high = clopper_pearson(sum(found), len(found))
    return {"share": round(sum(found) / len(found), 4), "low": round(low, 4), "high": round(high, 4)}


def promised(design: str) -> float:
    """Power by the formula; where a cell holds one rating instead of two, the rest counts twice."""
    rest = DEVIATIONS.rest * (math.sqrt(2) if design == "no text twice" else 1)
    return difference_power(PLANTED, Deviations(DEVIATIONS.rater, DEVIATIONS.item, rest), raters=RATERS, items=ITEMS)


def measured(design: str, *, studies: int, rounded: bool) -> dict[str, object]:
    """Share of studies that find the planted difference, and one where there is none; and what intervals hold."""
    planted = [study(seed, difference=PLANTED, design=design, rounded=rounded) for seed in range(studies)]
    nothing = [study(10**6 + seed, difference=0.0, design=design, rounded=rounded) for seed in range(studies)]
    return {
        "design": design,
        "rounded": rounded,
        "found": share([one.p_value < 0.05 for one in planted]),
        "promised": round(promised(design), 4) if design != "a third missing" else None,
        "false_positives": share([one.p_value < 0.05 for one in nothing]),
        "covered": share([one.estimate.low <= 0 <= one.estimate.high for one in nothing]),
        "mean_difference": round(float(np.mean([one.estimate.value for one in planted])), 4),
    }


def main() -> None:
    """Run the studies, print the table and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=300)
    parser.add_argument("-o", "--output", type=Path, default=RESULT)
    options = parser.parse_args()
    rows = [
        measured(design, studies=options.studies, rounded=rounded) for design in DESIGNS for rounded in (False, True)
    ]
    print(f"{RATERS} listeners, {ITEMS} texts, {options.studies} studies each; planted {PLANTED}")
    for row in rows:
        scale = "1 to 5" if row["rounded"] else "unrounded"
        print(
            f"{row['design']:16} {scale:10} found {row['found']['share']:.3f}"  # type: ignore[index]
            f" (promised {row['promised'] or '-'})  false positives {row['false_positives']['share']:.3f}"  # type: ignore[index]
            f"  mean {row['mean_difference']}"
        )
    settings = {"raters": RATERS, "items": ITEMS, "planted": PLANTED, "studies": options.studies}
    options.output.write_text(json.dumps({**settings, "rows": rows}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
