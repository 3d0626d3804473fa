"""Ear by emotion2vec, run by FunASR: nine classes, seven of which have a name among our emotions.

Ma et al., emotion2vec: self-supervised pre-training for speech emotion representation (2023).
"""

from functools import cache
from typing import Any

import numpy as np

from aptone.audio import resample
from aptone.errors import MissingExtraError, UsageError
from aptone.models.local.placement import STRETCH, Floats, mean_over_stretches, model_lock
from aptone.models.parts import About, Kinds, check_kinds
from aptone.types import Audio, EmotionEstimate, Json, signature

MODEL = "iic/emotion2vec_plus_large"
RATE = 16_000
HUBS = ("ms", "hf")

_KINDS: Kinds = {
    "model": ((str,), "a folder, or a name on a hub"),
    "revision": ((str,), "the name of a revision"),
    "device": ((str,), "a device such as cuda, or auto"),
    "hub": ((str,), "ms or hf"),
    "trust_remote_code": ((bool,), "true or false"),
}


class Emotion2Vec:
    """Emotion2vec, which hears one of nine emotions, run by FunASR.

    Args:
        model: folder, or name on the hub.
        revision: revision of the weights; empty for FunASR's default. Set it to make scores repeatable.
        device: ``cpu``, ``cuda``, …, or ``auto`` for FunASR's choice.
        hub: ``ms`` for ModelScope, ``hf`` for Hugging Face.
        trust_remote_code: run Python files that come with the model, if it needs them. They can do whatever you can.

    Raises:
        UsageError: if an option has a wrong type or value.
    """

    about = About(modules=("funasr",), extra="emotion2vec")

    def __init__(
        self,
        *,
        model: str = MODEL,
        revision: str = "",
        device: str = "auto",
        hub: str = "ms",
        trust_remote_code: bool = False,
    ) -> None:
        given = {"model": model, "revision": revision, "device": device, "hub": hub}
        check_kinds("ear", {**given, "trust_remote_code": trust_remote_code}, _KINDS)
        if not model:
            raise UsageError("which model runs here? Give a folder, or a name on a hub.")
        if hub not in HUBS:
            raise UsageError(f"the ear's option hub is {' or '.join(HUBS)}, got {hub!r}.")
        self._model = model
        self._revision = revision
        self._device = device
        self._hub = hub
        self._trust = trust_remote_code

    @property
    def signature(self) -> str:
        """Model, revision and hub."""
        parts: dict[str, Json] = {"model": self._model, "revision": self._revision, "hub": self._hub}
        if self._trust:
            parts["trust_remote_code"] = True
        return signature("emotion2vec", {**parts, "stretch": STRETCH})

    def hear(self, audio: Audio, /) -> EmotionEstimate:
        """Return the probabilities of its classes.

        Raises:
            MissingExtraError: if FunASR is not installed.
            UsageError: if the model cannot be loaded, or has no classes.
        """
        samples = resample(audio, rate=RATE).samples
        names: list[str] = []

        def shares(part: Floats) -> Floats:
            names[:], found = self._classes(part)
            return found

        with model_lock:
            means = mean_over_stretches(samples, shares, rate=RATE)
        found: dict[str, float] = {}
        for name, share in zip(names, means.tolist(), strict=True):
            found[name] = found.get(name, 0.0) + share
        return EmotionEstimate(found)

    def _classes(self, samples: Floats) -> tuple[list[str], Floats]:
        """Return names and probabilities of the classes for a stretch."""
        model = _loaded(self._model, self._revision, self._device, self._hub, self._trust)
        (said,) = model.generate(samples, fs=RATE, granularity="utterance", extract_embedding=False)
        names, shares = list(said.get("labels", ())), list(said.get("scores", ()))
        if not names or len(names) != len(shares):
            raise UsageError(f"{self._model}: gives no classes; name a model that was fine-tuned, such as {MODEL}.")
        return names, np.array(shares, dtype=np.float32)


@cache
def _loaded(model: str, revision: str, device: str, hub: str, trust_remote_code: bool) -> Any:
    try:
        from funasr import AutoModel
    except ImportError as error:
        raise MissingExtraError("emotion2vec", extra="emotion2vec") from error

    options: dict[str, Any] = {"hub": hub, "disable_update": True, "disable_pbar": True, "disable_log": True}
    options["trust_remote_code"] = trust_remote_code
    if revision:
        options["model_revision"] = revision
    if device != "auto":
        options["device"] = device
    try:
        return AutoModel(model=model, **options)
    except (OSError, ValueError, KeyError, RuntimeError, AssertionError) as error:
        raise UsageError(f"{model}: cannot be loaded ({' '.join(str(error).split())[:300]}).") from error
