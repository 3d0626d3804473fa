"""Matroska and WebM: whether the segment is as long as it says (RFC 8794 and RFC 9559).

Decisions:
    - A segment that reaches beyond the end of the file makes a truncated file; what stands behind it is ignored.
    - A segment of unknown length, as browsers record it, runs to the end of the file. Its elements say how long they
      are, so a last one that is cut off makes a truncated file, and bytes that are no element a damaged one. A file
      that was cut exactly between two elements cannot be told from a whole one, and loads.
"""

from typing import BinaryIO

from aptone.audio.containers.window import Window
from aptone.errors import AudioError
from aptone.messages import message

_SEGMENT = b"\x18\x53\x80\x67"
_VOID = 0xEC
_CLUSTER = b"\x1f\x43\xb6\x75"
_IN_A_SEGMENT = ("114d9b74", "1549a966", "1654ae6b", "1c53bb6b", "1f43b675", "1941a469", "1043a770", "1254c367")
"""SeekHead, Info, Tracks, Cues, Cluster, Attachments, Chapters and Tags."""

_IN_A_CLUSTER = ("e7", "a7", "ab", "5854", "a3", "a0", "af")
"""Timestamp, Position, PrevSize, SilentTracks, SimpleBlock, BlockGroup and EncryptedBlock."""

_KNOWN = frozenset(bytes.fromhex(number) for number in (*_IN_A_SEGMENT, *_IN_A_CLUSTER, "ec", "bf"))
"""All of them, with Void and CRC-32, which may stand anywhere."""

_LONGEST_HEADER = 12
_MAX_ELEMENTS = 4_000_000
"""Most elements that are looked at, more than 22 hours of blocks of 20 ms; the decoder sees to the rest."""


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
    if segment[0] is None:
        _walk(file, begin=segment[1], size=size, name=name)
    elif segment[1] + segment[0] > size:
        raise _truncated(name, segment[1] + segment[0] - size)
    return Window(file, begin=0, end=size)


def _walk(file: BinaryIO, *, begin: int, size: int, name: str) -> None:
    """Refuse a segment of unknown length that does not consist of whole elements.

    A cluster of unknown length ends where something stands that clusters do not hold; so what it holds is walked
    through as if it stood beside it.
    """
    position = begin
    for _ in range(_MAX_ELEMENTS):
        if position >= size:
            break
        file.seek(position)
        head = file.read(_LONGEST_HEADER)
        number = head[: 9 - head[0].bit_length()]
        element = _length(head, len(number)) if number in _KNOWN else None
        if element is None or (element[0] is None and number != _CLUSTER):
            raise AudioError(message("audio.webm-damaged", name=name, position=position))
        position += element[1] + (element[0] or 0)
    if position > size:
        raise _truncated(name, position - size)


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


def _truncated(name: str, missing: int) -> AudioError:
    return AudioError(message("audio.webm-truncated", name=name, count=missing))


def _damaged(name: str) -> AudioError:
    return AudioError(message("audio.damaged-header", name=name, container="WebM"))
