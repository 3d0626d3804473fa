import numpy as np

from aptone.rooms.aptness.books.line_times import HeardWord, Timed, align_text
from aptone.rooms.aptness.books.pause_times import retime, share_out
from aptone.rooms.aptness.books.transcription import Piece, Pieces
from aptone.types import Segment

SPEECH = (Segment(0.0, 2.0), Segment(4.0, 5.0))
PIECES = Pieces(("a",), (Piece(0, "a.flac", 0.0, SPEECH),))


def heard(text: str, *, timed: Timed) -> list[HeardWord]:
    """Characters that share five seconds, as a transcriber without times leaves them."""
    step = 5.0 / len(text)
    return [HeardWord(token, 0, Segment(step * place, step * (place + 1)), timed) for place, token in enumerate(text)]


def test_words_of_a_mandarin_transcript_without_times_are_said_where_somebody_speaks() -> None:
    words = heard("风很大我们走", timed="nothing")
    times = [word.time for word in retime(align_text(["风很大我", "们走"], words), PIECES).heard]
    # Six characters in three seconds: four in the first stretch, two in the second, none in the pause.
    assert [time.start for time in times] == [0.0, 0.5, 1.0, 1.5, 4.0, 4.5]
    assert times[-1].end == 5.0


def test_words_that_were_timed_one_by_one_keep_their_times() -> None:
    words = heard("风很大我们走", timed="word")
    assert retime(align_text(["风很大我", "们走"], words), PIECES).heard == tuple(words)


def test_a_pause_falls_where_a_line_begins_rather_than_one_word_later() -> None:
    lengths = np.arange(7.0)  # six words of one letter
    # By length alone, 3.2 of the 6 words belong in front: the pause comes behind the third, or where a line begins.
    assert share_out(lengths, [3.2, 2.8], [True, *[False] * 5]) == [3]
    assert share_out(lengths, [3.2, 2.8], [True, False, False, False, True, False]) == [4]
