"""The operation of the room replies what its verb prints."""

import json
from pathlib import Path
from typing import Any

import pytest

from aptone.cli.main import main
from aptone.errors import AudioError, UsageError
from aptone.rooms.operation import ClipFile, OperationSettings
from aptone.rooms.style.data import StylePair
from aptone.rooms.style.operations import OPERATIONS
from aptone.types import from_json

(STYLE,) = OPERATIONS
PATH = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips" / "wall-apt.opus"
CLIP = ClipFile(PATH.name, PATH.read_bytes())
DESCRIPTIONS = ["a calm old woman", "a frightened shout", "一位平静的老妇人"]


@pytest.mark.slow
def test_fits_are_what_the_command_line_prints(capsys: pytest.CaptureFixture[str]) -> None:
    answer = STYLE.make(OperationSettings())(STYLE.read({"audio": CLIP, "descriptions": DESCRIPTIONS}), figures=True)
    with pytest.raises(SystemExit):
        main(["style", str(PATH), *DESCRIPTIONS, "--json"])
    told: Any = json.loads(capsys.readouterr().out)
    assert json.loads(json.dumps(answer.reply)) == told
    pairs = [from_json(StylePair, entry.item.payload) for entry in answer.entries]
    assert [(pair.description, pair.audio) for pair in pairs] == [(text, CLIP.ref) for text in DESCRIPTIONS]
    assert [entry.item.id for entry in answer.entries] == [f"wall-apt.opus {place}" for place in (1, 2, 3)]
    (figure,) = answer.figures
    assert all(text in figure.markup for text in DESCRIPTIONS)


def test_what_the_command_line_refuses_is_refused() -> None:
    style = STYLE.make(OperationSettings())
    with pytest.raises(UsageError, match="descriptions is missing"):
        STYLE.read({"audio": CLIP, "descriptions": []})
    with pytest.raises(UsageError, match="one description or more, none of them empty"):
        style(STYLE.read({"audio": CLIP, "descriptions": ["calm", " "]}))
    with pytest.raises(AudioError, match=r"x\.wav"):
        style(STYLE.read({"audio": ClipFile("x.wav", b"x"), "descriptions": ["calm"]}))
    assert style.config.verb == "style"
    assert "embedder" in style.config.settings
