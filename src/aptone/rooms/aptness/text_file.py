"""Texts of people, read with care: UTF-8 or a clear word why not."""

import codecs
from pathlib import Path

from aptone.errors import RecordError

LARGEST_TEXT = 256 * 2**20
"""Bytes of a file; the longest novels have a few million characters."""

_OTHER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_OLD_ENCODINGS = ("gb18030", "big5")


def read_utf8(path: Path, *, what: str) -> str:
    r"""The text of a file in UTF-8, with or without a byte order mark; every line ends in ``\n``.

    Args:
        what: it is to be read as, for messages: "a story".

    Raises:
        RecordError: if it cannot be opened, is too large, or is not UTF-8; then with how to convert it.
    """
    try:
        if path.stat().st_size > LARGEST_TEXT:
            raise RecordError(
                f"{path}: cannot be read as {what} (it has more than {LARGEST_TEXT // 2**20} MiB); cut it into parts."
            )
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise RecordError(f"{path}: cannot be read as {what} (there is no such file); check the path.") from error
    except IsADirectoryError as error:
        raise RecordError(f"{path}: cannot be read as {what} (it is a folder); name a file in it.") from error
    except OSError as error:
        raise RecordError(f"{path}: cannot be read as {what} ({error.strerror or error}).") from error
    for mark, name in _OTHER_MARKS.items():
        if data.startswith(mark):
            raise RecordError(
                f"{path}: cannot be read as {what} (it is {name}); save it as UTF-8, for instance with "
                f"iconv -f {name} -t UTF-8."
            )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = data.count(b"\n", 0, error.start) + 1
        raise RecordError(
            f"{path}: cannot be read as {what} (line {place} is not UTF-8); save it as UTF-8{_how(data)}."
        ) from error
    if "\0" in text:
        raise RecordError(f"{path}: cannot be read as {what} (it holds NUL characters, so it is no text).")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _how(data: bytes) -> str:
    """A guess at the encoding, as advice only: which old encoding of Chinese text the whole file is valid in."""
    for name in _OLD_ENCODINGS:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        if any("\u4e00" <= character <= "\u9fff" for character in text):
            return f"; it may be {name.upper()}: iconv -f {name.upper()} -t UTF-8"
    return ""
