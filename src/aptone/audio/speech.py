"""Speech activity by the Silero voice activity detector (https://github.com/snakers4/silero-vad), version 6.

`weights/silero_vad_16k.onnx` holds the weights of Silero's sequence model in a graph that takes many chunks of 32 ms in
one call (`recipes/speech/convert_silero.py`): a third of the processor time of Silero's own graph, which runs its
convolutions chunk by chunk. It runs on one thread of ONNX Runtime, and a chunk's probability does not depend on how
many chunks share a call.
"""

import functools
import itertools
import math
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import soxr
from numpy.lib.stride_tricks import sliding_window_view

from aptone.audio.decode import Block
from aptone.errors import AudioError, UsageError
from aptone.installation import repair_command
from aptone.messages import message
from aptone.types import Audio, Segment

if TYPE_CHECKING:
    import onnxruntime

Floats = npt.NDArray[np.float32]

RATE = 16_000
CHUNK = 512
CONTEXT = 64  # samples before a chunk that the network sees with it
STATE = 128  # size of the two state vectors of the recurrent layer
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


CHUNK_SECONDS = CHUNK / RATE  # the detector gives one probability for every 32 ms
_HYSTERESIS = 0.15
_BLOCK = 1 << 18


def speech_probabilities(audio: Audio) -> npt.NDArray[np.float32]:
    """The probability, from 0 to 1, that somebody speaks in each 32 ms.

    Other rates than 16 kHz are resampled (soxr HQ) for the detector, block by block. The last chunk is filled up with
    zeros. The detector remembers nothing of the clip before: equal clips give equal numbers.
    """
    return np.concatenate(list(speech_probability(_chunks(audio))))


def find_speech(
    audio: Audio,
    *,
    threshold: float = 0.5,
    leave_threshold: float | None = None,
    min_speech_seconds: float = 0.25,
    min_silence_seconds: float = 0.1,
    padding_seconds: float = 0.03,
) -> tuple[Segment, ...]:
    """The stretches of a clip in which somebody speaks, in order and without overlap; empty when nobody does.

    Speech begins where the probability reaches ``threshold`` and ends where it stays below ``leave_threshold`` for
    ``min_silence_seconds``: two thresholds, so that a probability that wavers around one does not chop words up.

    Args:
        threshold: probability, 0 to 1, from which on it is speech.
        leave_threshold: probability below which it is no longer; ``threshold`` - 0.15 when not given.
        min_speech_seconds: shorter stretches are dropped.
        min_silence_seconds: shorter pauses do not end a stretch.
        padding_seconds: added on both sides, at most half of the pause between two stretches.

    Raises:
        UsageError: if a threshold lies outside 0 to 1, the second lies above the first, or a duration is negative.
    """
    leave = max(0.0, threshold - _HYSTERESIS) if leave_threshold is None else leave_threshold
    if not 0 <= leave <= threshold <= 1:
        raise UsageError(f"expected 0 ≤ leave_threshold ≤ threshold ≤ 1, got {leave} and {threshold}; change them.")
    durations = (min_speech_seconds, min_silence_seconds, padding_seconds)
    if not all(math.isfinite(value) and value >= 0 for value in durations):
        raise UsageError(
            f"durations are 0 s or more, got {durations}; change min_speech_, min_silence_ or padding_seconds."
        )
    stretches = _stretches(
        speech_probabilities(audio), enter=threshold, leave=leave, min_silence=min_silence_seconds / CHUNK_SECONDS
    )
    spoken = [
        (begin * CHUNK_SECONDS, min(end * CHUNK_SECONDS, audio.seconds))
        for begin, end in stretches
        if (end - begin) * CHUNK_SECONDS >= min_speech_seconds
    ]
    return _padded(spoken, padding=padding_seconds, seconds=audio.seconds)


def speech_seconds(segments: Iterable[Segment]) -> float:
    """Return the total duration of speech in seconds; where segments overlap, time counts once.

    >>> speech_seconds([Segment(0.0, 2.0), Segment(1.0, 3.0), Segment(5.0, 6.0)])
    4.0
    """
    total, reached = 0.0, 0.0
    for segment in sorted(segments, key=lambda segment: segment.start):
        total += max(0.0, segment.end - max(segment.start, reached))
        reached = max(reached, segment.end)
    return total


def _chunks(audio: Audio) -> Iterator[Block]:
    """The clip at 16 kHz in rows of 512 samples, some hundred at a time, the last row filled up with zeros."""
    resampler = None
    if audio.rate != RATE:
        resampler = soxr.ResampleStream(audio.rate, RATE, 1, dtype="float32", quality="HQ")
    rest: Block = np.empty(0, dtype=np.float32)
    for begin in range(0, audio.samples.size, _BLOCK):
        block: Block = audio.samples[begin : begin + _BLOCK]
        if resampler is not None:
            block = resampler.resample_chunk(block, last=begin + _BLOCK >= audio.samples.size)
        rest = np.concatenate([rest, block])
        whole = len(rest) // CHUNK
        if whole:
            yield rest[: whole * CHUNK].reshape(whole, CHUNK)
        rest = rest[whole * CHUNK :]
    if len(rest):
        yield np.concatenate([rest, np.zeros(CHUNK - len(rest), dtype=np.float32)])[np.newaxis]


def _stretches(
    probabilities: npt.NDArray[np.float32], *, enter: float, leave: float, min_silence: float
) -> list[tuple[int, int]]:
    """First chunk of each stretch of speech, and the chunk behind its last one."""
    stretches = []
    begin: int | None = None
    quiet_since: int | None = None
    for index, probability in enumerate(probabilities):
        if probability >= enter:
            begin, quiet_since = (index if begin is None else begin), None
        elif begin is not None and probability < leave:
            quiet_since = index if quiet_since is None else quiet_since
            if index + 1 - quiet_since >= min_silence:
                stretches.append((begin, quiet_since))
                begin, quiet_since = None, None
        else:
            quiet_since = None
    if begin is not None:
        stretches.append((begin, len(probabilities) if quiet_since is None else quiet_since))
    return stretches


def _padded(spoken: list[tuple[float, float]], *, padding: float, seconds: float) -> tuple[Segment, ...]:
    if not spoken:
        return ()
    gaps = [later[0] - earlier[1] for earlier, later in itertools.pairwise(spoken)]
    before = [min(padding, spoken[0][0]), *(min(padding, gap / 2) for gap in gaps)]
    after = [*(min(padding, gap / 2) for gap in gaps), min(padding, seconds - spoken[-1][1])]
    return tuple(
        Segment(start - less, min(end + more, seconds))
        for (start, end), less, more in zip(spoken, before, after, strict=True)
    )
