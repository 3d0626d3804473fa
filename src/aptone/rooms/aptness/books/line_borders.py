"""Borders of lines, moved into the pauses between them, so that clips begin and end in silence."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from aptone.rooms.aptness.books.line_times import LineTime
from aptone.types import Segment

SNAP, NEAR = 0.6, 0.2
"""Seconds by which the border of two lines may be moved into a pause: where letters say when a word is said, which is
no better than that; and where the sound does."""

SHORTEST_REMARK = 1.2
"""Seconds of speech between two lines that count as something else; less is a word that was misheard or misplaced."""

PADDING, TAIL = 0.05, 0.2
"""Seconds of a pause that stay with the line behind it; and with the line before it, whose last sound dies away."""

BEYOND = 1.0
"""Seconds of silence that are taken for granted before the first and behind the last speech of a recording."""


@dataclass(frozen=True, slots=True)
class _Sound:
    """Speech of a recording, and the pauses around it, in order."""

    speech: Sequence[Segment]
    pauses: Sequence[Segment]

    @classmethod
    def of(cls, speech: Sequence[Segment]) -> "_Sound":
        if not speech:
            return cls((), ())
        inner = [Segment(one.end, other.start) for one, other in pairwise(speech)]
        start, end = speech[0].start, speech[-1].end
        return cls(speech, [Segment(max(0.0, start - BEYOND), start), *inner, Segment(end, end + BEYOND)])

    def pause(self, low: float, high: float) -> Segment | None:
        """The pause that shares most with a stretch of time; the earlier one of equals."""
        nearby = _overlapping(self.pauses, low, high)
        return max(nearby, key=lambda pause: min(pause.end, high) - max(pause.start, low), default=None)

    def longest_pause(self, low: float, high: float) -> Segment | None:
        """The longest pause whose middle lies in a stretch of time; the earlier one of equals."""
        nearby = (pause for pause in _overlapping(self.pauses, low, high) if low <= _middle(pause) <= high)
        return max(nearby, key=lambda pause: pause.seconds, default=None)

    def spoken(self, low: float, high: float) -> float:
        """Seconds of speech in a stretch of time."""
        inside = _overlapping(self.speech, low, high) if low < high else ()
        return sum(min(part.end, high) - max(part.start, low) for part in inside)


def _middle(pause: Segment) -> float:
    return (pause.start + pause.end) / 2


def _overlapping(segments: Sequence[Segment], low: float, high: float) -> Sequence[Segment]:
    """Return the segments (in order, without overlap) that reach into a stretch of time."""
    first = bisect_right(segments, low, key=lambda segment: segment.end)
    return segments[first : bisect_left(segments, high, key=lambda segment: segment.start)]


def snap_to_pauses(lines: Sequence[LineTime], speech: Sequence[Sequence[Segment]]) -> tuple[LineTime, ...]:
    """The same lines with their ends moved into the pauses between them, where there are any nearby.

    A border moves into the pause that shares most with the stretch around it, or where only letters say where it is,
    into the longest one nearby. Without a pause, it moves to the quietest moment between the two words where that is
    known, and else to the middle between them.

    Args:
        speech: speech segments of each recording, in order.
    """
    sounds = [_Sound.of(segments) for segments in speech]
    moved = list(lines)
    spoken = [place for place, line in enumerate(lines) if line.time is not None]
    for place in spoken:
        moved[place] = _own_edges(lines[place], sounds[lines[place].recording])
    for one, other in pairwise(spoken):
        first, second = moved[one], moved[other]
        if first.time is None or second.time is None or first.recording != second.recording:
            continue
        ends, starts = _border(lines[one], lines[other], sounds[first.recording]) or (first.time.end, second.time.start)
        if ends > starts:
            ends = starts = (ends + starts) / 2
        if first.time.start < ends and starts < second.time.end:
            moved[one] = replace(first, time=Segment(first.time.start, ends))
            moved[other] = replace(second, time=Segment(starts, second.time.end))
    return tuple(moved)


def _border(first: LineTime, second: LineTime, sound: _Sound) -> tuple[float, float] | None:
    """End of a line and start of the next one; ``None`` where something else is said between them."""
    if first.time is None or second.time is None:
        return None
    is_aligned = first.is_aligned and second.is_aligned
    reach = NEAR if is_aligned else SNAP
    if second.is_parted_before or sound.spoken(first.time.end, second.time.start) > SHORTEST_REMARK:
        return None
    low = max(first.time.start, min(first.time.end, second.time.start) - reach)
    high = min(second.time.end, max(first.time.end, second.time.start) + reach)
    pause = sound.pause(low, high) if is_aligned else sound.longest_pause(low, high)
    if pause is None:
        middle = (first.time.end + second.time.start) / 2
        quietest = second.quietest_before
        cut = quietest if quietest is not None and low <= quietest <= high else middle
        return cut, cut
    padding = min(PADDING, pause.seconds / 2)
    return min(pause.start + TAIL, pause.end - padding), pause.end - padding


def _own_edges(line: LineTime, sound: _Sound) -> LineTime:
    """A line whose start and end lie in silence, or just beside it, begins and ends where the speech in it does."""
    if line.time is None:
        return line
    start, end = line.time.start, line.time.end
    if line.is_aligned:
        if (pause := sound.pause(start - NEAR, min(end, start + NEAR))) is not None:
            start = pause.end - min(PADDING, pause.seconds / 2)
        if (pause := sound.pause(max(line.time.start, end - NEAR), end + NEAR)) is not None:
            end = min(pause.start + TAIL, pause.end)
    elif inside := _overlapping(sound.speech, start, end):
        start, end = max(start, inside[0].start - PADDING), min(end, inside[-1].end + PADDING)
    return replace(line, time=Segment(max(0.0, start), end)) if start < end else line
