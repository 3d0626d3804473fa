"""Simulated listening tests: is a planted difference found with the promised power, and nothing where there is none?

    python -m benchmarks.studio_tests [--studies 2000] [-o benchmarks/results/studio_tests.json]

What a listener hears is the sum of the system's quality, the listener's and the text's own levels, their own leanings
between the systems, and chance; what is answered is the nearest point of a scale: exact numbers, 1 to 5, the same in
halves, 1 to 5 with good systems (which the end of the scale cuts), 0 to 100, or a choice between the two, with and
without "the same". Studies come in three designs: everybody rates everything; a third of the ratings is missing at
random; nobody hears a text twice (the systems are balanced for each listener).

The promise is computed before, from the deviations that the listeners are made with: what is left of the difference on
the scale (`aptone.stats.coarse_scales`), and the power of the test (`aptone.stats.power`). A promise holds if it lies
in the exact interval of 99 % of the share that is found.

Two more rows put to the test what the studio prints: `studio new` promises a smallest difference for typical listeners,
and the results of a study name the smallest difference that it could have found. Both are planted, and should be found
in 80 % of the studies.
"""

import argparse
import json
import os
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from aptone.stats.binomial import clopper_pearson
from aptone.stats.coarse_scales import (
    TYPICAL_CENTRE,
    TYPICAL_MOS,
    Listeners,
    Points,
    compared_difference,
    preference_points,
    rated_difference,
    scale_points,
    smallest_rated_difference,
)
from aptone.stats.crossed import CrossedMean, crossed_mean
from aptone.stats.crossed_difference import crossed_difference
from aptone.stats.power import Design, Deviations, difference_power
from aptone.studio.results.power_note import TestedPair, power_note
from benchmarks.made_with import with_revisions

RESULT = Path(__file__).parent / "results" / "studio_tests.json"
RATERS, ITEMS = 24, 20
HEARD = Listeners(rater_level=0.4, item_level=0.3, rater=0.3, item=0.2, rest=0.7)
HEARD_OF_100 = Listeners(rater_level=12.0, item_level=8.0, rater=6.0, item=5.0, rest=16.0)
CHOSEN = Deviations(rater=0.4, item=0.3, rest=1.0)
COMPARED = Deviations(rater=0.3, item=0.2, rest=0.99)
DESIGNS = {
    "complete": Design(RATERS, ITEMS),
    "a third missing": Design(RATERS, ITEMS, share=2 / 3, paired=False, balanced=False),
    "no text twice": Design(RATERS, ITEMS, share=1 / 2, paired=False),
}
COMPARED_DESIGNS = {"complete": Design(RATERS, ITEMS), "a third missing": Design(RATERS, ITEMS, share=2 / 3)}


@dataclass(frozen=True, slots=True)
class Scale:
    """What listeners hear, and the points on which they answer; no points for exact numbers."""

    heard: Listeners
    points: Points | None
    difference: float
    centre: float


@dataclass(frozen=True, slots=True)
class Choosing:
    """What listeners hear of a pair, and the points on which they answer."""

    heard: Deviations
    points: Points
    difference: float


SCALES = {
    "exact": Scale(HEARD, None, 0.3, 3.2),
    "1 to 5": Scale(HEARD, scale_points(1, 5, 1), 0.3, 3.2),
    "1 to 5 in halves": Scale(HEARD, scale_points(1, 5, 0.5), 0.3, 3.2),
    "1 to 5, good systems": Scale(HEARD, scale_points(1, 5, 1), 0.3, 4.5),
    "0 to 100": Scale(HEARD_OF_100, scale_points(0, 100, 1), 6.0, 70.0),
}
CHOICES = {
    "choice of one": Choosing(CHOSEN, preference_points(), 0.35),
    "choice or the same": Choosing(CHOSEN, preference_points(same_within=0.5), 0.35),
    "compared, -3 to 3": Choosing(COMPARED, scale_points(-3, 3, 1), 0.25),
}


