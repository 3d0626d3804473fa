"""MP3 and raw AAC: how many frames a file really holds, and how many it should.

MP3 (ISO/IEC 11172-3, 2.4.1; 13818-3): the decoder estimates the length of a file without an Info tag from its size,
stops there, and so loses half of a file whose bit rate varies; it also stops where a tag says so when more follows. So
frames are counted here, and a file whose tag is missing or wrong is decoded behind an Info tag that we write ourselves.

Decisions about MP3:
    - Fewer frames than the tag promises, or a last frame that is cut off: truncated. One frame less passes, since some
      encoders count the frame that holds the tag.
    - A file without a tag that was cut exactly between two frames cannot be told from a whole one, and loads.
    - Tags (ID3v1, ID3v2, APEv2, Lyrics3) before, between (files glued together) and behind the frames are ignored, and
      so are zeros before them. Other bytes that are no frame are skipped, 64 KiB in all, as long as the decoder finds
      its way; what stands behind them then counts as no sound.
    - Where no tag says how many frames there should be, such bytes may be frames that were lost: more than 8 KiB, or a
      quarter of the sound, make a damaged file.
    - Free bit rates, which hardly any encoder writes, are refused.
    - Without encoder delay in the tag, the 529 samples by which every decoder lags are cut off at the beginning, and
      nothing at the end.

Raw AAC (ADTS; ISO/IEC 14496-3, 1.A.2.2) is a chain of frames that each say their own length. A last frame that is cut
off makes a truncated file; tags before and behind are ignored; bytes in between that are no frame are left to the
decoder, which refuses them. A file that was cut exactly between two frames cannot be told from a whole one, and loads.
"""

import re
import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from aptone.audio.containers.window import Window, begin_after_tags, end_before_tags
from aptone.errors import AudioError
from aptone.messages import message

_KBPS_VERSION_1 = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_KBPS_VERSION_2 = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_RATES = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
_SEARCHED_BYTES = 1 << 16
_LOST_BYTES = 1 << 13
_LOST_SHARE = 4
_SURE_AFTER = 3
_HEADER_START = re.compile(rb"\xff[\xe2\xe3\xf2\xf3\xfa\xfb]")


class Frame(NamedTuple):
    """A frame header: the frame's length in bytes, and the bits that are equal in all frames of a stream."""

    length: int
    kind: tuple[int, int]


class _Walk(NamedTuple):
    """Whole frames, the byte behind the last of them, bytes that are neither frame nor tag, and whether one is cut."""

    frames: int
    end: int
    strange: int
    cut: bool


def frame(header: bytes) -> Frame | None:
    """The Layer III frame that begins with these four bytes; ``None`` if they begin none.

    >>> frame(bytes.fromhex("fffb9064"))
    Frame(length=417, kind=(3, 44100))
    """
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE6 != 0xE2:
        return None
    version, rate_index, bit_rate_index = header[1] >> 3 & 3, header[2] >> 2 & 3, header[2] >> 4
    if version == 1 or rate_index == 3 or bit_rate_index in (0, 15):
        return None
    rate = _RATES[version][rate_index]
    return Frame(_frame_bytes(version, bit_rate_index, rate) + (header[2] >> 1 & 1), (version, rate))


def _frame_bytes(version: int, bit_rate_index: int, rate: int) -> int:
    kbps = (_KBPS_VERSION_1 if version == 3 else _KBPS_VERSION_2)[bit_rate_index]
    return (144_000 if version == 3 else 72_000) * kbps // rate


def first_frame(file: BinaryIO, *, begin: int, end: int) -> int | None:
    """The byte where the frames begin: the first place, near the beginning, from which several follow one another."""
    searched = _after_zeros(file, begin=begin, end=end)
    file.seek(searched)
    for offset in _candidates(file.read(min(_SEARCHED_BYTES, end - searched))):
        # Right at the beginning a file may be as short as one frame; further on that would be a chance likeness.
        if _follow_one_another(file, position=searched + offset, end=end, may_end=searched + offset == begin):
            return searched + offset
    return None


def is_of_free_bit_rate(header: bytes) -> bool:
    """Return True if these four bytes begin a Layer III frame of free bit rate, which states no length."""
    if len(header) < 4 or header[2] >> 4 != 0:
        return False
    return frame(bytes([header[0], header[1], header[2] | 0x10, header[3]])) is not None


def _after_zeros(file: BinaryIO, *, begin: int, end: int) -> int:
    while begin < end:
        file.seek(begin)
        data = file.read(min(_SEARCHED_BYTES, end - begin))
        if rest := data.lstrip(b"\0"):
            return begin + len(data) - len(rest)
        begin += len(data)
    return end


def _candidates(data: bytes) -> Iterator[int]:
    """Return the offsets of possible frame headers; found in C, because a damaged file may be long."""
    return (match.start() for match in _HEADER_START.finditer(data))


def _follow_one_another(file: BinaryIO, *, position: int, end: int, may_end: bool) -> bool:
    kind: tuple[int, int] | None = None
    for _ in range(_SURE_AFTER):
        if kind is not None and position >= end:
            return may_end
        file.seek(position)
        found = frame(file.read(4))
        if found is None or (kind is not None and found.kind != kind):
            return False
        kind = found.kind
        position += found.length
    return True


