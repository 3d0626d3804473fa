"""The learned reader: a small transformer that both languages share, with a vocabulary for each, on ONNX Runtime.

``weights/encoder.npz`` holds the transformer in eight bits a number, ``weights/pieces.LANGUAGE.npz`` the pieces of a
language and their vectors in four. Everything runs in one thread, one passage at a time, so that neighbours and cores
change nothing.
"""

import functools
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import onnxruntime

from aptone.models.text.four_bits import Floats, Packed, unpack
from aptone.planner.encoder.pieces import (
    BEGIN,
    BREAK,
    CLOSE,
    END,
    MARKS,
    OPEN,
    EnglishPieces,
    MandarinPieces,
    Piece,
    Pieces,
)
from aptone.planner.passage import Passage
from aptone.stats.logits import sigmoid
from aptone.types import Language

LONGEST = 256
"""Pieces that are read at once, marks included."""
LONGEST_TARGET = 64
"""Of these at most so many of the target: its beginning and its end."""
LONGEST_AFTER = 44
"""And at most so many after it."""
_FRAME = 4


class Seen(NamedTuple):
    """A window on a passage.

    Args:
        numbers: of the pieces.
        places: where each piece begins and ends in the passage; a mark has an empty place.
        opened, closed: where the marks around the target stand.
    """

    numbers: tuple[int, ...]
    places: tuple[tuple[int, int], ...]
    opened: int
    closed: int


def seen(passage: Passage, pieces: Pieces) -> Seen:
    """The window on a passage: what stands nearest to the target."""
    before = pieces.cut(passage.text[: passage.start])
    target = [_moved(piece, passage.start) for piece in pieces.cut(passage.target)]
    after = [_moved(piece, passage.end) for piece in pieces.cut(passage.text[passage.end :])]
    return window(before, target, after)


def window(before: Sequence[Piece], target: Sequence[Piece], after: Sequence[Piece]) -> Seen:
    """The window of pieces before, in and after a target."""
    if len(target) > LONGEST_TARGET:
        half = LONGEST_TARGET // 2
        target = [*target[:half], *target[-half:]]
    after = after[:LONGEST_AFTER]
    room = LONGEST - _FRAME - len(target) - len(after)
    before = before[max(0, len(before) - room) :]
    if before and before[0].number == MARKS.index(BREAK):
        before = before[1:]
    laid = [
        _mark(BEGIN),
        *before,
        _mark(OPEN),
        *target,
        _mark(CLOSE),
        *after,
        _mark(END),
    ]
    return Seen(
        numbers=tuple(piece.number for piece in laid),
        places=tuple((piece.start, piece.end) for piece in laid),
        opened=1 + len(before),
        closed=2 + len(before) + len(target),
    )


def _moved(piece: Piece, by: int) -> Piece:
    return Piece(piece.number, piece.start + by, piece.end + by)


def _mark(name: str) -> Piece:
    return Piece(MARKS.index(name), 0, 0)


Arrays = Mapping[str, npt.NDArray[Any]]


class Answers(NamedTuple):
    """What the encoder says about a target.

    Args:
        logits: by head.
        seen: the window that it read.
        decides: probability of each piece of the window to be among the words that decide.
    """

    logits: Mapping[str, Floats]
    seen: Seen
    decides: Floats


class Transformer:
    """The part that both languages share.

    Args:
        arrays: the graph, vectors of places, the vector of the target, and the labels of every head.
    """

    def __init__(self, arrays: Arrays) -> None:
        self.labels: Mapping[str, list[str]] = json.loads(bytes(arrays["labels"]))
        self.places = np.asarray(arrays["places"], dtype=np.float32)
        self.target = np.asarray(arrays["target"], dtype=np.float32)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            bytes(arrays["graph"]), options, providers=["CPUExecutionProvider"]
        )
        self._outputs = [output.name for output in self._session.get_outputs()]

    def answers(self, embedded: Floats, window: Seen) -> dict[str, Floats]:
        """Log-odds of every head, and of every piece to decide."""
        inside = np.zeros(len(embedded), dtype=np.float32)
        inside[window.opened + 1 : window.closed] = 1.0
        states = embedded + self.places[: len(embedded)] + inside[:, np.newaxis] * self.target
        outputs = self._session.run(
            None,
            {
                "embedded": states[np.newaxis].astype(np.float32),
                "inside": inside[np.newaxis],
                "opened": np.array([window.opened], dtype=np.int64),
            },
        )
        return {name: np.asarray(values)[0] for name, values in zip(self._outputs, outputs, strict=True)}


class Encoder:
    """The encoder of a language.

    Args:
        transformer: that all languages share.
        arrays: pieces, their costs where there are any, and vectors.
    """

    def __init__(self, transformer: Transformer, arrays: Arrays) -> None:
        vocabulary = bytes(arrays["vocabulary"]).decode("utf-8").split("\n")
        self.pieces: Pieces = (
            MandarinPieces(vocabulary, arrays["costs"].tolist()) if "costs" in arrays else EnglishPieces(vocabulary)
        )
        self.labels = transformer.labels
        self._transformer = transformer
        self._words = unpack(Packed(arrays["nibbles"], arrays["scales"]))

    def read(self, passage: Passage) -> Answers:
        """What it says about the target of a passage."""
        window = seen(passage, self.pieces)
        found = self._transformer.answers(self._words[list(window.numbers)], window)
        decides = sigmoid(found.pop("decides").astype(np.float64))
        return Answers(found, window, decides.astype(np.float32))


def load_encoder(language: Language) -> Encoder:
    """The encoder of a language that comes with Aptone, loaded once."""
    return _loaded(language)[0]


def encoder_revision(language: Language) -> str:
    """What identifies the weights of a language's encoder."""
    return _loaded(language)[1]


@functools.cache
def _loaded(language: Language) -> tuple[Encoder, str]:
    transformer, shared = _transformer()
    data = _bytes(f"pieces.{language}.npz")
    return Encoder(transformer, _arrays(data)), hashlib.sha256(shared + data).hexdigest()[:12]


@functools.cache
def _transformer() -> tuple[Transformer, bytes]:
    data = _bytes("encoder.npz")
    return Transformer(_arrays(data)), hashlib.sha256(data).digest()


def _bytes(name: str) -> bytes:
    return (files("aptone.planner") / "weights" / name).read_bytes()


def _arrays(data: bytes) -> dict[str, npt.NDArray[Any]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as opened:
        return {name: opened[name] for name in opened.files}
