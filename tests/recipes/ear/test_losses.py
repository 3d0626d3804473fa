import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import math
from dataclasses import replace

import torch

from recipes.ear.batches import Batch, mixed_batch
from recipes.ear.config import Recipe
from recipes.ear.data import EMOTION_SETS
from recipes.ear.labels import EMOTION_ORDER, Labels
from recipes.ear.losses import LOSSES, head_losses
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
        frame_events=torch.zeros(rows, frames, 5),
        hidden=torch.zeros(rows, 6),
        frame_emotion=torch.zeros(rows, frames, EMOTIONS),
    )


def spoken(tiny: Tiny) -> list[int]:
    """Rows of acted speech at nearly its own speed, each with speech in it."""
    rows = tiny.rows
    return [
        row
        for row, first in enumerate(rows.first.tolist())
        if tiny.corpus.clips[first].set in EMOTION_SETS and rows.sized[row] > 0 and rows.speech[row].sum() > 2
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
    assert head_losses(silence(batch), batch, tiny.labels, replace(PLAIN, sounds=()))["events"].item() == 0.0


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


def test_every_loss_has_its_name_in_the_order_in_which_they_are_shown(tiny: Tiny) -> None:
    batch = batch_of(tiny, [0, 1])
    assert tuple(head_losses(silence(batch), batch, tiny.labels, PLAIN)) == LOSSES


def rows_of(tiny: Tiny, clips: list[int]) -> Batch:
    """One row of each clip alone, in an adult's own voice."""
    batch = batch_of(tiny, list(range(len(clips))))
    shares = torch.tensor([[1.0, 0.0, 0.0, 0.0]]).repeat(len(clips), 1)
    alone = torch.tensor(clips)[:, None].repeat(1, 4)
    return replace(batch, clips=alone, shares=shares, adult=torch.ones(len(clips)))


def place_of(tiny: Tiny, name: str) -> int:
    return next(place for place, clip in enumerate(tiny.corpus.clips) if clip.name == name)


def test_clips_of_one_emotion_from_two_sets_are_drawn_together(tiny: Tiny) -> None:
    names = ("emodb/angry-a.wav", "nemo/angry-a.wav", "nemo/fear-a.wav", "synthetic/train.wav")
    batch = rows_of(tiny, [place_of(tiny, name) for name in names])
    hidden = torch.zeros(4, 6)  # a third of it, two numbers, is of the feeling
    hidden[:, :2] = torch.tensor([[2.0, 0.0], [3.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    heard = silence(batch)._replace(hidden=hidden)
    # The angry clips of two sets are a pair, seen from either side. Of unit length, they have the product 1, and with
    # the clip of fear 0; at the temperature 0.2 that is 5 and 0. The synthetic clip has no emotion and is no choice.
    expected = -math.log(math.exp(5.0) / (math.exp(5.0) + 1.0))
    losses = head_losses(heard, batch, tiny.labels, replace(PLAIN, contrast=0.5))
    assert losses["contrast"].item() == pytest.approx(0.5 * expected, rel=1e-4)
    apart = heard._replace(hidden=hidden[[0, 2, 1, 3]])  # now fear lies where anger of the other set should
    # from either angry clip, its like has 0; from emodb's the clip of fear has 5, from nemo's 0
    worse = (math.log(math.exp(5.0) + 1.0) + math.log(2.0)) / 2
    losses = head_losses(apart, batch, tiny.labels, replace(PLAIN, contrast=1.0))
    assert losses["contrast"].item() == pytest.approx(worse, rel=1e-4)


def test_two_clips_of_one_set_are_no_pair_however_alike_their_emotion(tiny: Tiny) -> None:
    batch = rows_of(tiny, [place_of(tiny, f"nemo/angry-{letter}.wav") for letter in "ab"])
    heard = silence(batch)._replace(hidden=torch.eye(2, 6))
    assert head_losses(heard, batch, tiny.labels, PLAIN)["contrast"].item() == 0.0


def test_a_child_is_no_adult_and_of_an_unclear_age_nothing_is_learned(tiny: Tiny) -> None:
    child, woman = (place_of(tiny, f"speechocean/{letter}.wav") for letter in "ab")
    batch = rows_of(tiny, [child, woman])
    batch = replace(batch, music=torch.zeros(2))
    quiet = silence(batch)._replace(music=torch.full((2,), -100.0))  # the music is right and costs nothing
    right, wrong = (quiet._replace(adult=torch.tensor(logits)) for logits in ([-9.0, 9.0], [9.0, -9.0]))
    assert head_losses(right, batch, tiny.labels, PLAIN)["voice"].item() == pytest.approx(0.0, abs=1e-4)
    assert head_losses(wrong, batch, tiny.labels, PLAIN)["voice"].item() == pytest.approx(0.9, abs=1e-3)
    unclear = replace(tiny.labels, has_age=tiny.labels.has_age.clone())
    unclear.has_age[child] = 0.0
    # the woman alone counts: 9 of one, by the factor 0.1
    assert head_losses(wrong, batch, unclear, PLAIN)["voice"].item() == pytest.approx(0.9, abs=1e-3)
    half = quiet._replace(adult=torch.tensor([9.0, 9.0]))
    assert head_losses(half, batch, unclear, PLAIN)["voice"].item() == pytest.approx(0.0, abs=1e-4)
    # a voice made much higher is no adult's, known age or not
    strange = replace(batch, adult=torch.zeros(2))
    assert head_losses(half, strange, unclear, PLAIN)["voice"].item() == pytest.approx(0.9, abs=1e-3)


def test_a_child_teaches_nothing_about_sex_and_a_reader_nothing_about_feelings(tiny: Tiny) -> None:
    for letter, sex in (("a", 0.0), ("b", 0.4 * math.log(2))):
        batch = replace(rows_of(tiny, [place_of(tiny, f"speechocean/{letter}.wav")]), sized=torch.ones(1))
        losses = head_losses(silence(batch), batch, tiny.labels, PLAIN)
        assert losses["sex"].item() == pytest.approx(sex, rel=1e-4)
        assert losses["emotion"].item() == losses["vad"].item() == losses["intensity"].item() == 0.0
