"""The style embedder that comes with Aptone: the ear on one side, the built-in text units on the other, no download.

Each clip and each text goes through the network alone, on one thread: a vector depends on nothing beside it. The
voice's side reads what the ear reports (`aptone.rooms.style.embedding.features`), so it can tell apart what the ear
can: feeling, sex, pitch, rate, loudness, texture, rhythm, intonation, recording condition, music and a few sounds. How
it was taught and how well it does is in ``weights/README.md``.
"""

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from aptone.ear import load_ear
from aptone.ear.licences import ear_and_licence
from aptone.ear.network.inference import one_thread_session
from aptone.ear.perceive import Ear
from aptone.errors import UsageError
from aptone.messages import message
from aptone.models import About
from aptone.models.asking.guard import visible
from aptone.models.text.built_in_embedder import StaticVectors, load_static_vectors
from aptone.models.text_embedder import Vectors, checked_texts
from aptone.rooms.style.embedding.features import numbers_of
from aptone.types import Audio, Perception, signature

AUDIO_FILE, TEXT_FILE = "style_audio.onnx", "style_text.onnx"
META = "style_model"
"""Where in a file's metadata stands what it says about itself."""
LICENCE = "CC-BY-NC-SA-4.0"
EAR = "full"
"""The ear whose words the model was taught to understand."""
MOST_UNITS = 512
"""Of a description: some 400 English words. What is longer is a story rather than a description of a voice."""


class StyleModel:
    """Both sides, loaded."""

    def __init__(self, audio: bytes, text: bytes) -> None:
        self._audio, self._text = one_thread_session(audio), one_thread_session(text)
        about: Mapping[str, Any] = json.loads(self._text.get_modelmeta().custom_metadata_map[META])
        self.revision = str(about["revision"])
        self._known = {int(unit): place for place, unit in enumerate(about["known"], start=1)}

    @property
    def signature(self) -> str:
        """The weights, the ear and the text units."""
        parts = {"weights": self.revision, "ear": _ear().signature, "units": _units().revision}
        return signature("built-in-style", parts)

    @property
    def size(self) -> int:
        """How many numbers a vector has."""
        return int(self._audio.get_outputs()[0].shape[-1])

    def voice(self, perception: Perception) -> Vectors:
        """The vector of a voice, from what the ear said about it."""
        (found,) = self._audio.run(None, {"numbers": numbers_of(perception)[np.newaxis]})
        vector: Vectors = found[0]
        return vector

    def knows(self, words: Iterable[Sequence[int]]) -> bool:
        """Whether one of these words, given as its units, was in what the model learned from.

        Other words have vectors that it was never taught to read, and pieces of a word alone say nothing.
        """
        return any(all(unit in self._known for unit in word) for word in words)

    def description(self, units: Sequence[int], vectors: Vectors) -> Vectors:
        """The vector of a description, from its units and their vectors."""
        known = np.array([self._known.get(unit, 0) for unit in units], dtype=np.int64)
        (vector,) = self._text.run(None, {"vectors": vectors, "known": known})
        found: Vectors = vector
        return found


class BuiltInStyleEmbedder:
    """Voices and English or Mandarin descriptions of them to vectors of length 1; nothing to install."""

    about = About(licence=message("style.licence", licence=LICENCE, why=ear_and_licence(EAR)))

    @property
    def signature(self) -> str:
        """The weights, the ear and the text units."""
        return load_style_model().signature

    @property
    def size(self) -> int:
        """How many numbers a vector has."""
        return load_style_model().size

    def embed_audio(self, clips: Sequence[Audio]) -> Vectors:
        """One row for each clip; see `aptone.models.style_embedder.StyleEmbedder`."""
        if not clips:
            raise UsageError("there is nothing to embed: no clip was given.")
        return np.stack([self.embed_heard(_ear().perceive(clip)) for clip in clips])

    def embed_heard(self, perception: Perception) -> Vectors:
        """The vector of a clip that the ear has heard already; NaN where it heard no voice."""
        if not perception.emotion:
            return np.full(self.size, np.nan, dtype=np.float32)
        return load_style_model().voice(perception)

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """One row for each description; NaN for one without a word that the model was taught.

        See `aptone.models.style_embedder.StyleEmbedder`.

        Raises:
            UsageError: if there is no text, one of them shows nothing, or is far too long for a description.
        """
        return np.stack([self._described(text) for text in checked_texts(texts)])

    def _described(self, text: str) -> Vectors:
        units = _units().units(visible(text))
        if not units:
            raise UsageError("a description holds no letters or marks; say in words how the voice should sound.")
        if len(units) > MOST_UNITS:
            raise UsageError(
                f"a description of {len(units)} words and marks, at most {MOST_UNITS} are read: shorten it to what can "
                "be heard."
            )
        if not any(map(str.isalpha, text)) or not load_style_model().knows(_units().words(text)):
            return np.full(self.size, np.nan, dtype=np.float32)
        return load_style_model().description(units, _units().unit_vectors(units))


@functools.cache
def load_style_model() -> StyleModel:
    """The model that comes with Aptone, loaded once."""
    weights = files("aptone.rooms.style") / "weights"
    return StyleModel((weights / AUDIO_FILE).read_bytes(), (weights / TEXT_FILE).read_bytes())


@functools.cache
def _ear() -> Ear:
    return load_ear(EAR)


def _units() -> StaticVectors:
    return load_static_vectors()
