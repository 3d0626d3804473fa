"""Parts of a recording: one stretch cut out, or all of its speech in pieces that a model can take."""

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import soxr

from aptone.audio.decode import check_samples, check_shape, open_stream
from aptone.audio.read import pick_channel
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
    named = {"name": audio.source, "start": segment.start, "end": segment.end}
    if last > audio.samples.size:
        raise AudioError(message("audio.beyond-clip", **named, seconds=audio.seconds))
    if first == last:
        raise AudioError(message("audio.part-too-short", **named, rate=audio.rate))
    return Audio(audio.samples[first:last], rate=audio.rate, source=audio.source)


def split(audio: Audio, *, max_seconds: float, speech: Sequence[Segment] | None = None) -> tuple[Segment, ...]:
    """All speech of a clip, packed in order into pieces of at most ``max_seconds``, cut where it hurts least.

    A piece is filled from its first word on. It is cut in the longest pause that begins in the second half of what
    would fit (the later one of equals), else in the longest in the first half, and where there is no pause at all, in
    the quietest 20 ms of the second half. Pauses at the cuts belong to no piece; the speech in all pieces together is
    the speech of the clip.

    Args:
        speech: segments of speech, in order; `find_speech` with its defaults when not given.

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
    """Return the number of segments to take so that the best pause to cut in follows them; 0 if none begins in time."""
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


WINDOW_SECONDS = 300.0  # of sound in which speech is looked for at a time
GUARD_SECONDS = 1.5  # at the end of a window: what ends later may go on in the next one
Samples = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SpeechPiece:
    """A piece that begins at `start` seconds of a recording; its speech, too, in seconds of the recording."""

    audio: Audio
    start: float
    speech: tuple[Segment, ...]


def read_blocks(path: str | os.PathLike[str], *, rate: int) -> Iterator[Samples]:
    """A recording at a stated rate, all channels averaged, block by block.

    Raises:
        AudioError: as `aptone.audio.read`, when the block is reached in which something is wrong.
        MissingExtraError: if the format needs the extra ``formats``.
    """
    name = os.fspath(path)
    with open_stream(path) as stream:
        check_shape(rate=rate, channels=1, name=name)
        resampler = soxr.ResampleStream(stream.rate, rate, 1, dtype="float32", quality="HQ")
        for raw in stream.blocks(first=0):
            block = np.ascontiguousarray(pick_channel(raw, "mix", name=name))
            if block.size:
                check_samples(block, name=name)
                yield block if rate == stream.rate else resampler.resample_chunk(block)
        if rate != stream.rate:
            yield resampler.resample_chunk(np.empty(0, dtype=np.float32), last=True)


def speech_pieces(path: str | os.PathLike[str], *, rate: int, max_seconds: float) -> Iterator[SpeechPiece]:
    """All speech of a recording of any length, in order, in pieces of at most ``max_seconds``, at most 60; see `split`.

    Raises:
        AudioError: if the recording cannot be read, or holds no samples.
    """
    name = os.fspath(path)
    window: Samples = np.empty(0, dtype=np.float32)
    begins = 0  # sample of the recording at which the window begins
    for block in read_blocks(path, rate=rate):
        window = np.concatenate([window, block])
        if window.size >= WINDOW_SECONDS * rate:
            pieces, taken = _pieces(window, begins, rate, max_seconds, name, is_last=False)
            yield from pieces
            window, begins = window[taken:], begins + taken
    if begins + window.size == 0:
        raise AudioError(message("audio.no-samples", name=name))
    if window.size:
        yield from _pieces(window, begins, rate, max_seconds, name, is_last=True)[0]


def _pieces(
    window: Samples, begins: int, rate: int, max_seconds: float, name: str, *, is_last: bool
) -> tuple[list[SpeechPiece], int]:
    """The pieces of a window that are sure to be whole, and how many of its samples they use up."""
    audio = Audio(window, rate=rate, source=name)
    speech = find_speech(audio)
    sure = audio.seconds if is_last else audio.seconds - GUARD_SECONDS
    offset = begins / rate
    pieces = []
    reached = sure
    for segment in split(audio, max_seconds=max_seconds, speech=speech):
        if segment.end > sure:
            reached = min(sure, segment.start)
            break
        first, last = round(segment.start * rate), round(segment.end * rate)
        if first < last:
            inside = [part for part in speech if part.end > segment.start and part.start < segment.end]
            spoken = tuple(
                Segment(offset + max(part.start, segment.start), offset + min(part.end, segment.end)) for part in inside
            )
            pieces.append(SpeechPiece(Audio(window[first:last], rate=rate, source=name), offset + first / rate, spoken))
    return pieces, round(reached * rate)


def cut_many(path: str | os.PathLike[str], segments: Sequence[Segment], *, rate: int) -> Iterator[Audio]:
    """Clips of a recording of any length, in one pass, in the order of their starts; they may overlap.

    Raises:
        AudioError: if the recording cannot be read, or ends before a clip does.
        ValueError: if the segments are not in order.
    """
    if any(other.start < one.start for one, other in pairwise(segments)):
        raise ValueError("clips are cut in the order of their starts.")
    name = os.fspath(path)
    blocks = read_blocks(path, rate=rate)
    held: Samples = np.empty(0, dtype=np.float32)
    begins = 0
    for segment in segments:
        first, last = round(segment.start * rate), round(segment.end * rate)
        named = {"name": name, "start": segment.start, "end": segment.end}
        if first >= last:
            raise AudioError(message("audio.no-sample-within", **named, rate=rate))
        parts = [held]
        reached = begins + held.size
        while reached < last and (block := next(blocks, None)) is not None:
            if reached + block.size > first:
                parts.append(block)
            else:
                parts, begins = [], reached + block.size
            reached += block.size
        held = np.concatenate(parts) if parts else np.empty(0, dtype=np.float32)
        if reached < last:
            raise AudioError(message("audio.beyond-recording", **named, seconds=reached / rate))
        dropped = max(0, first - begins)
        held, begins = held[dropped:], begins + dropped
        yield Audio(held[: last - first], rate=rate, source=name)
