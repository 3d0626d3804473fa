"""Headlines: corrected for chance for every kind, random raters read as none, and what to do next is found."""

import math
from collections import Counter

import numpy as np
import pytest

from aptone.errors import UsageError
from aptone.studio.agreement.edits import token_labels
from aptone.studio.agreement.headline import HEADLINES, direction, is_corrected
from aptone.studio.agreement.next_steps import ratings_needed
from aptone.studio.agreement.overview import agreement_report
from aptone.types import Control, Estimate, Json, Rating, RatingItem, RatingTask, to_json
from benchmarks.studio_random_raters import KINDS, SCALE, half_width, planted, study

LABEL = {"en": "?"}


def test_random_raters_read_as_none_whatever_they_are_asked() -> None:
    words: dict[str, Counter[str]] = {}
    for place, (kind, (control, draw)) in enumerate(KINDS.items()):
        generator = np.random.default_rng([7, place])
        words[kind] = Counter(study(control, draw, generator, items=25, people=4).word for _ in range(12))
    # 97.5 % of studies (benchmarks/studio_random_raters.py); the drawn ones are always the same
    assert sum(found["none"] for found in words.values()) >= 0.95 * 12 * len(KINDS)
    assert min(found["none"] for found in words.values()) >= 9


def test_people_who_hear_the_same_do_not_read_as_none() -> None:
    generator = np.random.default_rng(1)
    found = study(SCALE, planted(0.5), generator, items=30, people=4)
    assert found.main == "alpha_trimmed"
    assert found.word in ("substantial", "almost-perfect")


def test_every_kind_has_a_headline_that_is_corrected_for_chance() -> None:
    kinds = {control.agreement or control.kind for control, _ in KINDS.values()}
    assert kinds == set(HEADLINES)
    assert all(is_corrected(name) for name in HEADLINES.values())
    for kind, (control, draw) in KINDS.items():
        found = study(control, draw, np.random.default_rng(0), items=10, people=3)
        assert found.main == HEADLINES[control.agreement or control.kind], kind
        assert not math.isnan(found.figures[found.main].estimate.value), kind


def test_shares_and_distances_are_marked_with_their_direction() -> None:
    lower = [
        name for name in ("seconds_apart", "character_error_rate", "percent", "alpha") if direction(name) == "lower"
    ]
    assert lower == ["seconds_apart", "character_error_rate"]
    assert direction("share:new") == ""
    assert [is_corrected(name) for name in ("percent", "share:new", "cosine", "icc_2_1", "vad")] == [
        False, False, False, True, True,
    ]  # fmt: skip
    report = study(*KINDS["edit"], np.random.default_rng(0), items=10, people=3)
    rate = report.figures["character_error_rate"]
    assert (rate.direction, rate.corrected) == ("lower", False)


def edited(texts: dict[str, list[str]]) -> RatingTask:
    control = Control("q", "edit", LABEL, prefill="line")
    items = tuple(RatingItem(name, fields={"line": "It was very cold outside"}) for name in texts)
    return RatingTask("t", LABEL, LABEL, (), (control,), items)


def test_people_who_leave_a_text_as_it_was_given_do_not_agree_by_that() -> None:
    same = "It was very cold outside"
    texts = {f"i{n}": [same, same, same] for n in range(6)}
    report = agreement_report(edited(texts), ratings_of(texts))
    assert math.isnan(report.controls[0].figures["alpha_edits"].estimate.value)
    assert report.controls[0].word == ""
    for n in range(3):  # all three make the same change to half of the texts
        texts[f"i{n}"] = ["It was very warm outside"] * 3
    found = agreement_report(edited(texts), ratings_of(texts)).controls[0]
    assert found.figures["alpha_edits"].estimate.value == 1.0


def ratings_of(texts: dict[str, list[str]]) -> list[Rating]:
    return [
        Rating("t", item, f"r{place}", {"q": answer})
        for item, answers in texts.items()
        for place, answer in enumerate(answers)
    ]


