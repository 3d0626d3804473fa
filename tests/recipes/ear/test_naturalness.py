import itertools
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import write
from aptone.errors import RecordError, UsageError
from aptone.types import Audio
from recipes.ear.naturalness import (
    MEASURES,
    NaturalnessHead,
    expert_scores,
    fit,
    main,
    read_head,
    report,
    target,
)
from recipes.ear.naturalness_clips import (
    DEGRADED,
    HUMAN,
    KINDS,
    PARTS,
    SYNTHESISED,
)
from tests.recipes.ear.natural_clips import item, tone


def with_measures(*hidden: list[float]) -> npt.NDArray[np.float64]:
    """Vectors with these hidden numbers and measures that are all the same."""
    return np.array([[*one, *[1.0] * len(MEASURES)] for one in hidden])


def test_the_target_is_five_times_the_share_of_listeners_known_or_assumed() -> None:
    assert target(item("a", listeners=0.5)) == 2.5
    assert [target(item("a", kind)) for kind in (HUMAN, DEGRADED, SYNTHESISED)] == pytest.approx([3.85, 2.5, 1.0])


def test_experts_scores_are_averaged_and_halved(tmp_path: Path) -> None:
    (tmp_path / "speechocean").mkdir()
    table = 'file,split,prosodic\na.ogg,train,"[10.0, 9.0, 8.0, 9.0]"\nb.ogg,test,"[2.0, 4.0]"\n'
    (tmp_path / "speechocean" / "labels.csv").write_text(table, encoding="utf-8")
    found = expert_scores(tmp_path)
    assert [(one.path.name, one.part, one.score) for one in found] == [("a.ogg", "train", 4.5), ("b.ogg", "test", 1.5)]
    with pytest.raises(UsageError, match="the experts' scores of speechocean are needed"):
        expert_scores(tmp_path / "elsewhere")


def test_a_measure_that_is_missing_counts_as_usual_in_fit_and_answer_without_a_warning() -> None:
    vectors = with_measures([0.0], [0.0], [0.0], [0.0])
    vectors[:, 1] = [1.0, 3.0, math.nan, 2.0]  # mean 2
    vectors[:, 2] = math.nan  # defined nowhere
    head = fit(vectors, np.array([1.0, 3.0, 2.0, 2.0]), strength=1e-9)
    assert head.measures[MEASURES[0]] == pytest.approx((2.0, 1.0), abs=1e-6)
    assert head.measures[MEASURES[1]] == (0.0, 0.0)
    assert head.predict(vectors).tolist() == pytest.approx([1.0, 3.0, 2.0, 2.0], abs=1e-6)


def test_clips_count_by_their_weights() -> None:
    # one clip of weight 3 is three clips of weight 1
    once, thrice = with_measures([1.0], [2.0], [4.0]), with_measures([1.0], [2.0], [4.0], [4.0], [4.0])
    one = fit(once, np.array([1.0, 3.0, 2.0]), strength=0.5, weights=np.array([1.0, 1.0, 3.0]))
    other = fit(thrice, np.array([1.0, 3.0, 2.0, 2.0, 2.0]), strength=0.5)
    assert one.numbers == pytest.approx(other.numbers)


def test_without_shrinkage_a_line_is_found_again() -> None:
    hidden = np.random.default_rng(7).normal(3.0, 2.0, size=(50, 3))
    targets = hidden @ np.array([0.2, -0.1, 0.0]) + 2.0
    head = fit(with_measures(*hidden.tolist()), targets, strength=1e-12)
    assert head.weights[:3] == pytest.approx([0.2, -0.1, 0.0], abs=1e-8)
    assert head.bias == pytest.approx(2.0)
    assert head.numbers == pytest.approx((0.2, -0.1, 0.0, 2.0), abs=1e-8)


def test_the_strength_shrinks_one_feature_as_the_formula_says() -> None:
    # x = ±2 has deviation 2, so z = ±1; y = ±1 around 3: the weight of z is 1 / (1 + strength) = 0.5, of x 0.25
    head = fit(with_measures([-2.0], [2.0]), np.array([2.0, 4.0]), strength=1.0)
    assert head.weights[:1] == pytest.approx([0.25])
    assert head.bias == pytest.approx(3.0)


def test_a_feature_that_never_changes_has_no_weight() -> None:
    head = fit(with_measures([1.0, 7.0], [2.0, 7.0], [3.0, 7.0]), np.array([1.0, 2.0, 3.0]), strength=1e-9)
    assert head.weights[:2] == pytest.approx([1.0, 0.0])


def test_a_prediction_stays_between_naught_and_five() -> None:
    zeros = np.zeros(len(MEASURES))
    head = NaturalnessHead(np.array([1.0, *zeros]), np.array([0.0, *zeros]), 0.0)
    assert head.predict(with_measures([-3.0], [2.0], [9.0])).tolist() == [0.0, 2.0, 5.0]
    assert math.isnan(head.predict(with_measures([math.nan]))[0])


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(RecordError, match="for each clip"):
        fit(np.zeros((3, 2)), np.zeros(2), strength=1.0)
    with pytest.raises(RecordError, match="for each clip"):
        fit(np.zeros((0, 2)), np.zeros(0), strength=1.0)
    with pytest.raises(RecordError, match="not finite"):
        fit(with_measures([math.nan], [1.0]), np.zeros(2), strength=1.0)


