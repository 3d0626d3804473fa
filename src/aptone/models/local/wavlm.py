"""Frame features of WavLM, and of its relatives wav2vec 2.0 and HuBERT, through transformers.

EMO-Reasoning's recogniser of emotion over time reads the last layer of WavLM-Large: 1024 numbers, 50 times a second.
A long recording is heard in stretches of equal length, each on its own: how a recording is cut is part of what the
features are, so that neither memory nor machines change them.
"""

import itertools
import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.audio import resample
from aptone.errors import AudioError, UsageError
from aptone.messages import message
from aptone.models.about import About
from aptone.models.local.generation import ABOUT, Placement, Precision, one_at_a_time
from aptone.models.openai.served import check_kinds
from aptone.types import Audio, signature

MODEL = "microsoft/wavlm-large"
STRETCH = 20.0
"""Seconds that are heard at once, at most."""


class Frames(NamedTuple):
    """What a model says about each frame.

    Args:
        values: [frames, numbers].
        times: when the middle of each frame is, in seconds.
    """

    values: npt.NDArray[np.float32]
    times: npt.NDArray[np.float64]


class LocalWavlm:
    """A model such as WavLM-Large as a source of frame features.

    Making one is cheap: the weights are loaded when they are first used, and stay for the process.

    Args:
        model: a folder, or a name on the Hugging Face hub.
        revision: of the weights on the hub; empty for the newest. Give one where scores are to be repeated.
        device: ``cpu``, ``cuda``, ``cuda:1``, …, or ``auto``.
        precision: of its numbers.
        layer: whose numbers are taken, from 0 (before the first layer) on; -1 for the last.

    Raises:
        UsageError: if an option is not one.
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
        self._placement = Placement(model, revision=revision, device=device, precision=precision)
        self._layer = layer

    @property
    def about(self) -> About:
        """What it needs; nothing leaves this machine."""
        return ABOUT

    @property
    def signature(self) -> str:
        """Model, revision, precision, layer, and how long recordings are cut."""
        return signature("frames", {**self._placement.identity, "layer": self._layer, "stretch": STRETCH})

    @property
    def size(self) -> int:
        """Numbers in a frame."""
        return int(self._placement.config().hidden_size)

    def frames(self, audio: Audio) -> Frames:
        """What the model says about each frame of a recording.

        Raises:
            AudioError: if it is shorter than a frame.
            MissingExtraError: if torch or transformers is not installed.
            UsageError: if the model cannot be loaded, or has no such layer.
        """
        import torch

        with one_at_a_time:
            extractor, model = _loaded(self._placement)
            rate = int(extractor.sampling_rate)
            samples = resample(audio, rate=rate).samples
            hop, span = _frame_grid(model.config)
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


def _frame_grid(config: Any) -> tuple[int, int]:
    """Samples from one frame to the next, and samples that a frame sees."""
    hop, span = 1, 1
    for kernel, stride in zip(config.conv_kernel, config.conv_stride, strict=True):
        span += (kernel - 1) * hop
        hop *= stride
    return hop, span


@cache
def _loaded(placement: Placement) -> tuple[Any, Any]:
    return placement.load("AutoModel", "AutoFeatureExtractor")
