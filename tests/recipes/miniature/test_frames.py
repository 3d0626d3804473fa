"""Input frames of the miniature."""

import numpy as np

from aptone.ear.network.filter_bank import BANDS, log_energies
from aptone.ear.network.inference import STEM_NUMBERS, load_stem
from recipes.miniature.frames import FRAME_NUMBERS, brought_to_scale, miniature_frames, scale_of


def test_a_frame_has_what_the_stem_says_of_20_ms_and_their_energies() -> None:
    samples = np.random.default_rng(1).normal(0.0, 0.05, 8_123).astype(np.float32)
    energies = log_energies(samples)
    frames = miniature_frames(samples, load_stem())
    assert frames.shape == ((len(energies) + 1) // 2, FRAME_NUMBERS)
    assert np.allclose(frames[3, STEM_NUMBERS:], energies[6:8].mean(axis=0))
    assert frames[:, :STEM_NUMBERS].std() > 0.0
    assert FRAME_NUMBERS == STEM_NUMBERS + BANDS


def test_a_louder_clip_differs_in_its_energies_alone() -> None:
    samples = np.random.default_rng(1).normal(0.0, 0.05, 8_000).astype(np.float32)
    soft, loud = (miniature_frames(samples * gain, load_stem()) for gain in (np.float32(1.0), np.float32(2.0)))
    assert np.allclose(soft[:, :STEM_NUMBERS], loud[:, :STEM_NUMBERS], atol=0.05)
    assert np.allclose(loud[:, STEM_NUMBERS:] - soft[:, STEM_NUMBERS:], np.log(4.0), atol=1e-3)  # energy: gain squared


def test_the_scale_is_that_of_the_frames_that_are_learnt_from() -> None:
    frames = np.array([[1.0, 5.0], [3.0, 5.0], [100.0, 5.0]], dtype=np.float16)
    scaled = brought_to_scale(frames, scale_of(frames, np.array([True, True, False])))
    # Mean 2 and deviation 1 of the first two; what never moves stays 0; what lies far outside is cut off at 20.
    assert scaled.tolist() == [[-1.0, 0.0], [1.0, 0.0], [20.0, 0.0]]