def test_what_became_of_each_token_of_a_text() -> None:
    assert token_labels("It was cold", "It was cold") == ["=", "=", "="]
    assert token_labels("It was cold", "was cold") == ["", "=", "="]
    assert token_labels("It was cold", "Then it was cold") == ["Then it", "=", "="]
    assert token_labels("", "new words") == ["new words"]
    assert token_labels("天很冷", "天不冷") == ["=", "不", "="]


def scale_study(answers: dict[str, dict[str, Json]]) -> tuple[RatingTask, list[Rating]]:
    task = RatingTask("t", LABEL, LABEL, (), (SCALE,), tuple(RatingItem(name) for name in answers))
    return task, [Rating("t", item, who, {"q": value}) for item, by in answers.items() for who, value in by.items()]


def test_the_item_and_the_rater_who_differ_are_named_first() -> None:
    answers: dict[str, dict[str, Json]] = {
        f"i{n}": {"ada": 1 + n % 5, "ben": 1 + n % 5, "odd": 5 - n % 5} for n in range(10)
    }
    answers["i2"] = {"ada": 1, "ben": 5, "odd": 1}
    (found,) = agreement_report(*scale_study(answers)).controls
    steps = found.next_steps
    assert steps is not None
    assert steps.raters[0].rater == "odd"
    assert steps.raters[0].gain == max(one.gain for one in steps.raters) > 0
    without = {item: {who: value for who, value in by.items() if who != "odd"} for item, by in answers.items()}
    (rest,) = agreement_report(*scale_study(without)).controls
    assert steps.raters[0].alpha_without == pytest.approx(rest.figures[rest.main].estimate.value)
    assert {"i2", "i0", "i4", "i5", "i9"} == {one.item for one in steps.items[:5]}


def test_fewer_than_five_items_get_no_word() -> None:
    answers: dict[str, dict[str, Json]] = {f"i{n}": {"ada": 1 + n, "ben": 1 + n} for n in range(4)}
    (found,) = agreement_report(*scale_study(answers)).controls
    assert found.figures[found.main].estimate.value == 1.0
    assert found.word == "too-few"


@pytest.mark.slow
def test_studies_of_the_size_that_was_asked_for_have_the_wanted_interval() -> None:
    generator = np.random.default_rng(5)
    pilots = [study(SCALE, planted(1.0), generator, items=40, people=3) for _ in range(15)]
    more = float(np.median([one.next_steps.needed.more_items for one in pilots if one.next_steps]))
    raters = float(np.nanmedian([one.next_steps.needed.more_raters_per_item for one in pilots if one.next_steps]))
    widths = [half_width(study(SCALE, planted(1.0), generator, items=40 + int(more), people=3)) for _ in range(15)]
    assert np.mean(widths) == pytest.approx(0.1, rel=0.15)
    widths = [half_width(study(SCALE, planted(1.0), generator, items=40, people=3 + int(raters))) for _ in range(15)]
    assert np.mean(widths) == pytest.approx(0.1, rel=0.25)


def test_ratings_needed_are_none_where_the_interval_is_narrow_and_unknown_where_there_is_none() -> None:
    narrow = ratings_needed(Estimate(0.8, 0.75, 0.85, count=100), raters_per_item=3, wanted=0.1)
    assert (narrow.more_items, narrow.more_raters_per_item, narrow.more_ratings) == (0, 0, 0)
    unknown = ratings_needed(Estimate(math.nan, reason="nothing was told apart"), raters_per_item=3, wanted=0.1)
    assert math.isnan(unknown.more_items)
    assert unknown.reason == "nothing was told apart"
    few = ratings_needed(Estimate(0.5, 0.1, 0.9, count=4), raters_per_item=3, wanted=0.1)
    assert few.reason == "fewer than 5 items have two answers"
    assert math.isnan(few.more_items)


def test_the_report_is_json_and_a_half_width_is_above_zero() -> None:
    task, ratings = scale_study({f"i{n}": {"ada": 1 + n % 3, "ben": 2} for n in range(6)})
    data = to_json(agreement_report(task, ratings))
    assert data["words"] == {"slight": 0.0, "fair": 0.2, "moderate": 0.4, "substantial": 0.6, "almost-perfect": 0.8}
    with pytest.raises(UsageError, match="half_width"):
        agreement_report(task, ratings, half_width=0.0)
