"""Ears of others: a model from elsewhere hears the feeling in a voice, the built-in ear everything else.

Such models are found by the entry points ``aptone.ears``, so that a plugin can bring its own. A name stands for a class
or a function whose keyword arguments are its options; what it makes is an `EmotionModel`. Users type ``NAME``,
``NAME:MODEL`` or ``NAME:option=value,option=value``; the option ``base`` names the built-in ear for the rest.

Emotion, valence, arousal and dominance, and intensity are those of the model. What it does not judge of these is left
open with the reason, and not filled in from the built-in ear: one clip, one opinion of its feeling.

The labels of a model become our names of emotions: a spelling of `Emotion` ("happiness", "fearful", "生气") stands for
that emotion, `ABBREVIATIONS` holds the short forms of corpora, and a label with a slash ("生气/angry") is read part by
part. Whatever else a model can say ("other", "contempt", "LABEL_3") has no place among our emotions and is left out.
"""

import functools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from aptone.audio import cut
from aptone.ear import LICENCES
from aptone.ear.describe import emotion_phrase
from aptone.ear.network.inference import EARS, Floats, Listening, load_network
from aptone.ear.perceive import Ear
from aptone.errors import RecordError, RegistryError, UsageError
from aptone.messages import LANGUAGES, message
from aptone.registry import Registry, find_maker
from aptone.types import (
    Audio,
    Emotion,
    EmotionEstimate,
    Json,
    Perception,
    Segment,
    Trajectory,
    Vad,
    json_or_text,
    signature,
)

ABBREVIATIONS: Mapping[str, Emotion] = {
    "ang": Emotion.ANGRY,
    "anx": Emotion.FEAR,
    "bor": Emotion.BOREDOM,
    "cal": Emotion.CALM,
    "dis": Emotion.DISGUST,
    "exc": Emotion.HAPPY,
    "excited": Emotion.HAPPY,
    "excitement": Emotion.HAPPY,
    "fea": Emotion.FEAR,
    "fear/anxiety": Emotion.FEAR,
    "hap": Emotion.HAPPY,
    "neu": Emotion.NEUTRAL,
    "no emotion": Emotion.NEUTRAL,
    "ps": Emotion.SURPRISE,
    "pleasant surprise": Emotion.SURPRISE,
    "sur": Emotion.SURPRISE,
}
"""Short forms and further words in the label sets of IEMOCAP, CREMA-D, EmoDB, MSP-Podcast, TESS and RAVDESS."""


class NamedShares(NamedTuple):
    """Shares by our names, and those that have none, by the model's own."""

    known: dict[str, float]
    unknown: dict[str, float]

    @property
    def known_share(self) -> float:
        """Part of the whole that has one of our names, 0 to 1; 0 where there is nothing at all."""
        total = sum(self.known.values()) + sum(self.unknown.values())
        return sum(self.known.values()) / total if total else 0.0

    @property
    def distribution(self) -> dict[str, float]:
        """Known shares, relative to their sum."""
        total = sum(self.known.values())
        return {name: share / total for name, share in self.known.items()} if total else {}


def emotion_of_label(label: str) -> Emotion | None:
    """Return the emotion that a label of a model stands for; ``None`` for one that has no name here.

    >>> [emotion_of_label(label) for label in ("hap", "生气/angry", "Fearful", "other")]
    [<Emotion.HAPPY: 'happy'>, <Emotion.ANGRY: 'angry'>, <Emotion.FEAR: 'fear'>, None]
    """
    for part in (label, *label.split("/")):
        plain = " ".join(part.replace("_", " ").casefold().split())
        if plain in ABBREVIATIONS:
            return ABBREVIATIONS[plain]
        try:
            return Emotion.parse(plain)
        except RecordError:
            continue
    return None


def by_our_names(labels: Mapping[str, float]) -> NamedShares:
    """Return the shares of a model's labels by our names; labels of one emotion are added up.

    >>> by_our_names({"happy": 0.5, "excited": 0.25, "other": 0.25}).distribution
    {'happy': 1.0}
    """
    known: dict[str, float] = {}
    unknown: dict[str, float] = {}
    for label, share in labels.items():
        emotion = emotion_of_label(label)
        if emotion is None:
            unknown[label] = share
        else:
            known[emotion.value] = known.get(emotion.value, 0.0) + share
    return NamedShares(known, unknown)


