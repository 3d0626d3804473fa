"""The way into the ear: sources, reasons in both languages, licences and sizes."""

import math
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import soundfile

import aptone.ear.hearing as module
from aptone.ear import LICENCES, PARAMETERS, load_ear
from aptone.ear.hearing import hear
from aptone.ear.measures.rhythm import REQUIRED, rhythm
from aptone.ear.network.inference import EARS
from aptone.ear.perceive import HEARING_RATE
from aptone.errors import AudioError, UsageError
from aptone.messages import Message, translate
from aptone.types import Audio, Perception, Score


class EchoEar:
    """An ear that says how it was asked."""

    name = "echo"
    signature = "ear:echo"
    licence = "none"

    def perceive(
        self, audio: Audio, *, language: str | None = None, trajectory: float | None = None, tracks: bool = False
    ) -> Perception:
        asked = {"rate": str(audio.rate), "language": str(language), "step": str(trajectory), "tracks": str(tracks)}
        return Perception(audio.seconds, speech_seconds=float(np.median(np.abs(audio.samples))), unjudged=asked)


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """The names of ears that were loaded."""
    names: list[str | None] = []

    def load(name: str | None = None) -> EchoEar:
        names.append(name)
        return EchoEar()

    monkeypatch.setattr(module, "load_ear", load)
    return names


def test_a_file_is_read_and_its_channels_are_averaged(tmp_path: Path, asked_for: list[str | None]) -> None:
    path = tmp_path / "two.wav"
    soundfile.write(path, np.tile([[0.5, 0.25]], (48_000, 1)), 48_000)
    heard = hear(path)
    assert heard.seconds == 1.0
    assert heard.speech_seconds == pytest.approx(0.375, abs=1e-4)  # (0.5 + 0.25) / 2
    assert heard.unjudged["rate"] == str(HEARING_RATE)
    assert hear(str(path)) == heard
    assert asked_for == [None, None]


def test_samples_are_heard_at_the_rate_that_is_given(asked_for: list[str | None]) -> None:
    assert hear(np.zeros(8000, dtype=np.float32), 8000).seconds == 1.0
    assert hear(np.zeros((8000, 2), dtype=np.int16), 16_000).seconds == 0.5
    assert hear([0.5, 0.5], 2000).speech_seconds == 0.5


def test_a_recording_that_was_read_already_is_heard_as_it_is(asked_for: list[str | None]) -> None:
    assert hear(Audio(np.zeros(500, dtype=np.float32), rate=1000)).unjudged["rate"] == "1000"


def test_samples_without_a_rate_and_files_with_one_are_refused(asked_for: list[str | None]) -> None:
    with pytest.raises(UsageError, match="samples need their rate"):
        hear(np.zeros(8000, dtype=np.float32))
    with pytest.raises(UsageError, match="a recording knows its own rate"):
        hear("clip.wav", 16_000)


def test_a_missing_file_is_named(asked_for: list[str | None]) -> None:
    with pytest.raises(AudioError, match=r"^gone\.wav: no such file"):
        hear("gone.wav")


def test_options_reach_the_ear_and_an_ear_may_be_given_or_named(asked_for: list[str | None]) -> None:
    silence = np.zeros(8000, dtype=np.float32)
    heard = hear(silence, 8000, ear="permissive", language="zh", trajectory=0.25, tracks=True)
    assert heard.unjudged == {"rate": "8000", "language": "zh", "step": "0.25", "tracks": "True"}
    assert asked_for == ["permissive"]
    given: Any = EchoEar()
    assert hear(silence, 8000, ear=given).unjudged["language"] == "None"
    assert asked_for == ["permissive"]  # nothing more was loaded


RATE = 16_000


@pytest.mark.parametrize("seconds", [0.1, 1.0])
def test_every_reason_of_a_real_ear_is_a_message_with_mandarin_words(seconds: float) -> None:
    noise = np.random.default_rng(1).normal(0.0, 0.05, round(RATE * seconds)).astype(np.float32)
    heard = load_ear("permissive").perceive(Audio(noise, rate=RATE))
    undefined = [score.reason for score in heard.measures.values() if not score.is_defined]
    assert heard.unjudged
    for reason in [*heard.unjudged.values(), *undefined]:
        assert isinstance(reason, Message), reason
        assert re.search("[\u4e00-\u9fff]", translate(reason, "zh"))
        assert not re.search("[a-z]{4}", translate(reason, "zh"))


def test_a_measure_that_a_rhythm_needs_is_named() -> None:
    missing = rhythm({}).reason
    assert missing == f"{REQUIRED[0]}: not measured"
    assert translate(missing, "zh").endswith("：未测量")
    undefined = {name: Score(float("nan"), reason="the moon was full") for name in REQUIRED}
    assert translate(rhythm(undefined).reason, "zh").endswith("：the moon was full")


def test_every_ear_has_a_licence_and_nothing_else_has() -> None:
    assert tuple(LICENCES) == EARS


@pytest.mark.parametrize("name", LICENCES)
def test_the_weights_state_the_same_licence_in_their_metadata(name: str) -> None:
    assert (load_ear(name).name, load_ear(name).licence) == (name, LICENCES[name])


@pytest.mark.parametrize("name", LICENCES)
def test_the_size_of_an_ear_is_the_count_of_the_numbers_in_its_two_files(name: str) -> None:
    weights = Path(str(files("aptone.ear") / "weights"))
    graphs = [onnx.load(str(weights / f"{file}.onnx")).graph for file in ("stem", name)]
    assert sum(math.prod(array.dims) for graph in graphs for array in graph.initializer) == PARAMETERS[name]


def test_the_file_beside_the_weights_names_every_file_and_its_licence() -> None:
    weights = files("aptone.ear") / "weights"
    text = (weights / "LICENCES.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in text.splitlines() if line.startswith("| `")}
    assert {entry.name for entry in weights.iterdir() if entry.name.endswith(".onnx")} == set(rows)
    for name, licence in LICENCES.items():
        assert licence.replace("CC-BY-NC-SA-", "CC BY-NC-SA ") in rows[f"{name}.onnx"]
