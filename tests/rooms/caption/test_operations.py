"""The operation of the room replies what its verb prints."""

import json
from pathlib import Path

import pytest

from aptone.cli.main import main
from aptone.errors import AudioError
from aptone.rooms.caption.data import CaptionSample
from aptone.rooms.caption.operations import OPERATIONS
from aptone.rooms.operation import ClipFile, OperationSettings
from aptone.types import from_json

(CAPTION,) = OPERATIONS
PATH = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips" / "wall-apt.opus"
CLIP = ClipFile(PATH.name, PATH.read_bytes())
TEXT = "A woman speaks slowly in a low, sad voice."


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "options"),
    [
        ({}, []),
        ({"reference": "A frightened man.", "lang": "zh"}, ["--reference", "A frightened man.", "--lang", "zh"]),
        ({"spoken": "de", "language": "en"}, ["--spoken", "de", "--language", "en"]),
    ],
)
def test_a_verdict_is_what_the_command_line_prints(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    given: dict[str, object],
    options: list[str],
) -> None:
    monkeypatch.setenv("APTONE_CACHE", str(tmp_path / "replies.sqlite"))
    answer = CAPTION.make(OperationSettings())(CAPTION.read({"audio": CLIP, "caption": TEXT, **given}))
    with pytest.raises(SystemExit):
        main(["caption", str(PATH), TEXT, *options, "--json"])
    assert json.loads(json.dumps(answer.reply)) == json.loads(capsys.readouterr().out)
    (entry,) = answer.entries
    sample = from_json(CaptionSample, entry.item.payload)
    assert (sample.audio, sample.caption) == (CLIP.ref, TEXT)


def test_a_recording_that_cannot_be_read_is_refused_and_another_ear_is_used() -> None:
    caption = CAPTION.make(OperationSettings(ear="permissive"))
    with pytest.raises(AudioError, match=r"x\.wav"):
        caption(CAPTION.read({"audio": ClipFile("x.wav", b"x"), "caption": TEXT}))
    assert "ear:permissive" in str(caption.config.settings["verifier"])
