"""How good a recording is, by DNSMOS (Reddy et al. 2021): what listeners would say of signal, background and both.

The network comes with the package ``speechmos``, which is not imported: it would bring librosa along for a second
network that is not needed here. Its file is run by ONNX Runtime as the package runs it: windows of 9.01 s every second,
shorter clips repeated, raw outputs through the published polynomials, means over windows.
"""

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime

from aptone.audio import resample
from aptone.errors import MissingExtraError
from aptone.messages import message
from aptone.models import About
from aptone.types import Audio

RATE = 16_000
SECONDS = 9.01
WINDOW = int(SECONDS * RATE)
MODULE, EXTRA = "speechmos", "speech"
NETWORK = Path("dnsmos_models") / "sig_bak_ovr.onnx"
SIGNAL, BACKGROUND, OVERALL = (
    np.poly1d(numbers)
    for numbers in (
        [-0.08397278, 1.22083953, 0.0052439],
        [-0.13166888, 1.60915514, -0.39604546],
        [-0.06766283, 1.11546468, 0.04602535],
    )
)
ABOUT = About(modules=(MODULE,), extra=EXTRA)


@dataclass(frozen=True, slots=True)
class Quality:
    """What listeners would say, from 1 (bad) to 5 (excellent); the polynomials may leave that range a little.

    Args:
        overall: of everything.
        signal: of the voice.
        background: of what is behind it.
    """

    overall: float
    signal: float
    background: float


def recording_quality(audio: Audio) -> Quality:
    """DNSMOS of a clip.

    Raises:
        MissingExtraError: if the package with the network is not installed.
    """
    session = _session()
    samples = resample(audio, rate=RATE).samples.astype(np.float32)
    samples = samples / max(1.0, float(np.abs(samples).max()))  # the network was taught within full scale
    while len(samples) < WINDOW:
        samples = np.concatenate([samples, samples])
    hops = int(np.floor(len(samples) / RATE) - SECONDS) + 1
    # the package leaves out windows whose end, computed in floats, falls a sample short; so its means are over fewer
    begins = [hop * RATE for hop in range(hops) if int((hop + SECONDS) * RATE) - hop * RATE >= WINDOW]
    windows = [samples[begin : begin + WINDOW][np.newaxis] for begin in begins]
    raw = np.array([session.run(None, {"input_1": window})[0][0] for window in windows], dtype=np.float64)
    return Quality(
        overall=float(OVERALL(raw[:, 2]).mean()),
        signal=float(SIGNAL(raw[:, 0]).mean()),
        background=float(BACKGROUND(raw[:, 1]).mean()),
    )


@cache
def _session() -> onnxruntime.InferenceSession:
    spec = find_spec(MODULE)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(message("style.quality-of-recordings"), extra=EXTRA)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    path = Path(next(iter(spec.submodule_search_locations))) / NETWORK
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
