"""The pitch of a voice: a tracker by autocorrelation, in a fifth of a percent of real time on one core.

After Boersma 1993 ("Accurate short-term analysis of the fundamental frequency and the harmonics-to-noise ratio of a
sampled sound", IFA Proceedings 17), the method of Praat: each frame offers some periods as candidates, and the path
through all frames weighs how periodic each is against leaps between them. Where we depart:

- Candidates are the peaks of a second autocorrelation, that of the square root of the magnitude spectrum below 3 kHz,
  and ranked by it. The root lets weak harmonics speak against a formant that makes one of them loud: far fewer octaves
  are mistaken, above all on the telephone.
- Each must have a peak of the plain autocorrelation beside it, which gives the exact period and the strength.
- Silence is judged by the 99th percentile of the peaks of all frames and not by the highest: one click does not
  make the rest unvoiced.

The constants were set on vocoded speech of known pitch, clean, noisy and over the telephone; `benchmarks/pitch.py`
compares the result with swift-f0, Praat and WORLD on other clips.
"""

import functools
import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from aptone.ear.measures.frames import (
    HOP,
    RATE,
    ROWS,
    STEP,
    WINDOW,
    Floats,
    Samples,
    around_frames,
    autocorrelations,
    hann_window,
    spectra,
)
from aptone.ear.measures.intonation import Contour
from aptone.stats.quantiles import percentiles

_STEPS = 64
"""Steps whose costs are held in memory at once."""


