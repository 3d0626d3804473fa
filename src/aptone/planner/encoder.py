"""Trained reader: a small transformer that both languages share, with a vocabulary for each, on ONNX Runtime.

``weights/encoder.npz`` holds the transformer in 8 bits a weight, ``weights/pieces.LANGUAGE.npz`` the pieces of a
language and their embeddings in 4. It runs in one thread, one passage at a time, so that batches and cores change
nothing.
"""

import functools
import hashlib
import io
import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
import onnxruntime

from aptone.lexicon.phrases import SIMPLIFIED
from aptone.models.text.built_in_embedder import Floats, Packed, unpack
from aptone.models.text.units import longest_pieces
from aptone.planner.passage import Passage
from aptone.stats.logits import sigmoid
from aptone.types import Language

PAD, UNKNOWN, BEGIN, END, OPEN, CLOSE, BREAK, MASK = (
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[OPEN]",
    "[CLOSE]",
    "[BREAK]",
    "[MASK]",
)
MARKS = (PAD, UNKNOWN, BEGIN, END, OPEN, CLOSE, BREAK, MASK)
"""The first pieces of every vocabulary, in this order. OPEN and CLOSE stand around the target, BREAK between
paragraphs."""
LONGEST_WORD = 4
"""Most characters of a Mandarin word in the vocabulary."""

