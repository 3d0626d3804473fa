"""Validation of the input of statistics: right shape, missing values marked by NaN, infinite ones refused."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.messages import joined as joined_by_semicolons
from aptone.messages import message

FloatArray = npt.NDArray[np.float64]

Values: TypeAlias = npt.ArrayLike | Sequence[float | None]  # one number an item
Table: TypeAlias = npt.ArrayLike | Sequence[Sequence[float | None]]  # rows of numbers


def vector(values: Values, *, name: str) -> FloatArray:
    """A sequence of numbers as a one-dimensional array. NaN and ``None`` mean that a value is missing.

    Raises:
        RecordError: if they are not numbers, not one-dimensional, or infinite.

    >>> vector([1, None, 3], name="scores")
    array([ 1., nan,  3.])
    """
    return _numbers(values, name=name, dimensions=1, expected="one number an item")


def matrix(values: Table, *, name: str) -> FloatArray:
    """Rows of numbers as a matrix, missing ones NaN or ``None``; raises `RecordError` as `vector`, and if ragged."""
    return _numbers(values, name=name, dimensions=2, expected="rows of numbers, all of the same length")


def complete_items(**named: Values) -> tuple[list[FloatArray], str]:
    """Several numbers an item, without items that lack one of them, and a remark that counts those (or nothing).

    Raises:
        RecordError: if a sequence is not one-dimensional or infinite, or if their lengths differ.

    >>> complete_items(predicted=[1, 2, 3], reference=[1, float("nan"), 5])
    ([array([1., 3.]), array([1., 5.])], '1 of 3 items left out: a value is missing')
    """
    arrays = {name: vector(values, name=name) for name, values in named.items()}
    lengths = {name: array.size for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        got = ", ".join(f"{length} in {name}" for name, length in lengths.items())
        raise RecordError(f"expected one value an item in each sequence, got {got}; align them by item first.")
    missing = np.logical_or.reduce([np.isnan(array) for array in arrays.values()])
    total, left_out = missing.size, int(missing.sum())
    if not left_out:
        return list(arrays.values()), ""
    kept = [array[~missing] for array in arrays.values()]
    return kept, message("stats.items-left-out", count=left_out, all=total, why=message("stats.value-missing"))


def is_constant(values: FloatArray) -> bool:
    """Return True if values do not differ by more than rounding (1e-13 of the largest), so that they have no variance.

    >>> is_constant(np.array([0.1 + 0.2, 0.3]))
    True
    """
    largest = np.abs(values).max()
    return bool(largest == 0 or np.ptp(values / largest) <= 1e-13)


def check_confidence(confidence: float) -> None:
    """Refuse a coverage that is not between 0 and 1; raises `UsageError` if it is not."""
    if not 0 < confidence < 1:
        raise UsageError(f"confidence lies between 0 and 1, for instance 0.95; got {confidence}.")


def check_whole(value: object, *, name: str, least: int) -> None:
    """Raise `UsageError` for an option that is no whole number (1.5, without a type checker) or too small."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise UsageError(f"{name} is a whole number from {least} upwards, got {value!r}.")


def joined(*remarks: str) -> str:
    """Remarks in one line, empty ones left out.

    >>> joined("two missing", "", "too few")
    'two missing; too few'
    """
    return joined_by_semicolons(filter(None, remarks))


def same_items(first: Sequence[object], second: Sequence[object], *, names: tuple[str, str]) -> None:
    """Refuse two lists that do not hold one entry an item each; raises `RecordError` if their lengths differ."""
    if len(first) != len(second):
        raise RecordError(
            f"expected one entry an item in each list, got {len(first)} in {names[0]}, {len(second)} in {names[1]}; "
            "align them by item first."
        )


def _numbers(values: Values | Table, *, name: str, dimensions: int, expected: str) -> FloatArray:
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)  # numpy would drop the mask without a word
    try:
        given = np.asarray(values)
    except ValueError as error:
        raise RecordError(f"{name}: expected {expected}, got rows of different lengths ({error}).") from error
    # numpy would read the text "3" as a number, and that is a guess
    if given.dtype.kind not in "biufO":
        raise RecordError(f"{name}: expected {expected}, got {given.dtype}; convert to numbers first.")
    try:
        numbers = given.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise RecordError(f"{name}: expected {expected}; {error}.") from error
    if numbers.ndim != dimensions:
        raise RecordError(f"{name}: expected {expected} ({dimensions} dimensions), got shape {numbers.shape}.")
    if np.isinf(numbers).any():
        raise RecordError(f"{name}: {int(np.isinf(numbers).sum())} values are infinite; mark missing values by NaN.")
    return numbers
