from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import write_lossless
from aptone.models.forced_alignment import AlignedWord, ExpectedWords
from aptone.models.parts import About
from aptone.rooms.aptness.books.line_times import HeardWord, SpokenWord, align_text, time_lines
from aptone.rooms.aptness.books.transcription import PIECES, Piece, Pieces
from aptone.rooms.aptness.books.word_times import Guess, expected_words, find_word_times
from aptone.run import AnyStep, Ended, RunConfig, run_items
from aptone.types import Audio, Item, Language, Segment

LINES = ["the storm stood over the island", "get out now", "nobody answered her that night"]
SPEECH = (Segment(0.0, 6.0),)


def words(text: str, start: float = 0.0) -> list[HeardWord]:
    """Words of 0.4 s each."""
    return [
        HeardWord(token, 0, Segment(start + 0.4 * place, start + 0.4 * (place + 1)))
        for place, token in enumerate(text.split())
    ]


def pieces(*starts: float) -> Pieces:
    return Pieces(("a",), tuple(Piece(0, f"{n}.wav", start, SPEECH) for n, start in enumerate(starts)))


class Metronome:
    """Aligner that puts a word of the text into every half second, and counts how often it is asked."""

    about = About()
    languages: tuple[Language, ...] = ("en",)
    signature = "metronome"

    def __init__(self) -> None:
        self.asked = 0

    def align_words(self, audio: Audio, words: Sequence[ExpectedWords]) -> tuple[AlignedWord | None, ...]:
        self.asked += 1
        return tuple(AlignedWord(Segment(n / 2, n / 2 + 0.4)) for n in range(sum(len(one.text) for one in words)))


def carry_out(
    items: Sequence[Item], step: AnyStep, *, folder: Path, config: RunConfig, width: int, label: str
) -> Ended:
    return run_items(items, step, folder=folder, config=config)


def test_a_piece_expects_its_words_and_what_was_heard_in_place_of_them() -> None:
    text = align_text([line.split() for line in LINES], words(f"{LINES[0]} cat out right now {LINES[2]}"))
    (piece,) = expected_words(text, pieces(0.0))
    assert piece.words == [
        ExpectedWords(tuple(LINES[0].split()), tuple(LINES[0].split())),
        ExpectedWords(("get",), ("cat",)),
        ExpectedWords(("out",), ("out",)),
        ExpectedWords((), ("right",)),
        ExpectedWords(("now", *LINES[2].split()), ("now", *LINES[2].split())),
    ]
    assert (piece.places, piece.begins) == (list(range(14)), [0, 6, 9])


def test_words_that_nobody_heard_between_two_pieces_stay_with_their_lines() -> None:
    heard = [*words("the storm stood over the"), *words("out now nobody answered her that night", start=10.0)]
    first, second = expected_words(align_text([line.split() for line in LINES], heard), pieces(0.0, 10.0))
    assert first.words[-1] == ExpectedWords(("island",), ())
    assert second.words[0] == ExpectedWords(("get",), ())


def test_a_chapter_that_was_not_read_is_expected_in_no_piece() -> None:
    skipped = [f"word{n}" for n in range(40)]
    heard = [*words(LINES[0]), *words(LINES[2], start=10.0)]
    text = align_text([LINES[0].split(), skipped, LINES[2].split()], heard)
    assert [len(piece.places) for piece in expected_words(text, pieces(0.0, 10.0))] == [6, 5]


def test_lines_take_the_times_of_the_sound_and_nothing_is_aligned_twice(tmp_path: Path) -> None:
    (tmp_path / PIECES).mkdir()
    noise = np.random.default_rng(0).normal(0, 0.1, 16_000 * 8).astype(np.float32)
    file = write_lossless(tmp_path / PIECES / "0", Audio(noise, rate=16_000))
    own = Pieces(("a",), (Piece(0, file.name, 20.0, SPEECH),))
    text = align_text([line.split() for line in LINES], words(" ".join(LINES), start=20.0))
    aligner = Metronome()
    for _ in range(2):
        found = find_word_times(text, own, aligner, folder=tmp_path, carry_out=carry_out)
        lines = time_lines(found.text, found.spoken).lines
        # Lines of 6, 3 and 5 words, one every half second from 20 s on, the last 0.4 s long.
        starts = [line.time.start for line in lines if line.time is not None]
        assert starts == [20.0, 23.0, 24.5]
        assert lines[-1].time == Segment(24.5, 26.9)
        assert all(line.is_aligned for line in lines)
        cut = lines[1].quietest_before
        assert cut is not None
        assert 22.75 <= cut <= 23.15
    assert aligner.asked == 1


