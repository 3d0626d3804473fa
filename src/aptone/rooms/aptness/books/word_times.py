"""Times of the words of a text, from the sound itself: forced alignment of every piece of a recording with its words.

A transcriber times phrases, and the letters of a phrase say little about when its words are said: borders of lines are
off by some tenths of a second, and often by one. Where there is a forced aligner for the language, it hears each piece
once more, told what the text says and what the transcriber heard; in a resumable run of its own, as the transcript.
"""

import asyncio
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

import numpy as np

from aptone.audio import read_ref
from aptone.errors import RunError
from aptone.files import file_hash
from aptone.messages import message
from aptone.models.forced_alignment import ExpectedWords, WordAligner
from aptone.models.pocketsphinx_aligner import PocketSphinxAligner
from aptone.rooms.aptness.books.line_times import SpokenWord, TextAlignment
from aptone.rooms.aptness.books.pause_times import retime
from aptone.rooms.aptness.books.transcription import LONGEST_PIECE, PIECES, Pieces
from aptone.rooms.aptness.step import JUDGED_RATE, CarryOut
from aptone.run import Call, RunConfig
from aptone.types import Audio, AudioRef, Item, Json, Language, Outcome, Score, Segment, State, from_json, to_json

WORD_TIMES = "word-times"
"""Folder of a run over recordings that holds the times of words."""

LARGEST_SKIP = 12
"""Words of the text that may be looked for where nothing, or far less, was heard; more of them were not read."""

VALLEY, VALLEY_FRAME = 0.15, 0.01
"""Seconds around the border of two lines in which the quietest moment is looked for; seconds of a frame."""


@dataclass(slots=True)
class PieceWords:
    """The words that are expected in a piece of a recording.

    Args:
        piece: number of the piece.
        places: place in the text of each of the words that are of the text.
        begins: which of those begin a line.
    """

    piece: int
    words: list[ExpectedWords] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Gap:
    """Words of the text and heard words between two pairs; either may be none."""

    text: range
    heard: range


def find_aligner(language: Language) -> WordAligner | None:
    """The forced aligner for a language that needs no server; ``None`` where there is none, or its extra is missing."""
    aligner = PocketSphinxAligner()
    return aligner if language in aligner.languages and not aligner.about.missing else None


def expected_words(alignment: TextAlignment, pieces: Pieces) -> list[PieceWords]:
    """Return the words that are expected in each piece in which some word of the text was heard, or may be said."""
    starts = [(piece.recording, piece.start) for piece in pieces.pieces]
    piece_of = [max(0, bisect_right(starts, (word.recording, word.time.start + 1e-6)) - 1) for word in alignment.heard]
    begins = frozenset(alignment.starts)
    found: dict[int, PieceWords] = {}

    def add(piece: int, text: range, heard: range) -> None:
        own = found.setdefault(piece, PieceWords(piece))
        own.begins += [len(own.places) + step for step, place in enumerate(text) if place in begins]
        own.places += text
        expected = ExpectedWords(
            tuple(alignment.text[place] for place in text), tuple(alignment.heard[place].token for place in heard)
        )
        if expected.is_certain and own.words and own.words[-1].is_certain:
            last = own.words[-1]
            own.words[-1] = ExpectedWords(last.text + expected.text, last.heard + expected.heard)
        else:
            own.words.append(expected)

    for gap, pair in _gaps(alignment):
        if gap.text or gap.heard:
            for piece, text, heard in _shared_out(gap, piece_of, alignment):
                if text or heard:
                    add(piece, text, heard)
        if pair is not None:
            add(piece_of[pair[1]], range(pair[0], pair[0] + 1), range(pair[1], pair[1] + 1))
    return [own for own in found.values() if own.places]


def _gaps(alignment: TextAlignment) -> Iterator[tuple[_Gap, tuple[int, int] | None]]:
    """Yield what lies before each pair of words, with the pair; and what lies behind the last."""
    text, heard = 0, 0
    for pair in alignment.pairs:
        yield _Gap(range(text, pair.text), range(heard, pair.heard)), pair
        text, heard = pair.text + 1, pair.heard + 1
    yield _Gap(range(text, len(alignment.text)), range(heard, len(alignment.heard))), None


