"""A part of a file as a file, with a replaced beginning: how a mended header reaches a decoder without a copy."""

import io
import os
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
        """Where the next byte comes from."""
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a byte; positions before the beginning count as the beginning."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self.size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Fill the buffer as far as there are bytes: to readers in C, less than asked for means the end."""
        view = memoryview(buffer).cast("B")
        wanted = max(0, min(len(view), self.size - self._position))
        filled = 0
        if self._position < len(self._prefix):
            piece = self._prefix[self._position : self._position + wanted]
            view[: len(piece)] = piece
            filled = len(piece)
        try:
            self._file.seek(self._begin + max(0, self._position - len(self._prefix)))
            while filled < wanted and (piece := self._file.read(wanted - filled)):
                view[filled : filled + len(piece)] = piece
                filled += len(piece)
        except OSError as error:
            self.error = error
        self._position += filled
        return filled
