"""The bytes of a file that reach a decoder: without tags around the stream, and with a repaired header.

Players glue tags to a stream: ID3v2 and APEv2 before it; ID3v1, APEv2, Lyrics3 and ID3v2 behind it.
"""

import io
import os
import struct
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class Window(io.RawIOBase):
    """The bytes ``prefix`` followed by ``file[begin:end]``, read-only and seekable.

    A failing disk is remembered in `error` rather than raised, because the readers call back from C, where an exception
    would be printed and lost; whoever decodes asks for it afterwards.

    >>> Window(io.BytesIO(b"0123456789"), begin=4, end=8, prefix=b"ab").read()
    b'ab4567'
    """

    def __init__(self, file: BinaryIO, *, begin: int, end: int, prefix: bytes = b"") -> None:
        super().__init__()
        self._file = file
        self._begin = begin
        self._prefix = prefix
        self._position = 0
        self.size = len(prefix) + max(0, end - begin)
        self.error: OSError | None = None

    def readable(self) -> bool:
        """Yes."""
        return True

    def seekable(self) -> bool:
        """Yes."""
        return True

    def tell(self) -> int:
        """Return the position of the next byte."""
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a byte; positions before the beginning count as the beginning."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Fill the buffer as far as there are bytes: to readers in C, less than asked for means the end."""
        view = memoryview(buffer).cast("B")
        wanted = min(len(view), self.size - self._position)
        if wanted <= 0:
            return 0
        filled = 0
        inside = self._position - len(self._prefix)
        if inside < 0:
            piece = self._prefix[self._position : self._position + wanted]
            view[: len(piece)] = piece
            filled, inside = len(piece), 0
        try:
            self._file.seek(self._begin + inside)
            while filled < wanted and (piece := self._file.read(wanted - filled)):
                view[filled : filled + len(piece)] = piece
                filled += len(piece)
        except OSError as error:
            self.error = error
        self._position += filled
        return filled


_ID3V1_BYTES = 128
_ID3V2_HEADER_BYTES = 10
_APE_FOOTER_BYTES = 32
_APE_HAS_HEADER, _APE_IS_HEADER = 1 << 31, 1 << 29
_LYRICS_FOOTER_BYTES = 15
_MAX_TAGS = 16


def begin_after_tags(file: BinaryIO, *, size: int, begin: int = 0) -> int:
    """The first byte from ``begin`` on that is not part of a tag (ID3v2, ID3v1, or APEv2 with a header)."""
    for _ in range(_MAX_TAGS):
        file.seek(begin)
        header = file.read(_APE_FOOTER_BYTES)
        if (length := _id3v2_bytes(header, b"ID3")) is None:
            flags = int.from_bytes(header[20:24], "little")
            if header[:8] == b"APETAGEX" and flags & _APE_IS_HEADER:
                length = _APE_FOOTER_BYTES + int.from_bytes(header[12:16], "little")
            elif begin > 0 and header[:3] == b"TAG":
                length = _ID3V1_BYTES
            else:
                break
        begin += length
    return min(begin, size)


def _id3v2_bytes(header: bytes, magic: bytes) -> int | None:
    """Length of an ID3v2 tag by its header or its footer (id3.org, ID3v2.4.0, section 3); ``None`` if it is none."""
    if len(header) < _ID3V2_HEADER_BYTES or header[:3] != magic or any(byte & 0x80 for byte in header[6:10]):
        return None
    length = header[6] << 21 | header[7] << 14 | header[8] << 7 | header[9]
    return _ID3V2_HEADER_BYTES + length + (_ID3V2_HEADER_BYTES if header[5] & 0x10 else 0)


def end_before_tags(file: BinaryIO, *, size: int) -> int:
    """The byte behind the last one that is not part of a tag at the end of the file."""
    end = size
    for _ in range(_MAX_TAGS):
        shorter = _without_one_tag(file, end)
        if shorter == end:
            break
        end = shorter
    return end


def _without_one_tag(file: BinaryIO, end: int) -> int:
    if end >= _ID3V1_BYTES:
        file.seek(end - _ID3V1_BYTES)
        if file.read(3) == b"TAG":
            return end - _ID3V1_BYTES
    if end >= _APE_FOOTER_BYTES:
        file.seek(end - _APE_FOOTER_BYTES)
        footer = file.read(_APE_FOOTER_BYTES)
        if footer[:8] == b"APETAGEX":
            length, _, flags = struct.unpack("<III", footer[12:24])
            return _shortened(end, length + (_APE_FOOTER_BYTES if flags & _APE_HAS_HEADER else 0))
        if footer.endswith(b"LYRICS200") and footer[-_LYRICS_FOOTER_BYTES:-9].isdigit():
            return _shortened(end, int(footer[-_LYRICS_FOOTER_BYTES:-9]) + _LYRICS_FOOTER_BYTES)
        if (length := _id3v2_bytes(footer[-_ID3V2_HEADER_BYTES:], b"3DI")) is not None:
            return _shortened(end, length)
    return end


def _shortened(end: int, length: int) -> int:
    return end - length if 0 < length <= end else end
