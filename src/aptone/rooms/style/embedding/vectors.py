"""Vectors on the disk, by what they were made from: what was embedded before is not embedded again.

They lie in an append-only file that a kill cannot spoil. Its first line says, as JSON, what the vectors were made with
and how many numbers each has. Records follow, all of one length: 32 bytes of key, the numbers as little-endian 32-bit
floats, and a checksum. A torn or damaged record at the end is dropped when the file is opened again; one in the middle
is passed over, and its vector computed again.
"""

import hashlib
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from aptone.audio import read_ref
from aptone.errors import AptoneError, RecordError, RunError
from aptone.files import file_hash, make_folder, unusable
from aptone.models import StyleEmbedder, TextEmbedder
from aptone.models.parts import Vectors
from aptone.rooms.style.step import LONGEST_CLIP
from aptone.run import Display, Silent, Tally
from aptone.run.attempts import run_to_the_end
from aptone.types import Audio, AudioRef, dumps, loads

KEY_BYTES = 32
CHECK_BYTES = 4
LONGEST_HEAD = 10_000
KIND = "aptone vectors 1"


def key_of(*parts: object) -> bytes:
    """The key of what a vector is made from: hashes, times, texts."""
    return hashlib.sha256(dumps([str(part) for part in parts]).encode()).digest()


