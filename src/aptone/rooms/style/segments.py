"""Pieces of long recordings as times that can be written down and read again."""

import math

from aptone.audio import SpeechPiece
from aptone.types import Segment


def piece_times(piece: SpeechPiece) -> Segment:
    """From when to when a piece lasts, in whole milliseconds that lie within it.

    A recording that was resampled may seem a sample longer than it is; its last millisecond is not asked for.
    """
    end = piece.start + piece.audio.seconds - 1.0 / piece.audio.rate
    return Segment(math.ceil(piece.start * 1000.0) / 1000.0, max(0.0, math.floor(end * 1000.0) / 1000.0))
