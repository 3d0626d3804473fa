"""Recordings of many hours, a little at a time: all of their speech in pieces, and clips cut out of them.

A compressed file cannot be jumped into, so it is decoded once from its beginning to its end, and what is needed is
taken as it comes by. Never more than some minutes are in memory.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import soxr

from aptone.audio.array import pick_channel
from aptone.audio.decode import open_stream
from aptone.audio.pieces import split
from aptone.audio.speech import find_speech
from aptone.audio.stream import check_samples, check_shape
from aptone.errors import AudioError
from aptone.messages import message
from aptone.types import Audio, Segment

WINDOW_SECONDS = 300.0
"""Of sound in which speech is looked for at a time."""

GUARD_SECONDS = 1.5
"""At the end of a window: what ends later may go on in the next one."""

Samples = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SpeechPiece:
    """A piece of a long recording.

    Args:
        audio: its sound.
        start: seconds where it begins in the recording.
        speech: where somebody speaks in it, in seconds of the recording.
    """

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
    """All speech of a recording of any length, in order, in pieces that a model can take; see `aptone.audio.split`.

    Args:
        path: the recording.
        rate: of the pieces.
        max_seconds: longest piece, at most a minute.

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
    """Clips of a recording of any length, in one pass.

    Args:
        path: the recording.
        segments: in the order of their starts; they may overlap.
        rate: of the clips.

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
        if first >= last:
            raise AudioError(
                message("audio.no-sample-within", name=name, start=segment.start, end=segment.end, rate=rate)
            )
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
            raise AudioError(
                message(
                    "audio.beyond-recording", name=name, start=segment.start, end=segment.end, seconds=reached / rate
                )
            )
        dropped = max(0, first - begins)
        held, begins = held[dropped:], begins + dropped
        yield Audio(held[: last - first], rate=rate, source=name)
