"""A call with the user on the left channel and the agent on the right, cut into turns by who speaks."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.audio import find_speech, read_channels
from aptone.errors import AudioError
from aptone.messages import message
from aptone.rooms.dialogue.records import Dialogue, Role, Turn
from aptone.types import AudioRef, Segment

CUTTING_RATE = 16_000
CHANNELS = (Role.USER, Role.AGENT)

SHORTEST_TURN = 0.4
"""Seconds of speech below which a stretch that the other one talks over is a nod ("mhm"), and no turn."""


SAME_SOUND = 0.98
"""Correlation of two channels from which on they hold the same sound, louder or softer: mono that was saved as stereo.
Two voices that spill into each other's channels stay below it."""


def read_stereo(path: Path) -> Dialogue:
    """The turns of a stereo recording: user left, agent right.

    Raises:
        AudioError: if the recording cannot be read, has not two channels or the same sound on both, or the user does
            not speak in it.
    """
    channels = read_channels(path, rate=CUTTING_RATE)
    if len(channels) != len(CHANNELS):
        raise AudioError(message("dialogue.not-two-channels", name=path, count=len(channels)))
    if abs(_correlation(*(audio.samples for audio in channels))) > SAME_SOUND:
        raise AudioError(message("dialogue.same-channels", name=path))
    spoken = [(role, find_speech(audio)) for role, audio in zip(CHANNELS, channels, strict=True)]
    cut = turns_of(*(segments for _, segments in spoken))
    turns = tuple(
        Turn(role, audio=AudioRef(str(path.absolute()), segment.start, segment.end), channel=CHANNELS.index(role))
        for role, segment in cut
    )
    if not turns:
        raise AudioError(message("dialogue.left-silent", name=path))
    return Dialogue(id=path.stem, turns=turns)


def turns_of(user: Iterable[Segment], agent: Iterable[Segment]) -> list[tuple[Role, Segment]]:
    """Stretches of speech of the two as turns: what one says until the other begins is one turn.

    Short stretches within the other's speech are left out, and so is what the agent says before the user has spoken:
    it answers nothing.

    >>> turns = turns_of([Segment(0.0, 1.0), Segment(1.5, 3.0)], [Segment(1.1, 1.4), Segment(4.0, 6.0)])
    >>> [(role.value, segment.start, segment.end) for role, segment in turns]
    [('user', 0.0, 1.0), ('agent', 1.1, 1.4), ('user', 1.5, 3.0), ('agent', 4.0, 6.0)]
    """
    sides = {Role.USER: tuple(user), Role.AGENT: tuple(agent)}
    kept = [
        (role, segment)
        for role, segments in sides.items()
        for segment in segments
        if not _is_nod(segment, sides[Role.AGENT if role is Role.USER else Role.USER])
    ]
    turns: list[tuple[Role, Segment]] = []
    for role, segment in sorted(kept, key=lambda pair: pair[1].start):
        if not turns and role is Role.AGENT:
            continue
        if turns and turns[-1][0] is role:
            before = turns[-1][1]
            turns[-1] = (role, Segment(before.start, max(before.end, segment.end)))
        else:
            turns.append((role, segment))
    return turns


def _correlation(left: npt.NDArray[np.float32], right: npt.NDArray[np.float32]) -> float:
    """Of two channels around their means; 0 where one is silent."""
    first, second = (channel.astype(np.float64) - float(channel.mean()) for channel in (left, right))
    power = float(np.sqrt((first @ first) * (second @ second)))
    return float(first @ second) / power if power > 0 else 0.0


def _is_nod(segment: Segment, others: Iterable[Segment]) -> bool:
    talked_over = any(other.start <= segment.start and segment.end <= other.end for other in others)
    return talked_over and segment.seconds < SHORTEST_TURN
