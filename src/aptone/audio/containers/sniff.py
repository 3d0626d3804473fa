"""Container of a file, detected by its content and not by its name."""

from enum import StrEnum
from typing import BinaryIO

from aptone.audio.containers import flac, isobmff, matroska, mpeg, ogg, riff
from aptone.audio.containers.window import Window, begin_after_tags
from aptone.errors import AudioError
from aptone.messages import message


class Container(StrEnum):
    """The containers that can be read."""

    WAV = "wav"
    FLAC = "flac"
    OGG = "ogg"
    OGA = "oga"  # Ogg with another coding than Vorbis or Opus: FLAC or Speex
    MP3 = "mp3"
    MP4 = "mp4"
    WEBM = "webm"
    AAC = "aac"


def sniff(file: BinaryIO, *, size: int) -> Container | None:
    """The container, or ``None`` for anything else.

    >>> import io
    >>> sniff(io.BytesIO(b"fLaC"), size=4)
    <Container.FLAC: 'flac'>
    """
    begin = begin_after_tags(file, size=size)
    file.seek(begin)
    head = file.read(16)
    if head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE":
        return Container.WAV
    for magic, container in ((b"fLaC", Container.FLAC), (b"\x1a\x45\xdf\xa3", Container.WEBM)):
        if head.startswith(magic):
            return container
    if head.startswith(b"OggS"):
        return Container.OGG if ogg.first_packet(file).startswith((b"\x01vorbis", b"OpusHead")) else Container.OGA
    if head[4:8] in isobmff.FIRST_BOXES:
        return Container.MP4
    if (length := mpeg.aac_frame_length(head)) is not None:
        file.seek(begin + length)
        if begin + length >= size or mpeg.aac_frame_length(file.read(mpeg.AAC_HEADER_BYTES)) is not None:
            return Container.AAC
    if begin > 0 or mpeg.is_of_free_bit_rate(head[:4]) or mpeg.first_frame(file, begin=begin, end=size) is not None:
        return Container.MP3
    return None


_AT_THE_BEGINNING = {
    Container.WAV: riff.prepare,
    Container.OGG: ogg.prepare,
    Container.OGA: ogg.prepare,
    Container.MP4: isobmff.prepare,
    Container.WEBM: matroska.prepare,
}
_BEHIND_TAGS = {Container.FLAC: flac.prepare, Container.MP3: mpeg.prepare, Container.AAC: mpeg.prepare_aac}


def prepare(file: BinaryIO, *, size: int, name: str) -> tuple[Container, Window]:
    """The container and its bytes, a wrong header repaired; raises `AudioError` if unreadable or truncated."""
    container = sniff(file, size=size)
    begin = begin_after_tags(file, size=size)
    if container in _BEHIND_TAGS:
        return container, _BEHIND_TAGS[container](file, size=size, name=name, begin=begin)
    if container in _AT_THE_BEGINNING and begin == 0:
        return container, _AT_THE_BEGINNING[container](file, size=size, name=name)
    file.seek(0)
    raise AudioError(_what_it_is_instead(file.read(64), name=name))


def _what_it_is_instead(head: bytes, *, name: str) -> str:
    if head.startswith(b"version https://git-lfs"):
        return message("audio.git-lfs-pointer", name=name)
    if head.lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return message("audio.web-page", name=name)
    return message("audio.unknown-format", name=name)
