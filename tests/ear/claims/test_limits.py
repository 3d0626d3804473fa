"""The file of limits is read whole or refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from aptone.ear.claims.limits import SHIPPED, load_limits
from aptone.ear.describe import values_of
from aptone.errors import RecordError
from tests.tables import for_each


def shipped() -> Any:
    return json.loads(SHIPPED.read_text(encoding="utf-8"))


def test_every_value_of_a_scale_has_limits_that_rise_with_it() -> None:
    for attribute in ("pitch", "pitch_variation", "rate", "volume"):
        scale = load_limits().scales[attribute]
        assert tuple(scale) == tuple(str(value) for value in values_of(attribute))
        tops = [max(limit.yes for limit in limits if limit.yes < limit.no) for limits in list(scale.values())[:2]]
        assert tops == sorted(tops)


@for_each(
    ("path", "value"),
    [
        (("sex",), [0.5, 0.5]),
        (("sex",), [0.5]),
        (("emotion", "bias"), "high"),
        (("sounds",), [1]),
        (("sounds", "laughing"), [0.1, 0.0]),
        (("scales",), None),
        (("scales", "rate", "slow"), [[0.5, 1.0]]),  # where fast is true already
        (("changes",), {}),
        (("intensity", "strong"), [[0.5, 0.5]]),
    ],
)
def test_limits_that_make_no_sense_are_refused(tmp_path: Path, path: tuple[str, ...], value: object) -> None:
    fields = shipped()
    place = fields
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    file = tmp_path / "limits.json"
    file.write_text(json.dumps(fields), encoding="utf-8")
    with pytest.raises(RecordError, match="no limits of claims"):
        load_limits(file)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no limits of claims"):
        load_limits(tmp_path / "none.json")
