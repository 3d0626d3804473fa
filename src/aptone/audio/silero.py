"""The Silero voice activity detector (https://github.com/snakers4/silero-vad), version 6, on ONNX Runtime.

`weights/silero_vad_16k.onnx` holds the weights of Silero's sequence model in a graph that takes many chunks of 32 ms in
one call (`recipes/speech/convert_silero.py`): a third of the processor time of Silero's own graph, which runs its
convolutions chunk by chunk. It runs on one thread, and a chunk's probability does not depend on how many chunks share a
call.
"""

import functools
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from aptone.errors import AudioError
from aptone.installation import repair_command
from aptone.messages import message

if TYPE_CHECKING:
    import onnxruntime

Floats = npt.NDArray[np.float32]

RATE = 16_000
CHUNK = 512
CONTEXT = 64
"""Samples before a chunk that the network sees with it."""
STATE = 128
"""Size of the two state vectors of the recurrent layer."""

WEIGHTS = "silero_vad_16k.onnx"


def speech_probability(chunks: Iterable[Floats]) -> Iterator[Floats]:
    """Yield the probability of speech, 0 to 1, of each chunk: one array for each piece of the clip.

    Args:
        chunks: the clip at 16 kHz, in order, as arrays of shape (chunks, 512). State is carried from piece to piece.

    Raises:
        AudioError: if the weights cannot be read.
    """
    session = _session()
    context = np.zeros(CONTEXT, dtype=np.float32)
    hidden = cell = np.zeros((1, 1, STATE), dtype=np.float32)
    for piece in chunks:
        line = np.concatenate([context, piece.ravel()])
        context = line[-CONTEXT:]
        frames = np.ascontiguousarray(sliding_window_view(line, CONTEXT + CHUNK)[::CHUNK])
        probabilities, hidden, cell = session.run(
            ["speech_probs", "hn", "cn"], {"input": frames, "h": hidden, "c": cell}
        )
        yield probabilities


@functools.cache
def _session() -> "onnxruntime.InferenceSession":
    import onnxruntime  # as slow to import as numpy, and whoever only reads or writes audio does not need it

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        model = files("aptone.audio").joinpath("weights", WEIGHTS).read_bytes()
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the exceptions of onnxruntime have no base class of their own
        raise AudioError(message("audio.detector-weights", why=error, command=repair_command())) from error
