"""Clips of a folder by how they sound: an index that grows with the folder, and exact search in it.

The index lies in ``.aptone`` inside the folder: vectors by the content of the clip and the signature of the embedder
(`aptone.rooms.style.embedding.vectors`), and a list of files with size and time of change, so that a file which did not
change is not even read again. A clip that is moved or copied keeps its vector. Recordings of more than half a minute
are cut at pauses, and the piece is what is found. References of voices lie there, too, with what they were made of:
when that has changed, they and the vectors are made again.

With the built-in model clips are ordered by their fit, the grade of the evidence (`aptone.rooms.style.evidence`), and
by the cosine where that is equal or nothing of the description can be judged; with other models by the cosine. Both go
over all clips, which is exact and, for tens of thousands of clips, faster than an approximate index is worth
(``benchmarks/style_search.py``).
"""

import contextlib
import hashlib
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.audio import probe, speech_pieces
from aptone.ear import load_ear
from aptone.ear.reading import Reading, read_description
from aptone.ear.reference import SELF, Clip, References, folder_clips, hear_enough
from aptone.ear.referenced import referenced, with_reference
from aptone.errors import AptoneError, RecordError, RunError, UsageError
from aptone.files import file_hash, make_folder
from aptone.messages import message
from aptone.models import About, StyleEmbedder
from aptone.models.parts import Vectors, checked_texts
from aptone.rooms.style.data import piece_times
from aptone.rooms.style.embedding.built_in import BuiltInStyleEmbedder
from aptone.rooms.style.embedding.vectors import AT_ONCE, VectorFile, embed_clips
from aptone.rooms.style.evidence.indexed import IndexedRows
from aptone.rooms.style.evidence.judge import Evidence, evidence_of, grades, rank_keys
from aptone.rooms.style.pieces import Piece, pieces_of, readable, walk
from aptone.rooms.style.step import NOTHING_HEARD, NOTHING_UNDERSTOOD, fit_score
from aptone.run import Display, Silent, Tally, write_whole
from aptone.run.folder import REFERENCE
from aptone.types import AudioRef, Json, Score, dumps, from_json, loads, to_json

FOLDER = ".aptone"
FILES = "files.json"
LONGEST_PIECE = 30.0
"""Seconds beyond which a recording is searched piece by piece."""
PIECE_RATE = 16_000
SHORTEST_PIECE = 1.0
"""Seconds below which a piece of a longer recording says too little about a voice."""


@dataclass(frozen=True, slots=True)
class Found:
    """A clip that was found.

    Args:
        path: relative to the folder.
        cosine: NaN where the embedder knows no word of the description.
        fit: fit from 0 to 5; NaN with a reason where the embedder was not calibrated, or nothing could be judged.
        evidence: properties of the description, and whether they hold in the clip; empty for models of others.
    """

    path: str
    audio: AudioRef
    cosine: float
    fit: Score
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexUpdate:
    """Result of an update of the index.

    Args:
        clips: number of clips in the index, parts of longer recordings counted one by one.
        problems: file to the reason why it is not in the index.
        runs: folders of runs within the folder, whose clips are not in the index.
    """

    clips: int
    embedded: int
    problems: Mapping[str, str] = field(default_factory=dict)
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeptReferences:
    """References in an index, with the hash of the clips that they were made of."""

    collection: str
    references: References


