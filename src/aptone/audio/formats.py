"""What libsndfile does not know (m4a, mp4, aac, webm, Ogg FLAC and Speex), decoded by PyAV, the extra ``formats``.

The delay that an AAC encoder puts before the sound is taken out where the container states it (the edit list of an m4a
file); raw AAC cannot state it and keeps it, mostly 1,024 samples. Padding behind the sound, less than a frame, stays.
"""

import re
from collections.abc import Iterator
from types import ModuleType

import numpy as np

from aptone.audio.containers import Container, Window
from aptone.audio.stream import Block
from aptone.errors import AudioError, MissingExtraError
from aptone.messages import message

_DEMUXERS = {Container.MP4: "mov", Container.WEBM: "matroska", Container.AAC: "aac", Container.OGA: "ogg"}
"""The demuxer is fixed by the content, so that no file can make FFmpeg open another file or address."""

_SLACK_SECONDS = 0.2
"""How far a stated duration may exceed what is decoded: encoders count delay and padding in, up to a few frames."""

_CLOCK = re.compile(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)")


def load_av(what: str) -> ModuleType:
    """PyAV.

    Args:
        what: is to be done with it, for the message: "Reading m4a".

    Raises:
        MissingExtraError: if it is not installed.
    """
    try:
        import av
    except ImportError as error:
        raise MissingExtraError(what, extra="formats") from error
    return av


class PyAvStream:
    """A recording that FFmpeg decodes, always from the beginning: its jumps are not exact to the sample."""

    def __init__(self, window: Window, *, container: Container, name: str) -> None:
        av = load_av(message("audio.reading", container=container))
        self._window = window
        self._container = container
        self._name = name
        self._errors = (av.FFmpegError, RuntimeError, TypeError, ValueError, ArithmeticError, MemoryError, OSError)
        try:
            self._input = av.open(window, mode="r", format=_DEMUXERS[container], metadata_errors="ignore")
        except self._errors as error:
            raise self._damaged(error) from error
        if not self._input.streams.audio:
            self._input.close()
            raise AudioError(message("audio.no-audio-stream", name=name))
        if (tracks := len(self._input.streams.audio)) > 1:
            self._input.close()
            raise AudioError(message("audio.several-tracks", name=name, count=tracks))
        self._audio = self._input.streams.audio[0]
        if self._audio.codec_context is None:
            self._input.close()
            raise AudioError(message("audio.unknown-codec", name=name))
        self.rate = int(self._audio.codec_context.sample_rate)
        self.channels = int(self._audio.codec_context.channels)
        self.frames: int | None = None
        self.position = 0
        self.format = f"{container} {self._audio.codec_context.name}"

    def close(self) -> None:
        """Let the decoder go."""
        self._input.close()

    def blocks(self, *, first: int) -> Iterator[Block]:
        """Blocks from the frame ``first`` on.

        Raises:
            AudioError: if the decoder gives up, changes its rate or channels on the way, or ends before the stated
                duration.
        """
        try:
            for block in self._decoded():
                if self._window.error is not None:
                    raise self._window.error
                skipped = min(len(block), max(0, first - self.position))
                self.position += len(block)
                if skipped < len(block):
                    yield block[skipped:]
        except self._errors as error:
            raise self._damaged(error, seconds=self.position / self.rate) from error
        stated = self._stated_seconds()
        if stated is not None and self.position / self.rate < stated - _SLACK_SECONDS:
            raise AudioError(
                message(
                    "audio.truncated-seconds",
                    name=self._name,
                    container=self._container,
                    stated=stated,
                    decoded=self.position / self.rate,
                )
            )

    def _decoded(self) -> Iterator[Block]:
        av = load_av(message("audio.reading", container=self._container))
        resampler = av.AudioResampler(format="fltp", layout=self._audio.codec_context.layout, rate=self.rate)
        for frame in self._input.decode(self._audio):
            if frame.sample_rate != self.rate or len(frame.layout.channels) != self.channels:
                raise ValueError(message("audio.format-changes"))
            for converted in resampler.resample(frame):
                yield np.asarray(converted.to_ndarray(), dtype=np.float32).T

    def _stated_seconds(self) -> float | None:
        """How long the sound should last; raw AAC has no header, and FFmpeg guesses from the bit rate.

        Matroska states the end of each track in a tag, and that of the whole file, pictures included, in its header:
        the latter speaks of the sound only where there is nothing else. Both count from 0 on, also if the sound begins
        later.
        """
        if self._container is Container.AAC:
            return None
        unit = self._audio.time_base
        if self._audio.duration is not None and unit is not None:
            return float(self._audio.duration * unit)
        late = 0.0 if self._audio.start_time is None or unit is None else max(0.0, self._audio.start_time * unit)
        for key, value in self._audio.metadata.items():
            if key.startswith("DURATION") and (match := _CLOCK.fullmatch(value)):
                hours, minutes, seconds = (float(part) for part in match.groups())
                return float(3600 * hours + 60 * minutes + seconds - late)
        if self._input.duration is None or len(self._input.streams) > 1:
            return None
        return float(self._input.duration / 1_000_000 - late)

    def _damaged(self, error: BaseException, *, seconds: float = 0.0) -> AudioError:
        detail = getattr(error, "strerror", None) or str(error) or type(error).__name__
        if not seconds:
            return AudioError(message("audio.damaged", name=self._name, container=self._container, what=detail))
        return AudioError(
            message("audio.damaged-after", name=self._name, container=self._container, seconds=seconds, what=detail)
        )
