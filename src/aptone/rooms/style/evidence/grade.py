"""Grade of a description from 0 to 5: how much of it holds, by S3Bench's guide.

The guide (Appendix A of the paper) asks for the share of features that match, all of equal weight, and grades it: at
most a fifth 1, up to two fifths 2, up to 70 % 3, up to 90 % 4, all of it 5. `GUIDE` is the line through the middles of
these bands. What holds is not known for sure, so the grade is its expectation: over all numbers ``k`` of ``n``
properties that may hold, ``Σ P(k) GUIDE(k / n)``, where ``P`` is the distribution of a sum of independent events. A
single property that holds with probability ``p`` gets ``5 p``.
"""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

GUIDE = ((0.0, 0.0), (0.15, 1.0), (0.3, 2.0), (0.55, 3.0), (0.8, 4.0), (1.0, 5.0))
"""Share of a description that is true, and its grade in S3Bench's guide, at the middle of each band."""


def expected_grade(probabilities: Floats) -> Floats:
    """Return the expected grade of clips, 0 to 5.

    Args:
        probabilities: [clips, properties]; NaN for a property that could not be judged, which does not count.

    Returns:
        One grade a clip; NaN where nothing could be judged.

    >>> expected_grade(np.array([[1.0, 1.0], [0.2, np.nan], [1.0, 0.0], [np.nan, np.nan]])).tolist()
    [5.0, 1.0, 2.8, nan]
    """
    grades = np.full(len(probabilities), np.nan)
    judged = ~np.isnan(probabilities)
    for rows, known in _patterns(judged):
        if known.any():
            grades[rows] = _expected(probabilities[rows][:, known])
    return grades


def _patterns(judged: npt.NDArray[np.bool_]) -> list[tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]]:
    """Return the rows with the same properties judged, and which these are."""
    patterns, places = np.unique(judged, axis=0, return_inverse=True)
    return [(np.flatnonzero(places.ravel() == number), pattern) for number, pattern in enumerate(patterns)]


def _expected(probabilities: Floats) -> Floats:
    clips, count = probabilities.shape
    chances = np.zeros((clips, count + 1))
    chances[:, 0] = 1.0
    for place in range(count):
        holds = probabilities[:, place : place + 1]
        chances[:, 1:] = chances[:, 1:] * (1.0 - holds) + chances[:, :-1] * holds
        chances[:, :1] *= 1.0 - holds
    shares, values = np.array(GUIDE).T
    expected: Floats = chances @ np.interp(np.arange(count + 1) / count, shares, values)
    return expected
