"""The best path through the candidates of all frames, without a step of Python for every frame."""

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_STEPS = 64
"""Steps whose costs are held in memory at once."""


def best_path(scores: Floats, octaves: Floats, *, jump_cost: float, voicing_cost: float) -> npt.NDArray[np.intp]:
    """Which candidate to take in each frame, so that scores less the costs of changing between frames are highest.

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
        jump_cost: for one octave.
        voicing_cost: from voiced to unvoiced or back.

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
        """Of every change into some steps: steps × candidates before × candidates after × stretches."""
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
    """From the last candidate to the first. Plain bytes: a look-up takes a twentieth of a microsecond."""
    frames, candidates = came_from.shape
    table = came_from.tobytes()
    path = bytearray(frames)
    for frame in range(frames - 1, -1, -1):
        path[frame] = last
        last = table[frame * candidates + last]
    return np.frombuffer(path, dtype=np.uint8).astype(np.intp)