class VectorFile:
    """Vectors by key, those of earlier sessions included.

    Args:
        path: the file; made with its folder when the first vector is put.
        signature: signature of what makes the vectors. A file of another signature is refused.
        size: numbers in a vector.

    Raises:
        RunError: if the file cannot be read, or holds vectors of something else.
    """

    def __init__(self, path: Path, *, signature: str, size: int) -> None:
        self.path = path
        self._size = size
        self._head = dumps({"kind": KIND, "signature": signature, "size": size}).encode() + b"\n"
        self._vectors: dict[bytes, Vectors] = {}
        self._whole = 0  # bytes of the file that hold whole records
        if path.is_symlink() or path.exists():
            self._read()

    def __len__(self) -> int:
        return len(self._vectors)

    def __contains__(self, key: bytes) -> bool:
        return key in self._vectors

    def rows(self, keys: Sequence[bytes]) -> Vectors:
        """One row for each key, in their order; NaN for a key that is not there."""
        nothing = np.full(self._size, np.nan, dtype=np.float32)
        return np.stack([self._vectors.get(key, nothing) for key in keys]) if keys else np.empty((0, self._size), "<f4")

    def put(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Add vectors, and wait until they are on the disk.

        Raises:
            RunError: if they cannot be written.
        """
        rows = {key: np.ascontiguousarray(vector, dtype="<f4") for key, vector in vectors.items()}
        if wrong := [vector.shape for vector in rows.values() if vector.shape != (self._size,)]:
            raise RecordError(f"{self.path}: expected vectors of {self._size} numbers, got {wrong[0]}.")
        data = b"".join(self._record(key, vector) for key, vector in rows.items())
        make_folder(self.path.parent)
        try:
            self._append(data)
        except OSError as error:
            raise unusable(self.path, error) from error
        self._vectors.update(rows)

    def _append(self, data: bytes) -> None:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(self.path, flags, 0o666), "r+b") as file:
            if not self._whole:
                data = self._head + data
            file.truncate(self._whole)
            file.seek(self._whole)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self._whole += len(data)

    def _record(self, key: bytes, vector: Vectors) -> bytes:
        body = key + vector.tobytes()
        return body + zlib.crc32(body).to_bytes(CHECK_BYTES, "little")

    def _read(self) -> None:
        try:
            if self.path.is_symlink() or not self.path.is_file():
                raise RunError(f"{self.path}: is no plain file; move it away, and it is rebuilt.")
            data = self.path.read_bytes()
        except OSError as error:
            raise unusable(self.path, error, doing="read") from error
        head, newline, _ = data[: LONGEST_HEAD + 1].partition(b"\n")
        if not newline:  # torn while it was begun, or nothing of ours
            if not self._head.startswith(data):
                raise RunError(f"{self.path}: holds no vectors; move it away, and it is rebuilt.")
            return
        if head + b"\n" != self._head:
            raise RunError(f"{self.path}: {_what_differs(head, self._head)} Move it away, and it is rebuilt.")
        start, length = len(head) + 1, KEY_BYTES + 4 * self._size + CHECK_BYTES
        count = (len(data) - start) // length
        self._whole = start + count * length
        body = memoryview(data)[start : self._whole]
        kinds = [("key", f"V{KEY_BYTES}"), ("vector", "<f4", (self._size,)), ("check", "<u4")]
        table = np.frombuffer(body, dtype=kinds)
        checks, vectors = table["check"].tolist(), table["vector"]
        for place in range(count):
            begin = place * length
            if zlib.crc32(body[begin : begin + length - CHECK_BYTES]) == checks[place]:
                self._vectors[bytes(body[begin : begin + KEY_BYTES])] = vectors[place]


def _what_differs(head: bytes, expected: bytes) -> str:
    try:
        found, wanted = loads(head), loads(expected)
    except RecordError:
        return "holds no vectors."
    assert isinstance(wanted, Mapping)
    if not isinstance(found, Mapping) or found.get("kind") != KIND:
        return "holds no vectors."
    return f"its vectors were made with {found.get('signature')}, and now it is {wanted['signature']}."


AT_ONCE = 16
"""Clips that are embedded together, and then kept: what a kill can cost."""
TEXTS_AT_ONCE = 64


def clip_keys(clips: Sequence[AudioRef]) -> list[bytes]:
    """The key of each clip: the content of its file, and the part that is meant."""
    known: dict[str, str] = {}
    keys = []
    for clip in clips:
        if clip.path not in known:
            known[clip.path] = clip.sha256 or file_hash(Path(clip.path))
        # a file that cannot be read has no hash; its path keeps it apart from others of the kind
        content = known[clip.path] or clip.path
        keys.append(key_of(content) if not clip.start and clip.end is None else key_of(content, clip.start, clip.end))
    return keys


def embed_clips(
    file: VectorFile,
    clips: Mapping[bytes, AudioRef],
    embedder: StyleEmbedder,
    *,
    display: Display | None = None,
    longest: float = LONGEST_CLIP,
) -> dict[bytes, str]:
    """Embed the clips that have no vector yet, and keep their vectors.

    Args:
        clips: clips by the key of their vectors.
        longest: seconds beyond which a recording is not read.

    Returns:
        Why a clip has no vector, for those that cannot be read.
    """
    todo = [key for key in clips if key not in file]
    shown, tally = display or Silent(), Tally(total=len(clips), before=len(clips) - len(todo))
    problems: dict[bytes, str] = {}
    shown.start(tally)
    try:
        for begin in range(0, len(todo), AT_ONCE):
            keys = todo[begin : begin + AT_ONCE]
            read: dict[bytes, Audio] = {}
            for key in keys:
                try:
                    read[key] = read_ref(clips[key], rate=None, channel="mix", max_seconds=longest)
                except (AptoneError, OSError) as error:
                    problems[key] = str(error)
            if read:
                file.put(dict(zip(read, embedder.embed_audio(list(read.values())), strict=True)))
            tally.now += len(keys)
            tally.failed = len(problems)
            shown.update(tally)
    finally:
        shown.stop(tally)
    return problems


def embed_descriptions(file: VectorFile, texts: Sequence[str], embedder: StyleEmbedder) -> Vectors:
    """A row for each description, by a style embedder; those that have no vector yet are embedded and kept."""
    return _texts(file, texts, lambda chosen: embedder.embed_texts(chosen))


def embed_texts(file: VectorFile, texts: Sequence[str], embedder: TextEmbedder) -> Vectors:
    """A row of length 1 for each text, by a text embedder; likewise.

    Raises:
        TransientError: if the embedder cannot be reached now; what came is kept.
    """
    return _texts(file, texts, lambda chosen: unit_rows(run_to_the_end(_embedded(embedder, chosen))))


def text_vectors_size(embedder: TextEmbedder) -> int:
    """Return the dimension of a text embedder's vectors; found out by embedding a word."""
    return int(run_to_the_end(_embedded(embedder, ["voice"])).shape[1])


def unit_rows(vectors: Vectors) -> Vectors:
    """Rows brought to length 1; a row of zeros, which has no direction, becomes NaN."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(vectors / lengths, dtype=np.float32)


async def _embedded(embedder: TextEmbedder, texts: Sequence[str]) -> Vectors:
    return await embedder.embed(texts)


def _texts(file: VectorFile, texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]) -> Vectors:
    keys = [key_of(text) for text in texts]
    waiting = list({key: text for key, text in zip(keys, texts, strict=True) if key not in file}.items())
    for begin in range(0, len(waiting), TEXTS_AT_ONCE):
        some = waiting[begin : begin + TEXTS_AT_ONCE]
        vectors = embed([text for _, text in some])
        file.put({key: vector for (key, _), vector in zip(some, vectors, strict=True)})
    return file.rows(keys)
