"""Other ways from texts to vectors, measured beside the built-in text embedder in `benchmarks.text_embedder`."""

import asyncio
import itertools
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]

from aptone.models.local.text_embedder import LocalTextEmbedder
from aptone.models.text.built_in_embedder import load_static_vectors

Floats = npt.NDArray[np.float32]
NGRAM_SIZE = 4096
TF_IDF_SIZE = 16_384
NGRAM_LENGTHS = (2, 3, 4)


class Way(NamedTuple):
    """A way from texts to vectors of length 1.

    Args:
        embed: does it.
        languages: that it is meant for.
    """

    embed: Callable[[Sequence[str]], Floats]
    languages: frozenset[str]


BOTH = frozenset({"en", "zh"})
ENGLISH = frozenset({"en"})


def unit(rows: npt.ArrayLike) -> Floats:
    """Rows at length 1."""
    wide = np.asarray(rows, dtype=np.float32)
    scaled: Floats = wide / np.maximum(np.linalg.norm(wide, axis=1, keepdims=True), 1e-9)
    return scaled


def hashed_ngrams(texts: Sequence[str]) -> Floats:
    """Runs of two to four characters, counted by their checksum."""
    rows = np.zeros((len(texts), NGRAM_SIZE), dtype=np.float32)
    for row, text in enumerate(texts):
        plain = f" {text.lower()} "
        for length in NGRAM_LENGTHS:
            for start in range(len(plain) - length + 1):
                rows[row, zlib.crc32(plain[start : start + length].encode()) % NGRAM_SIZE] += 1.0
    return unit(np.sqrt(rows))


def tf_idf(training: Sequence[str]) -> Callable[[Sequence[str]], Floats]:
    """Words of English, and runs of one and two characters of Mandarin, weighted by how rare they are in some texts."""
    cut = re.compile(r"[a-z0-9']+|[\u4e00-\u9fff]")

    def units(text: str) -> list[str]:
        single = cut.findall(text.lower())
        han = [one for one in single if not one.isascii()]
        return [*single, *map("".join, itertools.pairwise(han))]

    fitted = TfidfVectorizer(analyzer=units, sublinear_tf=True, max_features=TF_IDF_SIZE, dtype=np.float32).fit(
        training
    )

    def embed(texts: Sequence[str]) -> Floats:
        return unit(fitted.transform(texts).toarray())

    return embed


def word_llama(folder: Path) -> Callable[[Sequence[str]], Floats]:
    """The mean of WordLlama's static vectors of 256 numbers (MIT), from the folder of its package."""
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    (table,) = load_file(folder / "weights" / "l2_supercat_256.safetensors").values()
    cutter = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    wide = table.astype(np.float32)

    def embed(texts: Sequence[str]) -> Floats:
        cut = cutter.encode_batch(list(texts), add_special_tokens=False)
        return unit(np.stack([wide[one.ids].mean(axis=0) if one.ids else wide[0] for one in cut]))

    return embed


def mini_lm(folder: Path) -> Callable[[Sequence[str]], Floats]:
    """All-MiniLM-L6-v2 (Apache-2.0), the teacher, by transformers on the CPU."""
    teacher = LocalTextEmbedder(model=str(folder), device="cpu", batch=64)

    def embed(texts: Sequence[str]) -> Floats:
        return asyncio.run(teacher.embed(texts))

    return embed


def ways(training: Sequence[str], *, minilm: Path, wordllama: Path) -> dict[str, Way]:
    """Ours and the rivals, by name."""
    return {
        "built-in": Way(load_static_vectors().embed, BOTH),
        "hashed character n-grams": Way(hashed_ngrams, BOTH),
        "TF-IDF": Way(tf_idf(training), BOTH),
        "WordLlama, 256": Way(word_llama(wordllama), ENGLISH),
        "MiniLM-L6": Way(mini_lm(minilm), ENGLISH),
    }