def test_without_an_aligner_pauses_give_the_times(tmp_path: Path) -> None:
    text = align_text([line.split() for line in LINES], words(" ".join(LINES)))
    found = find_word_times(text, pieces(0.0), None, folder=tmp_path, carry_out=carry_out)
    assert found.spoken == {}
    assert found.text.heard[-1].time.end == pytest.approx(6.0)


def test_a_line_of_which_no_word_was_understood_is_looked_for_between_its_neighbours() -> None:
    heard = words(f"{LINES[0]} peach jelly zoo {LINES[2]}")
    text = align_text([LINES[0].split(), ["mother", "go"], LINES[2].split()], heard)
    (piece,) = expected_words(text, pieces(0.0))
    assert piece.guesses == [Guess(6, ("mother", "go"), (6, 7))]
    assert len(piece.places) == 11  # it is not expected with the others, whose sound it would take


@pytest.mark.parametrize(("score", "held"), [(-2.2, True), (-9.0, False)])
def test_a_line_that_was_not_understood_is_held_only_where_the_sound_fits_it(score: float, held: bool) -> None:
    lines = [f"{line} {number}" for number in ("one", "seven", "fourteen", "thirty", "million") for line in LINES]
    said = [line.split() for line in lines]
    lost = 5
    heard: list[HeardWord] = []
    spoken: dict[int, SpokenWord] = {}
    place = 0
    for number, line in enumerate(said):
        text_of_it = ["zoo", "jelly", "peach", "chew", "boys", "fudge"] if number == lost else line
        heard += words(" ".join(text_of_it), start=0.4 * place)
        for step, word in enumerate(line):
            own = score if number == lost else -2.0 - 0.1 * (number % 3)
            time = Segment(0.4 * (place + step), 0.4 * (place + step + 1))
            spoken[sum(map(len, said[:number])) + step] = SpokenWord(0, time, score=own)
            assert word
        place += max(len(line), len(text_of_it))
    text = align_text(said, heard)
    assert text.reading.scores[lost] == 0.0
    # The other lines score -2.0, -2.1 and -2.2: the median is -2.1, the median absolute deviation 0.1.
    placed = time_lines(text, spoken).lines[lost]
    assert (placed.problem == "", placed.is_held) == (held, held)


def test_a_line_that_nobody_read_is_not_held_by_a_quotation_of_its_near_twin() -> None:
    # The sound of the quotation fits the unread line nearly as well as its twin; but what was heard there is the twin.
    lines = [f"{line} {number}" for number in ("one", "seven", "fourteen", "thirty", "million") for line in LINES]
    unread, twin = 5, 8
    lines[unread], lines[twin] = "nobody answered her that night again", "nobody answered sir that knight again today"
    remark = ["please", "buy", "vegetables", "tomorrow", "at", "seven", "sharp", "in", "chicago"]
    said = [line.split() for line in lines]
    heard: list[HeardWord] = []
    spoken: dict[int, SpokenWord] = {}
    for number, line in enumerate(said):
        actual = [*remark, *said[twin], *remark] if number == unread else line
        start = 0.4 * len(heard) + (0.4 * len(remark) if number == unread else 0.0)
        heard += words(" ".join(actual), start=0.4 * len(heard))
        for step in range(len(line)):
            time = Segment(start + 0.4 * step, start + 0.4 * (step + 1))
            spoken[sum(map(len, said[:number])) + step] = SpokenWord(0, time, score=-2.0 - 0.1 * (number % 3))
    text = align_text(said, heard)
    assert [
        pair.text for pair in text.reading.pairs if text.starts[unread] <= pair.text < text.starts[unread + 1]
    ] == []
    assert len(text.reading.other_takes) == 1
    found = time_lines(text, spoken).lines
    assert (found[unread].is_held, found[unread].problem) == (
        False,
        "not found in the recording: nobody seems to read it",
    )
    assert found[twin].problem == ""
