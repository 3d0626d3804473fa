"""How the studio's agreement reads raters who draw lots, and whether its count of ratings needed holds.

Random raters: for every kind of question 200 studies of 8 to 60 items by 2 to 6 people whose answers are drawn at
random, uniformly, with a lean (nine of ten say yes), or each person with a habit of the own. Read by
`agreement_report`, end to end, the headline should say "none" (or that there are too few items) in at least 95 % of
them. Beside it stands what the headline of the first edition showed for a closed question: the share of the majority.

Planted agreement: people who hear the same score with some noise should not be read as none.

Ratings needed: studies of 40 items by 3 people with a true agreement; the report's number of items, and of raters, for
a half-width of 0.1 is put to the test by drawing studies of that size and taking the mean half-width of theirs.

    python -m benchmarks.studio_random_raters
"""

import json
import os
import statistics
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from aptone.lexicon.feelings import feeling_words
from aptone.studio.agreement.controls import ControlAgreement
from aptone.studio.agreement.overview import agreement_report
from aptone.types import AudioRef, Choice, Control, Json, Rating, RatingItem, RatingTask
from benchmarks.made_with import with_revisions

RESULTS = Path(__file__).parent / "results" / "studio_random_raters.json"
STUDIES, SEED = 200, 29
Generator = np.random.Generator
Draw = Callable[[Generator, RatingItem, int], Json]
LINE = "The night had come over the hills and she did not answer him at once"
COMMON = ("none", "normal", "breathing", "footsteps", "telephone", "a sigh", "rain", "no sound at all", "laughter")
CLIPS = ("one", "two", "three", "four")
LABEL = {"en": "?"}


def scale(generator: Generator, item: RatingItem, rater: int) -> Json:
    """Any point of the scale."""
    return int(generator.integers(1, 6))


def habit(generator: Generator, item: RatingItem, rater: int) -> Json:
    """A point around the person's own habit, whatever the item."""
    return int(np.clip(round(2 + 0.7 * (rater % 4) + generator.normal(0, 0.8)), 1, 5))


def one_of(count: int, *, first: float = 0.0) -> Draw:
    """One of some labels; the first with a higher share."""
    shares = np.full(count, (1 - first) / (count - (first > 0)))
    shares[0] = first or shares[0]
    return lambda generator, item, rater: f"c{generator.choice(count, p=shares)}"


def preference(*, same: float) -> Draw:
    """One of the clips, or the same."""
    return lambda generator, item, rater: str(
        generator.choice(["one", "two", "same"], p=[(1 - same) / 2, (1 - same) / 2, same])
    )


def text(words: tuple[str, ...]) -> Draw:
    """One of some texts."""
    return lambda generator, item, rater: words[int(generator.integers(len(words)))]


def times(generator: Generator, item: RatingItem, rater: int) -> Json:
    """A stretch of the clip, anywhere."""
    length = float(str(item.hidden["seconds"]))
    first, second = sorted(generator.uniform(0, length, size=2))
    return [float(first), float(max(second, first + 0.01))]


def moved_times(generator: Generator, item: RatingItem, rater: int) -> Json:
    """The given stretch, each end moved a little."""
    start, end = (float(str(one)) for one in item.fields["times"])  # type: ignore[union-attr]
    return [max(0.0, start + float(generator.normal(0, 0.05))), end + float(generator.normal(0, 0.05))]


def edit(generator: Generator, item: RatingItem, rater: int) -> Json:
    """The line with two of its words changed."""
    words = str(item.fields["line"]).split()
    for place in generator.choice(len(words), size=2, replace=False):
        words[place] = COMMON[int(generator.integers(3))]
    return " ".join(words)


def rates(generator: Generator, item: RatingItem, rater: int) -> Json:
    """A number for every clip."""
    return {clip: int(generator.integers(0, 101)) for clip in CLIPS}


def ranks(generator: Generator, item: RatingItem, rater: int) -> Json:
    """Any order."""
    return [str(clip) for clip in generator.permutation(CLIPS)]


def best_worst(generator: Generator, item: RatingItem, rater: int) -> Json:
    """Any two."""
    best, worst = generator.choice(CLIPS, size=2, replace=False)
    return {"best": str(best), "worst": str(worst)}


def choices(count: int) -> tuple[Choice, ...]:
    """So many labels."""
    return tuple(Choice(f"c{number}", LABEL) for number in range(count))


SCALE = Control("q", "scale", LABEL, low=1, high=5, step=1)
TWO = Control("q", "choice", LABEL, choices=choices(2))
BETTER = Control("q", "preference", LABEL, prefill="pair", choices=(Choice("same", LABEL),))
WORDS = Control("q", "text", LABEL)
FEELING = Control("q", "text", LABEL, agreement="vad")
RATES = Control("q", "ratings", LABEL, low=0, high=100, step=1, prefill="set")
KINDS: Mapping[str, tuple[Control, Draw]] = {
    "scale": (SCALE, scale),
    "scale, people with habits": (SCALE, habit),
    "choice of 2": (TWO, one_of(2)),
    "choice of 2, nine of ten the first": (TWO, one_of(2, first=0.9)),
    "choice of 5": (Control("q", "choice", LABEL, choices=choices(5)), one_of(5)),
    "preference": (BETTER, preference(same=0.0)),
    "preference, a third the same": (BETTER, preference(same=1 / 3)),
    "text": (WORDS, text(COMMON)),
    "words of feeling": (FEELING, text(tuple(feeling_words("en"))[:60])),
    "boundaries": (Control("q", "boundaries", LABEL), times),
    "boundaries, given": (Control("q", "boundaries", LABEL, prefill="times"), moved_times),
    "edit": (Control("q", "edit", LABEL, prefill="line"), edit),
    "ratings of sets": (RATES, rates),
    "ranking of sets": (Control("q", "ranking", LABEL, prefill="set"), ranks),
    "best-worst of sets": (Control("q", "best-worst", LABEL, prefill="set"), best_worst),
}


