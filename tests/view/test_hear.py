"""Hearing replies what its verb prints, and draws a picture for pages."""

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.cli.main import main
from aptone.errors import AudioError
from aptone.rooms.operation import ClipFile, OperationSettings
from aptone.types import AudioRef, from_json
from aptone.view.hear import HEAR

PATH = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips" / "wall-apt.opus"
CLIP = ClipFile(PATH.name, PATH.read_bytes())


def wav(samples: np.ndarray, rate: int = 16_000) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format="WAV")
    return file.getvalue()


@pytest.mark.slow
def test_a_perception_is_what_the_command_line_prints_with_and_without_a_picture(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hear = HEAR.make(OperationSettings())
    plain, drawn = (hear(HEAR.read({"audio": CLIP, "language": "en"}), figures=figures) for figures in (False, True))
    with pytest.raises(SystemExit):
        main(["hear", str(PATH), "--language", "en", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert {**json.loads(json.dumps(plain.reply)), "clip": str(PATH)} == told
    assert drawn.reply == plain.reply
    assert plain.figures == ()
    (figure,) = drawn.figures
    assert figure.markup.count("<svg") == 2, "one for a wide page and one for a narrow one"
    assert not re.search(r"style=|<style|<script|href=", figure.markup)
    assert "s" in figure.note


def test_the_entry_has_the_perception_and_how_natural_it_sounds() -> None:
    (entry,) = HEAR.make(OperationSettings())(HEAR.read({"audio": CLIP})).entries
    assert from_json(AudioRef, entry.item.payload["audio"]) == CLIP.ref
    assert 0.0 <= entry.outcome.scores["naturalness"].value <= 5.0
    assert "perception" in entry.outcome.evidence


def test_silence_is_heard_without_a_score() -> None:
    hear = HEAR.make(OperationSettings())
    (entry,) = hear(HEAR.read({"audio": ClipFile("a.wav", wav(np.zeros(16_000)))}), figures=True).entries
    assert entry.outcome.scores["naturalness"].reason == "the clip is silent"


def test_a_long_recording_is_refused() -> None:
    with pytest.raises(AudioError, match=r"long\.wav: the clip is longer than 300 s"):
        HEAR.make(OperationSettings())(HEAR.read({"audio": ClipFile("long.wav", wav(np.zeros(301 * 1000), 1000))}))


def test_the_configuration_names_the_ear() -> None:
    config = HEAR.make(OperationSettings(ear="permissive")).config
    assert (config.verb, config.engine, config.licence) == ("hear", "permissive", "ear: permissive (Apache-2.0)")
