"""Frame features of WavLM, and of its relatives wav2vec 2.0 and HuBERT, through transformers.

EMO-Reasoning's recogniser of emotion over time reads the last layer of WavLM-Large: 1024 numbers, 50 times a second.
A long recording is cut into stretches of equal length; the cut is part of the signature, so that features do not depend
on the memory of a machine.
"""

import itertools
import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.audio import resample
from aptone.errors import AudioError, UsageError
from aptone.messages import message
from aptone.models.local.placement import LocalModel, Precision, frame_grid, load_once, model_lock, placement_of
from aptone.models.parts import check_kinds
from aptone.types import Audio

MODEL = "microsoft/wavlm-large"
STRETCH = 20.0
"""Longest stretch in seconds."""


class Frames(NamedTuple):
    """Features of each frame, [frames, features], and the centre of each frame in seconds."""

    values: npt.NDArray[np.float32]
    times: npt.NDArray[np.float64]


class LocalWavlm(LocalModel):
    """Model such as WavLM-Large as a source of frame features.

    Args:
        model, revision, device, precision: see `aptone.models.local.placement.Placement`.
        layer: layer that the features come from, 0 for the input of the first; -1 for the last.

    Raises:
        UsageError: if an option has a wrong type or value.
    """

    def __init__(
        self,
        *,
        model: str = MODEL,
        revision: str = "",
        device: str = "auto",
        precision: Precision = "float32",
        layer: int = -1,
    ) -> None:
        check_kinds("features", {"layer": layer}, {"layer": ((int,), "a whole number")})
        placement = placement_of("features", model=model, revision=revision, device=device, precision=precision)
        super().__init__("frames", placement, layer=layer, stretch=STRETCH)
        self._layer = layer

    @property
    def size(self) -> int:
        """Dimension of the features."""
        return int(self._placement.config().hidden_size)

    def frames(self, audio: Audio) -> Frames:
        """Return the features of each frame of a recording.

        Raises:
            AudioError: if it is shorter than a frame.
            MissingExtraError: if torch or transformers is not installed.
            UsageError: if the model cannot be loaded, or has no such layer.
        """
        import torch

        with model_lock:
            extractor, model = load_once(self._placement, "AutoModel", "AutoFeatureExtractor")
            rate = int(extractor.sampling_rate)
            samples = resample(audio, rate=rate).samples
            hop, span = frame_grid(model.config.conv_kernel, model.config.conv_stride)
            if samples.size < span:
                raise AudioError(message("models.shorter-than-frame", name=audio.source, count=samples.size, span=span))
            given = extractor(samples, sampling_rate=rate, return_tensors="pt").input_values[0]
            parts = math.ceil(samples.size / (STRETCH * rate))
            edges = [round(samples.size * number / parts) for number in range(parts + 1)]
            values, times = [], []
            for first, behind in itertools.pairwise(edges):
                with torch.inference_mode():
                    stretch = given[None, first:behind].to(model.device, model.dtype)
                    layers = model(stretch, output_hidden_states=True).hidden_states
                if not -len(layers) <= self._layer < len(layers):
                    raise UsageError(f"{self._placement.model} has layers 0 to {len(layers) - 1}, got {self._layer}.")
                heard = layers[self._layer][0].float().cpu().numpy()
                values.append(heard)
                times.append((first + np.arange(len(heard)) * hop + span / 2) / rate)
        return Frames(np.concatenate(values), np.concatenate(times))
