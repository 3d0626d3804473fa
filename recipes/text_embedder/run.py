"""Train the text embedder and write its file."""

import asyncio
import hashlib
import io
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.models.local.text_embedder import LocalTextEmbedder
from aptone.models.text.built_in_embedder import FILE, LICENCE, pack
from recipes.text_embedder.data import (
    LabelledText,
    Pair,
    Views,
    described,
    emoji_pairs,
    labelled_texts,
    lexicon_pairs,
    styletalk_texts,
    word_counts,
    word_vectors,
    written_pairs,
)
from recipes.text_embedder.train import (
    Floats,
    TextEmbedderRecipe,
    TrainingData,
    principal_directions,
    train_text_embedder,
)
from recipes.text_embedder.vocabulary import choose_units, first_vectors, once, plain_pieces

TEACHER_FILE = "teacher.npz"
ASKED_AT_ONCE = 4096
_BETWEEN = "\0"
PAIRS_OF_A_SOURCE = 4000
"""Number of pairs of each of the three sources: small ones are repeated, large ones sampled."""
STYLE_SEED = 1
"""Random seed of the training styles; others are used for testing."""


def embedder_bytes(
    vectors: npt.NDArray[np.float32], vocabulary: Sequence[str], *, about: Mapping[str, object]
) -> bytes:
    """Return the bytes of the file: equal input gives equal bytes. It is not compressed: the wheel is.

    Args:
        vectors: vectors of the units and of the buckets after them.
        vocabulary: the units.
        about: metadata of the file.
    """
    packed = pack(vectors)
    words = "\n".join(vocabulary).encode("utf-8")
    content = hashlib.sha256(packed.nibbles.tobytes() + packed.scales.tobytes() + words)
    metadata = {**about, "revision": content.hexdigest()[:12]}  # here and not when it is loaded, which takes longer so
    held = io.BytesIO()
    np.savez(
        held,
        about=np.frombuffer(json.dumps(metadata, sort_keys=True).encode("utf-8"), dtype=np.uint8),
        nibbles=packed.nibbles,
        scales=packed.scales,
        vocabulary=np.frombuffer(words, dtype=np.uint8),
    )
    return held.getvalue()


@dataclass(frozen=True, slots=True)
class Sources:
    """Locations of the sources.

    Args:
        data: folder with goemotions, styletalk and cped.
        minilm: folder of all-MiniLM-L6-v2.
        words: Mandarin word vectors, ``words.vector`` of the package synonyms 3.10.2.
        counts: frequencies of Mandarin words, ``dict.txt`` of the package jieba.
        annotations: folder ``annotations`` of the package cldr-annotations-full.
    """

    data: Path
    minilm: Path
    words: Path
    counts: Path
    annotations: Path


class Teacher:
    """Cached MiniLM embeddings of English texts.

    Args:
        minilm: folder of MiniLM.
        kept: cache file.
        log: receives progress lines.
    """

    def __init__(self, minilm: Path, kept: Path, *, log: Callable[[str], None]) -> None:
        self._embedder = LocalTextEmbedder(model=str(minilm), device="cpu", batch=64)
        self._kept = kept
        self._log = log
        self._said: dict[str, npt.NDArray[np.float16]] = {}
        if kept.exists():
            with np.load(kept, allow_pickle=False) as opened:
                texts = bytes(opened["texts"]).decode("utf-8").split(_BETWEEN)
                self._said = dict(zip(texts, opened["vectors"], strict=True))

    def __call__(self, texts: Sequence[str]) -> Floats:
        """Return vectors of length 1: [texts, 384]."""
        lacking = [text for text in once(texts) if text not in self._said]
        for start in range(0, len(lacking), ASKED_AT_ONCE):
            self._log(f"teacher: {start} of {len(lacking)} texts")
            asked = lacking[start : start + ASKED_AT_ONCE]
            vectors = asyncio.run(self._embedder.embed(asked)).astype(np.float16)
            self._said.update(zip(asked, vectors, strict=True))
        if lacking:
            joined = np.frombuffer(_BETWEEN.join(self._said).encode("utf-8"), dtype=np.uint8)
            np.savez(self._kept, texts=joined, vectors=np.stack(list(self._said.values())))
        return np.stack([self._said[text] for text in texts]).astype(np.float32)


