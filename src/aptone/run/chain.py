"""Checksum chain of a journal: each line ends with a hash of its own text and of the checksum before it.

A line is an object ``{…,"checksum":"<32 hexadecimal digits>"}``. Its checksum is the first half of the SHA-256 of the
checksum of the line before (32 zeros before the first line) followed by the line up to ``,"checksum"``. So a line that
was changed does not fit its own checksum, and one whose predecessor was removed, added or moved does not fit that.

It finds mistakes and edits by hand. It is no signature: whoever rewrites the whole file can compute it again, and lines
that are missing at the end leave no trace.

Lines of earlier versions have no checksum. They are hashed too, as they are, so the first line with a checksum stands
for all of them.
"""

import hashlib

from aptone.messages import Message, message

MARK = b',"checksum":"'
START = b"0" * 32
_END = b'"}\n'
SEAL_BYTES = len(MARK) + len(START) + len(_END)
"""Bytes at the end of a line that hold its checksum."""


def checksum_of(line: bytes) -> bytes:
    """Return the checksum that a line carries, or ``b""``; the end of a line is enough to find it."""
    is_sealed = line.endswith(_END) and line[-SEAL_BYTES : len(MARK) - SEAL_BYTES] == MARK
    return line[-len(START) - len(_END) : -len(_END)] if is_sealed else b""


def without_checksum(line: bytes) -> bytes:
    """Return the JSON object of a line without its checksum and newline."""
    return line[:-SEAL_BYTES] + b"}" if checksum_of(line) else line.rstrip()


class Chain:
    """Checksum of the lines so far.

    Args:
        checksum: checksum of the last line, where the chain goes on; empty at the beginning of a journal.
    """

    __slots__ = ("begun", "checksum")

    def __init__(self, checksum: bytes = b"") -> None:
        self.checksum = checksum or START
        self.begun = bool(checksum)

    def seal(self, record: bytes) -> bytes:
        """Return the line of a JSON object, with its checksum and newline, and go on from there."""
        body = record[:-1]
        self.checksum, self.begun = _linked(self.checksum, body), True
        return b"".join((body, MARK, self.checksum, _END))

    def follow(self, line: bytes) -> Message | None:
        """Check that a whole line fits the lines before it, and go on from there; return what is wrong with it."""
        found = checksum_of(line)
        if not found:
            if self.begun:
                return message("run.checksum-missing")
            self.checksum = _linked(self.checksum, line.rstrip(b"\r\n"))
            return None
        expected = _linked(self.checksum, line[:-SEAL_BYTES])
        self.checksum, self.begun = found, True
        return None if found == expected else message("run.checksum-differs")


def _linked(before: bytes, body: bytes) -> bytes:
    return hashlib.sha256(before + body).hexdigest()[: len(START)].encode()
