"""The style embedder that comes with Aptone: the ear on one side, the built-in text units on the other, no download.

Each clip and each text goes through the network alone, on one thread: a vector depends on nothing beside it. The
voice's side reads what the ear reports, so it can tell apart what the ear can: feeling, sex, pitch, rate, loudness,
texture, rhythm, intonation, recording condition, music and a few sounds. How it was trained and how well it does is in
``weights/README.md``.
"""

import functools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.ear import ear_and_licence, load_ear
from aptone.ear.measures.norms import MEASURES, spreads_from_norm
from aptone.ear.network.inference import one_thread_session
from aptone.ear.perceive import Ear
from aptone.ear.reference import References
from aptone.ear.referenced import MARK, Referenced
from aptone.errors import UsageError
from aptone.messages import message
from aptone.models import About
from aptone.models.asking.guard import visible
from aptone.models.parts import Vectors, checked_texts
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.types import Audio, Intonation, Perception, Rhythm, Sex, signature

Numbers = npt.NDArray[np.float32]

EMOTIONS: tuple[str, ...] = (
    "neutral",
    "calm",
    "happy",
    "sad",
    "angry",
    "fear",
    "disgust",
    "surprise",
    "boredom",
    "playful",
)
CONDITIONS: tuple[str, ...] = ("normal", "phone", "far-field", "intermittent", "noisy")
EVENTS: tuple[str, ...] = ("laughter", "breath", "cough", "sneeze", "crying baby")
SOUNDS: Mapping[str, str] = MappingProxyType(
    dict(zip(("laughing", "breathing", "coughing", "sneezing", "crying baby"), EVENTS, strict=True))
)
"""The events, by the names that the ear reports them under."""
MEASURED: tuple[str, ...] = tuple(MEASURES)
EVENT_CONFIDENCE = 0.1
"""About what the ear's confidence in a sound must be for it to be reported at all."""
LARGEST = 4.0
"""Spreads, and natural logarithms of odds, beyond which a number counts no more."""

NAMES: tuple[str, ...] = (
    *(f"log odds of {name}" for name in EMOTIONS),
    *(f"probability of {name}" for name in EMOTIONS),
    "valence",
    "arousal",
    "intensity",
    "log odds of female",
    "log odds of adult",
    *(f"log odds of {name}" for name in CONDITIONS),
    "log odds of music",
    *(f"confidence in {name}" for name in EVENTS),
    *(f"{name} for the sex" for name in MEASURED),
    *(f"{name} for anyone" for name in MEASURED),
    *(f"{name} not measured" for name in MEASURED),
    *(f"probability of {name.value} rhythm" for name in Rhythm),
    *(f"probability of {name.value} intonation" for name in Intonation),
)
"""Names of the features, in their order."""


def numbers_of(perception: Perception) -> Numbers:
    """The row of a clip. What was not judged is 0, which is "nothing special", and so is what has no name here.

    >>> from aptone.types import Perception
    >>> numbers_of(Perception(seconds=1.0, emotion={"angry": 1.0}))[NAMES.index("probability of angry")].item()
    1.0
    """
    feeling = perception.vad
    row = [
        *_odds(perception.emotion, EMOTIONS),
        *_shares(perception.emotion, EMOTIONS),
        *((_or_zero(feeling.valence), _or_zero(feeling.arousal)) if feeling else (0.0, 0.0)),
        _or_zero(perception.intensity - 0.5),
        _log_odds(perception.sex.get(Sex.FEMALE, 0.5)),
        _log_odds(max(perception.age.values(), default=0.5)),
        *_odds(perception.recording_condition, CONDITIONS),
        _log_odds(perception.music),
        *_events(perception),
        *_measured(perception),
        *_shares(perception.rhythm, tuple(Rhythm)),
        *_shares(perception.intonation, tuple(Intonation)),
    ]
    return np.array(row, dtype=np.float32)


def _odds(distribution: Mapping[Any, float], names: Sequence[str]) -> list[float]:
    if not distribution:
        return [0.0] * len(names)
    return [_log_odds(distribution.get(name, 0.0)) for name in names]


def _shares(distribution: Mapping[Any, float], names: Sequence[str]) -> list[float]:
    return [_or_zero(distribution.get(name, 0.0)) for name in names]


def _events(perception: Perception) -> list[float]:
    surest = dict.fromkeys(EVENTS, 0.0)
    for event in perception.events:
        if event.name in SOUNDS:
            name = SOUNDS[event.name]
            surest[name] = max(surest[name], event.confidence)
    return [_bounded(confidence / EVENT_CONFIDENCE) for confidence in surest.values()]


def _measured(perception: Perception) -> list[float]:
    own, anyone, missing = [], [], []
    for name in MEASURED:
        score = perception.measures.get(name)
        value = score.value if score is not None else math.nan
        known = math.isfinite(value)
        own.append(_bounded(spreads_from_norm(name, value, sex=perception.sex, language=None)) if known else 0.0)
        anyone.append(_bounded(spreads_from_norm(name, value, sex=None, language=None)) if known else 0.0)
        missing.append(float(not known))
    return [*own, *anyone, *missing]


