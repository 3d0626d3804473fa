"""Ear by audEERING's wav2vec2-dim: arousal, dominance and valence of a voice, about 0 to 1 each, on our scale -1 to 1.

It judges no emotion and no intensity. A value x becomes 2 x - 1, and what lies beyond -1 or 1 then becomes that.
"""

import math
from functools import cache
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from aptone.audio import resample
from aptone.errors import UsageError
from aptone.models.local.placement import (
    ABOUT,
    STRETCH,
    Floats,
    LocalModel,
    Placement,
    PlacementOptions,
    mean_over_stretches,
    model_lock,
    placement_of,
    transformers_library,
)
from aptone.models.parts import About, passes_on
from aptone.types import Audio, EmotionEstimate, Vad

MODEL = "audeering/wav2vec2-large-robust-12-ft-emotion-msp-dim"
LICENCE = "CC-BY-NC-SA-4.0"
"""Licence of that model; of others it is not known."""
DIMENSIONS = ("valence", "arousal", "dominance")


class Wav2Vec2Dim(LocalModel):
    """Model such as wav2vec2-dim, which hears valence, arousal and dominance, run by transformers.

    Args:
        model, options: weights, device and precision; see `Placement`.

    Raises:
        UsageError: if an option has a wrong type or value.
    """

    @passes_on(placement_of)
    def __init__(self, *, model: str = MODEL, **options: Unpack[PlacementOptions]) -> None:
        super().__init__("wav2vec2-dim", placement_of("ear", model=model, **options), stretch=STRETCH)

    @property
    def about(self) -> About:
        """Requirements; nothing leaves this machine."""
        return About(ABOUT.modules, ABOUT.extra, licence=LICENCE if self._placement.model == MODEL else "")

    def hear(self, audio: Audio, /) -> EmotionEstimate:
        """Return valence, arousal and dominance.

        Raises:
            MissingExtraError: if torch or transformers is not installed.
            UsageError: if the model cannot be loaded, or gives other numbers.
        """
        with model_lock:
            extractor, model = _loaded(self._placement)
            rate = int(extractor.sampling_rate)
            numbers = mean_over_stretches(
                resample(audio, rate=rate).samples, lambda part: _numbers(extractor, model, part, rate), rate=rate
            )
        places = {name.casefold(): place for place, name in model.config.id2label.items()}
        return EmotionEstimate(vad=Vad(*(_centred(float(numbers[places[name]])) for name in DIMENSIONS)))


def _centred(value: float) -> float:
    """Return a value on the scale 0 to 1 on that from -1 to 1.

    >>> _centred(0.25), _centred(1.1)
    (-0.5, 1.0)

    Raises:
        ValueError: if it is not a number.
    """
    if math.isnan(value):
        raise ValueError("the model gave no number.")
    return min(1.0, max(-1.0, 2.0 * value - 1.0))


def _numbers(extractor: Any, model: Any, samples: Floats, rate: int) -> npt.NDArray[np.float32]:
    import torch

    given = extractor(samples, sampling_rate=rate, return_tensors="pt").input_values.to(model.device, model.dtype)
    with torch.inference_mode():
        numbers: npt.NDArray[np.float32] = model(given)[0].float().cpu().numpy()
    return numbers


@cache
def _loaded(placement: Placement) -> tuple[Any, Any]:
    """Load the model; errors as those of `Wav2Vec2Dim.hear`."""
    config = placement.config()
    if {str(name).casefold() for name in config.id2label.values()} != set(DIMENSIONS):
        raise UsageError(
            f"{placement.model}: gives {', '.join(map(str, config.id2label.values()))}; "
            f"expected a model with {', '.join(DIMENSIONS)}. For one with classes say --ear transformers:MODEL."
        )
    transformers = transformers_library()
    from aptone.models.local.dimension_head import Wav2Vec2ForDimensions

    with placement.load_errors():
        extractor = transformers.AutoFeatureExtractor.from_pretrained(placement.model, **placement.options)
        model, loading = Wav2Vec2ForDimensions.from_pretrained(
            placement.model, **placement.options, **placement.weights(), output_loading_info=True
        )
    if untrained := sorted(name for name in loading["missing_keys"] if name.startswith("classifier.")):
        raise UsageError(f"{placement.model}: its weights lack {untrained[0]}; name a checkpoint like {MODEL}.")
    return extractor, model.eval()
