"""From a cosine to a fit from 0 to 5, for embedders that were calibrated.

A cosine says which of two descriptions fits better, and nothing else: what is high for one model is low for another.
Where pairs with known fits were at hand, a rising line through (cosine, fit) points turns it into the scale on which
people rate. The points lie in ``weights/fit.json`` by the signature of their embedder.
"""

import json
from collections.abc import Callable
from functools import cache
from importlib.resources import files

import numpy as np

from aptone.rooms.style.records import HIGHEST, LOWEST
from aptone.types import Score

Fit = Callable[[float], Score]
"""A cosine to a score from 0 to 5."""


def load_fit(signature: str) -> Fit | None:
    """What turns the cosines of an embedder into fits; ``None`` if it was not calibrated."""
    found = _points().get(signature)
    return None if found is None else fit_by(found, signature=signature)


def fit_by(points: list[list[float]], *, signature: str) -> Fit:
    """The fit by straight lines between points; beyond the outermost ones it stays as it is there.

    Args:
        points: pairs of cosine and fit, rising in both.
        signature: of the embedder that the cosines are of.

    >>> fit_by([[0.0, 0.0], [0.5, 5.0]], signature="mine")(0.25).value
    2.5
    """
    cosines, fits = np.array(points, dtype=np.float64).T

    def fit(cosine: float) -> Score:
        value = float(np.clip(np.interp(cosine, cosines, fits), LOWEST, HIGHEST))
        return Score(value, range=(LOWEST, HIGHEST), signature=signature)

    return fit


@cache
def _points() -> dict[str, list[list[float]]]:
    file = files("aptone.rooms.style").joinpath("weights", "fit.json")
    if not file.is_file():
        return {}
    points: dict[str, list[list[float]]] = json.loads(file.read_bytes())
    return points
