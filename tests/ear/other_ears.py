"""Ears of others for tests: what they hear is fixed, or a function of the samples."""

import numpy as np

from aptone.errors import UsageError
from aptone.models import About
from aptone.types import Audio, EmotionEstimate, Vad


class Labels:
    """Hears fixed labels.

    Args:
        labels: ``name:share`` by spaces.
    """

    about = About()

    def __init__(self, *, labels: str = "hap:0.6 angry:0.2 other:0.2", model: str = "") -> None:
        self._labels = {name: float(share) for name, _, share in (one.partition(":") for one in labels.split())}
        self._model = model

    @property
    def signature(self) -> str:
        """Labels."""
        return f"labels|{sorted(self._labels.items())}|{self._model}"

    def hear(self, audio: Audio, /) -> EmotionEstimate:
        """Return the labels."""
        return EmotionEstimate(self._labels)


class Place:
    """Hears the length of what it is given: a tenth of the seconds is arousal."""

    about = About(licence="MIT")
    signature = "place"

    def hear(self, audio: Audio, /) -> EmotionEstimate:
        """Return valence, arousal and dominance."""
        return EmotionEstimate(vad=Vad(-0.5, min(1.0, audio.seconds / 10), 0.5), intensity=0.75)


class Broken:
    """Hears no number."""

    about = About()
    signature = "broken"

    def hear(self, audio: Audio, /) -> EmotionEstimate:
        """Fail."""
        return EmotionEstimate({"happy": float(np.nan)})


class Missing(Labels):
    """Needs what nobody has."""

    about = About(modules=("no_such_module",), extra="emotion2vec")


class Sending(Labels):
    """Would send recordings away."""

    about = About(sends_audio_to=("ear.example",))


class Unset(Labels):
    """Needs an option."""

    def __init__(self) -> None:
        raise UsageError("which model is the ear?")
