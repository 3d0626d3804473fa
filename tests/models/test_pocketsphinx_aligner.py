import asyncio
import shutil

import numpy as np
import pytest

from aptone.audio import resample
from aptone.models.forced_alignment import ExpectedWords
from aptone.models.pocketsphinx_aligner import PocketSphinxAligner
from aptone.models.speakers.command import CommandSpeaker
from aptone.types import Audio, Segment

pytest.importorskip("pocketsphinx", reason="the extra speech is not installed")

needs_flite = pytest.mark.skipif(shutil.which("flite") is None, reason="a synthesiser is needed: apt install flite")

RATE = 16_000
PAUSE = 0.8


def certain(text: str) -> ExpectedWords:
    return ExpectedWords(tuple(text.split()), tuple(text.split()))


def read_aloud(*lines: str) -> tuple[Audio, list[Segment]]:
    """Lines read by flite with pauses between them, and when each is said."""
    parts: list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]] = []
    times, reached = [], 0
    for line in lines:
        audio = asyncio.run(CommandSpeaker("flite").speak(line, language="en", voice="slt"))
        samples = resample(audio, rate=RATE).samples
        loud = np.flatnonzero(np.abs(samples) > 0.02)
        said = samples[loud[0] : loud[-1] + 1]
        times.append(Segment(reached / RATE, (reached + said.size) / RATE))
        silence = np.zeros(round(PAUSE * RATE), dtype=np.float32)
        parts += [said, silence]
        reached += said.size + silence.size
    return Audio(np.concatenate(parts), rate=RATE), times


@needs_flite
def test_words_are_found_where_they_are_said() -> None:
    audio, (first, second) = read_aloud("The storm stood over the island.", "Nobody answered her that night.")
    times = PocketSphinxAligner().align_words(
        audio, [certain("the storm stood over the island nobody answered her that night")]
    )
    assert all(time is not None for time in times)
    assert times[5] is not None and times[6] is not None  # noqa: PT018  (narrows both for the type checker)
    assert times[5].time.end == pytest.approx(first.end, abs=0.15)
    assert times[6].time.start == pytest.approx(second.start, abs=0.15)


@needs_flite
def test_a_word_that_was_left_out_has_no_time_and_an_insertion_takes_none_of_the_text() -> None:
    audio, (_, second) = read_aloud("The storm stood over the island.", "Well then nobody answered her.")
    words = [
        certain("the storm stood over the island"),
        ExpectedWords(("terribly", "suddenly"), ()),
        ExpectedWords((), ("well", "then")),
        certain("nobody answered her"),
    ]
    times = PocketSphinxAligner().align_words(audio, words)
    assert times[6:8] == (None, None)
    assert times[8] is not None
    assert times[8].time.start > second.start + 0.2  # behind "well then"


@needs_flite
def test_the_sound_fits_what_is_said_better_than_anything_else() -> None:
    audio, _ = read_aloud("The storm stood over the island.")
    aligner = PocketSphinxAligner()

    def score(text: str) -> float:
        words = [word for word in aligner.align_words(audio, [certain(text)]) if word is not None]
        seconds = sum(word.time.seconds for word in words)
        return sum(word.score * word.time.seconds for word in words) / seconds

    said, other = score("the storm stood over the island"), score("nobody answered her that night")
    # Scores are nats a frame below the likeliest sounds: a few for the right words, twice as many for others.
    assert 2 * said > other
    assert said < 0


@needs_flite
def test_times_do_not_depend_on_what_was_aligned_before() -> None:
    audio, _ = read_aloud("The storm stood over the island.")
    other, _ = read_aloud("Nobody answered her that night.")
    aligner = PocketSphinxAligner()
    first = aligner.align_words(audio, [certain("the storm stood over the island")])
    aligner.align_words(other, [certain("nobody answered her that night")])
    assert aligner.align_words(audio, [certain("the storm stood over the island")]) == first
    # A word that no dictionary has, and one whose apostrophe is lost, are words all the same.
    assert len(aligner.align_words(audio, [certain("the wugstorm didnt")])) == 3


def test_a_recording_that_is_too_short_for_its_words_has_none_of_them() -> None:
    short = Audio(np.random.default_rng(0).normal(0, 0.1, RATE // 5).astype(np.float32), rate=RATE)
    assert PocketSphinxAligner().align_words(short, [certain("nobody answered her that night")]) == (None,) * 5
    assert PocketSphinxAligner().align_words(short, []) == ()
