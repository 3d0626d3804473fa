"""Pair → vectors → cosine and fit: the step of every run in this room."""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from aptone.audio import read_ref
from aptone.ear.reference import Clip
from aptone.ear.referenced import MARK, voice_in
from aptone.messages import message
from aptone.models import About, StyleEmbedder
from aptone.rooms.style.data import HIGHEST, LOWEST, StylePair
from aptone.rooms.style.embedding.built_in import BuiltInStyleEmbedder
from aptone.run import Call
from aptone.types import Audio, AudioRef, Item, Json, Outcome, Score, State, from_json

Fit = Callable[[float], Score]
"""A cosine to a score from 0 to 5."""


def load_fit(signature: str) -> Fit | None:
    """Load the calibration from an embedder's cosines to fits; ``None`` if it was not calibrated.

    References of voices change what is heard, not what a cosine means: the calibration without them holds.
    """
    found = _points().get(signature.partition(MARK)[0])
    return None if found is None else fit_by(found, signature=signature)


def fit_by(points: list[list[float]], *, signature: str) -> Fit:
    """The fit by lines between points (cosine, fit) that rise in both; beyond the outermost it stays as it is there.

    >>> fit_by([[0.0, 0.0], [0.5, 5.0]], signature="mine")(0.25).value
    2.5
    """
    cosines, fits = np.array(points, dtype=np.float64).T

    def fit(cosine: float) -> Score:
        value = float(np.clip(np.interp(cosine, cosines, fits), LOWEST, HIGHEST))
        return Score(value, range=(LOWEST, HIGHEST), signature=signature)

    return fit


@cache
def _points() -> dict[str, list[list[float]]]:
    file = files("aptone.rooms.style").joinpath("weights", "fit.json")
    if not file.is_file():
        return {}
    points: dict[str, list[list[float]]] = json.loads(file.read_bytes())
    return points


LONGEST_CLIP = 120.0
"""Seconds beyond which a recording is no clip of one style; `aptone search` cuts such recordings into pieces."""

NOTHING_HEARD = message("style.no-voice-heard-clip")
NOTHING_UNDERSTOOD = message("style.unknown-words")
UNCALIBRATED = message("style.no-scale")


@dataclass(frozen=True, slots=True)
class StyleStep:
    """Scoring step for clips and their descriptions.

    Args:
        fit: turns a cosine into 0 to 5; ``None`` if the embedder was not calibrated.
        batch_size: pairs whose clips are embedded together; vectors do not depend on it.
    """

    embedder: StyleEmbedder
    fit: Fit | None = None
    batch_size: int = 16

    def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The outcome of one item whose payload is a `StylePair`."""
        return self.batch([item], [call])[0]

    def batch(self, items: Sequence[Item], calls: Sequence[Call], /) -> list[Outcome]:
        """The outcomes of items whose payloads are `StylePair` records.

        Raises:
            AudioError: if a clip cannot be read; the runner then tries each pair alone.
        """
        pairs = [from_json(StylePair, item.payload) for item in items]
        clips = [style_audio(pair.audio) for pair in pairs]
        descriptions, voices = [pair.description for pair in pairs], [voice_in(pair.ids) for pair in pairs]
        return self.judge(clips, descriptions, voices=voices)

    def judge(
        self, clips: Sequence[Audio], descriptions: Sequence[str], *, voices: Sequence[str] = ()
    ) -> list[Outcome]:
        """The outcome of each clip with the description at its place; `voices` of the clips find their references."""
        if isinstance(self.embedder, BuiltInStyleEmbedder):
            heard = self.embedder.embed_audio(clips, voices=voices).astype(np.float64)
        else:
            heard = self.embedder.embed_audio(clips).astype(np.float64)
        texts = self.embedder.embed_texts(descriptions).astype(np.float64)
        cosines = (np.broadcast_to(heard, texts.shape) * texts).sum(axis=1)
        return [
            self._outcome(float(cosine), understood=not np.isnan(text).any())
            for cosine, text in zip(cosines, texts, strict=True)
        ]

    def _outcome(self, cosine: float, *, understood: bool) -> Outcome:
        signature = self.embedder.signature
        if math.isnan(cosine):
            return Outcome.unscored(NOTHING_HEARD if understood else NOTHING_UNDERSTOOD, signature=signature)
        # without a range: where on -1 to 1 a good cosine lies is another place for every model
        similarity = Score(min(1.0, max(-1.0, cosine)), signature=signature)
        if self.fit is None:
            return Outcome(State.DONE, {"cosine": similarity}, signature=signature)
        return Outcome(State.DONE, {"fit": self.fit(cosine), "cosine": similarity}, signature=signature)

    def settings(self) -> dict[str, Json]:
        """Settings that a score depends on, for the configuration of a run."""
        return {"embedder": self.embedder.signature, "calibrated": self.fit is not None}

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        return self.embedder.about if self.fit is not None else self.embedder.about + About(notes=(UNCALIBRATED,))


def style_step(embedder: StyleEmbedder) -> StyleStep:
    """The step with the embedder's own calibration, if it has one."""
    return StyleStep(embedder, load_fit(embedder.signature))


def voice_clips(pairs: Iterable[StylePair]) -> list[Clip]:
    """Pairs as clips of a collection, with their voices where their identifiers say whose they are."""
    return [Clip(voice_in(pair.ids), pair.id, pair.audio) for pair in pairs]


def style_audio(ref: AudioRef) -> Audio:
    """A clip as embedders get it: at its own rate, channels mixed.

    Raises:
        AudioError: if it cannot be read, or lasts longer than two minutes.
    """
    return read_ref(ref, rate=None, channel="mix", max_seconds=LONGEST_CLIP)
