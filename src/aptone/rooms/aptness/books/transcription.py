"""Transcription of long recordings: piece by piece, in a resumable run of its own."""

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from aptone.audio import cut, probe, read_ref, speech_pieces, write_lossless
from aptone.errors import RecordError, RunError, UsageError
from aptone.files import file_hash, make_folder
from aptone.installation import install_command
from aptone.messages import message
from aptone.models import TimedText, Transcriber, Transcript
from aptone.models.asking.chat import ask_transcriber
from aptone.models.parts import OFFLINE, make_part
from aptone.registry import Registry
from aptone.rooms.aptness.books.line_times import HeardWord, heard_words
from aptone.rooms.aptness.step import JUDGED_RATE, CarryOut
from aptone.run import Call, Display, Run, RunConfig, Silent, Tally, write_whole
from aptone.types import (
    Audio,
    AudioRef,
    Item,
    Json,
    Language,
    Outcome,
    Score,
    Segment,
    State,
    dumps,
    from_json,
    loads,
    to_json,
)

LONGEST_PIECE, LONGEST_PAUSE = 30.0, 0.35
"""Seconds of speech that are transcribed at a time; of silence within a phrase, chosen on lines of MELD's dev part read
by a synthesiser."""

INDEX = "pieces.json"


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a recording on the disk; `start` and `speech` are in seconds of the recording."""

    recording: int
    file: str
    start: float
    speech: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Pieces:
    """All speech of some recordings, which are named by their SHA-256."""

    recordings: tuple[str, ...]
    pieces: tuple[Piece, ...]

    def speech(self) -> list[list[Segment]]:
        """Speech segments of each recording."""
        found: list[list[Segment]] = [[] for _ in self.recordings]
        for piece in self.pieces:
            found[piece.recording].extend(piece.speech)
        return found


def cut_into_pieces(recordings: Sequence[Path], folder: Path, *, display: Display | None = None) -> Pieces:
    """All speech of some recordings in files of at most half a minute; what was cut before is not cut again.

    Args:
        recordings: recordings of any length; they are decoded a little at a time.
        display: progress display, in minutes of sound.

    Raises:
        AudioError: if a recording cannot be read.
        RunError: if the folder was made for other recordings.
    """
    hashes = tuple(file_hash(recording) for recording in recordings)
    if (known := _read_index(folder / INDEX, hashes)) is not None:
        return known
    make_folder(folder)
    lengths = [probe(recording).seconds / 60 for recording in recordings]
    tally, bar, pieces = Tally(total=math.ceil(sum(lengths)), before=0), display or Silent(), list[Piece]()
    bar.start(tally)
    for number, recording in enumerate(recordings):
        begun = folder / f"{number:03d}.json"
        there = _read_index(begun, hashes[number : number + 1])
        if there is None:
            found: list[Piece] = []
            for piece in speech_pieces(recording, rate=JUDGED_RATE, max_seconds=LONGEST_PIECE):
                file = write_lossless(folder / f"{number:03d}-{len(pieces) + len(found):06d}", piece.audio)
                found.append(Piece(number, file.name, piece.start, piece.speech))
                tally.now = round(sum(lengths[:number]) + piece.start / 60)
                bar.update(tally)
            there = Pieces(hashes[number : number + 1], tuple(found))
            write_whole(begun, dumps(to_json(there)))
        pieces += there.pieces
        tally.now = math.ceil(sum(lengths[: number + 1]))
        bar.update(tally)
    bar.stop(tally)
    whole = Pieces(hashes, tuple(pieces))
    write_whole(folder / INDEX, dumps(to_json(whole)))
    return whole


def _read_index(path: Path, hashes: tuple[str, ...]) -> Pieces | None:
    """Return the pieces that were cut before; ``None`` if there are none."""
    if not path.exists():
        return None
    try:
        known = from_json(Pieces, loads(path.read_bytes(), what=str(path)))
    except RecordError as error:
        raise RunError(f"{path}: damaged ({error}) Name a new folder for the run.") from error
    if known.recordings != hashes:
        raise RunError(f"{path.parent}: was made for other recordings. Name a new folder for the run.")
    return known


def phrases_of(piece: Piece) -> list[Segment]:
    """Return the phrases of a piece, between longer pauses, in seconds of the piece.

    >>> phrases_of(Piece(0, "a.flac", 10.0, (Segment(10.0, 11.0), Segment(11.2, 12.0), Segment(13.0, 14.0))))
    [Segment(start=0.0, end=2.0), Segment(start=3.0, end=4.0)]
    """
    phrases: list[Segment] = []
    for part in piece.speech:
        start, end = max(0.0, part.start - piece.start), max(0.0, part.end - piece.start)
        if phrases and start - phrases[-1].end < LONGEST_PAUSE:
            phrases[-1] = Segment(phrases[-1].start, end)
        else:
            phrases.append(Segment(start, end))
    return phrases


EDGE = 0.1
"""Seconds of silence at either end of a phrase that is transcribed by itself."""

TRANSCRIPT, PIECES = "transcript", "pieces"
"""Folders of a run over recordings: its transcript, and what was cut for it."""

ONE_CLIP = "for one clip, give the words that are spoken in it (--line). "
"""Suggestion to a user who names no transcriber to ``aptone score``."""


@dataclass(frozen=True, slots=True)
class Transcription:
    """Transcripts of some recordings; `stopped` says why it stopped before the last piece, and is empty otherwise."""

    pieces: Pieces
    words: tuple[tuple[HeardWord, ...], ...]
    stopped: str = ""


def choose_transcriber(
    name: str | None, *, language: Language, settings: Mapping[str, Json], otherwise: str = ONE_CLIP
) -> Transcriber:
    """The transcriber of that name, or the one that needs no server.

    Args:
        name: name of a transcriber; ``None`` for the one that needs no server.
        otherwise: alternative to suggest in messages.

    Raises:
        UsageError: if there is none for the language; the message says what to do.
        MissingExtraError: if it cannot run here.
        RegistryError: if the name is unknown.
    """
    need = f"{otherwise}To find the lines of a book in its recordings, they have to be transcribed"
    chosen = name or OFFLINE.get(language)
    if chosen is None:
        known = ", ".join(Registry("transcribers", object))
        raise UsageError(
            f"{need}, and the transcriber that comes with aptone[speech] does not know Mandarin. Name one "
            "(--transcriber local, with weights on this computer; --transcriber api, with --set transcriber.base_url=… "
            f"and transcriber.model=…; known are {known}), or give subtitles (--story BOOK.srt)."
        )
    made: Transcriber = make_part("transcriber", chosen, settings)
    if name is None and made.about.missing:
        raise UsageError(
            f"{need}: install the offline transcriber ({install_command('speech')}), name another one (--transcriber "
            "local, --transcriber api), or give subtitles (--story BOOK.srt)."
        )
    made.about.require(f"transcriber {chosen!r}")
    return made


def transcribe(
    recordings: Sequence[Path],
    transcriber: Transcriber,
    *,
    language: Language,
    folder: Path,
    carry_out: CarryOut,
    by_phrase: bool = False,
    display: Display | None = None,
) -> Transcription:
    """Transcribe some recordings; the same call resumes where it stopped.

    Args:
        by_phrase: whether every phrase is transcribed by itself, for a transcriber that gives no times.

    Raises:
        AudioError: if a recording cannot be read.
        RunError: if the folder was made for other recordings, or a piece was not transcribed; the message says why.
    """
    pieces = cut_into_pieces(recordings, folder / PIECES, display=display)
    config = RunConfig(
        verb="transcribe",
        engine="",
        settings={"transcriber": transcriber.signature, **({"by_phrase": True} if by_phrase else {})},
        version=version("aptone"),
        consent=transcriber.about.sends_audio_to,
    )
    heard = carry_out(
        piece_items(pieces, folder / PIECES, language=language, by_phrase=by_phrase),
        TranscribingStep(transcriber),
        folder=folder / TRANSCRIPT,
        config=config,
        width=4 if transcriber.about.sends_audio_to else 1,
        label="transcribe",
    )
    if heard.stopped:
        return Transcription(pieces, (), heard.stopped)
    return Transcription(pieces, tuple(map(tuple, transcribed_words(heard.run, pieces, language=language))))


def piece_items(pieces: Pieces, folder: Path, *, language: Language, by_phrase: bool = False) -> list[Item]:
    """The pieces as work for a `TranscribingStep`; their folder is not part of their hash."""
    items = []
    for position, piece in enumerate(pieces.pieces):
        path = (folder / piece.file).absolute()
        audio = AudioRef(str(path), sha256=file_hash(path))
        payload: dict[str, Json] = {"audio": to_json(audio), "language": language}
        if by_phrase:
            payload["phrases"] = [to_json(phrase) for phrase in phrases_of(piece)]
        hashed = {**payload, "audio": to_json(replace(audio, path=piece.file))}
        items.append(Item.make(piece.file, payload, position=position, hashed=hashed))
    return items


@dataclass(frozen=True, slots=True)
class TranscribingStep:
    """Writes down what is said in a piece."""

    transcriber: Transcriber

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The transcript of a piece as evidence; its score is the number of words."""
        language: Language = "zh" if item.payload["language"] == "zh" else "en"
        audio = await asyncio.to_thread(
            read_ref, from_json(AudioRef, item.payload["audio"]), rate=JUDGED_RATE, max_seconds=2 * LONGEST_PIECE
        )
        phrases = item.payload.get("phrases")
        if isinstance(phrases, Sequence):
            transcript = await self._by_phrase(audio, [from_json(Segment, one) for one in phrases], language, call)
        else:
            transcript = await call.ask_one(ask_transcriber(self.transcriber, audio, language=language))
        words = len(transcript.text.split()) if language == "en" else len(transcript.text)
        return Outcome(
            State.DONE,
            scores={"words": Score(float(words), higher_is_better=None)},
            evidence={"transcript": to_json(transcript)},
            signature=self.transcriber.signature,
        )

    async def _by_phrase(self, audio: Audio, phrases: Sequence[Segment], language: Language, call: Call) -> Transcript:
        """Every phrase by itself, so that it is known when it is said; what a phrase says does not hang on others."""
        heard: list[TimedText] = []
        for phrase in phrases:
            start, end = max(0.0, phrase.start - EDGE), min(audio.seconds, phrase.end + EDGE)
            part = cut(audio, Segment(start, end))
            said = await call.ask_one(ask_transcriber(self.transcriber, part, language=language))
            if said.text.strip():
                heard.append(TimedText(said.text, Segment(phrase.start, min(phrase.end, audio.seconds))))
        return Transcript(" ".join(one.text for one in heard), tuple(heard))


def transcribed_words(run: Run, pieces: Pieces, *, language: Language) -> list[list[HeardWord]]:
    """The words of each recording, in order.

    Raises:
        RunError: if a piece was not transcribed; the message says why.
    """
    entries = {entry.item.id: entry for entry in run.entries}
    found: list[list[HeardWord]] = [[] for _ in pieces.recordings]
    for piece in pieces.pieces:
        number, entry = piece.recording, entries.get(piece.file)
        if entry is None or entry.outcome.state is not State.DONE:
            why = entry.outcome.reason if entry is not None else message("aptness.not-reached")
            raise RunError(f"{run.folder}: {piece.file} is not transcribed ({why}). Type the same command to go on.")
        transcript = from_json(Transcript, entry.outcome.evidence["transcript"])
        last = piece.speech[-1].end - piece.start if piece.speech else 0.0
        first = max(0.0, piece.speech[0].start - piece.start) if piece.speech else 0.0
        span = Segment(first, max(first, last))
        found[number] += heard_words(transcript, recording=number, offset=piece.start, span=span, language=language)
    return found
