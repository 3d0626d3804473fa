"""Miniature judges of random weights: small, and gone when the tests are."""

from pathlib import Path

import numpy as np
import torch

from aptone.models.omni.checkpoint import BIAS_FORM, TOKENS, BiasForm
from aptone.models.omni.model import GATES, GatedThinker
from recipes.miniature.export import export_miniature
from recipes.miniature.frames import FRAME_NUMBERS
from recipes.miniature.model import SIZES, make_miniature, miniature_tokenizer
from recipes.miniature.sounds import SCALE

TEXTS = (
    "emotion: happy\nrhythm: brisk\nintonation: rising\nrecording condition: normal\nline: It's on the table.",
    "How well does the recording carry out the plan? From 0 to 5.\n\nThink first, then score.",
    "The voice is bright and rises, as it should; we'll say that 4.2 of 5 is right.",
    "Give the score only. She didn't say: anger, sadness, fear, disgust, surprise. Line 1, 2, 3.",
)


def save_miniature(folder: Path, *, form: BiasForm = "release", seed: int = 1) -> Path:
    """A checkpoint of a miniature whose gates do something."""
    miniature_tokenizer(TEXTS, vocabulary=400).save_pretrained(folder / "tokens")
    made = folder / "model"
    make_miniature(made, folder / "tokens", sizes=SIZES["smoke"], seed=seed)
    model = GatedThinker.from_pretrained(made)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            spread = 2.0 if name.split(".")[-2] in GATES else 0.1 if weight.ndim > 1 else 0.0
            if spread:
                weight.copy_(torch.randn(weight.shape, generator=generator) * spread)
    setattr(model.config, BIAS_FORM, form)
    model.save_pretrained(made)
    generator_of_scale = np.random.default_rng(seed)
    scale = np.stack([generator_of_scale.normal(size=FRAME_NUMBERS), generator_of_scale.uniform(1, 3, FRAME_NUMBERS)])
    np.save(made / SCALE, scale.astype(np.float32))
    return made


def save_exported(folder: Path, *, exact: bool = False) -> Path:
    """What a miniature runs from."""
    export_miniature(save_miniature(folder), folder / "exported", exact=exact)
    return folder / "exported"


SAID = (
    "<think>",
    "The voice is ",
    "<focus_audio>",
    "bright",
    "</focus_audio>",
    " and rises.",
    "</think>",
    "<score>",
    "4.2",
    "</score>",
)
"""A reply that opens and closes every span."""
assert set(TOKENS) >= {part for part in SAID if part.startswith("<")}
