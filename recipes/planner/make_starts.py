"""Initial weights of the encoders as files for the training machine, in eight bits.

    python -m recipes.planner.make_starts --minilm FOLDER --out JOB
    python -m recipes.planner.make_starts --shipped --out JOB

MiniLM's weights for English, and word vectors by English glosses for Mandarin; or what is shipped, to go on from.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from safetensors.numpy import load_file
from torch import Tensor

from aptone.planner.encoder import BEGIN, BREAK, CLOSE, END, MARKS, MASK, OPEN, PAD, UNKNOWN, EnglishPieces
from recipes.planner.labels import FOLDER
from recipes.planner.layers import encoder_weights
from recipes.planner.network import LAYERS, POSITIONS
from recipes.planner.packed_weights import packed
from recipes.planner.vocabulary import vocabulary

Floats = npt.NDArray[np.float32]
_AS_MARKS = {PAD: "[PAD]", UNKNOWN: "[UNK]", BEGIN: "[CLS]", END: "[SEP]", OPEN: "[unused1]", CLOSE: "[unused2]"}
_AS_MARKS |= {BREAK: "[SEP]", MASK: "[MASK]"}


class MiniLm:
    """all-MiniLM-L6-v2 from its folder (``model.safetensors``, ``vocab.txt``)."""

    def __init__(self, folder: Path) -> None:
        self._arrays = load_file(folder / "model.safetensors")
        self.vocabulary = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
        self._number = {piece: number for number, piece in enumerate(self.vocabulary)}
        self.words: Floats = self._arrays["embeddings.word_embeddings.weight"].astype(np.float32)

    def english_words(self, vocabulary: Sequence[str]) -> Floats:
        """Return the vectors of a vocabulary's pieces, marks included."""
        rows = [self._number[_AS_MARKS.get(piece, piece)] for piece in vocabulary]
        return self.words[rows]

    def body(self) -> dict[str, Floats]:
        """Return everything but the vectors of pieces, by the names of `recipes.planner.network.Encoder`."""
        own = self._arrays
        places = own["embeddings.position_embeddings.weight"][:POSITIONS]
        body = {
            "places.weight": places + own["embeddings.token_type_embeddings.weight"][0],
            "norm.weight": own["embeddings.LayerNorm.weight"],
            "norm.bias": own["embeddings.LayerNorm.bias"],
        }
        for number in range(LAYERS):
            theirs, ours = f"encoder.layer.{number}.", f"layers.{number}."
            parts = [f"{theirs}attention.self.{part}" for part in ("query", "key", "value")]
            for kind in ("weight", "bias"):
                body[f"{ours}query_key_value.{kind}"] = np.concatenate([own[f"{part}.{kind}"] for part in parts])
                body[f"{ours}attended.{kind}"] = own[f"{theirs}attention.output.dense.{kind}"]
                body[f"{ours}attended_norm.{kind}"] = own[f"{theirs}attention.output.LayerNorm.{kind}"]
                body[f"{ours}widened.{kind}"] = own[f"{theirs}intermediate.dense.{kind}"]
                body[f"{ours}narrowed.{kind}"] = own[f"{theirs}output.dense.{kind}"]
                body[f"{ours}narrowed_norm.{kind}"] = own[f"{theirs}output.LayerNorm.{kind}"]
        return {name: np.ascontiguousarray(values, dtype=np.float32) for name, values in body.items()}

    def glossed(self, vocabulary: Sequence[str], glosses: Mapping[str, str], *, seed: int = 0) -> Floats:
        """Return vectors of Mandarin pieces: the mean of the pieces of their English gloss, or random ones."""
        pieces = EnglishPieces([*MARKS, *self.vocabulary])
        shift = len(MARKS)
        generator = np.random.default_rng(seed)
        mean, spread = self.words.mean(axis=0), self.words.std(axis=0)
        rows = []
        for piece in vocabulary:
            if piece in _AS_MARKS:
                rows.append(self.words[self._number[_AS_MARKS[piece]]])
                continue
            gloss = glosses.get(piece, "")
            numbers = [one.number - shift for one in pieces.cut(gloss) if one.number >= shift]
            random = mean + 0.5 * spread * generator.standard_normal(len(mean))
            rows.append(self.words[numbers].mean(axis=0) + 0.1 * (random - mean) if numbers else random)
        return np.array(rows, dtype=np.float32)


def glosses() -> dict[str, str]:
    """Return English words for Mandarin pieces."""
    rows = (FOLDER / "glosses.zh.tsv").read_text(encoding="utf-8").splitlines()
    return dict(row.split("\t", 1) for row in rows)


def write(path: Path, weights: Mapping[str, Tensor]) -> None:
    """Write weights in eight bits."""
    np.savez_compressed(path, allow_pickle=False, **packed(weights))
    print(f"{path}: {path.stat().st_size / 2**20:.1f} MiB")


def main() -> None:
    """Write the initial weights of both languages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--minilm", type=Path)
    source.add_argument("--shipped", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if options.shipped:
        shipped = encoder_weights().items()
        write(options.out / "weights.shipped.npz", {name: torch.from_numpy(values) for name, values in shipped})
        return
    minilm = MiniLm(options.minilm)
    body = {name: torch.from_numpy(values) for name, values in minilm.body().items()}
    for language, words in (
        ("en", minilm.english_words(vocabulary("en"))),
        ("zh", minilm.glossed(vocabulary("zh"), glosses())),
    ):
        write(options.out / f"start.{language}.npz", {"words.weight": torch.from_numpy(words)})
    write(options.out / "start.body.npz", body)


if __name__ == "__main__":
    main()
