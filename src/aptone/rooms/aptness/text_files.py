"""Text of users: files in UTF-8, or a clear word why not, and what was pasted."""

import codecs
from contextlib import suppress
from pathlib import Path

from aptone.errors import RecordError
from aptone.messages import message

LARGEST_TEXT = 256 * 2**20
"""Bytes of a file; the longest novels have a few million characters."""

LONGEST_LINE = 20_000
"""Characters of one line of a story; what is longer is a file without line breaks, or no story."""

_OTHER_MARKS = {  # those of UTF-32 begin as those of UTF-16 do, so they come first
    "UTF-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "UTF-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}


def read_utf8(path: Path, *, what: str) -> str:
    r"""The text of a file in UTF-8, with or without a byte order mark; every line ends in ``\n``.

    Args:
        what: it is to be read as, for messages: "a story".

    Raises:
        RecordError: if it cannot be opened, is too large, or is not UTF-8; then with how to convert it.
    """
    refusal = f"{path}: cannot be read as {what}"
    data = read_bytes(path, what=what)
    if name := next((name for name, marks in _OTHER_MARKS.items() if data.startswith(marks)), ""):
        raise RecordError(f"{refusal} (it is {name}); save it as UTF-8, for instance with iconv -f {name} -t UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = data.count(b"\n", 0, error.start) + 1
        raise RecordError(f"{refusal} (line {place} is not UTF-8); save it as UTF-8{_how(data)}.") from error
    return plain_text(text, refusal=refusal)


def read_bytes(path: Path, *, what: str) -> bytes:
    """The bytes of a file of at most `LARGEST_TEXT`.

    Args:
        what: it is to be read as, for messages: "a story".

    Raises:
        RecordError: if it cannot be opened, or is too large.
    """
    refusal = f"{path}: cannot be read as {what}"
    try:
        if path.stat().st_size > LARGEST_TEXT:
            raise RecordError(f"{refusal} (it has more than {LARGEST_TEXT // 2**20} MiB); cut it into parts.")
        return path.read_bytes()
    except FileNotFoundError as error:
        raise RecordError(f"{refusal} (there is no such file); check the path.") from error
    except IsADirectoryError as error:
        raise RecordError(f"{refusal} (it is a folder); name a file in it.") from error
    except OSError as error:
        raise RecordError(f"{refusal} ({error.strerror or error}).") from error


def plain_text(text: str, *, refusal: str) -> str:
    r"""A text of a file, or one that was pasted, without a byte order mark; every line ends in ``\n``.

    Args:
        refusal: first words of the error.

    Raises:
        RecordError: if it holds NUL characters, so that it is no text.
    """
    if "\0" in text:
        raise RecordError(message("aptness.holds-nul", what=refusal))
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _how(data: bytes) -> str:
    """A guess at the encoding, as advice only: which old encoding of Chinese text the whole file is valid in."""
    for name in ("GB18030", "BIG5"):
        with suppress(UnicodeDecodeError):
            if any("\u4e00" <= character <= "\u9fff" for character in data.decode(name)):
                return f"; it may be {name}: iconv -f {name} -t UTF-8"
    return ""
