"""How far two answers to one question lie apart: stretches of time, and corrected texts."""

from aptone.stats.error_rate import edit_distance


def seconds_apart(first: tuple[float, float], second: tuple[float, float]) -> float:
    """How far the ends of two stretches of time lie from each other, the mean of both ends.

    >>> seconds_apart((0.0, 2.0), (0.5, 3.0))
    0.75
    """
    return (abs(first[0] - second[0]) + abs(first[1] - second[1])) / 2


def overlap(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Intersection over union of two stretches of time: 1 where they are the same, 0 where they do not meet.

    >>> overlap((0.0, 2.0), (1.0, 3.0))
    0.3333333333333333
    """
    shared = max(0.0, min(first[1], second[1]) - max(first[0], second[0]))
    return shared / (max(first[1], second[1]) - min(first[0], second[0]) - _gap(first, second))


def _gap(first: tuple[float, float], second: tuple[float, float]) -> float:
    """What lies between two stretches that do not meet: the union does not hold it."""
    return max(0.0, max(first[0], second[0]) - min(first[1], second[1]))


def text_distance(first: str, second: str) -> float:
    """Character error rate of two texts, the mean of both directions; 1 where one of them is empty, 0 where both are.

    >>> text_distance("Go now.", "Go now!")  # one of seven
    0.14285714285714285
    """
    if first == second:
        return 0.0
    if not first or not second:
        return 1.0
    distance = edit_distance(first, second)
    return (distance / len(first) + distance / len(second)) / 2
