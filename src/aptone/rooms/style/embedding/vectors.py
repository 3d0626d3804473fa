"""Vectors on the disk, by what they were made from: an append-only file that a kill cannot spoil.

The first line says, as JSON, what the vectors were made with and how many numbers each has. Records follow, all of one
length: 32 bytes of key, the numbers as little-endian 32-bit floats, and a checksum. A torn or damaged record at the
end is dropped when the file is opened again; one in the middle is passed over, and its vector made anew.
"""

import hashlib
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from aptone.errors import RecordError, RunError
from aptone.files import make_folder, unusable
from aptone.models.text_embedder import Vectors
from aptone.types import dumps, loads

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
        signature: of what makes the vectors. A file of another signature is refused.
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
        descriptor = os.open(self.path, flags, 0o666)
        with os.fdopen(descriptor, "r+b") as file:
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
                raise RunError(f"{self.path}: is no plain file; move it away, and it is made anew.")
            data = self.path.read_bytes()
        except OSError as error:
            raise unusable(self.path, error, doing="read") from error
        head, newline, _ = data[: LONGEST_HEAD + 1].partition(b"\n")
        if not newline:  # torn while it was begun, or nothing of ours
            if not self._head.startswith(data):
                raise RunError(f"{self.path}: holds no vectors; move it away, and it is made anew.")
            return
        if head + b"\n" != self._head:
            raise RunError(f"{self.path}: {_what_differs(head, self._head)} Move it away, and it is made anew.")
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
