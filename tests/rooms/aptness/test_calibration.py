import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from aptone.errors import RecordError, UsageError
from aptone.rooms.aptness.calibration import (
    FEWEST_RATINGS,
    Candidate,
    RatedItem,
    aspect_names,
    choose,
    fit,
    fit_calibration,
    make_folds,
    rated_items,
    read_ratings,
)
from aptone.run import Run, RunConfig
from aptone.types import Entry, Item, Json, Outcome, Rating, Score, State
from aptone.types.codec import dumps_record


def rated(
    count: int, *, seed: int = 0, slope: float = 0.5, intercept: float = 1.0, noise: float = 0.1, groups: int = 0
) -> list[RatedItem]:
    """Lines whose rating is a straight line of the judge's score, and noise."""
    generator = np.random.default_rng(seed)
    items = []
    for number in range(count):
        score = float(generator.uniform(0, 5))
        rating = float(np.clip(intercept + slope * score + generator.normal(0, noise), 0, 5))
        aspects = {"emotion": float(generator.uniform(0, 5)), "rhythm": float(generator.uniform(0, 5))}
        items.append(RatedItem(str(number), score, aspects, rating, group=f"story {number % groups}" if groups else ""))
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
            RatedItem(str(number), score, {"emotion": emotion, "rhythm": rhythm}, 1 + 0.6 * emotion - 0.1 * rhythm)
        )
    mapping = fit(items, Candidate("aspects", 0.3), judge="j")
    assert mapping.weights["emotion"] == pytest.approx(0.6, abs=0.03)
    assert mapping.weights["rhythm"] == 0.0


def test_a_judge_that_is_better_the_lower_it_scores_is_given_no_slope() -> None:
    items = [RatedItem(str(n), float(n % 6), {}, 5.0 - n % 6) for n in range(60)]
    mapping = fit(items, Candidate("affine"), judge="j")
    assert mapping.slope == 0.0
    assert mapping.intercept == pytest.approx(2.5)


def test_cross_validation_prefers_the_mapping_that_made_the_ratings() -> None:
    assert choose(rated(150), seed=0).kind == "affine"
    same = [RatedItem(item.id, item.score, item.aspects, item.score) for item in rated(60)]
    assert choose(same, seed=0).kind == "identity"
    steps = [RatedItem(item.id, item.score, item.aspects, 4.5 if item.score > 2.5 else 0.5) for item in rated(200)]
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
    items = [RatedItem(str(n), float(s), {}, float(r)) for n, (s, r) in enumerate(generator.uniform(0, 5, (80, 2)))]
    calibration = fit_calibration(items, judge="j").calibration
    assert calibration.after["LCC"].value < 0.2  # the same fitted and measured on all ratings would be above 0