def _shared_out(gap: _Gap, piece_of: Sequence[int], alignment: TextAlignment) -> Iterator[tuple[int, range, range]]:
    """Yield each piece of a gap with its share of the words.

    Where about as much was heard as the text has, the text is shared out as what was heard. Where far more was heard,
    somebody said something else: the rest of a line stays with the line, and so does the beginning of the next one.
    """
    before = piece_of[gap.heard.start - 1] if gap.heard.start else None
    behind = piece_of[gap.heard.stop] if gap.heard.stop < len(piece_of) else None
    own = [(piece, len(list(run))) for piece, run in groupby(piece_of[place] for place in gap.heard)]
    if before is not None and (not own or own[0][0] != before):
        own.insert(0, (before, 0))
    if behind is not None and (not own or own[-1][0] != behind):
        own.append((behind, 0))
    if not own:
        return
    words, heard = len(gap.text), len(gap.heard)
    if words > 3 * heard + LARGEST_SKIP:
        shares = [0] * len(own)  # this part was not read
        words = 0
    elif heard and heard <= 2 * words + 4:
        reached = np.cumsum([count for _, count in own]) / heard * words
        shares = np.diff(np.round(reached).astype(int), prepend=0).tolist()
    else:
        cut = words
        if behind is not None:
            line = bisect_right(alignment.starts, gap.text.start - 1) if gap.text.start else 0
            cut = min(words, max(0, alignment.starts[line] - gap.text.start)) if before is not None else 0
        shares = [cut, *([0] * (len(own) - 2)), words - cut] if len(own) > 1 else [words]
    text, at = gap.text.start, gap.heard.start
    for (piece, count), share in zip(own, shares, strict=True):
        yield piece, range(text, text + share), range(at, at + count)
        text, at = text + share, at + count


@dataclass(frozen=True, slots=True)
class WordTimes:
    """Times of the words of a text.

    Args:
        text: the alignment, with the best times of the transcript's words that pauses give.
        spoken: when a word of the text is said, by its place; a word without one keeps the time of the transcript.
        stopped: reason why it ended before the last piece; empty otherwise.
    """

    text: TextAlignment
    spoken: Mapping[int, SpokenWord] = field(default_factory=dict)
    stopped: str = ""


def find_word_times(
    text: TextAlignment, pieces: Pieces, aligner: WordAligner | None, *, folder: Path, carry_out: CarryOut
) -> WordTimes:
    """Return when the words of a text are said: by an aligner, or by pauses alone without one.

    The same call resumes where it stopped; nothing is aligned twice.

    Args:
        folder: folder of the transcription; see `aptone.rooms.aptness.books.transcription.transcribe`.

    Raises:
        AudioError: if a piece cannot be read.
        RunError: if a piece was not aligned; the message says why.
    """
    if aligner is None:
        return WordTimes(retime(text, pieces))
    spoken, stopped = _align_pieces(text, pieces, aligner, folder=folder, carry_out=carry_out)
    return WordTimes(text, spoken, stopped)


def _align_pieces(
    alignment: TextAlignment, pieces: Pieces, aligner: WordAligner, *, folder: Path, carry_out: CarryOut
) -> tuple[dict[int, SpokenWord], str]:
    expected = expected_words(alignment, pieces)
    items = [_item(own, pieces, folder / PIECES, position) for position, own in enumerate(expected)]
    config = RunConfig(
        verb="align", engine="", settings={"aligner": aligner.signature}, version=version("aptone"), consent=()
    )
    done = carry_out(
        items, AligningStep(aligner), folder=folder / WORD_TIMES, config=config, width=1, label="align words"
    )
    if done.stopped:
        return {}, done.stopped
    entries = {entry.item.id: entry for entry in done.run.entries}
    found: dict[int, SpokenWord] = {}
    for own, item in zip(expected, items, strict=True):
        entry = entries.get(item.id)
        if entry is None or entry.outcome.state is not State.DONE:
            why = entry.outcome.reason if entry is not None else message("aptness.not-reached")
            raise RunError(message("aptness.piece-not-aligned", folder=done.run.folder, piece=item.id, why=why))
        found |= _spoken(own, entry.outcome.evidence, pieces)
    return found, ""