def _log_odds(probability: float) -> float:
    if math.isnan(probability):
        return 0.0
    least = math.exp(-LARGEST)
    within = min(max(probability, least), 1.0 - least)
    return math.log(within / (1.0 - within))


def _bounded(value: float) -> float:
    return min(max(value, -LARGEST), LARGEST)


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else float(value)


AUDIO_FILE, TEXT_FILE = "style_audio.onnx", "style_text.onnx"
META = "style_model"
"""Key of the model's description in the file's metadata."""
LICENCE = "CC-BY-NC-SA-4.0"
EAR = "full"
"""The ear whose descriptions the model was trained on."""
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
        parts = {"weights": self.revision, "ear": _ear().signature, "units": load_static_vectors().revision}
        return signature("built-in-style", parts)

    @property
    def size(self) -> int:
        """Dimension of the vectors."""
        return int(self._audio.get_outputs()[0].shape[-1])

    def voice(self, perception: Perception) -> Vectors:
        """The vector of a voice, from what the ear said about it."""
        (found,) = self._audio.run(None, {"numbers": numbers_of(perception)[np.newaxis]})
        vector: Vectors = found[0]
        return vector

    def knows(self, words: Iterable[Sequence[int]]) -> bool:
        """Return True if one of these words, given as its units, was in the training data.

        Other words have vectors that it was not trained on, and pieces of a word alone say nothing.
        """
        return any(all(unit in self._known for unit in word) for word in words)

    def description(self, units: Sequence[int], vectors: Vectors) -> Vectors:
        """The vector of a description, from its units and their vectors."""
        known = np.array([self._known.get(unit, 0) for unit in units], dtype=np.int64)
        (vector,) = self._text.run(None, {"vectors": vectors, "known": known})
        found: Vectors = vector
        return found


class BuiltInStyleEmbedder(Referenced):
    """Voices and English or Mandarin descriptions of them to vectors of length 1; nothing to install."""

    def __init__(self) -> None:
        self.ear = EAR
        self.references: References | None = None

    @property
    def about(self) -> About:
        """Licence of the weights, and the references of voices."""
        licence = message("style.licence", licence=LICENCE, why=ear_and_licence(EAR))
        return About(notes=self.reference_notes, licence=licence)

    @property
    def signature(self) -> str:
        """The weights, the ear, the text units, and references of voices."""
        return load_style_model().signature + (f"{MARK}{self.references.signature}" if self.references else "")

    @property
    def size(self) -> int:
        """Dimension of the vectors."""
        return load_style_model().size

    def embed_audio(self, clips: Sequence[Audio], *, voices: Sequence[str] = ()) -> Vectors:
        """One row for each clip (`aptone.models.parts.StyleEmbedder`); `voices` find their references."""
        return np.stack([self.embed_perception(heard) for heard in self.hear(clips, voices=voices)])

    def hear(self, clips: Sequence[Audio], *, voices: Sequence[str] = ()) -> list[Perception]:
        """Return what the ear hears in clips, against the references of their voices where there are any."""
        if not clips:
            raise UsageError("there is nothing to embed: no clip was given.")
        whose = voices or [""] * len(clips)
        return [
            self.heard_against(_ear().perceive(clip), voice=voice) for clip, voice in zip(clips, whose, strict=True)
        ]

    def embed_heard(self, perception: Perception, *, voice: str = "") -> Vectors:
        """The vector of a clip that the ear has heard already, without a reference; NaN where it heard no voice."""
        return self.embed_perception(self.heard_against(perception, voice=voice) if perception.emotion else perception)

    def embed_perception(self, perception: Perception) -> Vectors:
        """The vector of what was heard by `hear`; NaN where no voice was."""
        if not perception.emotion:
            return np.full(self.size, np.nan, dtype=np.float32)
        return load_style_model().voice(perception)

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """One row for each description; NaN for one without a word of the training data.

        See `aptone.models.parts.StyleEmbedder`.

        Raises:
            UsageError: if there is no text, one of them shows nothing, or is far too long for a description.
        """
        return np.stack([self._described(text) for text in checked_texts(texts)])

    def _described(self, text: str) -> Vectors:
        units = load_static_vectors().units(visible(text))
        if not units:
            raise UsageError("a description holds no letters or marks; say in words how the voice should sound.")
        if len(units) > MOST_UNITS:
            raise UsageError(
                f"a description of {len(units)} words and marks, at most {MOST_UNITS} are read: shorten it to what can "
                "be heard."
            )
        if not any(map(str.isalpha, text)) or not load_style_model().knows(load_static_vectors().words(text)):
            return np.full(self.size, np.nan, dtype=np.float32)
        return load_style_model().description(units, load_static_vectors().unit_vectors(units))


@functools.cache
def load_style_model() -> StyleModel:
    """The model that comes with Aptone, loaded once."""
    weights = files("aptone.rooms.style") / "weights"
    return StyleModel((weights / AUDIO_FILE).read_bytes(), (weights / TEXT_FILE).read_bytes())


@functools.cache
def _ear() -> Ear:
    return load_ear(EAR)