def test_without_a_gain_scores_stay_as_they_are_unless_forced() -> None:
    generator = np.random.default_rng(0)
    items = [
        RatedItem(item.id, item.score, item.aspects, float(np.clip(item.score + generator.normal(0, 0.3), 0, 5)))
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
        fit_calibration([RatedItem(str(n), n / 10, {}, 3.0) for n in range(30)], judge="j")


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
        RatedItem(
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
    alone = fit_calibration([RatedItem(i.id, i.score, i.aspects, i.rating) for i in items], judge="j")
    assert grouped.groups == 8
    assert alone.groups == 0
    assert grouped.calibration.after["MAE"].value > alone.calibration.after["MAE"].value


def test_an_aspect_that_few_lines_have_is_left_out() -> None:
    items = [RatedItem(str(n), 1.0, {"emotion": 1.0} | ({"rhythm": 1.0} if n < 3 else {}), 1.0) for n in range(10)]
    assert aspect_names(items) == ("emotion",)


def run_of(*lines: tuple[str, float | None, dict[str, Json]]) -> Run:
    entries = []
    for position, (name, value, fields) in enumerate(lines):
        item = Item.make(name, fields, position=position)
        scores = {"aptness": Score(value or 0.0), "emotion": Score(2.0)}
        outcome = Outcome(State.DONE, scores=scores) if value is not None else Outcome.unscored("silence")
        entries.append(Entry(item, outcome))
    return Run(Path("run"), RunConfig("score", "built-in"), tuple(entries))


def test_a_table_gives_the_mean_of_several_raters(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("id,rater,rating\na,x,2\na,y,3\nb,x,5\n")
    assert read_ratings(file) == {"a": 2.5, "b": 5.0}
    file.write_text("id\tscore\na\t1.5\n")
    assert read_ratings(file) == {"a": 1.5}


def test_a_table_of_a_spreadsheet_may_part_its_cells_by_semicolons(tmp_path: Path) -> None:
    table = tmp_path / "ratings.csv"
    table.write_text("\ufeffid;rating\na;3\nb;4.5\n", encoding="utf-8")
    assert read_ratings(table) == {"a": 3.0, "b": 4.5}


def test_a_manifest_gives_its_human_scores(tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    records = [{"id": "a", "line": "x", "ratings": {"p": 1, "q": 2}}, {"id": "b", "line": "y"}]
    file.write_text("\n".join(map(json.dumps, records)))
    assert read_ratings(file) == {"a": 1.5}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,stars\na,1\n", 'columns "id" and "rating"'),
        ("id,rating\na,7\n", "line 2: a rating is a number from 0 to 5"),
        ("id,rating\na,good\n", "got 'good'"),
        ("", 'expected a heading with the columns "id" and "rating", got an empty file'),
        ("id,rating\na\n", "got ''"),
    ],
)
def test_what_is_no_table_of_ratings_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(RecordError, match=message):
        read_ratings(tmp_path / "r.csv")


def test_ratings_of_the_studio_give_the_mean_of_their_overall_scores(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    given = [("a", "swift", 3.0), ("a", "robin", 4.0), ("b", "swift", 1.5)]
    ratings = [
        Rating("ceaeval-d", item, who, {"overall_score": score, "tts_difficulty": 1}) for item, who, score in given
    ]
    path.write_text("".join(f"{dumps_record(one)}\n" for one in ratings), encoding="utf-8")
    assert read_ratings(path) == {"a": 3.5, "b": 1.5}
    path.write_text(dumps_record(Rating("ceaeval-d", "a", "swift", {"overall_score": 9})), encoding="utf-8")
    with pytest.raises(RecordError, match="a rating is a number from 0 to 5"):
        read_ratings(path)


def test_only_items_with_a_score_and_a_rating_count() -> None:
    run = run_of(("a", 3.0, {}), ("b", None, {}), ("c", 1.0, {}))
    (only,) = rated_items(run, {"a": 4.0, "b": 1.0, "z": 2.0})
    assert (only.id, only.score, only.rating, only.aspects) == ("a", 3.0, 4.0, {"emotion": 2.0})


def test_the_run_may_bring_its_own_ratings() -> None:
    assert [item.rating for item in rated_items(run_of(("a", 3.0, {"human_score": 2.0}), ("b", 1.0, {})), None)] == [
        2.0
    ]


def test_a_run_without_ratings_asks_for_them() -> None:
    with pytest.raises(UsageError, match=r"there are no ratings; .*--ratings"):
        rated_items(run_of(("a", 3.0, {})), None)


def test_ratings_of_other_items_are_refused() -> None:
    with pytest.raises(UsageError, match=r"none of the 1 ratings \(such as 'z'\) belongs to an item"):
        rated_items(run_of(("a", 3.0, {})), {"z": 1.0})


def test_groups_are_taken_from_the_ids_where_there_are_enough() -> None:
    lines: list[tuple[str, float | None, dict[str, Json]]] = [
        (str(n), 1.0, {"ids": {"story": "one", "speaker": f"s{n % 4}", "take": str(n)}}) for n in range(8)
    ]
    ratings = {str(n): 1.0 for n in range(8)}
    assert {item.group for item in rated_items(run_of(*lines), ratings)} == {"s0", "s1", "s2", "s3"}  # one story only
    assert {item.group for item in rated_items(run_of(*lines), ratings, group_by="none")} == {""}
    assert len({item.group for item in rated_items(run_of(*lines), ratings, group_by="take")}) == 8
    with pytest.raises(UsageError, match="no item of the run names it"):
        rated_items(run_of(*lines), ratings, group_by="moon")
