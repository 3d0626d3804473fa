"""Window of the encoder on a passage."""

from aptone.planner.encoder import CLOSE, LONGEST, LONGEST_AFTER, LONGEST_TARGET, MARKS, OPEN, Piece, window


def pieces(count: int) -> list[Piece]:
    return [Piece(100, place, place + 1) for place in range(count)]


def test_a_window_is_never_longer_than_the_encoder_reads_and_keeps_what_is_nearest() -> None:
    seen = window(pieces(1000), pieces(200), pieces(300))
    assert len(seen.numbers) == len(seen.places) == LONGEST
    assert seen.closed - seen.opened - 1 == LONGEST_TARGET
    assert len(seen.numbers) - seen.closed - 2 == LONGEST_AFTER
    assert seen.places[seen.opened - 1] == (999, 1000)


def test_the_marks_stand_around_the_target() -> None:
    seen = window(pieces(3), pieces(2), pieces(1))
    assert seen.numbers[seen.opened] == MARKS.index(OPEN)
    assert seen.numbers[seen.closed] == MARKS.index(CLOSE)
    assert seen.numbers[seen.opened + 1 : seen.closed] == (100, 100)
