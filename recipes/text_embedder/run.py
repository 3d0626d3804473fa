"""From folders to the file of the built-in text embedder, as ``python -m recipes.text_embedder`` runs it.

1. Read texts, lines, pairs, word vectors; describe styles; choose the units.
2. Ask the teacher (all-MiniLM-L6-v2) for the vectors of all English texts, words and pairs; what it said is kept in
   ``teacher.npz``, so that another run asks for what is new only.
3. Turn its 384 numbers to their first principal directions, put every unit where it begins, teach.
4. Write ``text_embedder.npz``, which can be shipped as ``models/weights/text_embedder.npz``.
"""

import asyncio
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.messages import message
from aptone.models.local.text_embedder import LocalTextEmbedder
from aptone.models.text.built_in_embedder import FILE, LICENCE
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
from recipes.text_embedder.export import embedder_bytes
from recipes.text_embedder.train import (
    Floats,
    Lessons,
    TextEmbedderRecipe,
    principal_directions,
    train_text_embedder,
)
from recipes.text_embedder.vocabulary import choose_units, first_vectors, once, plain_pieces

TEACHER_FILE = "teacher.npz"
ASKED_AT_ONCE = 4096
_BETWEEN = "\0"
PAIRS_OF_A_SOURCE = 4000
"""How many pairs of each of the three sources there are in the end: few are repeated, many are drawn from."""
STYLE_SEED = 1
"""Of the styles that are taught; others are tested on."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where things lie.

    Args:
        data: folder with goemotions, styletalk and cped.
        minilm: folder of all-MiniLM-L6-v2.
        words: Mandarin word vectors, ``words.vector`` of the package synonyms 3.10.2.
        counts: how often Mandarin words occur, ``dict.txt`` of the package jieba.
        annotations: folder ``annotations`` of the package cldr-annotations-full.
    """

    data: Path
    minilm: Path
    words: Path
    counts: Path
    annotations: Path


class Teacher:
    """What MiniLM says about English texts; asked once for each.

    Args:
        minilm: its folder.
        kept: file for what it said.
        log: is told how far it is.
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
        """Vectors of length 1: [texts, 384]."""
        lacking = [text for text in once(texts) if text not in self._said]
        for start in range(0, len(lacking), ASKED_AT_ONCE):
            self._log(message("train.teacher-texts", count=start, all=len(lacking)))
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
    look: Callable[[Floats], Mapping[str, float]] | None = None,
) -> Path:
    """Teach the embedder and write it; gives its file.

    Args:
        sources: where things lie.
        out: folder for the file, and for what the teacher said.
        recipe: how.
        log: is told how far it is.
        look: is shown the vectors now and then.
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
    log(message("train.units-english", count=len(vocabulary.units), english=vocabulary.english))
    teacher = Teacher(sources.minilm, out / TEACHER_FILE, log=log)
    said = teacher(english)
    directions = principal_directions(said, recipe.size)
    shared = teacher(once(pair.english for pairs in (by_source[0], by_source[2]) for pair in pairs)).mean(axis=0)

    def of_words(texts: Sequence[str]) -> Floats:
        return _turned(teacher(texts) - shared, directions)

    begun = first_vectors(
        vocabulary,
        meaning=of_words,
        pairs=by_source[0] + by_source[2],
        words=words,
        vectors=vectors,
        seed=recipe.seed,
    )
    pairs = _equal_shares(by_source, seed=recipe.seed)
    lessons = Lessons(
        texts=english,
        meanings=_turned(said, directions),
        pairs=pairs,
        pair_meanings=of_words([pair.english for pair in pairs]),
        views=views,
        labelled=labelled,
    )
    taught = train_text_embedder(lessons, begun, vocabulary.cutter, recipe, log=log, look=look)
    about = {"licence": LICENCE, "recipe": asdict(recipe), "teacher": "all-MiniLM-L6-v2"}
    file = out / FILE
    file.write_bytes(embedder_bytes(taught, vocabulary.units, about=about))
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
    """English names, and of the Mandarin ones those that are words: most are whole phrases, as 左花括号 is."""
    return [*(pair.english for pair in pairs), *(pair.mandarin for pair in pairs if pair.mandarin in counts)]


def _equal_shares(by_source: Sequence[Sequence[Pair]], *, seed: int) -> list[Pair]:
    dice = random.Random(seed)
    return [pair for pairs in by_source for pair in dice.choices(pairs, k=PAIRS_OF_A_SOURCE)]


def _turned(vectors: Floats, directions: Floats) -> Floats:
    turned = vectors @ directions
    unit: Floats = (turned / np.maximum(np.linalg.norm(turned, axis=1, keepdims=True), 1e-9)).astype(np.float32)
    return unit
