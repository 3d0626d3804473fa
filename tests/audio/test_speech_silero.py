import hashlib
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import read, speech
from aptone.audio.speech import CHUNK, RATE, WEIGHTS, Floats, speech_probability
from aptone.errors import AudioError

CLIP = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"
FOLDER = Path(speech.__file__).with_name("weights")

# Probabilities of that clip by Silero's streaming model (silero_vad.onnx of the package silero-vad 6.2.3, run chunk by
# chunk with its 64 samples of context, as its own code does).
SILERO = """
0.012 0.017 0.012 0.015 0.011 0.011 0.017 0.016 0.026 0.027 0.021 0.011 0.014 0.014 0.056 0.106 0.174 0.840 0.908 0.935
0.970 0.980 0.984 0.994 0.986 0.973 0.969 0.987 0.995 0.993 0.981 0.984 0.992 0.987 0.988 0.988 0.988 0.995 0.996 0.995
0.995 0.996 0.996 0.856 0.401 0.162 0.093 0.054 0.203 0.204 0.210 0.114 0.730 0.692 0.921 0.940 0.889 0.906 0.882 0.923
0.938 0.967 0.976 0.985 0.977 0.999 0.997 0.998 0.996 0.995 0.990 0.969 0.885 0.479 0.802 0.659 0.973 0.996 0.997 0.996
0.997 0.995 0.965 0.916 0.895 0.957 0.906 0.994 0.992 0.993 0.989 0.994 0.999 0.999 0.999 0.998 0.996 0.998 0.996 0.995
0.996 0.933 0.706 0.932 0.924 0.699 0.354 0.082 0.045 0.033
"""


def rows() -> Floats:
    samples = read(CLIP, rate=RATE).samples
    padded = np.zeros(-(-samples.size // CHUNK) * CHUNK, dtype=np.float32)
    padded[: samples.size] = samples
    return padded.reshape(-1, CHUNK)


def test_the_probabilities_are_those_of_silero_itself() -> None:
    (ours,) = speech_probability([rows()])
    expected = np.array(SILERO.split(), dtype=np.float32)
    assert np.abs(ours - expected).max() < 0.00051  # the figures above have three decimals


@pytest.mark.parametrize("cuts", [[], [1, 40], [7], list(range(1, 110))])
def test_it_does_not_matter_in_which_pieces_a_clip_comes(cuts: list[int]) -> None:
    whole = rows()
    (at_once,) = speech_probability([whole])
    in_pieces = np.concatenate(list(speech_probability(np.split(whole, cuts))))
    assert np.allclose(at_once, in_pieces, rtol=0, atol=1e-6)


def test_the_file_is_the_one_that_the_licence_names() -> None:
    digest = hashlib.sha256((FOLDER / WEIGHTS).read_bytes()).hexdigest()
    licences = (FOLDER / "LICENCES.md").read_text(encoding="utf-8")
    assert digest in licences
    assert WEIGHTS in licences


@pytest.fixture
def other_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of the package, and nothing remembered."""
    (tmp_path / "weights").mkdir()
    monkeypatch.setattr(speech, "files", lambda package: tmp_path)
    speech._session.cache_clear()
    return tmp_path / "weights" / WEIGHTS


@pytest.mark.parametrize("damage", ["missing", "empty", "foreign", "cut"])
def test_weights_that_cannot_be_read_are_refused_with_what_to_do(other_weights: Path, damage: str) -> None:
    whole = (FOLDER / WEIGHTS).read_bytes()
    content = {"empty": b"", "foreign": b"GGUF" + whole[4:], "cut": whole[: len(whole) // 2]}
    if damage != "missing":
        other_weights.write_bytes(content[damage])
    with pytest.raises(AudioError, match=r"speech detector cannot be read .*\. Bring them back with: .*(git|pip) "):
        next(speech_probability([rows()]))
    speech._session.cache_clear()
