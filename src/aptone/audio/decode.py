"""Open a recording, whatever its container, after checking that it is there, readable, and whole."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import soundfile

from aptone.audio import formats
from aptone.audio.containers import Container, Window, prepare
from aptone.audio.stream import BLOCK_SAMPLES, Block, Stream, check_shape
from aptone.errors import AudioError
from aptone.messages import message

_BY_SNDFILE = (Container.WAV, Container.FLAC, Container.OGG, Container.MP3)
_DECODER_ERRORS = (RuntimeError, TypeError, ValueError, ArithmeticError, MemoryError, OSError)
"""What soundfile raises on bad files; its own errors are RuntimeErrors."""

_CODED_ALONE = ("PCM_", "FLOAT", "DOUBLE", "ULAW", "ALAW")
"""How libsndfile's names of codings begin where no sample hangs on those before it, or, in FLAC, before its frame."""


class SndfileStream:
    """A recording that libsndfile decodes: wav, flac, ogg (Vorbis, Opus) and mp3."""

    def __init__(self, window: Window, *, container: Container, name: str) -> None:
        self._window = window
        self._container = container
        self._name = name
        try:
            self._file = soundfile.SoundFile(window)
        except _DECODER_ERRORS as error:
            raise AudioError(
                message("audio.cannot-decode", name=name, container=container, what=_short(error))
            ) from error
        # soundfile seeks to where it already is after each block that it reads, unless told that it cannot. A lossy
        # decoder loses its state by such a seek, and the samples that follow would hang on the size of the blocks.
        self._file.seekable = _never
        self.rate = int(self._file.samplerate)
        self.channels = int(self._file.channels)
        self._promised = int(self._file.frames)
        self.frames: int | None = self._promised
        self.position = 0
        self.format = f"{container} {self._file.subtype.lower()}"

    def close(self) -> None:
        """Let the decoder go."""
        self._file.close()

    def blocks(self, *, first: int) -> Iterator[Block]:
        """Blocks from the frame ``first`` on.

        Only FLAC and WAV with samples coded one by one are jumped into. All else is decoded from the beginning: after a
        jump, MP3 and Opus give other samples for a while, libsndfile's Vorbis comes out late in the last page, and GSM
        cannot jump at all.

        Raises:
            AudioError: if the decoder gives up, or ends before the promised number of frames.
        """
        size = max(1, BLOCK_SAMPLES // self.channels)
        try:
            if first > 0 and self._file.subtype.startswith(_CODED_ALONE):
                self.position = int(self._file.seek(first))
            # Never beyond the promised end: what stands there may be a tag, at which FLAC's decoder gives up.
            while (wanted := min(size, self._promised - self.position)) > 0:
                block: Block = self._file.read(wanted, dtype="float32", always_2d=True)
                if self._window.error is not None:
                    raise self._window.error
                if len(block) == 0:
                    break
                skipped = min(len(block), max(0, first - self.position))
                self.position += len(block)
                if skipped < len(block):
                    yield block[skipped:]
        except _DECODER_ERRORS as error:
            raise AudioError(
                message(
                    "audio.damaged-after",
                    name=self._name,
                    container=self._container,
                    seconds=self.position / self.rate,
                    what=_short(error),
                )
            ) from error
        if self.position < self._promised:
            raise AudioError(
                message(
                    "audio.truncated-seconds",
                    name=self._name,
                    container=self._container,
                    stated=self._promised / self.rate,
                    decoded=self.position / self.rate,
                )
            )


@contextmanager
def open_stream(path: str | os.PathLike[str]) -> Iterator[Stream]:
    """The recording at a path, open for as long as the ``with`` block lasts.

    Raises:
        AudioError: if it is missing, no regular file, unreadable, empty, not audio, truncated, or absurd in shape.
        MissingExtraError: if it needs the extra ``formats`` (m4a, mp4, aac, webm, Ogg FLAC) and that is not installed.
    """
    name = os.fspath(path)
    size = _size_of_file(name)
    with _opened(name) as file, stream_of(file, size=size, name=name) as stream:
        yield stream


@contextmanager
def stream_of(file: BinaryIO, *, size: int, name: str) -> Iterator[Stream]:
    """The recording in a file that is open already, or in memory; errors as those of `open_stream`.

    Args:
        file: can be read and sought in.
        size: how many bytes it has.
        name: how messages call it.
    """
    try:
        container, window = prepare(file, size=size, name=name)
    except OSError as error:
        raise AudioError(message("audio.cannot-read", name=name, what=error.strerror)) from error
    stream = (
        SndfileStream(window, container=container, name=name)
        if container in _BY_SNDFILE
        else formats.PyAvStream(window, container=container, name=name)
    )
    try:
        check_shape(rate=stream.rate, channels=stream.channels, name=name)
        yield stream
    finally:
        stream.close()


def _opened(name: str) -> BinaryIO:
    try:
        return Path(name).open("rb")
    except PermissionError as error:
        raise AudioError(message("audio.no-read-permission", name=name)) from error
    except OSError as error:
        raise AudioError(message("audio.cannot-open", name=name, what=error.strerror)) from error


def _size_of_file(name: str) -> int:
    try:
        status = Path(name).stat()
    except PermissionError as error:
        raise AudioError(message("audio.no-lookup-permission", name=name)) from error
    except (OSError, ValueError) as error:
        raise AudioError(message("audio.no-such-file", name=name)) from error
    if stat.S_ISDIR(status.st_mode):
        raise AudioError(message("audio.is-folder", name=name))
    if not stat.S_ISREG(status.st_mode):
        raise AudioError(message("audio.is-device", name=name))
    if status.st_size == 0:
        raise AudioError(message("audio.file-empty", name=name))
    return status.st_size


def _never() -> bool:
    return False


def _short(error: BaseException) -> str:
    """The error's text without the name of the file object that soundfile puts in front."""
    text = getattr(error, "error_string", None) or str(error) or type(error).__name__
    return str(text).rstrip(".")
