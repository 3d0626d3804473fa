"""Scorer of an answer's words: does it answer this question, does its wording fit the style, does it do harm?

Three readings are put together by a few fitted weights:

- a transformer reads question and answer together, from the embeddings of the planner's encoder on
  (`aptone.planner.pairs`); the speaking style comes in as a learned vector;
- a regression on TF-IDF of the answer's words knows what rote words, flattery and insults sound like;
- the text embedder says how near question and answer are, on a curve fitted to answers of their own and of others.

Trained on answers, honest and adversarial, that were written and graded for it; ``weights/README.md`` says by whom, and
how well it does on questions that it never saw. ONNX Runtime and numpy on one core.
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

from aptone.planner.pairs import read_pair
from aptone.rooms.answer.data import Dimension
from aptone.rooms.answer.judge.word_features import Floats, counted, nearness, tf_idf
from aptone.stats.logits import sigmoid
from aptone.types import Language

FILE = "content.npz"
LICENCE = "Apache-2.0"

STYLES = (
    "neutral",
    "happy",
    "surprised",
    "sad",
    "angry",
    "fear",
    "disgust",
    "sarcastic",
    "child",
    "elderly",
    "fast",
    "slow",
    "loud",
    "whisper",
)
"""Speaking styles that it was trained on, in the order of their vectors."""

PLAIN = "neutral"
"""Style in the place of one that it was not trained on."""
KNOWN: Mapping[Dimension, frozenset[str]] = {
    Dimension.EMOTION: frozenset(("happy", "surprised", "sad", "angry", "fear", "disgust")),
    Dimension.SARCASM: frozenset(("sarcastic",)),
    Dimension.AGE: frozenset(("child",)),
    Dimension.GENDER: frozenset(),
}
"""Categories of the benchmark whose wording it can score."""


SUREST = 9.0
"""Log-odds of the transformer beyond which it is not surer."""
NEAR = 2.0
"""Log-odds of nearness beyond which an answer is suspiciously near, as one is that repeats the question."""


class WordScores(NamedTuple):
    """Scores of an answer's words, each from 0 to 1.

    Args:
        content: how well it answers the question.
        fit: how well its wording fits the speaking style.
        harm: probability that it insults, threatens or endangers the asker.
    """

    content: float
    fit: float
    harm: float


class ContentModel:
    """The scorer, loaded from arrays as `recipes.answer_content` writes them."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]], *, revision: str) -> None:
        self.revision = revision
        self.about: Mapping[str, Any] = json.loads(bytes(arrays["about"]))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        graph = bytes(arrays["graph"])
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._arrays = {name: np.asarray(rows, dtype=np.float64) for name, rows in arrays.items() if "." in name}

    def score(self, question: str, answer: str, *, style: str = PLAIN, language: Language) -> WordScores:
        """Score the words of an answer to a question that was asked in a style; an unknown one counts as `PLAIN`."""
        found = self.features(question, answer, style=style, language=language)
        logits = self._arrays["stack.weights"] @ found + self._arrays["stack.bias"]
        return WordScores(*(float(share) for share in sigmoid(logits)))

    def features(self, question: str, answer: str, *, style: str, language: Language) -> Floats:
        """Output of the readings: transformer (3, log-odds), regressions (3), nearness up to and beyond `NEAR`."""
        near = float(self._arrays[f"near.{language}"] @ (*nearness(question, answer), 1.0))
        linear = self._linear(answer, language)
        read = np.clip(self._read(question, answer, style, language), -SUREST, SUREST)
        return np.array([*read, *linear, min(near, NEAR), max(near - NEAR, 0.0)])

    def _read(self, question: str, answer: str, style: str, language: Language) -> Floats:
        pair = read_pair(question, answer, language)
        number = STYLES.index(style) if style in STYLES else STYLES.index(PLAIN)
        given = {
            "embedded": pair.embedded[np.newaxis],
            "inside": pair.inside[np.newaxis],
            "opened": np.array([pair.opened], dtype=np.int64),
            "style": np.array([number], dtype=np.int64),
        }
        (logits,) = self._session.run(["logits"], given)
        found: Floats = np.asarray(logits, dtype=np.float64)[0]
        return found

    def _linear(self, answer: str, language: Language) -> Floats:
        buckets, values = tf_idf(counted(answer, language), self._arrays[f"idf.{language}"])
        weights, bias = self._arrays[f"words.{language}"][:, buckets], self._arrays[f"bias.{language}"]
        found: Floats = weights @ values + bias
        return found


def read_content_model(data: bytes) -> ContentModel:
    """A scorer from the bytes of its file."""
    with np.load(io.BytesIO(data), allow_pickle=False) as opened:
        arrays = {name: opened[name] for name in opened.files}
    return ContentModel(arrays, revision=hashlib.sha256(data).hexdigest()[:12])


@functools.cache
def load_content_model() -> ContentModel:
    """The scorer that comes with Aptone, loaded once."""
    return read_content_model((files("aptone.rooms.answer") / "weights" / FILE).read_bytes())
