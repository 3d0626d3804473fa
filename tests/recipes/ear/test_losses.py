import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import math
from dataclasses import replace

import torch

from recipes.ear.batches import Batch, mixed_batch
from recipes.ear.config import Recipe
from recipes.ear.labels import EMOTION_ORDER, Labels
from recipes.ear.losses import head_losses
from recipes.ear.network import EMOTIONS, Heard
from tests.recipes.ear.tiny_corpus import Tiny

PLAIN = Recipe(smoothing=0.0, unmasked=0.0, frame=0.0)


def batch_of(tiny: Tiny, rows: list[int]) -> Batch:
    return mixed_batch(tiny.rows, torch.tensor(rows), share=0.0)


def silence(batch: Batch) -> Heard:
    """A network that knows nothing: every logit and every value is 0."""
    rows, frames = batch.speech.shape
    return Heard(
        emotion=torch.zeros(rows, EMOTIONS),
        vad=torch.zeros(rows, 3),
        intensity=torch.zeros(rows),
        sex=torch.zeros(rows),
        adult=torch.zeros(rows),
        condition=torch.zeros(rows, 5),
        music=torch.zeros(rows),
        frame_vad=torch.zeros(rows, frames, 3),
        frame_events=torch.zeros(rows, frames, 3),
        hidden=torch.zeros(rows, 1),
        frame_emotion=torch.zeros(rows, frames, EMOTIONS),
    )


def spoken(tiny: Tiny) -> list[int]:
    """Rows of speech at nearly its own speed, each with speech in it."""
    rows = tiny.rows
    return [
        row
        for row, first in enumerate(rows.first.tolist())
        if tiny.corpus.clips[first].set != "esc50" and rows.sized[row] > 0 and rows.speech[row].sum() > 2
    ]


def test_knowing_nothing_costs_the_logarithm_of_the_number_of_choices(tiny: Tiny) -> None:
    batch = batch_of(tiny, spoken(tiny)[:6])
    losses = head_losses(silence(batch), batch, tiny.labels, PLAIN)
    # three emotions in every set, five conditions (weight 0.4), yes or no (0.4 for sex; 0.1 each for adult and music)
    assert losses["emotion"].item() == pytest.approx(math.log(3), rel=1e-4)
    assert losses["sex"].item() == pytest.approx(0.4 * math.log(2), rel=1e-4)
    assert losses["voice"].item() == pytest.approx(0.2 * math.log(2), rel=1e-4)
    assert losses["condition"].item() == pytest.approx(0.4 * math.log(5), rel=1e-4)
    assert losses["events"].item() == pytest.approx(2.0 * math.log(2), rel=1e-4)


def test_an_emotion_that_the_set_does_not_have_is_neither_right_nor_wrong(tiny: Tiny) -> None:
    rows = spoken(tiny)[:6]
    batch = batch_of(tiny, rows)
    heard = silence(batch)
    foreign = tiny.labels.allowed[tiny.rows.first[rows]] == 0
    louder = heard._replace(emotion=torch.where(foreign, 9.0, 0.0))
    loss = head_losses(louder, batch, tiny.labels, PLAIN)["emotion"].item()
    assert loss == pytest.approx(math.log(3), rel=1e-4)
    # a little of the loss is taken over all labels, and there it costs
    assert head_losses(louder, batch, tiny.labels, replace(PLAIN, unmasked=0.1))["emotion"].item() > loss + 0.5


def test_the_right_emotion_costs_nothing_and_the_wrong_one_much(tiny: Tiny) -> None:
    rows = spoken(tiny)[:6]
    right = tiny.labels.emotion[tiny.rows.first[rows]]
    joined = tiny.rows.first[rows] != tiny.rows.second[rows]
    assert not bool(joined.all())
    alone = batch_of(tiny, [row for row, two in zip(rows, joined.tolist(), strict=True) if not two])
    sure = silence(alone)._replace(emotion=30.0 * right[~joined])
    assert head_losses(sure, alone, tiny.labels, PLAIN)["emotion"].item() == pytest.approx(0.0, abs=1e-4)
    assert head_losses(sure._replace(emotion=-sure.emotion), alone, tiny.labels, PLAIN)["emotion"].item() > 10


def test_without_sounds_the_head_of_events_learns_nothing(tiny: Tiny) -> None:
    batch = batch_of(tiny, [0, 1])
    assert head_losses(silence(batch), batch, tiny.labels, replace(PLAIN, sounds=False))["events"].item() == 0.0


def test_a_strange_voice_teaches_no_feeling(tiny: Tiny) -> None:
    rows = spoken(tiny)[:4]
    batch = replace(batch_of(tiny, rows), adult=torch.zeros(4))
    losses = head_losses(silence(batch), batch, tiny.labels, PLAIN)
    assert losses["emotion"].item() == losses["vad"].item() == 0.0


def test_a_voice_that_is_larger_or_smaller_than_recorded_is_neither_a_mans_nor_a_womans(tiny: Tiny) -> None:
    rows = spoken(tiny)[:4]
    batch = replace(batch_of(tiny, rows), sized=torch.zeros(4))
    losses = head_losses(silence(batch), batch, tiny.labels, PLAIN)
    assert losses["sex"].item() == 0.0
    assert losses["emotion"].item() > 0


def test_mixing_keeps_shares_of_one_and_at_least_half_of_the_row_itself(tiny: Tiny) -> None:
    torch.manual_seed(2)
    rows = spoken(tiny)[:8]
    mixed = mixed_batch(tiny.rows, torch.tensor(rows), share=1.0)
    assert bool((mixed.mixture[:, 0] >= 0.5).all())
    assert bool((mixed.mixture[:, 0] < 1).all())
    assert mixed.shares.sum(dim=1).tolist() == pytest.approx([1.0] * len(rows), abs=1e-5)
    own = mixed.mixture[0, 0]
    expected = own * tiny.rows.frames[rows[0]].float() + (1 - own) * tiny.rows.frames[rows[-1]].float()
    assert torch.allclose(mixed.frames[0], expected, atol=1e-3)


def test_all_labels_have_the_ten_emotions(tiny: Tiny) -> None:
    labels: Labels = tiny.labels
    assert labels.emotion.shape == (len(tiny.corpus.clips), len(EMOTION_ORDER)) == (len(tiny.corpus.clips), EMOTIONS)
