"""Recordings that browsers play as they are: Ogg Opus and MP3, recognised by their first bytes, whatever their name."""

from pathlib import Path
from typing import NamedTuple

OGG, MP3 = "audio/ogg", "audio/mpeg"

MOST_BYTES = 3_000_000
"""Size beyond which a recording is encoded instead: at the rate of a report it takes less."""

_OGG_PAGE = 27  # bytes of its header before the table of segments
_HEAD_BYTES = 512
_ID3_HEADER = 10


class Playable(NamedTuple):
    """The bytes of a recording and their media type."""

    data: bytes
    type: str


def playable_type(head: bytes) -> str:
    """Return the media type of a file by its first bytes; empty if it is neither Ogg Opus nor MP3.

    An MP3 file begins with a frame of layer III, or with an ID3 tag that names its own length.

    >>> playable_type(b"OggS" + bytes(22) + bytes([1, 19]) + b"OpusHead"), playable_type(b"RIFF"), playable_type(b"")
    ('audio/ogg', '', '')
    """
    if head.startswith(b"OggS") and len(head) > _OGG_PAGE:
        first = _OGG_PAGE + head[_OGG_PAGE - 1]
        return OGG if head[first : first + 8] == b"OpusHead" else ""
    if head.startswith(b"ID3") and len(head) >= _ID3_HEADER and all(size < 128 for size in head[6:_ID3_HEADER]):
        return MP3
    return MP3 if _is_layer_3(head) else ""


def _is_layer_3(head: bytes) -> bool:
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    bit_rate, sample_rate = head[2] >> 4, head[2] >> 2 & 3
    return version != 1 and layer == 1 and bit_rate not in (0, 15) and sample_rate != 3


def read_playable(path: Path, *, most: int) -> Playable | None:
    """Read a file that browsers play as it is; ``None`` if it is another format, or larger than `most` bytes.

    Raises:
        OSError: if it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        if not (kind := playable_type(head)):
            return None
        limit = min(most, MOST_BYTES)
        data = head + file.read(max(0, limit + 1 - len(head)))
    return Playable(data, kind) if len(data) <= limit else None
