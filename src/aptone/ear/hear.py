"""``aptone.hear``: a recording in, what it sounds like out."""

import os

import numpy.typing as npt

from aptone.audio import from_array, read
from aptone.ear import Ear, load_ear
from aptone.errors import UsageError
from aptone.types import Audio, Perception

HEARING_RATE = 16_000
"""Samples per second at which files are read for an ear; above 8 kHz it hears nothing."""

Source = str | os.PathLike[str] | Audio | npt.ArrayLike
"""What can be heard: a path, a recording that was read already, or samples."""


def hear(
    source: Source,
    rate: int | None = None,
    *,
    ear: Ear | str | None = None,
    language: str | None = None,
    trajectory: float | None = None,
    tracks: bool = False,
) -> Perception:
    """What a recording sounds like: emotion, delivery, voice, sounds, recording, and what could not be judged.

    Several channels are averaged; to hear one of them, or a part of a file, read it first with `aptone.read_audio`.

    Args:
        source: path of a recording, an `Audio`, or samples: a vector, or frames × channels.
        rate: samples per second, for samples only; there it has to be given, because a rate cannot be guessed.
        ear: an ear, or the name of one: ``"full"`` or ``"permissive"``; ``None`` for the one that the environment
            variable ``APTONE_EAR`` names, or else ``"full"``.
        language: that is spoken, such as ``"en"`` or ``"zh"``: pitch and tempo are compared with what is usual in it.
        trajectory: seconds between two points of valence, arousal and dominance over time; ``None`` for none.
        tracks: whether to give pitch and loudness over time as well.

    Raises:
        AudioError: if the recording cannot be used.
        UsageError: if a rate is missing or given for a file, or there is no such ear.
    """
    chosen = load_ear(ear) if ear is None or isinstance(ear, str) else ear
    return chosen.perceive(audio_of(source, rate), language=language, trajectory=trajectory, tracks=tracks)


def audio_of(source: Source, rate: int | None = None) -> Audio:
    """A source as a recording; arguments and errors as those of `hear`."""
    if isinstance(source, str | os.PathLike | Audio):
        if rate is not None:
            raise UsageError("a recording knows its own rate; leave out the rate, or give samples.")
        return source if isinstance(source, Audio) else read(source, rate=HEARING_RATE, channel="mix")
    if rate is None:
        raise UsageError("samples need their rate, for instance hear(samples, 16_000).")
    return from_array(source, rate=rate, channel="mix")
