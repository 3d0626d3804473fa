"""Style embedder on this machine: a dual encoder of yours, or LAION-CLAP and its like."""

import math
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aptone.audio import resample
from aptone.errors import UsageError
from aptone.files import file_hash
from aptone.models.local.placement import LocalModel, Placement, model_lock, placement_of
from aptone.models.local.text_embedder import in_batches
from aptone.models.parts import Vectors, check_kinds, checked_texts
from aptone.types import Audio, Json, signature

if TYPE_CHECKING:
    import torch

    from aptone.models.clap.folder import Clap

MODEL = "laion/larger_clap_music_and_speech"
"""Baseline of the paper, on the Hugging Face hub."""

ClipFeatures = Callable[[Audio], Vectors]
"""Function from a clip to its features, [features], for a dual encoder that was trained on such."""


class LocalStyleEmbedder(LocalModel):
    """Dual encoder that aptone train clap made, or a CLAP of transformers.

    A clip that is longer than the encoder hears is cut into stretches of equal length; its vector is the mean of
    theirs, normalised to length 1. Only stretches of equally many samples, and texts of equally many tokens, share a
    batch: nothing is padded, and a vector does not depend on its batch.

    Args:
        model, revision: see `aptone.models.local.placement.Placement`.
        device: ``cpu``, ``cuda``, ``cuda:1``, …, or ``auto`` for a GPU if there is one.
        batch: largest number of stretches or texts in a batch; changes the time only.
        features: function from a clip to its features, for a model that was trained on such.

    Raises:
        UsageError: if an option has a wrong type or value.
    """

    def __init__(
        self,
        *,
        model: str = MODEL,
        revision: str = "",
        device: str = "auto",
        batch: int = 32,
        features: ClipFeatures | None = None,
    ) -> None:
        check_kinds("style_embedder", {"batch": batch}, {"batch": ((int,), "a number of clips")})
        if batch < 1:
            raise UsageError(f"a batch holds 1 clip or more, got {batch}.")
        if features is not None and not callable(features):
            raise UsageError(f"features is a function from a clip to numbers, from Python only; got {features!r}.")
        placement = placement_of("style_embedder", model=model, revision=revision, device=device, precision="float32")
        super().__init__("local-style-embedder", placement)
        self._batch = batch
        self._features = features

    @property
    def signature(self) -> str:
        """Identity of the weights, by content where they are local; the same at any batch size and on any device."""
        return signature(self._name, _identity(self._placement))

    @property
    def size(self) -> int:
        """Dimension of the vectors."""
        return self._loaded().network.config.size

    def embed_audio(self, clips: Sequence[Audio]) -> Vectors:
        """Return one row for each clip; see `aptone.models.parts.StyleEmbedder`.

        Raises:
            UsageError: if there is no clip, or the model was trained on features and none are given.
        """
        if not clips:
            raise UsageError("there is nothing to embed: no clip was given.")
        with model_lock:
            clap = self._loaded()
            if clap.network.config.audio.kind == "features":
                return self._from_features(clap, clips)
            stretches = [_stretches(clip, clap) for clip in clips]
            flat = [one for several in stretches for one in several]
            rows = iter(in_batches(flat, self._batch, lambda given: _hear(clap, given)))
            return np.stack([_middle([next(rows) for _ in several], self.size) for several in stretches])

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each description; see `aptone.models.parts.StyleEmbedder`."""
        listed = checked_texts(texts)
        with model_lock:
            clap = self._loaded()
            return np.stack(in_batches(clap.tokens(listed), self._batch, lambda given: _read(clap, given)))

    def _loaded(self) -> "Clap":
        with model_lock:
            return _load(self._placement)

    def _from_features(self, clap: "Clap", clips: Sequence[Audio]) -> Vectors:
        import torch

        if self._features is None:
            raise UsageError(
                f"{self._placement.model} was trained on {clap.network.config.audio.reads.get('name', 'numbers')} of "
                "each clip, which the command line cannot make; from Python: LocalStyleEmbedder(model=…, "
                "features=ClipNumbers()), see docs/train/clap.md."
            )
        numbers = [torch.from_numpy(np.asarray(self._features(clip), dtype=np.float32)) for clip in clips]
        embed = clap.network.embed_audio
        return np.stack(
            in_batches(numbers, self._batch, lambda given: _array(clap, embed, features=torch.stack(given)))
        )


@cache
def _identity(placement: Placement) -> dict[str, Json]:
    folder = Path(placement.model)
    hashes = {name: file_hash(folder / name)[:16] for name in ("model.safetensors", "config.json")}
    return {**hashes} if all(hashes.values()) else placement.identity


@cache
def _load(placement: Placement) -> "Clap":
    import torch

    from aptone.models.clap.folder import load_clap

    device = placement.device
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    with placement.load_errors():
        return load_clap(placement.model, revision=placement.revision, device=device)


def _stretches(clip: Audio, clap: "Clap") -> list["torch.Tensor"]:
    """Cut the samples of a clip into equal stretches that the encoder hears; none for silence or too few samples."""
    import torch

    part = clap.network.config.audio
    samples = resample(clip, rate=part.rate).samples
    count = math.ceil(samples.size / (part.longest * part.rate)) if math.isfinite(part.longest) else 1
    if not samples.any() or samples.size // count < part.shortest:
        return []
    return [torch.from_numpy(one.copy()) for one in np.array_split(samples, count)]


def _hear(clap: "Clap", stretches: "list[torch.Tensor]") -> Vectors:
    import torch

    samples = torch.stack(stretches)
    lengths = torch.full((len(samples),), samples.shape[1])
    return _array(clap, clap.network.embed_audio, samples=samples, lengths=lengths)


def _read(clap: "Clap", texts: "list[torch.Tensor]") -> Vectors:
    import torch

    tokens = torch.stack(texts)
    return _array(clap, clap.network.embed_text, tokens=tokens, mask=torch.ones_like(tokens))


def _array(
    clap: "Clap", embed: "Callable[[dict[str, torch.Tensor]], torch.Tensor]", **inputs: "torch.Tensor"
) -> Vectors:
    import torch

    device = clap.network.log_scale.device
    with torch.inference_mode():
        rows: Vectors = embed({name: value.to(device) for name, value in inputs.items()}).cpu().numpy()
    return rows


def _middle(rows: Sequence[Vectors], size: int) -> Vectors:
    """Return the mean direction of the stretches of a clip; NaN where there are none, or they cancel out."""
    if not rows:
        return np.full(size, np.nan, dtype=np.float32)
    total: Vectors = np.sum(rows, axis=0)
    length = np.linalg.norm(total)
    return total / length if length > 0 else np.full(size, np.nan, dtype=np.float32)
