"""Ear by any audio-classification model of transformers whose classes are emotions.

The classes of the checkpoint (``id2label``) become our names of emotions in `aptone.ear.other`.
"""

from functools import cache
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from aptone.audio import resample
from aptone.errors import UsageError
from aptone.models.local.placement import (
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
from aptone.models.parts import passes_on
from aptone.types import Audio, EmotionEstimate

MODEL = "superb/wav2vec2-base-superb-er"
"""Classifier of four emotions, trained on IEMOCAP, on the Hugging Face hub."""


class AudioClassifier(LocalModel):
    """Emotion classifier for audio, run by transformers.

    Args:
        model, options: weights, device and precision; see `Placement`.

    Raises:
        UsageError: if an option has a wrong type or value.
    """

    @passes_on(placement_of)
    def __init__(self, *, model: str = MODEL, **options: Unpack[PlacementOptions]) -> None:
        super().__init__("audio-classifier", placement_of("ear", model=model, **options), stretch=STRETCH)

    def hear(self, audio: Audio, /) -> EmotionEstimate:
        """Return the probabilities of its classes; those of a multi-label model only in proportion to each other.

        Raises:
            MissingExtraError: if torch or transformers is not installed.
            UsageError: if the model cannot be loaded, or is no classifier of sounds.
        """
        with model_lock:
            extractor, model = _loaded(self._placement)
            rate = int(extractor.sampling_rate)
            shares = mean_over_stretches(
                resample(audio, rate=rate).samples, lambda part: _shares(extractor, model, part, rate), rate=rate
            )
        names: dict[int, str] = model.config.id2label
        return EmotionEstimate({names[place]: float(share) for place, share in enumerate(shares)})


def _shares(extractor: Any, model: Any, samples: Floats, rate: int) -> npt.NDArray[np.float32]:
    import torch

    inputs = extractor(samples, sampling_rate=rate, return_tensors="pt").to(model.device, model.dtype)
    with torch.inference_mode():
        logits = model(**inputs).logits[0].float()
    several = model.config.problem_type == "multi_label_classification"
    shares: npt.NDArray[np.float32] = (logits.sigmoid() if several else logits.softmax(dim=-1)).cpu().numpy()
    return shares


@cache
def _loaded(placement: Placement) -> tuple[Any, Any]:
    """Load the model, with a trained classifier.

    Raises:
        UsageError: if the checkpoint has none: transformers would start one with random weights.
    """
    transformers = transformers_library()
    with placement.load_errors():
        extractor = transformers.AutoFeatureExtractor.from_pretrained(placement.model, **placement.options)
        model, loading = transformers.AutoModelForAudioClassification.from_pretrained(
            placement.model, **placement.options, **placement.weights(), output_loading_info=True
        )
    # weights inside the encoder that inference does not use, such as the mask embedding, are left out by some
    untrained = [name for name in loading["missing_keys"] if not name.startswith(f"{model.base_model_prefix}.")]
    other = "name one that is, or say --ear wav2vec2-dim:MODEL for one with arousal, dominance and valence."
    if untrained:
        raise UsageError(
            f"{placement.model}: is no audio classifier (its weights lack {sorted(untrained)[0]}); {other}"
        )
    if model.config.problem_type == "regression":
        raise UsageError(f"{placement.model}: is no audio classifier (it gives numbers and no classes); {other}")
    return extractor, model.eval()
