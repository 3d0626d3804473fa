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
from itertools import groupby, pairwise
from pathlib import Path

import numpy as np

from aptone.audio import cut, read_ref
from aptone.errors import RunError
from aptone.files import file_hash
from aptone.messages import message
from aptone.models.forced_alignment import AlignedWord, ExpectedWords, WordAligner
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


@dataclass(frozen=True, slots=True)
class Guess:
    """Lines of the text of which no word was understood, where about as much was heard as they have words.

    They are looked for between the words beside them, once it is known when those are said: expected among them, a line
    that nobody reads takes their sound.

    Args:
        before: number of the piece's words of the text that come before.
    """

    before: int
    words: tuple[str, ...]
    places: tuple[int, ...]


@dataclass(slots=True)
class PieceWords:
    """The words that are expected in a piece of a recording.

    Args:
        piece: number of the piece.
        places: place in the text of each of the words that are of the text.
        begins: which of those begin a line.
        guesses: words of the text that may be said, too.
    """

    piece: int
    words: list[ExpectedWords] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    guesses: list[Guess] = field(default_factory=list)


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

    read = _places_in_takes(alignment)

    def add(piece: int, text: Sequence[int], heard: range) -> None:
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
                own = [place for place in text if read[place]]
                unread = tuple(place for place in text if not read[place])
                before = len(found[piece].places) if piece in found else 0
                if own or heard:
                    add(piece, own, heard)
                if unread and heard and _fits(gap):
                    before += sum(place < unread[0] for place in own)
                    words = tuple(alignment.text[place] for place in unread)
                    found[piece].guesses.append(Guess(before, words, unread))
        if pair is not None:
            add(piece_of[pair[1]], range(pair[0], pair[0] + 1), range(pair[1], pair[1] + 1))
    return [own for own in found.values() if own.places]


def _fits(gap: _Gap) -> bool:
    """Return whether about as much was heard in a gap as the text has there, so that it may have been misheard."""
    return len(gap.text) <= 2 * len(gap.heard) <= 4 * len(gap.text) + 2


def _places_in_takes(alignment: TextAlignment) -> list[bool]:
    """Return for each word of the text whether it belongs to a line of which a take was heard.

    Expected where nobody reads it, a line takes the sound of its neighbours.
    """
    paired = {pair.text for pair in alignment.pairs}
    read: list[bool] = []
    for begin, end in pairwise(alignment.starts):
        read += [any(place in paired for place in range(begin, end))] * (end - begin)
    return read


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
    guesses: list[Json] = [{"before": one.before, "words": " ".join(one.words)} for one in own.guesses]
    payload: dict[str, Json] = {"audio": to_json(audio), "words": words, "begins": list(own.begins), "guesses": guesses}
    return Item.make(
        piece.file, payload, position=position, hashed={**payload, "audio": to_json(replace(audio, path=piece.file))}
    )


def _spoken(own: PieceWords, evidence: Mapping[str, Json], pieces: Pieces) -> dict[int, SpokenWord]:
    """The words of a piece with times in the recording."""
    piece = pieces.pieces[own.piece]
    times, quiet, guessed = evidence.get("times"), evidence.get("quiet"), evidence.get("guessed")
    found: dict[int, SpokenWord] = {}
    if not (isinstance(times, Sequence) and isinstance(quiet, Mapping) and isinstance(guessed, Sequence)):
        return found
    guesses = [place for guess in own.guesses for place in guess.places]
    for number, (place, time) in enumerate(zip([*own.places, *guesses], [*times, *guessed], strict=True)):
        if isinstance(time, Sequence):
            start, end, score = (float(str(one)) for one in time)
            valley = quiet.get(str(number))
            quietest = None if valley is None else piece.start + float(str(valley))
            time_ = Segment(piece.start + start, piece.start + end)
            found[place] = SpokenWord(piece.recording, time_, quietest, score)
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
        listed, begins, guesses = (item.payload[name] for name in ("words", "begins", "guesses"))
        if not (isinstance(listed, Sequence) and isinstance(begins, Sequence) and isinstance(guesses, Sequence)):
            return Outcome.unscored(message("aptness.piece-without-words"))
        words = [_from_payload(one) for one in listed]
        found = self.aligner.align_words(audio, words)
        quiet = {}
        times = [None if word is None else word.time for word in found]
        for begin in begins:
            valley = _quietest_before(audio, times, begin) if isinstance(begin, int) else None
            if valley is not None:
                quiet[str(begin)] = round(valley, 3)
        guessed = [word for guess in guesses for word in self._guessed(audio, times, guess)]
        return Outcome(
            State.DONE,
            scores={"words": Score(float(len(found) - found.count(None)), higher_is_better=None)},
            evidence={"times": _written(found), "quiet": quiet, "guessed": _written(guessed)},
            signature=self.aligner.signature,
        )

    def _guessed(self, audio: Audio, times: Sequence[Segment | None], guess: Json) -> Sequence[AlignedWord | None]:
        """The words of a `Guess` between those beside it."""
        if not isinstance(guess, Mapping):
            return ()
        before, words = int(str(guess["before"])), tuple(str(guess["words"]).split())
        nothing: list[AlignedWord | None] = [None] * len(words)
        start = next((time.end for time in reversed(times[:before]) if time is not None), 0.0)
        end = next((time.start for time in times[before:] if time is not None), audio.seconds)
        if round(start * audio.rate) >= round(end * audio.rate):
            return nothing
        found = self.aligner.align_words(cut(audio, Segment(start, end)), [ExpectedWords(words, words)])
        return [
            None if word is None else AlignedWord(Segment(start + word.time.start, start + word.time.end), word.score)
            for word in found
        ]


def _written(words: Sequence[AlignedWord | None]) -> list[Json]:
    """Start, end and score of each word."""
    return [
        None if word is None else [round(word.time.start, 2), round(word.time.end, 2), round(word.score, 2)]
        for word in words
    ]


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