def study(control: Control, draw: Draw, generator: Generator, *, items: int, people: int) -> ControlAgreement:
    """Read one study."""
    audio = {clip: AudioRef(f"{clip}.wav") for clip in CLIPS}
    made = []
    for number in range(items):
        seconds = float(generator.uniform(1, 8))
        given: dict[str, Json] = {"pair": ["one", "two"], "set": list(CLIPS), "line": LINE}
        given["times"] = [0.1 * seconds, 0.9 * seconds]
        made.append(RatingItem(f"i{number}", audio, given, {"seconds": seconds}))
    task = RatingTask("random", LABEL, LABEL, (), (control,), tuple(made))
    ratings = [
        Rating("random", item.id, f"r{rater}", {"q": draw(generator, item, rater)})
        for item in made
        for rater in range(people)
    ]
    lengths = {item.id: {"one": float(str(item.hidden["seconds"]))} for item in made}
    return agreement_report(task, ratings, seed=int(generator.integers(2**31)), seconds=lengths).controls[0]


def read_random(name: str) -> dict[str, Any]:
    """Words that 200 studies of random raters get, and the share that reads as no agreement."""
    control, draw = KINDS[name]
    generator = np.random.default_rng([SEED, list(KINDS).index(name)])
    words: Counter[str] = Counter()
    majority = []
    for _ in range(STUDIES):
        sizes = {"items": int(generator.integers(8, 61)), "people": int(generator.integers(2, 7))}
        found = study(control, draw, generator, **sizes)
        words[found.word or "undefined"] += 1
        if "percent" in found.figures:
            majority.append(found.figures["percent"].estimate.value)
    none = sum(words[word] for word in ("none", "too-few", "undefined")) / STUDIES
    shown = {"majority_share_mean": round(statistics.mean(majority), 3)} if majority else {}
    return {"none": none, "words": dict(words), **shown}


def planted(noise: float) -> Draw:
    """A score of the item, heard with noise."""

    def draw(generator: Generator, item: RatingItem, rater: int) -> Json:
        heard = 3 + 2 * np.sin(float(str(item.hidden["seconds"])) * 40) + generator.normal(0, noise)
        return int(np.clip(round(heard), 1, 5))

    return draw


def read_planted(noise: float) -> dict[str, Any]:
    """Words of 200 studies of 30 items by 4 people who hear the same."""
    generator = np.random.default_rng([SEED, 100, int(10 * noise)])
    words: Counter[str] = Counter()
    values = []
    for _ in range(STUDIES):
        found = study(SCALE, planted(noise), generator, items=30, people=4)
        words[found.word] += 1
        values.append(found.figures[found.main].estimate.value)
    return {"noise": noise, "alpha_mean": round(statistics.mean(values), 3), "words": dict(words)}


def half_width(found: ControlAgreement) -> float:
    """Half the width of the headline's interval."""
    estimate = found.figures[found.main].estimate
    return (estimate.high - estimate.low) / 2


def needed(noise: float, *, wanted: float, pilots: int = 60) -> dict[str, Any]:
    """Ratings that pilot studies ask for, and the half-width that studies of that size have."""
    generator = np.random.default_rng([SEED, 200, int(10 * noise)])
    steps = []
    for _ in range(pilots):
        found = study(SCALE, planted(noise), generator, items=40, people=3)
        assert found.next_steps is not None
        steps.append(found.next_steps.needed)
    more_items = round(statistics.median(one.more_items for one in steps))
    by_items = [
        half_width(study(SCALE, planted(noise), generator, items=40 + more_items, people=3)) for _ in range(pilots)
    ]
    report: dict[str, Any] = {
        "noise": noise,
        "wanted": wanted,
        "now": round(statistics.median(one.now for one in steps), 3),
        "more_items": more_items,
        "half_width_with_them": round(statistics.mean(by_items), 3),
    }
    enough = [one.more_raters_per_item for one in steps if one.more_raters_per_item == one.more_raters_per_item]
    if 2 * len(enough) > len(steps):
        more = round(statistics.median(enough))
        by_raters = [
            half_width(study(SCALE, planted(noise), generator, items=40, people=3 + more)) for _ in range(pilots)
        ]
        report |= {"more_raters_per_item": more, "half_width_with_more_raters": round(statistics.mean(by_raters), 3)}
    return report


def main() -> None:
    """Read the studies, print the figures and write them."""
    found: dict[str, Any] = {"studies": STUDIES, "random": {}}
    for name in KINDS:
        found["random"][name] = read_random(name)
        print(name, json.dumps(found["random"][name]), flush=True)
    found["least_share_none"] = min(one["none"] for one in found["random"].values())
    found["planted"] = [read_planted(noise) for noise in (0.5, 1.0, 2.0)]
    found["needed"] = [needed(noise, wanted=0.1) for noise in (0.5, 1.0, 2.0)]
    print(json.dumps({key: found[key] for key in ("least_share_none", "planted", "needed")}))
    RESULTS.write_text(json.dumps(with_revisions(found), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