def answered(heard: float, points: Points | None) -> float:
    """Point that is answered."""
    return heard if points is None else points.values[int(np.searchsorted(points.borders, heard))]


def cells(design: str) -> Iterator[tuple[int, int, int]]:
    """Who hears which text by which system."""
    for rater in range(RATERS):
        for item in range(ITEMS):
            sides = ((rater + item) % 2,) if design == "no text twice" else (0, 1)
            yield from ((rater, item, side) for side in sides)


def rated(seed: int, scale: Scale, *, difference: float, design: str) -> TestedPair:
    """Make one study in which clips are rated alone, and test its difference as the studio does."""
    generator, heard = np.random.default_rng(seed), scale.heard
    people, texts = generator.normal(0, heard.rater_level, RATERS), generator.normal(0, heard.item_level, ITEMS)
    own_people, own_texts = generator.normal(0, heard.rater, RATERS), generator.normal(0, heard.item, ITEMS)
    chance = generator.normal(0, heard.rest, (RATERS, ITEMS, 2))
    missing = generator.random((RATERS, ITEMS, 2)) < 1 / 3
    rows = [one for one in cells(design) if design != "a third missing" or not missing[one]]
    values = [
        answered(
            float(
                scale.centre
                + people[rater]
                + texts[item]
                + (side - 0.5) * (difference + own_people[rater] + own_texts[item])
                + chance[rater, item, side]
            ),
            scale.points,
        )
        for rater, item, side in rows
    ]
    raters, items, sides = zip(*rows, strict=True)
    mean = crossed_difference(values, [bool(side) for side in sides], raters, items)
    paired = design == "complete"
    return TestedPair("first", "second", mean, paired=paired, ratings=len(rows) // 2 if paired else len(rows))


def compared(seed: int, scale: Choosing, *, difference: float, design: str) -> CrossedMean:
    """Make one study in which two clips are compared, and test it."""
    generator, heard = np.random.default_rng(seed), scale.heard
    people, texts = generator.normal(0, heard.rater, RATERS), generator.normal(0, heard.item, ITEMS)
    chance = generator.normal(0, heard.rest, (RATERS, ITEMS))
    missing = generator.random((RATERS, ITEMS)) < 1 / 3
    rows = [(r, i) for r in range(RATERS) for i in range(ITEMS) if design == "complete" or not missing[r, i]]
    values = [answered(float(difference + people[r] + texts[i] + chance[r, i]), scale.points) for r, i in rows]
    return crossed_mean(values, [r for r, _ in rows], [i for _, i in rows])


def promised(scale: Scale, design: Design) -> float:
    """Power as the studio would promise it; exact numbers keep the deviations that are heard."""
    if scale.points is None:
        heard = scale.heard
        return difference_power(scale.difference, Deviations(heard.rater, heard.item, heard.rest * 2**0.5), design)
    shown, deviations = rated_difference(scale.difference, scale.heard, scale.points, centre=scale.centre)
    return difference_power(shown, deviations, design)


def share(found: list[bool], *, confidence: float = 0.99) -> dict[str, float]:
    """Share of studies, with its exact interval."""
    low, high = clopper_pearson(sum(found), len(found), confidence=confidence)
    return {"share": round(sum(found) / len(found), 4), "low": round(low, 4), "high": round(high, 4)}


def measured(
    study: Callable[[int, float], CrossedMean], difference: float, promise: float, *, studies: int
) -> dict[str, object]:
    """Share of studies that find the planted difference, and one where there is none; and what intervals hold."""
    planted = [study(seed, difference) for seed in range(studies)]
    nothing = [study(10**6 + seed, 0.0) for seed in range(studies)]
    found = share([one.p_value < 0.05 for one in planted])
    return {
        "planted": round(difference, 4),
        "promised": round(promise, 4),
        "found": found,
        "holds": found["low"] <= promise <= found["high"],
        "false_positives": share([one.p_value < 0.05 for one in nothing]),
        "covered": share([one.estimate.low <= 0 <= one.estimate.high for one in nothing]),
        "mean_difference": round(float(np.mean([one.estimate.value for one in planted])), 4),
    }


def scale_rows(studies: int) -> list[dict[str, object]]:
    """Every scale in every design."""
    rows: list[dict[str, object]] = []
    for name, scale in SCALES.items():
        for design, who in DESIGNS.items():

            def study(seed: int, difference: float, scale: Scale = scale, design: str = design) -> CrossedMean:
                return rated(seed, scale, difference=difference, design=design).mean

            found = measured(study, scale.difference, promised(scale, who), studies=studies)
            rows.append({"scale": name, "design": design, **found})
    for name, choice in CHOICES.items():
        for design, who in COMPARED_DESIGNS.items():

            def choose(seed: int, difference: float, scale: Choosing = choice, design: str = design) -> CrossedMean:
                return compared(seed, scale, difference=difference, design=design)

            promise = difference_power(*compared_difference(choice.difference, choice.heard, choice.points), who)
            found = measured(choose, choice.difference, promise, studies=studies)
            rows.append({"scale": name, "design": design, **found})
    return rows


def heard_for(shown: float, scale: Scale) -> float:
    """Difference to plant so that mean ratings differ by so much."""
    assert scale.points is not None
    low, high = 0.0, scale.points.values[-1] - scale.points.values[0]
    for _ in range(40):
        middle = (low + high) / 2
        reached = rated_difference(middle, scale.heard, scale.points, centre=scale.centre)[0]
        low, high = (middle, high) if reached < shown else (low, middle)
    return high


def printed_rows(studies: int) -> list[dict[str, object]]:
    """What `studio new` and the results page promise for 80 %."""
    rows: list[dict[str, object]] = []
    typical = Scale(TYPICAL_MOS, scale_points(1, 5, 1), 0.0, TYPICAL_CENTRE)
    assert typical.points is not None
    for design, who in (("complete", DESIGNS["complete"]), ("no text twice", DESIGNS["no text twice"])):

        def study(seed: int, difference: float, design: str = design) -> CrossedMean:
            return rated(seed, typical, difference=difference, design=design).mean

        planned = smallest_rated_difference(TYPICAL_MOS, typical.points, who, centre=TYPICAL_CENTRE)
        rows.append(
            {
                "scale": "1 to 5, as planned",
                "design": design,
                **measured(study, heard_for(planned, typical), 0.8, studies=studies),
            }
        )
        notes = [
            power_note([rated(2 * 10**6 + seed, typical, difference=0.3, design=design)], raters=RATERS, items=ITEMS)
            for seed in range(studies // 4)
        ]
        named = statistics.median(one.smallest for one in notes)
        rows.append(
            {
                "scale": "1 to 5, as results name",
                "design": design,
                **measured(study, heard_for(named, typical), 0.8, studies=studies),
            }
        )
    return rows


def main() -> None:
    """Run the studies, print the table and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("-o", "--output", type=Path, default=RESULT)
    options = parser.parse_args()
    rows = [*scale_rows(options.studies), *printed_rows(options.studies)]
    print(f"{RATERS} listeners, {ITEMS} texts, {options.studies} studies each")
    for row in rows:
        found, false = row["found"], row["false_positives"]
        assert isinstance(found, dict)
        assert isinstance(false, dict)
        print(
            f"{row['scale']:24} {row['design']:16} planted {row['planted']:<7} promised {row['promised']:.3f}"
            f" found {found['share']:.3f} {'' if row['holds'] else 'NOT PROMISED '}false {false['share']:.3f}"
            f" mean {row['mean_difference']}"
        )
    settings = {"raters": RATERS, "items": ITEMS, "studies": options.studies}
    result = with_revisions({**settings, "rows": rows})
    options.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
