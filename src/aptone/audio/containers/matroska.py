"""Matroska and WebM: whether the segment is as long as it says (RFC 8794 and RFC 9559).

Decisions: a segment that reaches beyond the end of the file makes a truncated file. A segment of unknown length, as
browsers record it, runs to the end of the file: nothing in it says where that should be.
"""

from typing import BinaryIO

from aptone.audio.containers.window import Window
from aptone.errors import AudioError

_SEGMENT = b"\x18\x53\x80\x67"
_VOID = 0xEC


def prepare(file: BinaryIO, *, size: int, name: str) -> Window:
    """The bytes to decode, once the segment was seen to be whole.

    Raises:
        AudioError: if the segment is cut off or missing.
    """
    file.seek(0)
    head = file.read(4096)
    header = _length(head, 4)
    if header is None or header[0] is None:
        raise _damaged(name)
    position = header[1] + header[0]
    while position < len(head) and head[position] == _VOID and (void := _length(head, position + 1)) and void[0]:
        position = void[1] + void[0]
    segment = _length(head, position + 4)
    if head[position : position + 4] != _SEGMENT or segment is None:
        raise _damaged(name)
    if segment[0] is not None and segment[1] + segment[0] > size:
        raise AudioError(
            f"{name}: the WebM file is truncated: {segment[1] + segment[0] - size} bytes are missing at its end; "
            "copy it again from its source."
        )
    return Window(file, begin=0, end=size)


def _length(data: bytes, position: int) -> tuple[int | None, int] | None:
    """A length coded in one to eight bytes (``None`` if unknown), and the byte behind it; ``None`` if there is none."""
    if position >= len(data) or data[position] == 0:
        return None
    width = 9 - data[position].bit_length()
    coded = data[position : position + width]
    if len(coded) < width:
        return None
    mask = (1 << 7 * width) - 1
    value = int.from_bytes(coded, "big") & mask
    return (None if value == mask else value), position + width


def _damaged(name: str) -> AudioError:
    return AudioError(f"{name}: the WebM file is truncated or damaged in its header; make or copy it again.")
