"""The built-in planner's text model: which feeling the story around a line asks for, in English and Mandarin.

One file of arrays (``weights/planner.npz``, no pickle) holds everything; numpy does the arithmetic. A line's vector is
made once and kept, so that the windows 1…15 of a target, and the targets that follow, cost next to nothing. What a text
says is only ever looked up: nothing in it can change how the model works.
"""

import functools
import hashlib
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.models.four_bits import Floats, Packed, unpack
from aptone.planner.context_network import LONGEST_CONTEXT, OTHER, SAME, network_from, rectified
from aptone.planner.label_sets import LABEL_SETS, SET_OF_LANGUAGE, emotion_shares
from aptone.planner.line_encoder import LineEncoder
from aptone.planner.manner import manner
from aptone.planner.phrases import PhraseTable
from aptone.types import Emotion, Language, Line, Vad

KEPT_LINES = 4096


@dataclass(frozen=True, slots=True)
class Reading:
    """What the text model says about a line in its context.

    Args:
        labels: probabilities in the label set of the story's language; they sum to 1.
        emotion: the same over our emotions; they sum to 1.
        vad: valence, arousal, dominance.
    """

    labels: Mapping[str, float]
    emotion: Mapping[Emotion, float]
    vad: Vad

    @property
    def likeliest(self) -> Emotion:
        """The emotion with the highest probability."""
        return max(self.emotion, key=self.emotion.__getitem__)


class TextModel:
    """The text model, loaded.

    Args:
        arrays: as `aptone.train.planner_export` writes them.
        revision: identifies the weights.
    """

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]], *, revision: str) -> None:
        self.revision = revision
        self.about: Mapping[str, Any] = json.loads(bytes(arrays["about"]))
        self._encoder = LineEncoder(
            {name.removeprefix("encoder."): value for name, value in arrays.items() if name.startswith("encoder.")}
        )
        self._phrases = PhraseTable(bytes(arrays["phrases.vocabulary"]).decode("utf-8").split("\n"))
        self._table = unpack(Packed(arrays["phrases.nibbles"], arrays["phrases.scales"]))
        self._lines = {
            language: np.asarray(arrays[f"line.{language}"], dtype=np.float32) for language in SET_OF_LANGUAGE
        }
        self._network = network_from(arrays)
        self._hidden = functools.lru_cache(maxsize=KEPT_LINES)(self._line)

    def read(self, context: Sequence[Line], target: Line, *, language: Language) -> Reading:
        """What a line should sound like.

        Args:
            context: the lines before the target, in order; at most the last 15 are read.
            target: the line; its role tells which lines of the context are its speaker's own.
            language: of the story.
        """
        near = tuple(context)[-LONGEST_CONTEXT:]
        hidden = [self._hidden(line.text, language) for line in near]
        own = self._hidden(target.text, language)
        relations = [SAME if line.role and line.role == target.role else OTHER for line in near]
        before = np.array(hidden, dtype=np.float32).reshape(len(hidden), own.size)
        answers = self._network.answers(own, before, relations)
        name = SET_OF_LANGUAGE[language]
        shares = dict(zip(LABEL_SETS[name], _softmax(answers[name]).tolist(), strict=True))
        valence, arousal, dominance = np.tanh(answers["vad"]).tolist()
        return Reading(labels=shares, emotion=emotion_shares(shares), vad=Vad(valence, arousal, dominance))

    def remember(self, lines: Iterable[Line], *, language: Language) -> None:
        """Make the vectors of lines beforehand."""
        for line in lines:
            self._hidden(line.text, language)

    def _line(self, text: str, language: Language) -> Floats:
        meant = self._encoder.encode([text])[0] if language == "en" else phrase_vector(self._phrases, self._table, text)
        weights = self._lines[language]
        return rectified(weights[:, :-1] @ np.concatenate([meant, manner(text)]) + weights[:, -1])


def phrase_vector(phrases: PhraseTable, table: Floats, text: str) -> Floats:
    """The sum of a text's phrases, divided by the root of their number."""
    numbers = phrases.numbers(text)
    summed: Floats = table[list(numbers)].sum(axis=0) / np.float32(np.sqrt(max(len(numbers), 1)))
    return summed


def _softmax(logits: Floats) -> npt.NDArray[np.float64]:
    raised = np.exp(logits.astype(np.float64) - float(logits.max()))
    shares: npt.NDArray[np.float64] = raised / raised.sum()
    return shares


def read_model(data: bytes) -> TextModel:
    """A text model from the bytes of its file."""
    with np.load(io.BytesIO(data), allow_pickle=False) as opened:
        arrays = {name: opened[name] for name in opened.files}
    return TextModel(arrays, revision=hashlib.sha256(data).hexdigest()[:12])


@functools.cache
def load_text_model() -> TextModel:
    """The text model that comes with Aptone, loaded once."""
    return read_model((files("aptone.planner") / "weights" / "planner.npz").read_bytes())
