"""Style model: how well the style of an answer fits that of its question, trained on recorded dialogues (StyleTalk).

A log-linear model over the 45 styles of an answer s = (emotion, rate, volume), given x: how the question was asked,
what it says and, where they are known, the words of the answer:

    log p(s | x) = x · W · f(s) + b · g(s) - log Z(x)

f(s) holds the three terms of a style one by one, g(s) them, their pairs and the whole. What is common is likely
everywhere, so that a likelihood alone would call an ordinary answer fitting whatever was asked. The fit therefore takes
a share c of that back,

    score(s, x) = log p(s | x) - c · log p(s)

and a line from score to log-odds makes it the probability that s was recorded rather than sampled at random. With c = 0
a style is best separated from uniformly sampled ones, with c = 1 from others sampled as often as they occur; the share
is chosen in between.

Small arrays of numbers in one file (``weights/style.npz``, no pickle); numpy does the arithmetic. English only, as are
the dialogues.
"""

import functools
import hashlib
import io
import itertools
import json
import math
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.planner.fusion import expected_vad, line_emotions
from aptone.rooms.answer.judge.terms import MANNERS, RATES, VOLUMES, Manner, Sound
from aptone.types import Emotion

FILE = "style.npz"
LICENCE = "Apache-2.0"

Floats = npt.NDArray[np.float64]

STYLES: tuple[tuple[str, str, str], ...] = tuple(itertools.product(MANNERS, RATES, VOLUMES))
"""All styles of a question or an answer."""

READ_EMOTIONS = (
    Emotion.ANGRY,
    Emotion.DISGUST,
    Emotion.FEAR,
    Emotion.HAPPY,
    Emotion.NEUTRAL,
    Emotion.SAD,
    Emotion.SURPRISE,
)
"""Emotions that the planner's encoder reads in English words."""

FAINTEST = 1e-3
"""Added to a probability before its logarithm is taken."""


def _terms(style: tuple[str, str, str]) -> tuple[Floats, Floats, Floats]:
    return tuple(  # type: ignore[return-value]
        np.array([float(term == name) for name in names])
        for term, names in zip(style, (MANNERS, RATES, VOLUMES), strict=True)
    )


def _with_pairs(style: tuple[str, str, str]) -> Floats:
    feeling, rate, volume = _terms(style)
    pairs = (np.outer(feeling, rate), np.outer(feeling, volume), np.outer(rate, volume))
    return np.concatenate([feeling, rate, volume, *(pair.ravel() for pair in pairs)])


SINGLE = np.array([np.concatenate(_terms(style)) for style in STYLES])
"""f(s): [styles, 11]."""
PAIRED = np.array([_with_pairs(style) for style in STYLES])
"""The terms and their pairs: [styles, 41]; for a question its x."""
JOINED = np.hstack([PAIRED, np.eye(len(STYLES))])
"""g(s): [styles, 86]."""


def question_style(manner: Manner, counts: Floats) -> Floats:
    """Encode the style of a question; unknown terms get the mean over the counts of `STYLES` in questions."""
    weights = np.array(
        [
            float(count) if style[0] == manner.feeling and _agrees(style[1:], (manner.rate, manner.volume)) else 0.0
            for style, count in zip(STYLES, counts, strict=True)
        ]
    )
    if not weights.any():  # a manner that was never seen: each of its parts is known all the same
        weights = np.array(
            [float(style[0] == manner.feeling and _agrees(style[1:], (manner.rate, manner.volume))) for style in STYLES]
        )
    shares: Floats = weights / weights.sum() @ PAIRED
    return shares


def _agrees(terms: Sequence[str], known: Sequence[str]) -> bool:
    return all(not wanted or term == wanted for term, wanted in zip(terms, known, strict=True))


@functools.lru_cache(maxsize=4096)
def text_vector(text: str) -> Floats:
    """Embed a text with the built-in text embedder."""
    vector: Floats = load_static_vectors().embed([text])[0].astype(np.float64)
    return vector


@functools.lru_cache(maxsize=4096)
def feeling_vector(text: str) -> Floats:
    """The emotion of a text's words, as the planner's encoder reads it: log-probabilities and three dimensions."""
    emotions = line_emotions(text, "en")
    shares = [math.log(emotions.get(emotion, 0.0) + FAINTEST) for emotion in READ_EMOTIONS]
    place = expected_vad(emotions)
    return np.array([*shares, 2.0 * place.valence, 2.0 * place.arousal, 2.0 * place.dominance])