def best_path(scores: Floats, octaves: Floats, *, jump_cost: float, voicing_cost: float) -> npt.NDArray[np.intp]:
    """Return the candidate of each frame that maximises the scores less the costs of changing between frames.

    ``max over paths of Σ_t score(t, k_t) - cost(k_{t-1}, k_t)``, where going from one pitch to another costs
    `jump_cost` for every octave between them, and starting or ceasing to be voiced costs `voicing_cost` (Boersma 1993;
    Viterbi's algorithm). The last candidate of a frame means unvoiced; a score of ``-inf`` means that there is no such
    candidate.

    Steps of Viterbi's algorithm wait for each other. So the frames are cut into about 2√n stretches of √n/2 frames.
    First, all stretches advance side by side, each from every candidate it could be entered with; then the best way
    through the stretches is known, and all advance once more from the one beginning that was right. The path is the
    same.

    Args:
        scores: frames × candidates.
        octaves: frames × candidates, log2 of the pitch; the last column is not read.
        jump_cost: cost of a jump of one octave.
        voicing_cost: cost of a change from voiced to unvoiced or back.

    >>> scores = np.array([[0.9, 0.2, 0.5], [0.9, 0.95, 0.5], [0.9, 0.1, 0.5]])
    >>> octaves = np.array([[7.0, 8.0, 0.0]] * 3)
    >>> best_path(scores, octaves, jump_cost=0.35, voicing_cost=0.14).tolist()  # no octave up and down for 0.05
    [0, 0, 0]
    """
    frames, candidates = scores.shape
    if frames == 0:
        return np.empty(0, dtype=np.intp)
    length = (math.isqrt(frames - 1) + 3) // 2
    stretches = -(-frames // length)
    local = _side_by_side(scores, stretches, length)
    after = _side_by_side(octaves, stretches, length)
    before = _side_by_side(np.concatenate([octaves[:1], octaves[:-1]]), stretches, length)

    def costs(first: int) -> Floats:
        """Return the costs of the changes into some steps: steps × candidates before × candidates after × stretches."""
        some = slice(first, first + _STEPS)
        change: Floats = before[some, :, np.newaxis] - after[some, np.newaxis]
        np.abs(change, out=change)
        change *= jump_cost
        change[:, -1] = voicing_cost
        change[:, :, -1] = voicing_cost
        change[:, -1, -1] = 0.0
        if first == 0:
            change[0, :, :, 0] = 0.0  # nothing comes before the first frame
        behind = max(frames - (stretches - 1) * length - first, 0)
        change[behind:, :, :, -1] = 0.0  # nor after the last
        return change

    ways = np.where(np.eye(candidates, dtype=np.bool_), 0.0, -np.inf)[:, :, np.newaxis]
    for first in range(0, length, _STEPS):
        for step, change in enumerate(costs(first), start=first):
            ways = (ways[:, :, np.newaxis] - change).max(axis=1) + local[step]
    reached = np.zeros((candidates, stretches))
    for number in range(1, stretches):
        reached[:, number] = (reached[:, number - 1, np.newaxis] + ways[:, :, number - 1]).max(axis=0)
    came_from = np.empty((length, candidates, stretches), dtype=np.uint8)
    for first in range(0, length, _STEPS):
        for step, change in enumerate(costs(first), start=first):
            arriving = reached[:, np.newaxis] - change
            came_from[step] = arriving.argmax(axis=0)
            reached = arriving.max(axis=0) + local[step]
    one_by_one = came_from.transpose(2, 0, 1).reshape(-1, candidates)
    return _walked_back(one_by_one, int(reached[:, -1].argmax()))[:frames]


def _side_by_side(values: Floats, stretches: int, length: int) -> Floats:
    """Frames × candidates as steps × candidates × stretches, zeros behind: what advances together lies together."""
    padded = np.zeros((stretches * length, values.shape[1]))
    padded[: len(values)] = values
    return np.ascontiguousarray(padded.reshape(stretches, length, -1).transpose(1, 2, 0))


def _walked_back(came_from: npt.NDArray[np.uint8], last: int) -> npt.NDArray[np.intp]:
    """Trace the path back from its last candidate. Plain bytes: a look-up takes a twentieth of a microsecond."""
    frames, candidates = came_from.shape
    table = came_from.tobytes()
    path = bytearray(frames)
    for frame in range(frames - 1, -1, -1):
        path[frame] = last
        last = table[frame * candidates + last]
    return np.frombuffer(path, dtype=np.uint8).astype(np.intp)


Places = npt.NDArray[np.intp]

LOWEST = 50.0
HIGHEST = 800.0
"""Hz; a screaming child reaches the upper end, a creaking man the lower."""

TRANSFORM = 1024
COMPRESSED_BAND = 3_000.0
"""Hz up to which the compressed spectrum is heard: above it, harmonics drown in breath."""

CANDIDATES = 5
FAINTEST = 0.25
"""Peaks of the compressed autocorrelation below this share of the highest are no candidates."""

# The score of a candidate; that of being unvoiced is the threshold.
PLAIN_WEIGHT = 0.5
COMPRESSED_WEIGHT = 2.0
RIVAL_WEIGHT = 1.5  # for what the compressed autocorrelation lacks to that of the best candidate
OCTAVE_WEIGHT = -0.06  # an octave up, since both autocorrelations fall with the lag
VOICING_THRESHOLD = 0.25

VOICING_COST = 0.25
JUMP_COST = 0.6
SILENCE = 0.01
"""Frames below this share of the loud ones (-40 dB) are unvoiced, however periodic."""

_BLOCK = 512
_REACHES = (3, 8, 8, 8)
_SHORTEST = int(RATE / HIGHEST)
_LONGEST = int(RATE / LOWEST)
_FARTHEST = _LONGEST + 2 * max(_REACHES) + 2
"""Lags that the search for a peak can come to see."""
_BAND = int(COMPRESSED_BAND / RATE * TRANSFORM) + 1
_NOTHING = 1e-30


def track_pitch(samples: Samples) -> Contour:
    """The F0 of a voice every 10 ms, from 50 to 800 Hz; NaN where it does not vibrate.

    Frames are worked through in blocks: memory grows with the contour, and the blocks leave no trace in it. Where
    several sing or speak at once, it follows the most periodic of them.

    Args:
        samples: one channel at 16 kHz, of any length; below 10 ms there is no frame.

    >>> time = np.arange(16_000) / 16_000
    >>> tone = sum(np.sin(2 * np.pi * 150 * number * time) / number for number in range(1, 20))
    >>> contour = track_pitch(np.float32(0.1) * np.asarray(tone, dtype=np.float32))
    >>> float(np.round(np.median(contour.hz), 1)), contour.hz.size
    (150.0, 100)
    """
    count = samples.size // HOP
    peaks = _peaks(samples, count)
    if not peaks.max(initial=0.0) > _NOTHING:
        return Contour(step=STEP, hz=np.full(count, np.nan), strength=np.zeros(count))
    gain = np.float32(1.0 / peaks.max())
    blocks = [_offered(samples, gain, begin, min(begin + _BLOCK, count)) for begin in range(0, count, _BLOCK)]
    octaves, strengths, scores = (np.concatenate(columns) for columns in zip(*blocks, strict=True))
    scores[:, -1] = _unvoiced(peaks)
    path = best_path(scores, octaves, jump_cost=JUMP_COST, voicing_cost=VOICING_COST)
    voiced = np.flatnonzero(path < CANDIDATES)
    hz, strength = np.full(count, np.nan), strengths[:, 0].copy()
    hz[voiced] = 2.0 ** octaves[voiced, path[voiced]]
    strength[voiced] = strengths[voiced, path[voiced]]
    return Contour(step=STEP, hz=hz, strength=strength)


class _Offered(NamedTuple):
    """The candidates of some frames, the best first: frames × candidates, and a last column for being unvoiced."""

    octaves: Floats
    strengths: Floats
    scores: Floats


def _offered(samples: Samples, gain: np.float32, begin: int, end: int) -> _Offered:
    """Return the pitch candidates of frames `begin` to `end`."""
    plain, compressed = _autocorrelated(samples, gain, begin, end)
    heights = compressed[:, 1:]
    middle = heights[:, 1:-1]
    frame, place = np.nonzero((middle > heights[:, :-2]) & (middle >= heights[:, 2:]) & (middle > 0.0))
    height = middle[frame, place] / np.maximum(compressed[frame, 0], _NOTHING)
    highest = np.zeros(end - begin)
    starts = np.flatnonzero(np.diff(frame, prepend=-1))  # frames come in order
    highest[frame[starts]] = np.maximum.reduceat(height, starts) if starts.size else 0.0
    kept = height >= FAINTEST * highest[frame]
    frame, place, height = frame[kept], place[kept], height[kept]
    lag, strength = _climbed(plain, frame, 2 * (place + _SHORTEST // 2))
    kept = (strength > 0.0) & (lag >= _SHORTEST) & (lag <= _LONGEST)
    frame, height, lag, strength = frame[kept], height[kept], lag[kept], strength[kept]
    octave = np.log2(RATE / lag)
    score = PLAIN_WEIGHT * strength + COMPRESSED_WEIGHT * height - RIVAL_WEIGHT * (highest[frame] - height)
    score += OCTAVE_WEIGHT * (octave - np.log2(LOWEST))
    return _best(end - begin, frame, octave, strength, score)


def _best(count: int, frame: Places, octave: Floats, strength: Floats, score: Floats) -> _Offered:
    order = np.argsort(100.0 * frame - score)  # by frame, then the best first: scores lie far within ±50
    frame = frame[order]
    rank = np.arange(frame.size) - np.searchsorted(frame, frame)
    order, frame, rank = (column[rank < CANDIDATES] for column in (order, frame, rank))
    octaves, strengths = np.zeros((count, CANDIDATES + 1)), np.zeros((count, CANDIDATES + 1))
    scores = np.full((count, CANDIDATES + 1), -np.inf)
    octaves[frame, rank] = octave[order]
    strengths[frame, rank] = strength[order]
    scores[frame, rank] = score[order]
    return _Offered(octaves, strengths, scores)


def _autocorrelated(samples: Samples, gain: np.float32, begin: int, end: int) -> tuple[Samples, Samples]:
    """Plain and compressed autocorrelation of the windowed frames; silence is put around the clip.

    The compressed one has a value every two samples of lag, as `_cosines`.
    """
    frames = sliding_window_view(around_frames(samples, begin, end - 1) * gain, WINDOW)[::HOP]
    plain = np.empty((len(frames), _FARTHEST), dtype=np.float32)
    compressed = np.empty((len(frames), _cosines().shape[1]), dtype=np.float32)
    padded = np.zeros((ROWS, TRANSFORM), dtype=np.float32)
    for first in range(0, len(frames), ROWS):
        some = frames[first : first + ROWS]
        inner = padded[: len(some), :WINDOW]
        np.subtract(some, some.mean(axis=1, keepdims=True), out=inner)
        inner *= hann_window()
        power: Samples = np.abs(spectra(padded[: len(some)]))
        np.square(power, out=power)
        plain[first : first + ROWS] = autocorrelations(power, lags=_FARTHEST)
        np.matmul(np.sqrt(np.sqrt(power[:, :_BAND])), _cosines(), out=compressed[first : first + ROWS])
    return plain, compressed


def _climbed(plain: Samples, frame: Places, start: Places) -> tuple[Floats, Floats]:
    """The peak of the plain autocorrelation next to each lag, and its height, 0 to 1.

    Where none lies within a fifth, as in rumble, whose autocorrelation only falls, the height is 0.
    """
    lag, strength = start.astype(np.float64), np.zeros(start.size)
    at, left = start.copy(), np.arange(start.size)
    corrected = (plain / _window_itself()[:_FARTHEST]).ravel()
    for reach in _REACHES:
        if not left.size:
            break
        around = (frame[left] * _FARTHEST + at[left])[:, np.newaxis] + np.arange(-reach, reach + 1)
        heights = corrected.take(around)
        rows, best = np.arange(left.size), heights[:, 1:-1].argmax(axis=1)
        before, highest, after = (heights[rows, best + number].astype(np.float64) for number in range(3))
        at[left] += best + 1 - reach
        is_peak = (highest >= before) & (highest >= after)
        shift, height = _summit(before[is_peak], highest[is_peak], after[is_peak])
        arrived = left[is_peak]
        lag[arrived], strength[arrived] = at[arrived] + shift, height / np.maximum(plain[frame[arrived], 0], _NOTHING)
        left = left[~is_peak]
        left = left[(np.abs(at[left] - start[left]) <= 0.2 * start[left]) & (at[left] <= _LONGEST)]
    # Noise can lift a peak above 1: the further above, the less it is believed (Boersma).
    return lag, np.minimum(np.maximum(strength, 0.0), 1.0 / np.maximum(strength, 1.0))


def _summit(before: Floats, at: Floats, after: Floats) -> tuple[Floats, Floats]:
    """Return the vertex of the parabola through a peak and its neighbours: offset from the peak in steps, height."""
    bend = before - 2.0 * at + after
    shift = (before - after) / (2.0 * np.where(bend < 0.0, bend, -np.inf))
    return shift, at - (before - after) * shift / 4.0


def _peaks(samples: Samples, count: int) -> Floats:
    """The largest absolute value around each frame: in its own 10 ms and in those before and after."""
    if not count:
        return np.empty(0)
    rows = samples[: count * HOP].reshape(count, HOP)
    own = np.maximum(rows.max(axis=1), -rows.min(axis=1)).astype(np.float64)
    around: Floats = np.maximum(own, np.maximum(np.append(own[1:], 0.0), np.append(0.0, own[:-1])))
    return around


def _unvoiced(peaks: Floats) -> Floats:
    """The score of being unvoiced: a threshold, raised where it is silent (Boersma's formula)."""
    share = peaks / max(percentiles(peaks, 99.0)[0], _NOTHING)
    raised: Floats = VOICING_THRESHOLD + np.maximum(0.0, 2.0 - share * (1.0 + VOICING_THRESHOLD) / SILENCE)
    return raised


@functools.cache
def _cosines() -> Samples:
    """Return the matrix from a spectrum below 3 kHz to its autocorrelation at lag 0 and every second lag of a voice.

    Fewer than half of the lags are wanted, so that a product is faster than a transform.
    """
    lags = np.append(0, np.arange(_SHORTEST // 2 - 1, _LONGEST // 2 + 2))
    turns = np.cos(np.outer(np.arange(_BAND), lags) * (4.0 * np.pi / TRANSFORM))
    turns[1:] *= 2.0  # negative frequencies
    return turns.astype(np.float32)


@functools.cache
def _window_itself() -> Samples:
    """The autocorrelation of the window alone, by which that of a frame is divided (Boersma's correction)."""
    own = np.fft.irfft(np.abs(np.fft.rfft(hann_window(), TRANSFORM)) ** 2, TRANSFORM)
    scaled: Samples = own / own[0]
    return scaled
