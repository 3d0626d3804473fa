"""Ogg: whether every logical stream runs to its end (RFC 3533).

An Ogg file has no length in its header; a decoder takes the last page that it finds for the end, so half a file decodes
without complaint. The end is marked: the last page of each logical stream carries the end-of-stream flag.

Decisions:
    - A stream without a last page, or whose last page is cut off, is a truncated file. Some streaming recorders never
      write the flag; the message says how to mend such a file.
    - Bytes behind the last page that are no page are ignored.
    - Chained files (one recording after the other in one file) are refused, because the decoder would give back only
      the first without a word.
"""

from typing import BinaryIO

from aptone.audio.containers.window import Window
from aptone.errors import AudioError

_HEADER_BYTES = 27
_FIRST, _LAST = 0x02, 0x04


def prepare(file: BinaryIO, *, size: int, name: str) -> Window:
    """The bytes to decode, once every logical stream was seen to begin and to end.

    Raises:
        AudioError: if a stream does not end, or another begins after one has ended.
    """
    position = 0
    open_streams: set[int] = set()
    ended = False
    while (header := _header(file, position)) is not None:
        flags, serial, body = header[5], int.from_bytes(header[14:18], "little"), sum(header[_HEADER_BYTES:])
        if flags & _FIRST and ended:
            raise AudioError(
                f"{name}: several Ogg recordings are chained in one file, and only the first would be heard; "
                "split them, or join them with: ffmpeg -i IN OUT.flac"
            )
        if flags & _FIRST:
            open_streams.add(serial)
        position += len(header) + body
        if position > size:
            break
        if flags & _LAST:
            open_streams.discard(serial)
            ended = True
    if open_streams or not ended:
        raise AudioError(
            f"{name}: the Ogg file is truncated: it has no end-of-stream page. Copy it again from its source; if a "
            "recorder left it so, mend it with: ffmpeg -i IN -c copy OUT.ogg"
        )
    return Window(file, begin=0, end=size)


def _header(file: BinaryIO, position: int) -> bytes | None:
    """Header and segment table of the page at a byte, or ``None`` where no whole header lies."""
    file.seek(position)
    fixed = file.read(_HEADER_BYTES)
    if len(fixed) < _HEADER_BYTES or fixed[:4] != b"OggS" or fixed[4] != 0:
        return None
    segments = file.read(fixed[26])
    return fixed + segments if len(segments) == fixed[26] else None