def _item(own: PieceWords, pieces: Pieces, folder: Path, position: int) -> Item:
    piece = pieces.pieces[own.piece]
    path = (folder / piece.file).absolute()
    audio = AudioRef(str(path), sha256=file_hash(path))
    words: list[Json] = [" ".join(one.text) if one.is_certain else to_json(one) for one in own.words]
    payload: dict[str, Json] = {"audio": to_json(audio), "words": words, "begins": list(own.begins)}
    return Item.make(
        piece.file, payload, position=position, hashed={**payload, "audio": to_json(replace(audio, path=piece.file))}
    )


def _spoken(own: PieceWords, evidence: Mapping[str, Json], pieces: Pieces) -> dict[int, SpokenWord]:
    """The words of a piece with times in the recording."""
    piece = pieces.pieces[own.piece]
    times, quiet = evidence.get("times"), evidence.get("quiet")
    found: dict[int, SpokenWord] = {}
    if not isinstance(times, Sequence) or not isinstance(quiet, Mapping):
        return found
    for number, (place, time) in enumerate(zip(own.places, times, strict=True)):
        if isinstance(time, Sequence):
            start, end = (piece.start + float(str(moment)) for moment in time)
            valley = quiet.get(str(number))
            cut = None if valley is None else piece.start + float(str(valley))
            found[place] = SpokenWord(piece.recording, Segment(start, end), cut)
    return found


@dataclass(frozen=True, slots=True)
class AligningStep:
    """Finds the words of the text in a piece."""

    aligner: WordAligner

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The times of the words as evidence, in seconds of the piece; its score is the number of words with a time."""
        audio = await asyncio.to_thread(
            read_ref, from_json(AudioRef, item.payload["audio"]), rate=JUDGED_RATE, max_seconds=2 * LONGEST_PIECE
        )
        return await asyncio.to_thread(self._outcome, audio, item)

    def _outcome(self, audio: Audio, item: Item) -> Outcome:
        listed, begins = item.payload["words"], item.payload["begins"]
        if not isinstance(listed, Sequence) or not isinstance(begins, Sequence):
            return Outcome.unscored(message("aptness.piece-without-words"))
        words = [_from_payload(one) for one in listed]
        times = self.aligner.align_words(audio, words)
        quiet = {}
        for begin in begins:
            valley = _quietest_before(audio, times, begin) if isinstance(begin, int) else None
            if valley is not None:
                quiet[str(begin)] = round(valley, 3)
        written: list[Json] = [None if time is None else [round(time.start, 2), round(time.end, 2)] for time in times]
        found = sum(time is not None for time in times)
        return Outcome(
            State.DONE,
            scores={"words": Score(float(found), higher_is_better=None)},
            evidence={"times": written, "quiet": quiet},
            signature=self.aligner.signature,
        )


def _from_payload(one: Json) -> ExpectedWords:
    if isinstance(one, str):
        certain = tuple(one.split())
        return ExpectedWords(certain, certain)
    return from_json(ExpectedWords, one)


def _quietest_before(audio: Audio, times: Sequence[Segment | None], begin: int) -> float | None:
    """The quietest moment about where a line begins, if the word before it is in the piece, too."""
    first = times[begin]
    last = next((time for time in reversed(times[:begin]) if time is not None), None)
    if first is None or last is None:
        return None
    low = max(last.start, min(last.end, first.start) - VALLEY)
    high = min(first.end, max(last.end, first.start) + VALLEY)
    frame = round(VALLEY_FRAME * audio.rate)
    begins, ends = round(low * audio.rate), round(high * audio.rate)
    samples = audio.samples[max(0, begins - 1) : ends].astype(np.float64)
    count = (samples.size - 1) // frame
    if count < 1:
        return (last.end + first.start) / 2
    sharp = samples[1:] - 0.95 * samples[:-1]  # without hum, as speech is told from it
    energy = (sharp[: count * frame].reshape(count, frame) ** 2).mean(axis=1)
    smooth = np.convolve(np.pad(energy, 1, mode="edge"), np.full(3, 1 / 3), mode="valid")
    return float(low + (int(np.argmin(smooth)) + 0.5) * VALLEY_FRAME)