class StyleIndex:
    """The clips of a folder and their vectors.

    Args:
        folder: of recordings; folders in it are looked through, links, hidden ones and those of runs are not: what a
            run has cut or asked for are copies of what is searched, or no voices of the user's at all.
        place: folder of the index; by default ``.aptone`` in the folder of clips.

    Raises:
        UsageError: if there is no such folder.
        RunError: if the index cannot be used.
    """

    def __init__(self, folder: Path, embedder: StyleEmbedder, *, place: Path | None = None) -> None:
        if folder.is_file():
            raise UsageError(
                f"{folder}: a file, and a search goes through a folder; for one recording: aptone style {folder} "
                '"a slow whisper"'
            )
        if not folder.is_dir():
            raise UsageError(f"{folder}: there is no such folder; name one with recordings in it.")
        self.folder = folder
        self._embedder = embedder
        self._kept_rows = _rows_of(embedder)
        self._place = place or folder / FOLDER
        path = self._place / _vectors_name(embedder)
        self._vectors = VectorFile(path, signature=self._kept_rows.signature, size=self._kept_rows.size)
        self._pieces: tuple[Piece, ...] = ()
        self._rows: Vectors = np.empty((0, self._kept_rows.size), dtype=np.float32)

    @property
    def about(self) -> About:
        """Requirements and limits of the embedder."""
        return self._embedder.about

    def against(
        self, reference: References | str | Path, *, hear: Callable[..., References] = hear_enough
    ) -> "StyleIndex":
        """Return the index of the same clips, heard against what a collection of one voice usually sounds like.

        References are kept with the index, and made again, with all vectors, when the collection has changed.

        Args:
            reference: references that were made, a folder of recordings, or ``"self"`` for the clips of the index.
            hear: makes them, as `hear_enough` does.

        Raises:
            UsageError: if the embedder does not hear by a built-in ear, or there are too few clips with speech.
        """
        ear = load_ear(referenced(self._embedder).ear)
        if not isinstance(reference, References):
            clips = self._clips() if reference == SELF else folder_clips(Path(reference))
            collection, kept = _collection_hash(clips), self._kept_references()
            if kept is None or (kept.collection, kept.references.ear) != (collection, ear.signature):
                self._make_place()
                made = KeptReferences(collection, hear(clips, ear=ear))
                if kept is not None:  # its vectors are of no use any more
                    old = with_reference(self._embedder, kept.references)
                    (self._place / _vectors_name(old)).unlink(missing_ok=True)
                write_whole(self._place / REFERENCE, dumps(to_json(made), indent=2))
                kept = made
            reference = kept.references
        return StyleIndex(self.folder, with_reference(self._embedder, reference), place=self._place)

    def update(self, display: Display | None = None) -> IndexUpdate:
        """Bring the index up to date with the folder: embed what is new, forget what is gone.

        Raises:
            RunError: if the index cannot be written.
        """
        shown = display or Silent()
        runs: list[Path] = []
        known, files = self._known_files(), self._files(runs)
        if files:
            self._make_place()
        problems: dict[str, str] = {}
        listed: dict[str, Json] = {}
        pieces: list[Piece] = []
        todo: list[Piece] = []
        unchanged = {path for path, stamp in files.items() if path in known and known[path][:2] == stamp}
        settled = {
            path
            for path in unchanged
            if all(piece.key in self._vectors for piece in pieces_of(self.folder, path, known[path]))
        }
        tally = Tally(total=len(files), before=len(settled))
        embedded: set[bytes] = set()
        shown.start(tally)
        try:
            for path, stamp in files.items():
                try:
                    about = known[path] if path in unchanged else self._about(path, stamp)
                except (AptoneError, OSError) as error:
                    problems[path] = str(error)
                    tally.failed += 1
                else:
                    listed[path] = list(about)
                    parts = pieces_of(self.folder, path, about)
                    pieces += parts
                    todo += [part for part in parts if part.key not in self._vectors]
                    if len(todo) >= AT_ONCE:
                        embedded |= self._embed(todo, problems)
                        todo = []
                if path not in settled:
                    tally.now += 1
                    shown.update(tally)
            embedded |= self._embed(todo, problems)
        finally:
            shown.stop(tally)
        if listed != {path: list(about) for path, about in known.items()}:
            write_whole(self._place / FILES, dumps(listed))
        kept = [piece for piece in pieces if piece.key in self._vectors]
        rows = self._vectors.rows([piece.key for piece in kept])
        heard = [not bool(silent) for silent in np.asarray(np.isnan(rows[:, : self._embedder.size]).any(axis=1))]
        self._pieces = tuple(piece for piece, ok in zip(kept, heard, strict=True) if ok)
        found = {piece.path for piece in self._pieces}
        problems.update({piece.path: NOTHING_HEARD for piece in kept if piece.path not in found})
        self._rows = np.ascontiguousarray(rows[heard])
        new = embedded.intersection(piece.key for piece in self._pieces)
        inside = tuple(path.relative_to(self.folder).as_posix() for path in runs)
        return IndexUpdate(len(self._pieces), len(new), problems, inside)

    def search(self, description: str, *, top: int = 10) -> list[Found]:
        """The clips that fit a description best, the best first; equal ones in the order of their names.

        Raises:
            UsageError: if `top` is less than 1, or the description cannot be used, as `understand` says.
        """
        size = self._embedder.size
        cosines = self._rows[:, :size] @ self.understand(description)
        reading = self.reading(description)
        if reading is None:
            why = message("style.embedder-without-scale")
            return [
                Found(self._pieces[place].path, self._pieces[place].ref, _bounded(cosines[place]), _no_fit(why))
                for place in best_places(cosines, top=top)
            ]
        odds = self._rows[:, size:].astype(np.float64)
        fits, signature = grades(reading, odds), self._embedder.signature
        return [
            Found(
                self._pieces[place].path,
                self._pieces[place].ref,
                _bounded(cosines[place]),
                fit_score(reading, float(fits[place]), signature=signature),
                evidence_of(reading, odds[place]),
            )
            for place in best_places(_order(rank_keys(reading, odds), cosines), top=top)
        ]

    def reading(self, description: str) -> Reading | None:
        """What is read in a description; ``None`` for models of others, which read it their own way."""
        return read_description(description) if isinstance(self._embedder, BuiltInStyleEmbedder) else None

    def understand(self, description: str) -> Vectors:
        """The vector of a description; ask for it before an update, which may take long.

        NaN where the embedder knows none of its words, but others can be read.

        Raises:
            UsageError: if it is empty, far too long, or holds nothing that is understood.
        """
        if not description.strip():
            raise UsageError("the description is empty; say how the voice should sound, such as a slow whisper.")
        vector: Vectors = self._embedder.embed_texts(checked_texts([description]))[0]
        reading = self.reading(description)
        if np.isnan(vector).any() and not (reading is not None and reading.judged):
            raise UsageError(f"{NOTHING_UNDERSTOOD}.")
        return vector

    def count_files(self) -> int:
        """Count the recordings in the folder."""
        return len(self._files())

    def _clips(self) -> list[Clip]:
        """The clips of the folder as a collection of one voice; what cannot be read is left out."""
        known, listed = self._known_files(), {}
        for path, stamp in self._files().items():
            with contextlib.suppress(AptoneError, OSError):
                is_known = path in known and known[path][:2] == stamp
                listed[path] = known[path] if is_known else self._about(path, stamp)
        if listed:
            self._make_place()
            write_whole(self._place / FILES, dumps({path: list(about) for path, about in listed.items()}))
        pieces = [piece for path, about in listed.items() for piece in pieces_of(self.folder, path, about)]
        return [Clip("", f"{piece.path} {piece.ref.start:g}", piece.ref) for piece in pieces]

    def _kept_references(self) -> KeptReferences | None:
        try:
            return from_json(KeptReferences, loads((self._place / REFERENCE).read_bytes()))
        except (OSError, RecordError):  # not there yet, or damaged: they are made again
            return None

    def _files(self, runs: list[Path] | None = None) -> dict[str, tuple[int, int]]:
        """Recordings by their path relative to the folder, in order, with size and time of change.

        Folders of runs, which are passed over, are added to `runs`.
        """
        found = {}
        for path in walk(self.folder, [] if runs is None else runs):
            state = path.stat()
            found[path.relative_to(self.folder).as_posix()] = (state.st_size, state.st_mtime_ns)
        return dict(sorted(found.items()))

    def _about(self, path: str, stamp: tuple[int, int]) -> tuple[int, int, str, tuple[tuple[float, float], ...]]:
        """Size, time of change, hash, and the parts of a recording that is too long to be one clip."""
        whole = self.folder / path
        if probe(whole).seconds <= LONGEST_PIECE:
            return (*stamp, file_hash(whole), ())
        found = map(piece_times, speech_pieces(whole, rate=PIECE_RATE, max_seconds=LONGEST_PIECE))
        parts = tuple((one.start, one.end) for one in found if one.seconds >= SHORTEST_PIECE)
        if not parts:
            raise UsageError(f"{whole}: nobody speaks in it.")
        return (*stamp, file_hash(whole), parts)

    def _make_place(self) -> None:
        """Before anything is embedded: many folders of recordings cannot be written to."""
        try:
            make_folder(self._place)
            may_write = os.access(self._place, os.W_OK)
        except RunError:
            may_write = False
        if not may_write:
            raise RunError(
                f"{self._place}: the index cannot be kept there; name a folder that may be written to: --index FOLDER"
            )

    def _embed(self, pieces: Sequence[Piece], problems: dict[str, str]) -> set[bytes]:
        """Embed clips and keep their vectors, whose keys come back; what cannot be read is a problem of its file."""
        paths = {piece.key: piece.path for piece in pieces}
        refs = {piece.key: piece.ref for piece in pieces}
        unread = embed_clips(self._vectors, refs, self._kept_rows)
        problems.update({paths[key]: why for key, why in unread.items()})
        return set(refs) - set(unread)

    def _known_files(self) -> dict[str, tuple[int, int, str, tuple[tuple[float, float], ...]]]:
        try:
            data = loads((self._place / FILES).read_bytes())
        except (OSError, RecordError):  # not there yet, or damaged: it is rebuilt
            return {}
        return dict(readable(data)) if isinstance(data, Mapping) else {}


