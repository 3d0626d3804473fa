import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import torch
from torch import Tensor

from recipes.ear.augment import FAR, NOISY, SAME_SIZE, Augment, AugmentSettings, _gated
from recipes.ear.filter_bank import LEVEL
from tests.recipes.ear.tiny_corpus import Tiny

ROWS, LENGTH = 64, 16_000


def augment(tiny: Tiny, settings: AugmentSettings) -> Augment:
    corpus = tiny.corpus
    return Augment(
        settings,
        corpus.bank,
        tiny.labels.sound,
        rooms_near=corpus.rooms_near,
        rooms_far=corpus.rooms_far,
        noises=corpus.noises,
        music=corpus.music,
        events=torch.zeros(0, dtype=torch.long),
        stem=lambda energies, present: energies[:, ::2],
    )


def test_a_gate_silences_what_stays_quiet_and_leaves_the_rest_as_it_is() -> None:
    wave = torch.full((2, 4000), 0.1)
    wave[:, 1500:2500] = 0.001  # 40 dB quieter, for longer than the 321 samples of the window
    wave[:, 3200] = 0.0  # a crossing of zero among loud samples is no silence
    gated = _gated(wave, torch.tensor([0.01, 0.0005]))
    # the window of 161 samples to either side lies in the quiet part from 1661 to 2339 at least
    assert float(gated[0, 1661:2339].abs().max()) == 0.0
    assert torch.equal(gated[0, :1500], wave[0, :1500])
    assert torch.equal(gated[0, 2500:], wave[0, 2500:])
    assert torch.equal(gated[1], wave[1])  # quieter still than the second row's gate


def degraded(tiny: Tiny, settings: AugmentSettings) -> tuple[Tensor, Tensor]:
    """Rows with a loud first half and silence after it, and their conditions."""
    torch.manual_seed(4)
    made = augment(tiny, settings)
    wave = torch.zeros(ROWS, LENGTH)
    wave[:, : LENGTH // 2] = 0.1 * torch.sin(2 * torch.pi * 200 * torch.arange(LENGTH // 2) / 16_000)
    frames = len(made.centres)
    speech = (made.centres < LENGTH // 2).float().repeat(ROWS, 1)
    wave, condition, music = made._degrade(wave, speech, torch.ones(ROWS, frames))
    assert not bool(music.any())
    return wave, condition


def test_gated_rows_have_exact_silence_after_the_words_unless_they_are_far_or_noisy(tiny: Tiny) -> None:
    gated, condition = degraded(tiny, AugmentSettings(seconds=1.0, condition=0.6, music=0.0, gate=1.0))
    plain, same = degraded(tiny, AugmentSettings(seconds=1.0, condition=0.6, music=0.0, gate=0.0))
    assert torch.equal(condition, same)
    ends, others = gated[:, -2000:].abs().amax(dim=1), plain[:, -2000:].abs().amax(dim=1)
    noisy = (condition == FAR) | (condition == NOISY)
    assert bool(noisy.any())
    assert bool((ends[~noisy] == 0).all())
    assert bool((ends[noisy] > 0).all())
    assert bool((others[(condition == 0)] > 0).all())
    # the words themselves are kept at the level of speech
    loud = gated[condition == 0][:, 1000:7000].square().mean(dim=1).sqrt()
    assert loud.tolist() == pytest.approx([LEVEL] * len(loud), rel=0.5)


def test_a_warped_voice_has_lost_its_size_though_its_tempo_is_kept(tiny: Tiny) -> None:
    speech = torch.tensor([place for place, clip in enumerate(tiny.corpus.clips) if clip.set == "nemo"] * 6)
    same = {"seconds": 1.0, "stretch": 0.0, "strange": 0.0, "condition": 0.0, "music": 0.0, "event": 0.0, "join": 0.0}
    torch.manual_seed(5)
    kept = augment(tiny, AugmentSettings(**same, warp=SAME_SIZE / 2))(speech, speech)
    assert bool((kept.sized == 1).all())
    moved = augment(tiny, AugmentSettings(**same, warp=0.16))(speech, speech)
    # three in ten have the plain bank; of the others 7 of 21 steps of 0.016 are below 0.05: 0.3 + 0.7 / 3 = 0.53
    assert 0.35 < float(moved.sized.mean()) < 0.72
    assert bool((moved.adult == 1).all())