REVISION = 1
LEAST_KNOWN = 0.5
"""Share of the probability that labels with one of our names must hold for an emotion to be judged."""
WINDOW = 2.0
"""Seconds around a point of a trajectory that a model hears; the step where that is longer."""
FEELING = ("emotion", "vad", "intensity")
LABELS = "other labels"
"""Topic under which it is said which labels were left out."""


class Requirements(Protocol):
    """Requirements of a model; `aptone.models.About` has them."""

    @property
    def licence(self) -> str:
        """Licence of its weights; empty where unknown."""

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        """Machines that receive recordings."""

    def require(self, what: str) -> None:
        """Make sure that it can run here."""


class EmotionModel(Protocol):
    """Model that hears the feeling in a voice."""

    @property
    def about(self) -> Requirements:
        """Requirements, and the licence of its weights."""

    @property
    def signature(self) -> str:
        """Everything that its estimates depend on besides the recording."""

    def hear(self, audio: Audio, /) -> EmotionEstimate:
        """Return what it hears in a recording, of any rate and length, in which somebody speaks."""


class TypedEar(NamedTuple):
    """Name and options of an ear as users type them."""

    name: str
    base: str
    options: dict[str, Json]


@dataclass(frozen=True, slots=True)
class OtherEar(Ear):
    """Ear that judges the feeling by a model from elsewhere; `typed` has name and options, as `load_ear` takes them."""

    model: EmotionModel
    typed: str

    @property
    def name(self) -> str:
        """Name with its options."""
        return self.typed

    @property
    def licence(self) -> str:
        """Licences of the weights of both."""
        return _licences(self.model, self.typed, base=self.meaning.name)

    @property
    def signature(self) -> str:
        """Model and built-in ear."""
        parts: dict[str, Json] = {
            "revision": REVISION,
            "window": WINDOW,
            "model": self.model.signature,
            "base": Ear(self.network).signature,
        }
        return signature(f"ear:{parse_typed(self.typed).name}", parts)

    def listen(self, audio: Audio) -> Listening:
        """Refuse: that is for built-in ears, whose network has this form."""
        raise UsageError(_no_network(self.typed))

    def frames(self, audio: Audio) -> Floats:
        """Refuse: that is for built-in ears, whose network has this form."""
        raise UsageError(_no_network(self.typed))

    def perceive(
        self, audio: Audio, *, language: str | None = None, trajectory: float | None = None, tracks: bool = False
    ) -> Perception:
        """Return what both hear in a clip; arguments and errors as those of `Ear.perceive`.

        Raises:
            MissingExtraError: if the model cannot run here.
            RecordError: if the model answers with numbers that are none.
        """
        heard = Ear(self.network).perceive(audio, language=language, trajectory=trajectory, tracks=tracks)
        heard = replace(heard, signature=self.signature, licence=self.licence)
        if not heard.emotion:  # nobody speaks
            return heard
        estimate = self._estimate(audio)
        named = by_our_names(estimate.labels)
        reasons = self._reasons(estimate, named)
        emotion = {} if "emotion" in reasons else named.distribution
        kept = {topic: reason for topic, reason in heard.unjudged.items() if topic not in FEELING}
        return replace(
            heard,
            emotion=emotion,
            phrase={one: emotion_phrase(emotion, intensity=estimate.intensity, language=one) for one in LANGUAGES}
            if emotion
            else {},
            vad=estimate.vad,
            intensity=estimate.intensity,
            trajectory=self._trajectory(audio, heard.trajectory) if estimate.vad and heard.trajectory else None,
            unjudged={**kept, **reasons},
        )

    def _estimate(self, audio: Audio) -> EmotionEstimate:
        try:
            return self.model.hear(audio)
        except ValueError as error:
            clip = audio.source or "a clip"
            raise RecordError(f"the ear {self.typed} gave no usable answer for {clip}: {error}") from error

    def _reasons(self, estimate: EmotionEstimate, named: NamedShares) -> dict[str, str]:
        """Return what the model did not judge and why, and which of its labels were left out."""
        silent = message("ear.other-does-not-judge", ear=self.typed)
        dropped = ", ".join(sorted(named.unknown))
        reasons: dict[str, str] = {}
        if not estimate.labels:
            reasons["emotion"] = silent
        elif named.known_share < LEAST_KNOWN or not named.known:
            share = 100 * (1.0 - named.known_share)
            reasons["emotion"] = message("ear.other-hears-unknown", ear=self.typed, labels=dropped, share=share)
        elif named.unknown:
            share = 100 * (1.0 - named.known_share)
            reasons[LABELS] = message("ear.other-labels-dropped", ear=self.typed, labels=dropped, share=share)
        if estimate.vad is None:
            reasons["vad"] = silent
        if math.isnan(estimate.intensity):
            reasons["intensity"] = silent
        return reasons

    def _trajectory(self, audio: Audio, spoken: Trajectory) -> Trajectory:
        """Hear the window around each point at which the built-in ear heard speech; NaN at the others."""
        width = max(WINDOW, spoken.step)
        points = []
        for place, known in enumerate(spoken.arousal):
            start = max(0.0, min((place + 0.5) * spoken.step - width / 2, audio.seconds - width))
            window = Segment(start, min(audio.seconds, start + width))
            estimate = None if math.isnan(known) else self._estimate(cut(audio, window)).vad
            points.append(estimate or Vad(math.nan, math.nan, math.nan))
        return Trajectory(
            spoken.step,
            tuple(point.valence for point in points),
            tuple(point.arousal for point in points),
            tuple(point.dominance for point in points),
        )