def _rows_of(embedder: StyleEmbedder) -> StyleEmbedder:
    """What makes the rows of an index: the embedder, with evidence behind the vectors of the built-in one."""
    return IndexedRows(embedder) if isinstance(embedder, BuiltInStyleEmbedder) else embedder


def _vectors_name(embedder: StyleEmbedder) -> str:
    return f"style-{hashlib.sha256(_rows_of(embedder).signature.encode()).hexdigest()[:16]}.vectors"


def _bounded(cosine: float) -> float:
    return min(1.0, max(-1.0, float(cosine))) if not math.isnan(cosine) else math.nan


def _no_fit(why: str) -> Score:
    return Score(math.nan, reason=why)


def _order(keys: npt.NDArray[np.float64], cosines: Vectors) -> npt.NDArray[np.float64]:
    """Return numbers to order clips by: fits, then cosines; clips of which nothing could be judged come last."""
    near = np.nan_to_num(cosines.astype(np.float64), nan=0.0)
    return np.where(np.isnan(keys), near - 10.0, keys + 1e-6 * near)


def _collection_hash(clips: Sequence[Clip]) -> str:
    """Hash of files with size and time of change, and of the parts of them that are meant."""
    rows: list[Json] = []
    for clip in clips:
        assert isinstance(clip.source, AudioRef)
        state = Path(clip.source.path).stat()
        rows.append([clip.name, clip.source.start, clip.source.end, state.st_size, state.st_mtime_ns])
    return hashlib.sha256(dumps(rows).encode()).hexdigest()


def best_places(cosines: Vectors | npt.NDArray[np.float64], *, top: int) -> list[int]:
    """The places of the highest numbers, the highest first; of equal ones the earlier.

    >>> best_places(np.array([0.1, 0.9, 0.9, 0.3], dtype=np.float32), top=3)
    [1, 2, 3]

    Raises:
        UsageError: if `top` is less than 1.
    """
    if top < 1:
        raise UsageError(f"a search gives 1 clip or more, got {top}.")
    if cosines.size > top:
        places = np.flatnonzero(cosines >= np.partition(cosines, -top)[-top])
    else:
        places = np.arange(cosines.size)
    return [int(place) for place in places[np.argsort(-cosines[places], kind="stable")][:top]]
