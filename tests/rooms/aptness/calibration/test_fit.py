import itertools

import numpy as np
import pytest

from aptone.errors import UsageError
from aptone.rooms.aptness.calibration.fit import (
    FEWEST_RATINGS,
    Candidate,
    Rated,
    aspect_names,
    choose,
    fit,
    fit_calibration,
    make_folds,
)

pytestmark = pytest.mark.slow


def rated(
    count: int, *, seed: int = 0, slope: float = 0.5, intercept: float = 1.0, noise: float = 0.1, groups: int = 0
) -> list[Rated]:
    """Lines whose rating is a straight line of the judge's score, and noise."""
    generator = np.random.default_rng(seed)
    items = []
    for number in range(count):
        score = float(generator.uniform(0, 5))
        rating = float(np.clip(intercept + slope * score + generator.normal(0, noise), 0, 5))
        aspects = {"emotion": float(generator.uniform(0, 5)), "rhythm": float(generator.uniform(0, 5))}
        items.append(Rated(str(number), score, aspects, rating, group=f"story {number % groups}" if groups else ""))
    return items


def test_a_straight_line_is_found() -> None:
    mapping = fit(rated(200, noise=0.0), Candidate("affine"), judge="j")
    assert (mapping.intercept, mapping.slope) == pytest.approx((1.0, 0.5))


def test_weights_of_aspects_are_found_and_none_is_negative() -> None:
    generator = np.random.default_rng(1)
    items = []
    for number in range(300):
        emotion, rhythm = generator.uniform(0, 5, 2)
        score = float(generator.uniform(0, 5))
        # the rating rises with emotion and falls with rhythm, which no weight may say
        items.append(
            Rated(str(number), score, {"emotion": emotion, "rhythm": rhythm}, 1 + 0.6 * emotion - 0.1 * rhythm)
        )
    mapping = fit(items, Candidate("aspects", 0.3), judge="j")
    assert mapping.weights["emotion"] == pytest.approx(0.6, abs=0.03)
    assert mapping.weights["rhythm"] == 0.0


def test_a_judge_that_is_better_the_lower_it_scores_is_given_no_slope() -> None:
    items = [Rated(str(n), float(n % 6), {}, 5.0 - n % 6) for n in range(60)]
    mapping = fit(items, Candidate("affine"), judge="j")
    assert mapping.slope == 0.0
    assert mapping.intercept == pytest.approx(2.5)


def test_cross_validation_prefers_the_mapping_that_made_the_ratings() -> None:
    assert choose(rated(150), seed=0).kind == "affine"
    same = [Rated(item.id, item.score, item.aspects, item.score) for item in rated(60)]
    assert choose(same, seed=0).kind == "identity"
    steps = [Rated(item.id, item.score, item.aspects, 4.5 if item.score > 2.5 else 0.5) for item in rated(200)]
    assert choose(steps, seed=0).kind == "isotonic"


def test_a_sure_gain_is_measured_on_ratings_that_were_not_fitted_on() -> None:
    fitted = fit_calibration(rated(120), judge="j", planner="p", version="1")
    calibration = fitted.calibration
    assert fitted.has_gain
    assert (calibration.kind, calibration.judge, calibration.planner, calibration.ratings) == ("affine", "j", "p", 120)
    # the ratings stray by 0.1 around the line, so their mean distance from it is 0.1 · √(2 / π) = 0.08
    assert calibration.after["MAE"].value == pytest.approx(0.08, abs=0.02)
    assert calibration.before["MAE"].value > 0.5
    assert calibration.gain is not None
    assert 0 < calibration.gain.low <= calibration.gain.value <= calibration.gain.high
    assert calibration.after["MAE"].low <= calibration.after["MAE"].value <= calibration.after["MAE"].high
    assert calibration.after["ACC"].value == 1.0


def test_ratings_that_have_nothing_to_do_with_the_scores_promise_no_correlation() -> None:
    generator = np.random.default_rng(3)
    items = [Rated(str(n), float(s), {}, float(r)) for n, (s, r) in enumerate(generator.uniform(0, 5, (80, 2)))]
    calibration = fit_calibration(items, judge="j").calibration
    assert calibration.after["LCC"].value < 0.2  # the same fitted and measured on all ratings would be above 0


def test_without_a_gain_scores_stay_as_they_are_unless_forced() -> None:
    generator = np.random.default_rng(0)
    items = [
        Rated(item.id, item.score, item.aspects, float(np.clip(item.score + generator.normal(0, 0.3), 0, 5)))
        for item in rated(60)
    ]
    plain = fit_calibration(items, judge="j")
    assert not plain.has_gain
    assert plain.calibration.kind == "identity"
    assert "showed no sure gain" in plain.calibration.note
    forced = fit_calibration(items, judge="j", force=True)
    assert forced.calibration.kind == forced.chosen.kind
    assert forced.calibration.forced == (forced.chosen.kind != "identity")


def test_too_few_ratings_are_refused_with_how_many_are_needed() -> None:
    with pytest.raises(UsageError, match=f"needs at least {FEWEST_RATINGS} .*rate 2 more"):
        fit_calibration(rated(FEWEST_RATINGS - 2), judge="j")


def test_ratings_that_are_all_alike_are_refused() -> None:
    with pytest.raises(UsageError, match="all 30 ratings are 3"):
        fit_calibration([Rated(str(n), n / 10, {}, 3.0) for n in range(30)], judge="j")


def test_the_same_seed_gives_the_same_calibration() -> None:
    one, other = (fit_calibration(rated(40, noise=1.0), judge="j", seed=5) for _ in range(2))
    assert one == other


def test_groups_are_never_cut_and_folds_hold_every_item_once() -> None:
    groups = [np.array(places) for places in ([0, 1, 2], [3], [4, 5], [6], [7, 8])]
    folds = make_folds(groups, folds=3, seed=1)
    assert sorted(itertools.chain.from_iterable(fold.tolist() for fold in folds)) == list(range(9))
    for group in groups:
        assert sum(bool(set(group.tolist()) & set(fold.tolist())) for fold in folds) == 1


def test_stories_stay_together_and_a_mapping_that_only_learned_them_promises_nothing() -> None:
    # Every story has its own level, in rating and in an aspect that tells the story and nothing else. A mapping that
    # saw the story predicts it; one that did not cannot.
    generator = np.random.default_rng(0)
    levels = generator.permutation(np.linspace(0.5, 4.5, 8))
    codes = generator.permutation(np.linspace(0.0, 5.0, 8))
    items = [
        Rated(
            f"{story}-{n}",
            float(generator.uniform(0, 5)),
            {"emotion": float(codes[story])},
            float(levels[story]),
            f"s{story}",
        )
        for story in range(8)
        for n in range(8)
    ]
    grouped = fit_calibration(items, judge="j")
    alone = fit_calibration([Rated(i.id, i.score, i.aspects, i.rating) for i in items], judge="j")
    assert grouped.groups == 8
    assert alone.groups == 0
    assert grouped.calibration.after["MAE"].value > alone.calibration.after["MAE"].value


def test_an_aspect_that_few_lines_have_is_left_out() -> None:
    items = [Rated(str(n), 1.0, {"emotion": 1.0} | ({"rhythm": 1.0} if n < 3 else {}), 1.0) for n in range(10)]
    assert aspect_names(items) == ("emotion",)
