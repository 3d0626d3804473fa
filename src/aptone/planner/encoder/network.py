"""The learned reader of a language: its vocabulary, its word vectors and its transformer, on ONNX Runtime.

``weights/encoder.LANGUAGE.npz`` holds pieces and their vectors in four bits a number, ``encoder.LANGUAGE.onnx`` the rest
in eight. Everything runs in one thread, one passage at a time, so that neighbours and cores change nothing.
"""

import functools
import hashlib
import io
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import onnxruntime

from aptone.models.four_bits import Floats, Packed, unpack
from aptone.planner.encoder.pieces import EnglishPieces, MandarinPieces, Pieces
from aptone.planner.encoder.window import Seen, seen
from aptone.planner.passage import Passage
from aptone.types import Language

HEADS = ("reader", "tags", "dialogue", "intensity", "rhythm", "intonation", "voice")
"""What the transformer answers, by name; `dialogue` in the labels of single lines and talk."""


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


class Encoder:
    """The encoder of a language, loaded.

    Args:
        arrays: pieces, their costs where there are any, and vectors.
        graph: of ONNX.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]], graph: bytes) -> None:
        vocabulary = bytes(arrays["vocabulary"]).decode("utf-8").split("\n")
        self.labels: Mapping[str, list[str]] = json.loads(bytes(arrays["labels"]))
        self.pieces: Pieces = (
            MandarinPieces(vocabulary, arrays["costs"].tolist()) if "costs" in arrays else EnglishPieces(vocabulary)
        )
        self._words = unpack(Packed(arrays["words.nibbles"], arrays["words.scales"]))
        self._places = np.asarray(arrays["places"], dtype=np.float32)
        self._target = np.asarray(arrays["target"], dtype=np.float32)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._outputs = [output.name for output in self._session.get_outputs()]

    def read(self, passage: Passage) -> Answers:
        """What it says about the target of a passage."""
        return self.answers(seen(passage, self.pieces))

    def answers(self, window: Seen) -> Answers:
        """What it says about the target of a window."""
        numbers = np.array(window.numbers, dtype=np.int64)
        inside = np.zeros(len(numbers), dtype=np.float32)
        inside[window.opened + 1 : window.closed] = 1.0
        embedded = self._words[numbers] + self._places[: len(numbers)] + inside[:, np.newaxis] * self._target
        outputs = self._session.run(
            None,
            {
                "embedded": embedded[np.newaxis].astype(np.float32),
                "inside": inside[np.newaxis],
                "opened": np.array([window.opened], dtype=np.int64),
            },
        )
        found: dict[str, Floats] = {
            name: np.asarray(values)[0] for name, values in zip(self._outputs, outputs, strict=True)
        }
        decides = 1.0 / (1.0 + np.exp(-found.pop("decides").astype(np.float64)))
        return Answers(found, window, decides.astype(np.float32))


class _Loaded(NamedTuple):
    encoder: Encoder
    revision: str


@functools.cache
def load_encoder(language: Language) -> Encoder:
    """The encoder of a language that comes with Aptone, loaded once."""
    return _loaded(language).encoder


def encoder_revision(language: Language) -> str:
    """What identifies the weights of a language's encoder."""
    return _loaded(language).revision


@functools.cache
def _loaded(language: Language) -> _Loaded:
    folder = files("aptone.planner") / "weights"
    arrays_file = (folder / f"encoder.{language}.npz").read_bytes()
    graph = (folder / f"encoder.{language}.onnx").read_bytes()
    with np.load(io.BytesIO(arrays_file), allow_pickle=False) as opened:
        arrays = {name: opened[name] for name in opened.files}
    revision = hashlib.sha256(arrays_file + graph).hexdigest()[:12]
    return _Loaded(Encoder(arrays, graph), revision)
