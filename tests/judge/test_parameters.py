import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import RecordError
from aptone.judge.chat.verdict import ASPECTS
from aptone.judge.parameters import SHIPPED, load_parameters, on_curve
from tests.tables import for_each


def test_the_shipped_weights_are_shares_of_the_six_aspects() -> None:
    weights = load_parameters().weights
    assert set(weights) == set(ASPECTS)
    assert sum(weights.values()) == pytest.approx(1.0)


@given(st.sampled_from([*ASPECTS, "aptness"]), st.lists(st.floats(0.0, 5.0), min_size=2, max_size=2))
def test_a_better_fit_never_scores_less(aspect: str, fits: list[float]) -> None:
    curve = load_parameters().curves[aspect]
    low, high = sorted(fits)
    assert 0.0 <= on_curve(curve, low) <= on_curve(curve, high) <= 5.0


def test_a_curve_is_straight_between_its_points_and_level_beyond_them() -> None:
    curve = ((0.2, 1.0), (0.6, 3.0))
    assert [on_curve(curve, fit) for fit in (0.0, 0.2, 0.4, 0.6, 1.0)] == pytest.approx([1.0, 1.0, 2.0, 3.0, 3.0])


def changed(**fields: Any) -> dict[str, Any]:
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    assert isinstance(shipped, dict)
    return {**shipped, **fields}


FALLING = [[0.0, 3.0], [1.0, 2.0]]
CURVES = changed()["curves"]


@for_each(
    ("content", "message"),
    [
        ("{", "no parameters"),
        ("[]", "no parameters"),
        (json.dumps(changed(surprise=1)), "surprise"),
        (json.dumps(changed(weights={"emotion": 1.0})), "weights and curves are for emotion"),
        (json.dumps(changed(weights={**changed()["weights"], "rhythm": 0.0})), "weights and reaches are positive"),
        (json.dumps(changed(least_share=1.5)), "shares lie between 0 and 1"),
        (json.dumps(changed(curves={**CURVES, "rhythm": FALLING})), "the curve of rhythm has to go on"),
        (json.dumps(changed(curves={**CURVES, "rhythm": [[0.0, 1.0]]})), "needs two points"),
        (json.dumps(changed(curves={**CURVES, "rhythm": [[0.0, 1.0], [1.0, 7.0]]})), "leaves the scale"),
        (json.dumps(changed(kinship={**changed()["kinship"], "rhythm": {"brisk": [0.0]}})), "the kinship of rhythm"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_the_reason(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(RecordError, match=message) as caught:
        load_parameters(path)
    assert str(path) in str(caught.value)


def test_another_file_has_another_hash(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(changed(least_share=0.3)), encoding="utf-8")
    assert load_parameters(path).hash != load_parameters().hash


def test_the_points_of_every_shipped_curve_go_up() -> None:
    for curve in load_parameters().curves.values():
        assert all(left < right and low <= high for (left, low), (right, high) in itertools.pairwise(curve))