def without_words(style: Floats, question: str) -> Floats:
    """The input x where the answer's words are not known: how it was asked, and what."""
    return np.concatenate([style, text_vector(question)])


def with_words(style: Floats, question: str, answer: str) -> Floats:
    """The input x with the answer's words."""
    return np.concatenate([style, text_vector(question), feeling_vector(answer), text_vector(answer)])


def log_shares(x: Floats, weights: Floats, bias: Floats) -> Floats:
    """The logarithms of p(s | x) for rows of x: [rows, styles]."""
    logits = x @ weights @ SINGLE.T + bias @ JOINED.T
    highest = logits.max(axis=1, keepdims=True)
    shares: Floats = logits - highest - np.log(np.exp(logits - highest).sum(axis=1, keepdims=True))
    return shares


class StyleModel:
    """The model, loaded.

    Args:
        arrays: arrays as `recipes.answer_style.fit` writes them.

    Attributes:
        common: the logarithms of p(s), how often each of `STYLES` answers.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]], *, revision: str) -> None:
        self.revision = revision
        self.about: Mapping[str, Any] = json.loads(bytes(arrays["about"]))
        self._asked = np.asarray(arrays["asked"], dtype=np.float64)
        answered = np.asarray(arrays["answered"], dtype=np.float64)
        self._relevance = tuple(float(number) for number in arrays["relevance"])
        self.common: Floats = np.log((answered + 0.5) / (answered + 0.5).sum())
        self._models = {
            name: tuple(np.asarray(arrays[f"{name}.{part}"], dtype=np.float64) for part in ("weights", "bias", "line"))
            for name in ("without_words", "with_words")
        }

    def fit(self, manner: Manner, sound: Sound, question: str, answer: str = "") -> float:
        """Fit of a sound, 0 to 1: the probability that it was recorded there rather than sampled at random.

        Args:
            sound: sound of the answer; its emotion must be known.
            answer: c_o; empty where the words are not to be used.
        """
        scores = self.scores(manner, question, answer, rate=sound.rate, volume=sound.volume)
        slope, start, _ = self._models["with_words" if answer else "without_words"][2]
        return math.fsum(share * _share(slope * scores[feeling] + start) for feeling, share in sound.manner.items())

    def related(self, question: str, answer: str) -> float:
        """Score whether an answer belongs to a question, 0 to 1.

        The probability, by the cosine of their words, that it was recorded as its answer and not as that of another.
        """
        slope, start = self._relevance
        return _share(slope * float(np.dot(text_vector(question), text_vector(answer))) + start)

    def scores(
        self, manner: Manner, question: str, answer: str = "", *, rate: str = "", volume: str = ""
    ) -> dict[str, float]:
        """The scores of each emotion with a rate and a volume; shares are summed over those that are not known."""
        likely = self.likely(manner, question, answer)
        taken_back = float(self._models["with_words" if answer else "without_words"][2][2])
        found = {}
        for feeling in MANNERS:
            chosen = [
                place for place, one in enumerate(STYLES) if one[0] == feeling and _agrees(one[1:], (rate, volume))
            ]
            found[feeling] = _log_sum(likely[chosen]) - taken_back * _log_sum(self.common[chosen])
        return found

    def likely(self, manner: Manner, question: str, answer: str = "") -> Floats:
        """The logarithms of p(s | x) of all `STYLES`."""
        style = question_style(manner, self._asked)
        x = with_words(style, question, answer) if answer else without_words(style, question)
        weights, bias, _ = self._models["with_words" if answer else "without_words"]
        shares: Floats = log_shares(x[np.newaxis], weights, bias)[0]
        return shares


def _share(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-log_odds))


def _log_sum(values: Floats) -> float:
    highest = float(values.max())
    return highest + math.log(float(np.exp(values - highest).sum()))


def read_style_model(data: bytes) -> StyleModel:
    """A model from the bytes of its file."""
    with np.load(io.BytesIO(data), allow_pickle=False) as opened:
        arrays = {name: opened[name] for name in opened.files}
    return StyleModel(arrays, revision=hashlib.sha256(data).hexdigest()[:12])


@functools.cache
def load_style_model() -> StyleModel:
    """The model that comes with Aptone, loaded once."""
    return read_style_model((files("aptone.rooms.answer") / "weights" / FILE).read_bytes())
