"""Pair → cosine, fit and evidence: the step of every run in this room."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from aptone.audio import read_ref
from aptone.ear.reading import Reading, read_description
from aptone.ear.reference import Clip
from aptone.ear.referenced import voice_in
from aptone.messages import message
from aptone.models import About, StyleEmbedder
from aptone.rooms.style.data import HIGHEST, LOWEST, StylePair
from aptone.rooms.style.embedding.built_in import BuiltInStyleEmbedder
from aptone.rooms.style.evidence.judge import evidence_json, evidence_of, grades
from aptone.rooms.style.evidence.odds import Floats, evidence_signature, load_calibration
from aptone.run import Call
from aptone.types import Audio, AudioRef, Item, Json, Outcome, Perception, Score, State, from_json

Fit = Callable[[float], Score]
"""A cosine to a score from 0 to 5."""


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


LONGEST_CLIP = 120.0
"""Seconds beyond which a recording is no clip of one style; `aptone search` cuts such recordings into pieces."""

NOTHING_HEARD = message("style.no-voice-heard-clip")
NOTHING_UNDERSTOOD = message("style.unknown-words")
UNCALIBRATED = message("style.no-scale")


@dataclass(frozen=True, slots=True)
class StyleStep:
    """Scoring step for clips and their descriptions.

    Args:
        fit: turns a cosine into 0 to 5, for an embedder that was calibrated; the built-in one needs none, since its
            fit is graded by evidence.
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
            return judge_heard(self.embedder, self.embedder.hear(clips, voices=voices), descriptions)
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
        similarity = similarity_score(cosine, signature=signature)
        if self.fit is None:
            return Outcome(State.DONE, {"cosine": similarity}, signature=signature)
        return Outcome(State.DONE, {"fit": self.fit(cosine), "cosine": similarity}, signature=signature)

    def settings(self) -> dict[str, Json]:
        """Settings that a score depends on, for the configuration of a run."""
        if self.is_built_in:
            return {"embedder": self.embedder.signature, "calibrated": True, "evidence": evidence_signature()}
        return {"embedder": self.embedder.signature, "calibrated": self.fit is not None}

    @property
    def is_built_in(self) -> bool:
        """True if fits come from evidence, property by property."""
        return isinstance(self.embedder, BuiltInStyleEmbedder)

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        scaled = self.is_built_in or self.fit is not None
        return self.embedder.about if scaled else self.embedder.about + About(notes=(UNCALIBRATED,))


def style_step(embedder: StyleEmbedder) -> StyleStep:
    """The step of an embedder: with fits by evidence for the built-in one, with cosines alone for others."""
    return StyleStep(embedder)


def judge_heard(
    embedder: BuiltInStyleEmbedder, heard: Sequence[Perception], descriptions: Sequence[str]
) -> list[Outcome]:
    """The outcome of each clip that the ear heard with the description at its place; one clip may stand for all."""
    texts = embedder.embed_texts(descriptions).astype(np.float64)
    voices = np.stack([embedder.embed_perception(one) for one in heard]).astype(np.float64)
    known = [load_calibration().log_odds(one) for one in heard]
    return [
        _heard_outcome(embedder, heard[place % len(heard)], known[place % len(heard)], text, float(cosine))
        for place, (text, cosine) in enumerate(
            zip(descriptions, (np.broadcast_to(voices, texts.shape) * texts).sum(axis=1), strict=True)
        )
    ]


def _heard_outcome(
    embedder: BuiltInStyleEmbedder, heard: Perception, odds: Floats, description: str, cosine: float
) -> Outcome:
    signature = embedder.signature
    if not heard.emotion:
        return Outcome.unscored(NOTHING_HEARD, signature=signature)
    reading = read_description(description)
    fit = fit_score(reading, float(grades(reading, odds[np.newaxis])[0]), signature=signature)
    found = evidence_of(reading, odds, perception=heard)
    evidence = evidence_json(reading, found, language=reading.language)
    if math.isnan(cosine):
        if not fit.is_defined:
            return Outcome.unscored(fit.reason, evidence=evidence, signature=signature)
        similarity = Score(math.nan, reason=NOTHING_UNDERSTOOD, signature=signature)
    else:
        similarity = similarity_score(cosine, signature=signature)
    return Outcome(State.DONE, {"fit": fit, "cosine": similarity}, evidence=evidence, signature=signature)


def similarity_score(cosine: float, *, signature: str) -> Score:
    """A cosine as a score; without a range: where on -1 to 1 a good one lies is another place for every model."""
    return Score(min(1.0, max(-1.0, cosine)), signature=signature)


def fit_score(reading: Reading, grade: float, *, signature: str) -> Score:
    """A grade of the evidence as a score from 0 to 5; undefined, with the reason, where nothing could be judged."""
    signed = f"{signature}|evidence:{evidence_signature()}"
    if not math.isnan(grade):
        return Score(float(np.clip(grade, LOWEST, HIGHEST)), range=(LOWEST, HIGHEST), signature=signed)
    if reading.judged:
        why = message("style.nothing-judged")
    elif reading.unread:
        why = message("style.nothing-read-but", words=", ".join(reading.unread))
    else:
        why = message("style.nothing-read")
    return Score(math.nan, range=(LOWEST, HIGHEST), reason=why, signature=signed)


def voice_clips(pairs: Iterable[StylePair]) -> list[Clip]:
    """Pairs as clips of a collection, with their voices where their identifiers say whose they are."""
    return [Clip(voice_in(pair.ids), pair.id, pair.audio) for pair in pairs]


def style_audio(ref: AudioRef) -> Audio:
    """A clip as embedders get it: at its own rate, channels mixed.

    Raises:
        AudioError: if it cannot be read, or lasts longer than two minutes.
    """
    return read_ref(ref, rate=None, channel="mix", max_seconds=LONGEST_CLIP)