def other_names() -> tuple[str, ...]:
    """Return the names of registered ears, besides the built-in ones."""
    return tuple(name for name in Registry("ears", object) if name not in EARS)


def is_registered(typed: str) -> bool:
    """Check that the name of a typed ear is that of a registered one."""
    return typed.partition(":")[0] in other_names()


def parse_typed(typed: str) -> TypedEar:
    """Parse an ear as users type it; values of options are JSON, or else plain text.

    >>> parse_typed("transformers:checkpoints/mine")
    TypedEar(name='transformers', base='full', options={'model': 'checkpoints/mine'})
    >>> parse_typed("wav2vec2-dim:base=permissive,device=cpu")
    TypedEar(name='wav2vec2-dim', base='permissive', options={'device': 'cpu'})

    Raises:
        UsageError: if the base is no built-in ear.
    """
    name, _, rest = typed.partition(":")
    pieces = re.split(r",(?=\w+=)", rest) if rest else []
    options: dict[str, Json] = {}
    for piece in pieces:
        option = re.fullmatch(r"(\w+)=(.*)", piece, flags=re.DOTALL)
        if option is None:  # only the first piece can be without a name
            options["model"] = piece
        else:
            options[option[1]] = json_or_text(option[2])
    base = options.pop("base", EARS[0])
    if base not in EARS:
        raise UsageError(f"ear {typed!r}: base is the built-in ear for the rest, {' or '.join(EARS)}, got {base!r}.")
    return TypedEar(name, str(base), options)


@functools.cache
def load_other(typed: str) -> OtherEar:
    """Return a registered ear by its name and options, made once; its weights are loaded when it first hears.

    Raises:
        MissingExtraError: if it cannot run here; the message holds the command that installs what is missing.
        RegistryError: if its package is broken, or it would send recordings to another machine.
        UsageError: if it has no such option, or an option has a wrong value.
    """
    model = make_model(typed)
    parsed = parse_typed(typed)
    model.about.require(f"ear {parsed.name!r}")
    return OtherEar(load_network(parsed.base), model, typed)


def make_model(typed: str) -> EmotionModel:
    """Make the model behind a typed ear, whether or not it can run here; errors as those of `load_other`."""
    name, _, options = parse_typed(typed)
    model: EmotionModel = find_maker("ears", "ear", name, options)(**options)
    if machines := model.about.sends_audio_to:
        raise RegistryError(
            f"ear {name!r} of {Registry('ears', object)[name].package} sends recordings to {', '.join(machines)}; "
            "an ear hears on this machine, what asks a server is a judge."
        )
    return model


def licence_of(model: EmotionModel, typed: str) -> str:
    """Return the licence of the weights of a model alone, or that it is not known."""
    return model.about.licence or message("ear.licence-unknown", ear=parse_typed(typed).name)


def other_and_licence(typed: str) -> str:
    """Return a registered ear and the licences of its weights, as reports say it."""
    return message("ear.licence", ear=typed, licence=_licences(make_model(typed), typed, base=parse_typed(typed).base))


def _licences(model: EmotionModel, typed: str, *, base: str) -> str:
    return message("ear.licence-of-two", licence=licence_of(model, typed), base=base, base_licence=LICENCES[base])


def _no_network(typed: str) -> str:
    return f"the ear {typed} has no frames that networks can be trained on; choose one of {', '.join(EARS)}."
