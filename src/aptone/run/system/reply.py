"""What comes back from a system: a stranger's file, and a stranger's words."""

from pathlib import Path

from aptone.audio import read
from aptone.errors import AudioError, UnusableReplyError
from aptone.messages import message, replaced
from aptone.types import Audio

LONGEST_ANSWER = 600.0
"""Seconds of sound beyond which an answer is not one turn of a talk."""

LARGEST_ANSWER = 128 << 20
"""Bytes of an answer beyond which it is not read."""

_SHOWN = 300
MOST_BYTES_SHOWN = 4 * _SHOWN
"""Bytes of what a program or server said that `one_line` can make use of."""


def checked_answer(path: Path, *, source: str, said: str = "") -> Audio:
    """What a system answered, if it is a recording that can be used.

    Args:
        path: of the file.
        source: what the recording is called.
        said: what the system said besides.

    Raises:
        UnusableReplyError: if it is too large, too long, or no recording.
    """
    refuse_large(path.stat().st_size, said=said)
    try:
        audio = read(path, rate=None, channel="mix", max_seconds=LONGEST_ANSWER)
    except AudioError as error:
        problem = replaced(str(error), str(path), message("run.it"))
        raise UnusableReplyError(message("run.not-usable-recording", why=problem), raw_reply=said) from error
    return Audio(audio.samples, rate=audio.rate, source=source)


def refuse_large(size: int, *, said: str = "") -> None:
    """Make sure that so many bytes may be an answer.

    Raises:
        UnusableReplyError: if they are too many.
    """
    if size > LARGEST_ANSWER:
        raise UnusableReplyError(message("run.answer-too-large", size=LARGEST_ANSWER >> 20), raw_reply=said)


def one_line(data: bytes) -> str:
    """What a program or server said, short, on one line, without characters that steer a terminal."""
    text = data.decode("utf-8", "replace")
    shown = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return shown[-_SHOWN:]
