"""Parts of a recording: one stretch cut out, or all of its speech in pieces that a model can take."""

import math
from collections.abc import Sequence

import numpy as np

from aptone.audio.speech import find_speech
from aptone.errors import AudioError, UsageError
from aptone.messages import message
from aptone.types import Audio, Segment

_QUIET_SECONDS = 0.02


def cut(audio: Audio, segment: Segment) -> Audio:
    """The stretch of a clip that a segment names, its ends rounded to samples.

    Raises:
        AudioError: if the segment reaches beyond the clip or holds no sample.

    >>> cut(Audio(np.arange(8, dtype=np.float32), rate=4), Segment(0.5, 1.0)).samples.tolist()
    [2.0, 3.0]
    """
    first, last = round(segment.start * audio.rate), round(segment.end * audio.rate)
    if last > audio.samples.size:
        raise AudioError(
            message("audio.beyond-clip", name=audio.source, start=segment.start, end=segment.end, seconds=audio.seconds)
        )
    if first == last:
        raise AudioError(
            message("audio.part-too-short", name=audio.source, start=segment.start, end=segment.end, rate=audio.rate)
        )
    return Audio(audio.samples[first:last], rate=audio.rate, source=audio.source)


def split(audio: Audio, *, max_seconds: float, speech: Sequence[Segment] | None = None) -> tuple[Segment, ...]:
    """All speech of a clip, packed in order into pieces of at most ``max_seconds``, cut where it hurts least.

    A piece is filled from its first word on. It is cut in the longest pause that begins in the second half of what
    would fit (the later one of equals), else in the longest in the first half, and where there is no pause at all, in
    the quietest 20 ms of the second half. Pauses at the cuts belong to no piece; the speech in all pieces together is
    the speech of the clip.

    Args:
        audio: the clip.
        max_seconds: longest piece.
        speech: where somebody speaks, in order; `find_speech` with its defaults when not given.

    Raises:
        UsageError: if ``max_seconds`` is not above 0.04.
        AudioError: if the speech given reaches beyond the clip.
    """
    if not (math.isfinite(max_seconds) and max_seconds > 2 * _QUIET_SECONDS):
        raise UsageError(f"pieces need more than {2 * _QUIET_SECONDS} s, got max_seconds={max_seconds}; give more.")
    rest = list(find_speech(audio) if speech is None else speech)
    if rest and rest[-1].end > audio.seconds + 0.5 / audio.rate:
        raise AudioError(message("audio.speech-beyond-end", name=audio.source, end=rest[-1].end, seconds=audio.seconds))
    pieces = []
    while rest:
        start, limit = rest[0].start, rest[0].start + max_seconds
        inside = next((count for count, segment in enumerate(rest) if segment.end > limit), len(rest))
        if inside == len(rest):
            pieces.append(Segment(start, rest[-1].end))
            break
        taken = _segments_before_the_cut(rest, inside=inside, middle=start + max_seconds / 2)
        if taken:
            pieces.append(Segment(start, rest[taken - 1].end))
            rest = rest[taken:]
        else:
            at = _quietest(audio, begin=start + max_seconds / 2, end=limit)
            pieces.append(Segment(start, at))
            rest[0] = Segment(at, rest[0].end)
    return tuple(pieces)


def _segments_before_the_cut(segments: Sequence[Segment], *, inside: int, middle: float) -> int:
    """How many segments to take, so that the pause behind them is the best to cut in; 0 if no pause begins in time."""
    pauses = [(segments[index + 1].start - segments[index].end, index + 1) for index in range(inside)]
    late = [(length, taken) for length, taken in pauses if segments[taken - 1].end >= middle]
    return max(late or pauses, default=(0.0, 0))[1]


def _quietest(audio: Audio, *, begin: float, end: float) -> float:
    """The middle of the 20 ms with the least energy between two times, or of all between them if that is less."""
    samples = audio.samples[round(begin * audio.rate) : round(end * audio.rate)].astype(np.float64)
    width = min(max(1, round(_QUIET_SECONDS * audio.rate)), samples.size)
    if width == 0:
        return (begin + end) / 2
    energy = np.concatenate([[0.0], np.cumsum(samples**2)])
    windows = energy[width:] - energy[:-width]
    return min(end, begin + (int(np.argmin(windows)) + width / 2) / audio.rate)