_SPACE = re.compile(r"\s")
_ENGLISH = re.compile(r"\n|[^\W_]+|[^\s\w]|_")
_SAME = str.maketrans({"\x92": "'", "\x91": "'", "’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "—": "-", "–": "-"})
_MANDARIN_SAME = str.maketrans(
    {
        "「": "“",
        "」": "”",
        "『": "“",
        "』": "”",
        '"': "”",
        "＂": "”",
        ",": "，",
        "!": "！",
        "?": "？",
        ":": "：",
        ";": "；",
    }
    | {
        "(": "（",
        ")": "）",
        "[": "（",
        "]": "）",
        "【": "（",
        "】": "）",
        "［": "（",
        "］": "）",
        "〔": "（",
        "〕": "）",
        "–": "—",
    }
)


class Piece(NamedTuple):
    """Piece of a text: its number in the vocabulary and its span in the text."""

    number: int
    start: int
    end: int


class Pieces(Protocol):
    """Tokenizer: cuts text into numbered pieces."""

    def cut(self, text: str) -> list[Piece]:
        """Return the pieces of a text, in order; paragraphs are separated by `BREAK`."""


class EnglishPieces:
    """Tokenizer of English by a vocabulary of word pieces, by number; the first are `MARKS`."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._number = {piece: number for number, piece in enumerate(vocabulary)}
        self._known: dict[str, tuple[int, ...]] = {}

    def cut(self, text: str) -> list[Piece]:
        """Return the pieces of a text.

        >>> [piece.number for piece in EnglishPieces([*MARKS, "go", "##ing", "!"]).cut("Going!")]
        [8, 9, 10]
        """
        found = []
        for match in _ENGLISH.finditer(text.translate(_SAME)):
            start, end = match.span()
            for number in self._known.get(word := match.group()) or self._word(word):
                found.append(Piece(number, start, end))
        return found

    def _word(self, word: str) -> tuple[int, ...]:
        numbers = self._known.get(word)
        if numbers is None:
            if len(self._known) > 200_000:
                self._known.clear()
            numbers = self._known[word] = self._looked_up(word)
        return numbers

    def _looked_up(self, word: str) -> tuple[int, ...]:
        if word == "\n":
            return (MARKS.index(BREAK),)
        if word == "…":
            return (self._number.get(".", MARKS.index(UNKNOWN)),) * 3
        plain = "".join(
            letter for letter in unicodedata.normalize("NFD", word.lower()) if unicodedata.category(letter) != "Mn"
        )
        pieces = longest_pieces(plain, self._number) if plain not in MARKS else None
        return tuple(pieces) if pieces else (MARKS.index(UNKNOWN),)


class MandarinPieces:
    """Tokenizer of Mandarin by the most probable path of words.

    Args:
        vocabulary: pieces by number; the first are `MARKS`.
        costs: cost of each piece, -log of its frequency; a path's cost is their sum.
    """

    def __init__(self, vocabulary: Sequence[str], costs: Sequence[float]) -> None:
        self._number = {piece: number for number, piece in enumerate(vocabulary)}
        self._cost: Mapping[str, float] = dict(zip(vocabulary, costs, strict=True))
        self._dearest = max(costs, default=0.0) + 1.0

    def cut(self, text: str) -> list[Piece]:
        """Return the pieces of a text; traditional characters count as simplified ones.

        >>> words = MandarinPieces([*MARKS, "学", "生", "学生", "气"], [0.0] * 8 + [4.0, 4.0, 5.0, 4.0])
        >>> [piece.number for piece in words.cut("学生气")]
        [10, 11]
        """
        plain = text.translate(SIMPLIFIED).translate(_MANDARIN_SAME)
        found: list[Piece] = []
        for match in re.finditer(r"\n|[\u3400-\u9fff]+|[^\s\u3400-\u9fff]", plain):
            run = match.group()
            if run == "\n":
                found.append(Piece(MARKS.index(BREAK), match.start(), match.end()))
            elif "\u3400" <= run[0] <= "\u9fff":
                found += (
                    Piece(self._of(run[start:end]), match.start() + start, match.start() + end)
                    for start, end in self._path(run)
                )
            else:
                folded = unicodedata.normalize("NFKC", run).casefold()
                number = self._of(run) if run in self._number else self._of(folded)
                found.append(Piece(number, match.start(), match.end()))
        return found

    def _of(self, piece: str) -> int:
        return self._number.get(piece, MARKS.index(UNKNOWN))

    def _path(self, run: str) -> Iterator[tuple[int, int]]:
        best = [0.0] + [math.inf] * len(run)
        back = [0] * (len(run) + 1)
        for end in range(1, len(run) + 1):
            for start in range(max(0, end - LONGEST_WORD), end):
                cost = self._cost.get(run[start:end], self._dearest if end - start == 1 else math.inf)
                if best[start] + cost < best[end]:
                    best[end], back[end] = best[start] + cost, start
        cuts = []
        end = len(run)
        while end:
            cuts.append((back[end], end))
            end = back[end]
        return reversed(cuts)


LONGEST = 256
"""Pieces in a window, marks included."""
LONGEST_TARGET = 64
"""Most pieces of the target in a window: its beginning and its end."""
LONGEST_AFTER = 44
"""Most pieces after the target in a window."""
_FRAME = 4


class EncoderWindow(NamedTuple):
    """Pieces of a passage that the encoder reads.

    Args:
        places: span of each piece in the passage; a mark has an empty one.
        opened, closed: indices of the marks around the target.
    """

    numbers: tuple[int, ...]
    places: tuple[tuple[int, int], ...]
    opened: int
    closed: int


def window_on(passage: Passage, pieces: Pieces) -> EncoderWindow:
    """Return the window on a passage: the pieces nearest to the target."""
    target = [_moved(piece, passage.start) for piece in pieces.cut(passage.target)]
    after = [_moved(piece, passage.end) for piece in _first_pieces(passage.text[passage.end :], pieces)]
    return window(_last_pieces(passage.text[: passage.start], pieces), target, after)


def _last_pieces(text: str, pieces: Pieces) -> list[Piece]:
    """Return the last pieces of a text: all of them, or no fewer than a window holds. No piece holds a space."""
    reach = 6 * LONGEST
    while (space := _SPACE.search(text, max(0, len(text) - reach))) and len(text) > reach:
        found = pieces.cut(text[space.start() :])
        if len(found) >= LONGEST:
            return [_moved(piece, space.start()) for piece in found]
        reach *= 2
    return pieces.cut(text)


def _first_pieces(text: str, pieces: Pieces) -> list[Piece]:
    """Return the first pieces of a text: all of them, or no fewer than a window holds after the target."""
    space = _SPACE.search(text, 8 * LONGEST_AFTER)
    found = pieces.cut(text[: space.start()] if space else text)
    return found if space is None or len(found) >= LONGEST_AFTER else pieces.cut(text)


def window(before: Sequence[Piece], target: Sequence[Piece], after: Sequence[Piece]) -> EncoderWindow:
    """Return the window of pieces before, in and after a target."""
    if len(target) > LONGEST_TARGET:
        half = LONGEST_TARGET // 2
        target = [*target[:half], *target[-half:]]
    after = after[:LONGEST_AFTER]
    room = LONGEST - _FRAME - len(target) - len(after)
    before = before[max(0, len(before) - room) :]
    if before and before[0].number == MARKS.index(BREAK):
        before = before[1:]
    listed = [_mark(BEGIN), *before, _mark(OPEN), *target, _mark(CLOSE), *after, _mark(END)]
    return EncoderWindow(
        numbers=tuple(number for number, _, _ in listed),
        places=tuple((start, end) for _, start, end in listed),
        opened=1 + len(before),
        closed=2 + len(before) + len(target),
    )


def _moved(piece: Piece, by: int) -> Piece:
    return Piece(piece.number, piece.start + by, piece.end + by)


def _mark(name: str) -> Piece:
    return Piece(MARKS.index(name), 0, 0)


Arrays = Mapping[str, npt.NDArray[Any]]


class Answers(NamedTuple):
    """Output of the encoder for a target.

    Args:
        logits: log-odds of each head.
        decides: probability of each piece of the window to be among the words that decide.
    """

    logits: Mapping[str, Floats]
    window: EncoderWindow
    decides: Floats


_SLOW_FUSIONS = ["SkipLayerNormFusion"]
"""Graph rewrites that cost time on CPUs: the fused sum and normalisation takes six times as long as the two in turn."""


class Transformer:
    """Transformer of both languages: graph, position embeddings, embedding of the target, and labels of every head."""

    def __init__(self, arrays: Arrays) -> None:
        self.labels: Mapping[str, list[str]] = json.loads(bytes(arrays["labels"]))
        self.places = np.asarray(arrays["places"], dtype=np.float32)
        self.target = np.asarray(arrays["target"], dtype=np.float32)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            bytes(arrays["graph"]), options, providers=["CPUExecutionProvider"], disabled_optimizers=_SLOW_FUSIONS
        )
        self._outputs = [output.name for output in self._session.get_outputs()]

    def placed(self, embedded: Floats, inside: Floats) -> Floats:
        """Return embeddings with those of their positions and, where `inside` is 1, of the target added."""
        found = embedded + self.places[: len(embedded)] + inside[:, np.newaxis] * self.target
        return found.astype(np.float32)

    def answers(self, embedded: Floats, window: EncoderWindow) -> dict[str, Floats]:
        """Return the log-odds of every head, and of every piece to decide."""
        inside = np.zeros(len(embedded), dtype=np.float32)
        inside[window.opened + 1 : window.closed] = 1.0
        outputs = self._session.run(
            None,
            {
                "embedded": self.placed(embedded, inside)[np.newaxis],
                "inside": inside[np.newaxis],
                "opened": np.array([window.opened], dtype=np.int64),
            },
        )
        return {name: np.asarray(values)[0] for name, values in zip(self._outputs, outputs, strict=True)}


class Encoder:
    """Encoder of a language by its pieces, their costs where there are any, and embeddings."""

    def __init__(self, transformer: Transformer, arrays: Arrays) -> None:
        vocabulary = bytes(arrays["vocabulary"]).decode("utf-8").split("\n")
        self.vocabulary = tuple(vocabulary)
        self.pieces: Pieces = (
            MandarinPieces(vocabulary, arrays["costs"].tolist()) if "costs" in arrays else EnglishPieces(vocabulary)
        )
        self.labels = transformer.labels
        self.width = transformer.places.shape[1]
        self.placed = transformer.placed
        self._transformer = transformer
        self._packed = Packed(arrays["nibbles"], arrays["scales"])
        # Unpacked when a text holds them: most pieces stand in no text of a run.
        self._words = np.empty((len(vocabulary), self.width), dtype=np.float32)
        self._is_unpacked = np.zeros(len(vocabulary), dtype=np.bool_)

    def embedded(self, numbers: Sequence[int]) -> Floats:
        """Return the embeddings of pieces, without their places: [pieces, width]."""
        rows = np.array(numbers, dtype=np.intp)
        new = np.unique(rows[~self._is_unpacked[rows]])
        if new.size:
            self._words[new] = unpack(Packed(self._packed.nibbles[new], self._packed.scales[new]))
            self._is_unpacked[new] = True
        found: Floats = self._words[rows]
        return found

    def read(self, passage: Passage) -> Answers:
        """Return the output for the target of a passage."""
        window = window_on(passage, self.pieces)
        found = self._transformer.answers(self.embedded(window.numbers), window)
        return Answers(found, window, sigmoid(found.pop("decides").astype(np.float64)).astype(np.float32))


def head_labels() -> Mapping[str, list[str]]:
    """Return the labels of every head, which the languages share."""
    return _transformer()[0].labels


def load_encoder(language: Language) -> Encoder:
    """Load the built-in encoder of a language, once."""
    return _loaded(language)[0]


def encoder_revision(language: Language) -> str:
    """Return the identity of the weights of a language's encoder."""
    return _loaded(language)[1]


@functools.cache
def _loaded(language: Language) -> tuple[Encoder, str]:
    transformer, shared = _transformer()
    data = _bytes(f"pieces.{language}.npz")
    return Encoder(transformer, _arrays(data)), hashlib.sha256(shared + data).hexdigest()[:12]


def encoder_arrays() -> Arrays:
    """Load the arrays of the transformer that both languages share."""
    return _arrays(_bytes("encoder.npz"))


@functools.cache
def _transformer() -> tuple[Transformer, bytes]:
    data = _bytes("encoder.npz")
    return Transformer(_arrays(data)), hashlib.sha256(data).digest()


def _bytes(name: str) -> bytes:
    return (files("aptone.planner") / "weights" / name).read_bytes()


def _arrays(data: bytes) -> dict[str, npt.NDArray[Any]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as opened:
        return {name: opened[name] for name in opened.files}
