"""Raw AAC (ADTS): a chain of frames that each say their own length (ISO/IEC 14496-3, 1.A.2.2).

Decisions: a last frame that is cut off makes a truncated file; tags before and behind are ignored; bytes in between
that are no frame are left to the decoder, which refuses them. A file that was cut exactly between two frames cannot be
told from a whole one, and loads.
"""

from typing import BinaryIO

from aptone.audio.containers.window import Window, end_before_tags
from aptone.errors import AudioError
from aptone.messages import message

HEADER_BYTES = 7


def frame_length(header: bytes) -> int | None:
    """Length in bytes of the frame that begins with these seven bytes; ``None`` if they begin no frame."""
    if len(header) < HEADER_BYTES or header[0] != 0xFF or header[1] & 0xF6 != 0xF0 or header[2] >> 2 & 0x0F > 12:
        return None
    length = (header[3] & 0x03) << 11 | header[4] << 3 | header[5] >> 5
    return length if length >= HEADER_BYTES else None


def prepare(file: BinaryIO, *, size: int, name: str, begin: int = 0) -> Window:
    """The bytes to decode from the first frame on.

    Raises:
        AudioError: if the last frame is cut off.
    """
    end = end_before_tags(file, size=size)
    position = begin
    while position < end:
        file.seek(position)
        length = frame_length(file.read(HEADER_BYTES))
        if length is None:
            break
        position += length
    if position > end:
        raise AudioError(message("audio.aac-truncated", name=name))
    return Window(file, begin=begin, end=end)