def make_text_embedder(
    sources: Sources,
    out: Path,
    *,
    recipe: TextEmbedderRecipe,
    log: Callable[[str], None],
    evaluate: Callable[[Floats], Mapping[str, float]] | None = None,
) -> Path:
    """Train the embedder, write it, and return its file.

    Args:
        sources: locations of the sources.
        out: folder for the file and the cache of the teacher.
        recipe: settings of the run.
        log: receives progress lines.
        evaluate: called with the vectors every few steps.
    """
    out.mkdir(parents=True, exist_ok=True)
    labelled = labelled_texts(sources.data, part="train")
    english = once([*_texts(labelled, "goemotions"), *styletalk_texts(sources.data, part="train")])
    mandarin = _texts(labelled, "cped")
    by_source = [written_pairs(), lexicon_pairs(), emoji_pairs(sources.annotations)]
    views = list(described(recipe.styles, seed=STYLE_SEED))
    words, vectors = word_vectors(sources.words)
    counts = word_counts(sources.counts)
    vocabulary = choose_units(
        plain_pieces(_vocabulary(sources.minilm)),
        english,
        mandarin,
        wanted=[*_wordings(by_source[0] + by_source[1], views), *_known(by_source[2], counts)],
        vectors=words,
        counts=counts,
        mandarin_units=recipe.mandarin_units,
    )
    log(f"{len(vocabulary.units)} units, {vocabulary.english} of them English")
    teacher = Teacher(sources.minilm, out / TEACHER_FILE, log=log)
    said = teacher(english)
    directions = principal_directions(said, recipe.size)
    shared = teacher(once(pair.english for pairs in (by_source[0], by_source[2]) for pair in pairs)).mean(axis=0)

    def of_words(texts: Sequence[str]) -> Floats:
        return _turned(teacher(texts) - shared, directions)

    initial = first_vectors(
        vocabulary,
        meaning=of_words,
        pairs=by_source[0] + by_source[2],
        words=words,
        vectors=vectors,
        seed=recipe.seed,
    )
    pairs = _equal_shares(by_source, seed=recipe.seed)
    data = TrainingData(
        texts=english,
        meanings=_turned(said, directions),
        pairs=pairs,
        pair_meanings=of_words([pair.english for pair in pairs]),
        views=views,
        labelled=labelled,
    )
    trained = train_text_embedder(data, initial, vocabulary.cutter, recipe, log=log, evaluate=evaluate)
    about = {"licence": LICENCE, "recipe": asdict(recipe), "teacher": "all-MiniLM-L6-v2"}
    file = out / FILE
    file.write_bytes(embedder_bytes(trained, vocabulary.units, about=about))
    (out / "recipe.json").write_text(json.dumps(about, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return file


def _texts(labelled: Sequence[LabelledText], name: str) -> list[str]:
    return [one.text for one in labelled if one.set == name]


def _vocabulary(minilm: Path) -> list[str]:
    path = minilm / "vocab.txt"
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); --minilm names the folder of MiniLM.") from error


def _wordings(pairs: Sequence[Pair], views: Sequence[Views]) -> list[str]:
    return [*(text for pair in pairs for text in pair), *(text for one in views for text in one.english + one.mandarin)]


def _known(pairs: Sequence[Pair], counts: Mapping[str, int]) -> list[str]:
    """Return English names, and the Mandarin ones that are words: most are whole phrases, as 左花括号 is."""
    return [*(pair.english for pair in pairs), *(pair.mandarin for pair in pairs if pair.mandarin in counts)]


def _equal_shares(by_source: Sequence[Sequence[Pair]], *, seed: int) -> list[Pair]:
    dice = random.Random(seed)
    return [pair for pairs in by_source for pair in dice.choices(pairs, k=PAIRS_OF_A_SOURCE)]


def _turned(vectors: Floats, directions: Floats) -> Floats:
    turned = vectors @ directions
    unit: Floats = (turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-9)).astype(np.float32)
    return unit