def test_a_report_says_how_often_a_person_sounds_more_natural_than_a_machine() -> None:
    items = [item("a"), item("b"), item("c", DEGRADED), item("d", SYNTHESISED), item("e", SYNTHESISED)]
    found = report(items, np.array([5.0, 4.0, 3.0, 2.0, 1.0]), np.array([4.0, 2.0, 3.0, 3.0, 2.0]))
    # 4 beats 3 and 2; 2 loses to 3 and ties with 2: (1 + 1 + 0 + 0.5) / 4
    assert found.area == pytest.approx(0.625)
    assert found.target_area == 1.0
    assert found.means == {HUMAN: 3.0, DEGRADED: 3.0, SYNTHESISED: 2.5}
    assert found.target_means == {HUMAN: 4.5, DEGRADED: 3.0, SYNTHESISED: 1.5}
    assert found.error == pytest.approx((1 + 2 + 0 + 1 + 1) / 5)
    # deviations of the targets 2, 1, 0, -1, -2 and of the answers 1.2, -0.8, 0.2, 0.2, -0.8:
    # (2.4 - 0.8 - 0.2 + 1.6) / sqrt(10 · 2.8)
    assert found.pearson.value == pytest.approx(3.0 / math.sqrt(28.0))
    assert not found.listeners.is_defined
    assert found.clips == 5


def test_a_report_correlates_with_the_listeners_of_the_clips_that_have_them() -> None:
    items = [item("a", listeners=0.2), item("b", listeners=0.4), item("c", listeners=0.9), item("d")]
    found = report(items, np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.5, 0.0]))
    assert found.listeners.value == pytest.approx(1.0)  # 5 · share, each time
    assert found.listeners.count == 3
    assert math.isnan(found.area)  # no machine among them


def test_a_clip_that_is_not_judged_counts_half_against_every_machine() -> None:
    items = [item("a"), item("b"), item("c", SYNTHESISED)]
    found = report(items, np.array([5.0, 4.0, 1.0]), np.array([3.0, math.nan, 1.0]))
    assert found.area == pytest.approx(0.75)  # (1 + 0.5) / 2
    assert found.unjudged == 1
    assert found.means == {HUMAN: 3.0, SYNTHESISED: 1.0}
    assert found.error == pytest.approx(1.0)  # (2 + 0) / 2


def test_a_report_on_an_ear_that_says_nothing_is_undefined_with_a_reason() -> None:
    found = report([item("a"), item("b", SYNTHESISED)], np.array([4.0, 1.0]), np.full(2, math.nan))
    assert found.unjudged == 2
    assert found.means == {}
    assert math.isnan(found.error)
    assert "left out" in found.pearson.reason
    assert found.area == 0.5


def fake_vector(audio: Audio) -> npt.NDArray[np.floating]:
    level = float(np.sqrt(np.mean(audio.samples**2)))
    return np.array([level, float(np.abs(audio.samples).max()), audio.seconds, *[math.nan] * len(MEASURES)])


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_from_data_to_head_and_back_from_its_file(data: Path, tmp_path: Path) -> None:
    # experts find loud clips natural, the vector holds the level: the head must find the line
    (data / "speechocean").mkdir()
    lines = ["file,split,prosodic"]
    for part, number in itertools.product(PARTS, range(4)):
        level = 0.1 + 0.2 * number
        write(data / "speechocean" / f"{part}{number}.ogg", tone(level=level))
        lines.append(f'{part}{number}.ogg,{part},"[{10 * level}, {10 * level}]"')
    (data / "speechocean" / "labels.csv").write_text("\n".join(lines), encoding="utf-8")
    folder = tmp_path / "made"
    fitted = main(data, folder, fake_vector, strengths=(1e-6, 1e6))
    assert fitted.strength == 1e-6
    assert fitted.experts["test"].value > 0.9
    assert set(fitted.reports) == set(PARTS)
    assert set(fitted.reports["dev"].means) == set(KINDS)
    head = read_head(folder / "naturalness.json")
    assert (head.numbers, head.measures) == (fitted.head.numbers, fitted.head.measures)
    permissive = main(data, folder, fake_vector, sets=("emodb", "csemotions"))
    assert permissive.head.numbers != fitted.head.numbers
    assert permissive.reports["test"].clips == fitted.reports["test"].clips


def test_a_file_without_a_head_is_refused(tmp_path: Path) -> None:
    (tmp_path / "naturalness.json").write_text('{"weights": [1.0]}', encoding="utf-8")
    with pytest.raises(RecordError, match="fit it again"):
        read_head(tmp_path / "naturalness.json")
