import json
import math
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import write
from aptone.errors import RecordError, UsageError
from aptone.types import Audio
from recipes.ear import naturalness as ear_naturalness
from recipes.ear.naturalness import (
    NaturalnessHead,
    ask_teacher,
    fit,
    load_teacher,
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
    RATE,
    SYNTHESISED,
)
from tests.recipes.ear.natural_clips import item, tone


def test_an_opinion_is_stretched_and_counts_for_half() -> None:
    # of a machine the other half is 0: (1 - 1) · 5/4 / 2, (3 - 1) · 5/4 / 2, (5 - 1) · 5/4 / 2
    machine = item("a", SYNTHESISED)
    assert [target(machine, opinion) for opinion in (1.0, 3.0, 5.0)] == [0.0, 1.25, 2.5]


def test_an_opinion_beyond_the_scale_counts_as_its_end() -> None:
    machine = item("a", SYNTHESISED)
    assert [target(machine, opinion) for opinion in (0.7, 5.2)] == [0.0, 2.5]


def test_what_people_said_counts_for_the_other_half() -> None:
    # the teacher's 4 is 3.75; half of the listeners are 2.5; (3.75 + 2.5) / 2
    assert target(item("a", listeners=0.5), 4.0) == pytest.approx(3.125)


def test_a_person_about_whom_nobody_was_asked_counts_as_an_average_actor_even_when_damaged() -> None:
    # (2.5 + 5 · 0.77) / 2
    assert target(item("a"), 3.0) == target(item("a", DEGRADED), 3.0) == pytest.approx(3.175)


def test_opinions_are_kept_by_id(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    items = [item("a"), item("b")]
    for one, level in zip(items, (0.2, 0.4), strict=True):
        write(tmp_path / one.path, tone(1.0, level=level))
    opinions = ask_teacher(tmp_path, items, lambda audio: 10 * math.sqrt(np.mean(audio.samples**2)))
    # ten times the root mean square, level / sqrt(2); Opus changes it a little
    assert opinions["a"] == pytest.approx(2.0 / math.sqrt(2), rel=0.1)
    assert opinions["b"] == pytest.approx(4.0 / math.sqrt(2), rel=0.1)
    assert json.loads((tmp_path / "teacher.json").read_text(encoding="utf-8")) == opinions


def test_the_teacher_hears_the_samples_of_a_clip_as_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    # in the place of torch: a tensor is an array; in the place of the network: the longest row's length
    network = SimpleNamespace(eval=lambda: lambda rows: np.array(float(rows.shape[1]) / rows.shape[0]))
    package = SimpleNamespace(ConvTransformerSQAModel=lambda: network)
    framework = SimpleNamespace(tensor=np.array, no_grad=nullcontext)
    monkeypatch.setitem(sys.modules, "torch", framework)
    monkeypatch.setitem(sys.modules, "distillmos", package)
    assert load_teacher()(tone(0.5)) == 0.5 * RATE


def test_a_teacher_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(UsageError, match="pip install distillmos"):
        load_teacher()


def test_without_shrinkage_a_line_is_found_again() -> None:
    hidden = np.random.default_rng(7).normal(3.0, 2.0, size=(50, 3))
    targets = hidden @ np.array([0.2, -0.1, 0.0]) + 2.0
    head = fit(hidden, targets, strength=1e-12)
    assert head.weights == pytest.approx([0.2, -0.1, 0.0], abs=1e-8)
    assert head.bias == pytest.approx(2.0)
    assert head.numbers == pytest.approx((0.2, -0.1, 0.0, 2.0), abs=1e-8)


def test_the_strength_shrinks_one_feature_as_the_formula_says() -> None:
    # x = ±2 has deviation 2, so z = ±1; y = ±1 around 3: the weight of z is 1 / (1 + strength) = 0.5, of x 0.25
    head = fit(np.array([[-2.0], [2.0]]), np.array([2.0, 4.0]), strength=1.0)
    assert head.weights == pytest.approx([0.25])
    assert head.bias == pytest.approx(3.0)


def test_a_feature_that_never_changes_has_no_weight() -> None:
    head = fit(np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]]), np.array([1.0, 2.0, 3.0]), strength=1e-9)
    assert head.weights == pytest.approx([1.0, 0.0])


def test_a_prediction_stays_between_naught_and_five() -> None:
    head = NaturalnessHead(np.array([1.0]), 0.0)
    assert head.predict(np.array([[-3.0], [2.0], [9.0]])).tolist() == [0.0, 2.0, 5.0]
    assert math.isnan(head.predict(np.array([[math.nan]]))[0])


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(RecordError, match="for each clip"):
        fit(np.zeros((3, 2)), np.zeros(2), strength=1.0)
    with pytest.raises(RecordError, match="for each clip"):
        fit(np.zeros((0, 2)), np.zeros(0), strength=1.0)
    with pytest.raises(RecordError, match="not finite"):
        fit(np.array([[math.nan], [1.0]]), np.zeros(2), strength=1.0)


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


def fake_hidden(audio: Audio) -> npt.NDArray[np.floating]:
    level = float(np.sqrt(np.mean(audio.samples**2)))
    return np.array([level, float(np.abs(audio.samples).max()), audio.seconds])


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_from_data_to_head_and_back_from_its_file(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # the teacher finds loud clips natural, the vector holds the level, and who speaks is left out of the targets: the
    # head must find the line
    monkeypatch.setattr(ear_naturalness, "load_teacher", lambda: lambda audio: 1 + 8 * fake_hidden(audio)[0])
    monkeypatch.setattr(ear_naturalness, "TAKEN_FOR_NATURAL", dict.fromkeys(KINDS, 0.6))
    (data / "emodb" / "erkennung.txt").write_text("Nr.\n", encoding="latin-1")
    folder = tmp_path / "made"
    fitted = main(data, folder, fake_hidden, strengths=(1e-6, 1e6))
    assert fitted.strength == 1e-6
    assert fitted.reports["test"].pearson.value > 0.99
    assert set(fitted.reports) == set(PARTS)
    assert set(fitted.reports["dev"].means) == set(KINDS)
    head = read_head(folder / "naturalness.json")
    assert head.numbers == fitted.head.numbers

    def never() -> None:
        raise AssertionError("asked twice")

    monkeypatch.setattr(ear_naturalness, "load_teacher", never)
    permissive = main(data, folder, fake_hidden, sets=("emodb", "csemotions"))
    assert permissive.head.numbers != fitted.head.numbers
    assert permissive.reports["test"].clips == fitted.reports["test"].clips
    (folder / "teacher.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RecordError, match="asked again"):
        main(data, folder, fake_hidden)


def test_a_file_without_a_head_is_refused(tmp_path: Path) -> None:
    (tmp_path / "naturalness.json").write_text('{"weights": [1.0]}', encoding="utf-8")
    with pytest.raises(RecordError, match="fit it again"):
        read_head(tmp_path / "naturalness.json")
