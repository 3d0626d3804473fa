import json
from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.rooms.dialogue.config import PAPER, DialogueConfig, Weights, read_config
from aptone.types import Vad, dumps, to_json
from tests.tables import for_each


def test_a_config_comes_back_from_its_file(tmp_path: Path) -> None:
    config = DialogueConfig(scale=4.0, extreme=Vad(-0.1, 0.2, 0.3), turn_weights=Weights(0.5, 0.3, 0.2))
    path = tmp_path / "config.json"
    path.write_text(dumps(to_json(config)), encoding="utf-8")
    assert read_config(path) == config
    assert read_config(path).signature == config.signature != PAPER.signature


def test_what_a_file_does_not_name_is_as_in_the_paper(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"scale": 3.0}', encoding="utf-8")
    assert read_config(path) == DialogueConfig(scale=3.0)


@for_each(
    ("data", "message"),
    [
        ({"scale": 0}, "the scale K is a positive number"),
        ({"scael": 5}, "scael"),
        ({"unsteady": -1}, "steadiness"),
        ({"extreme": {"valence": None, "arousal": 0.1, "dominance": 0.1}}, "extreme: valence, arousal and dominance"),
        ({"table": {"neutral": {"happy": 1.0}}}, "one row and one column"),
        ({"table": {"neutral": {"neutral": None}}}, "numbers only"),
        ({"turn_weights": {"contagion": -1, "balancing": 1, "stability": 1}}, "weights"),
    ],
)
def test_a_constant_that_makes_no_sense_is_refused_by_file(tmp_path: Path, data: object, message: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(RecordError, match=message) as raised:
        read_config(path)
    assert "config.json" in str(raised.value)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read"):
        read_config(tmp_path / "none.json")
