"""Scores of a model as probabilities."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", bound=np.floating)


def softmax(logits: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Probabilities that sum to 1 along the last axis.

    >>> softmax(np.array([0.0, 0.0])).tolist()
    [0.5, 0.5]
    """
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: npt.NDArray[Number] = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def log_softmax(logits: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Logarithms of the same.

    >>> log_softmax(np.array([0.0, 0.0])).round(3).tolist()
    [-0.693, -0.693]
    """
    shifted = logits - logits.max(axis=-1, keepdims=True)
    logs: npt.NDArray[Number] = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return logs


def sigmoid(logits: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Probabilities of yes.

    >>> float(sigmoid(np.array(0.0)))
    0.5
    """
    probabilities: npt.NDArray[Number] = np.reciprocal(1.0 + np.exp(-np.clip(logits, -60.0, 60.0)))
    return probabilities