def prepare(file: BinaryIO, *, size: int, name: str, begin: int = 0) -> Window:
    """The frames behind a tag with their true number; raises `AudioError` if some are missing, or the last is cut."""
    end = end_before_tags(file, size=size)
    start = first_frame(file, begin=begin, end=end)
    if start is None:
        file.seek(begin)
        if is_of_free_bit_rate(file.read(4)):
            raise AudioError(message("audio.mp3-free-rate", name=name))
        raise AudioError(message("audio.mp3-no-frames", name=name))
    walk = _walk(file, start=start, end=end)
    file.seek(start)
    head = file.read(256)
    tagged, promised = _promised_frames(head)
    frames = max(0, walk.frames - (1 if tagged else 0))
    if walk.cut or (promised is not None and frames < promised - 1):
        if promised is None:
            raise AudioError(message("audio.mp3-truncated", name=name, count=frames))
        raise AudioError(message("audio.mp3-truncated-of", name=name, count=frames, promised=promised))
    if promised is None and walk.strange > min(_LOST_BYTES, (walk.end - start) // _LOST_SHARE):
        raise AudioError(message("audio.mp3-strange-bytes", name=name, count=walk.strange))
    if frames == 0:
        raise AudioError(message("audio.file-without-samples", name=name, container="MP3"))
    if promised == frames:
        return Window(file, begin=start, end=walk.end)
    if tagged and (first := frame(head)) is not None:
        start += first.length
    return Window(file, begin=start, end=walk.end, prefix=_info_frame(head, frames=frames, size=walk.end - start))


def _walk(file: BinaryIO, *, start: int, end: int) -> _Walk:
    """Count whole frames; where one does not follow another, look for the next place where two do."""
    file.seek(start)
    first = frame(file.read(4))
    kind = first.kind if first is not None else None
    frames, position, last_end, strange = 0, start, start, 0
    while position < end:
        file.seek(position)
        header = file.read(min(4, end - position))
        found = frame(header)
        if found is not None and found.kind == kind:
            position += found.length
            if position > end:
                return _Walk(frames, last_end, strange, cut=True)
            frames += 1
            last_end = position
            continue
        if position == last_end and len(header) < 4 and header[:1] == b"\xff":
            return _Walk(frames, last_end, strange, cut=True)
        behind_tags = begin_after_tags(file, size=end, begin=position)
        if behind_tags > position:
            position = behind_tags
            continue
        resumed = _next_frame(file, position=position + 1, end=end, kind=kind, most=_SEARCHED_BYTES - strange)
        if resumed is None:
            strange += end - position
            break
        strange += resumed - position
        position = resumed
    return _Walk(frames, last_end, strange, cut=False)


def _next_frame(file: BinaryIO, *, position: int, end: int, kind: tuple[int, int] | None, most: int) -> int | None:
    """The next place from which frames follow one another, looked for in so many bytes at most."""
    file.seek(position)
    for offset in _candidates(file.read(max(0, min(most, end - position)))):
        file.seek(position + offset)
        found = frame(file.read(4))
        if found is None or found.kind != kind or position + offset + found.length > end:
            continue
        if _follow_one_another(file, position=position + offset, end=end, may_end=True):
            return position + offset
    return None


def _side_information_bytes(header: bytes) -> int:
    mono = header[3] >> 6 == 3
    if header[1] >> 3 & 3 == 3:
        return 17 if mono else 32
    return 9 if mono else 17


def _promised_frames(head: bytes) -> tuple[bool, int | None]:
    """Return True if the first frame is a tag and not sound, and the number of frames that it states."""
    tag = 4 + _side_information_bytes(head)
    if head[tag : tag + 4] in (b"Xing", b"Info"):
        flags, frames = struct.unpack(">II", head[tag + 4 : tag + 12])
        return True, frames if flags & 1 else None
    if head[36:40] == b"VBRI":
        # Decoders do not heed this older tag, so the frames that follow are given a tag that they do.
        return True, None
    return False, None


def _info_frame(header: bytes, *, frames: int, size: int) -> bytes:
    """A silent frame of the stream's own kind that holds an Info tag with the number of frames and bytes."""
    version, rate_index = header[1] >> 3 & 3, header[2] >> 2 & 3
    body = bytes(4 + _side_information_bytes(header)) + b"Info" + struct.pack(">II", 3, frames)
    rate = _RATES[version][rate_index]
    index = next(index for index in range(1, 15) if _frame_bytes(version, index, rate) >= len(body) + 4)
    length = _frame_bytes(version, index, rate)
    # 0x01: no checksum follows. The bit rate is the smallest with room for the tag; the kind stays the stream's own.
    start = bytes([0xFF, header[1] | 0x01, index << 4 | rate_index << 2, header[3] & 0xF0])
    tag = start + body[4:] + struct.pack(">I", size + length)
    return tag + bytes(length - len(tag))


AAC_HEADER_BYTES = 7


def aac_frame_length(header: bytes) -> int | None:
    """Length in bytes of the frame that begins with these seven bytes; ``None`` if they begin no frame."""
    if len(header) < AAC_HEADER_BYTES or header[0] != 0xFF or header[1] & 0xF6 != 0xF0 or header[2] >> 2 & 0x0F > 12:
        return None
    length = (header[3] & 0x03) << 11 | header[4] << 3 | header[5] >> 5
    return length if length >= AAC_HEADER_BYTES else None


def prepare_aac(file: BinaryIO, *, size: int, name: str, begin: int = 0) -> Window:
    """The bytes to decode from the first frame on; raises `AudioError` if the last frame is cut off."""
    end = end_before_tags(file, size=size)
    position = begin
    while position < end:
        file.seek(position)
        length = aac_frame_length(file.read(AAC_HEADER_BYTES))
        if length is None:
            break
        position += length
    if position > end:
        raise AudioError(message("audio.aac-truncated", name=name))
    return Window(file, begin=begin, end=end)
