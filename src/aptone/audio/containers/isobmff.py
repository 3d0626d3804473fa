"""MP4, M4A and MOV: a row of boxes that each say their own length (ISO/IEC 14496-12, 4.2).

Decisions: a box that reaches beyond the end of the file makes a truncated file, and so does a missing ``moov`` box
(without which nothing can be decoded; encoders write it last). Bytes behind the last box that are no box are ignored:
those that cannot be one, and, once the index and the samples were seen, those of a kind that no recording has.
"""

from typing import BinaryIO

from aptone.audio.containers.window import Window
from aptone.errors import AudioError
from aptone.messages import message

_MAX_BOXES = 1_000_000
FIRST_BOXES = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip")
_KINDS = frozenset((*FIRST_BOXES, b"styp", b"moof", b"mfra", b"uuid", b"meta", b"udta", b"sidx"))
"""Boxes that may stand at the top level of a file."""


def prepare(file: BinaryIO, *, size: int, name: str) -> Window:
    """The bytes to decode, all boxes seen to be whole; raises `AudioError` if one is cut off, or there is no index."""
    position = 0
    seen: set[bytes] = set()
    for _ in range(_MAX_BOXES):
        file.seek(position)
        header = file.read(16)
        kind = header[4:8]
        if len(header) < 8 or not kind.isascii():
            break
        length = int.from_bytes(header[:4], "big")
        if length == 0:
            length = size - position
        elif length == 1:
            length = int.from_bytes(header[8:16], "big") if len(header) == 16 else 0
        if length < 8 or (position + length > size and kind not in _KINDS and {b"moov", b"mdat"} <= seen):
            break
        seen.add(kind)
        position += length
        if position > size:
            raise AudioError(message("audio.mp4-truncated", name=name, box=repr(kind.decode()), count=position - size))
    if b"moov" not in seen:
        raise AudioError(message("audio.mp4-no-index", name=name))
    return Window(file, begin=0, end=size)
