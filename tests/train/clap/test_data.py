"""Batches out of shards: every clip once an epoch, lengths together, and the same batch for the same step."""

import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers", reason="training needs torch and transformers: pip install 'aptone[train]'")

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.errors import RecordError, UsageError
from aptone.run.sources.shards import Caption, ShardSample, write_shards
from aptone.train import shards as training_shards
from aptone.train.clap.data import (
    CaptionFilter,
    ClipIndex,
    Pair,
    ShardBatches,
    feature_table,
    index_clips,
    make_micro_batch,
    read_pair,
)
from aptone.train.clap.loss import MicroBatch
from aptone.train.shards import row_type
from tests.models.local_claps import RATE, features_config, tiny_clap
from tests.train.clap_pairs import text, tone
from tests.train.style_shards import encoded, style_shards

PART = tiny_clap().network.config.audio


def table(lengths: list[float], *, per_shard: int) -> ClipIndex:
    rows = np.zeros(len(lengths), dtype=row_type(3, ()))
    rows["seconds"], rows["shard"] = lengths, np.arange(len(lengths)) // per_shard
    shards = tuple(Path(str(number)) for number in range(-(-len(lengths) // per_shard)))
    return ClipIndex(shards, rows, "lengths")


@given(
    st.lists(st.floats(0.1, 30.0), min_size=4, max_size=200), st.integers(1, 4), st.integers(1, 50), st.integers(0, 99)
)
@settings(max_examples=60, deadline=None)
def test_an_epoch_holds_every_clip_once_but_for_a_rest_smaller_than_a_batch(
    lengths: list[float], batch_size: int, per_shard: int, seed: int
) -> None:
    index = table(lengths, per_shard=per_shard)
    plan = index.epoch_batches(batch_size, seed=seed, epoch=0)
    used = np.concatenate(plan).tolist()
    assert len(set(used)) == len(used) == len(lengths) // batch_size * batch_size
    assert all(len(one) == batch_size for one in plan)
    again = index.epoch_batches(batch_size, seed=seed, epoch=0)
    assert [one.tolist() for one in plan] == [one.tolist() for one in again]


def test_clips_of_one_length_share_a_batch_and_epochs_differ() -> None:
    drawn = np.random.default_rng(0).uniform(0.5, 30, size=512)
    index = table(drawn.tolist(), per_shard=100)
    plan = index.epoch_batches(16, seed=1, epoch=0)
    spread = np.mean([np.ptp(index.seconds[one]) for one in plan])
    assert spread < 0.1 * np.mean([np.ptp(one) for one in drawn.reshape(-1, 16)])  # 32 batches sorted: about 1/32
    other = index.epoch_batches(16, seed=1, epoch=1)
    assert [one.tolist() for one in plan] != [one.tolist() for one in other]
    with pytest.raises(UsageError, match=r"512 clips do not fill a batch of 513; give more"):
        index.epoch_batches(513, seed=1, epoch=0)


def test_reading_stays_within_a_group_of_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_shards, "GROUP", 2)
    index = table([1.0] * 60, per_shard=10)
    plan = index.epoch_batches(10, seed=3, epoch=0)
    monkeypatch.setattr(training_shards, "BUCKET", 1)
    narrow = index.epoch_batches(10, seed=3, epoch=0)
    assert len(plan) == len(narrow) == 6
    for first in (0, 2, 4):
        assert len({index.rows["shard"][one] for batch_size in narrow[first : first + 2] for one in batch_size}) == 2


def test_a_clip_comes_with_the_description_and_the_stretch_that_the_epoch_draws(tmp_path: Path) -> None:
    index = index_clips(style_shards(tmp_path, 3, seconds=[2.5]))  # the tiny encoder hears two seconds
    pairs = [read_pair(index, 0, part=PART, seed=1, epoch=epoch) for epoch in range(12)]
    assert {pair.text for pair in pairs} == {text(0), "音0"}
    assert {pair.sound.size for pair in pairs} == {2 * RATE}
    assert len({pair.sound[0].item() for pair in pairs}) > 6
    whole = tone(0, seconds=2.5).numpy()
    assert any(np.abs(pairs[0].sound - whole[first : first + 2 * RATE]).max() < 1e-3 for first in range(RATE // 2 + 1))
    again = read_pair(index, 0, part=PART, seed=1, epoch=3)
    assert again.text == pairs[3].text
    assert np.array_equal(again.sound, pairs[3].sound)


def test_only_captions_that_are_wanted_are_drawn_and_clips_without_one_are_left_out(tmp_path: Path) -> None:
    style_shards(tmp_path, 3)
    ending, recording = encoded(np.zeros(4000, np.float32), rate=RATE)
    bare = ShardSample("bare", recording, ending, 0.5, (Caption("plain", "en", "short"),))
    write_shards(tmp_path, [bare])
    for caption_filter, expected in (
        (CaptionFilter(), {text(0), "音0"}),
        (CaptionFilter(levels=("full",)), {text(0)}),
        (CaptionFilter(languages=("zh",)), {"音0"}),
    ):
        index = index_clips(tmp_path, caption_filter)
        assert len(index) == (4 if caption_filter == CaptionFilter() else 3)
        assert {read_pair(index, 0, part=PART, seed=1, epoch=epoch).text for epoch in range(12)} == expected
    with pytest.raises(RecordError, match="no clip with such a caption"):
        index_clips(tmp_path, CaptionFilter(levels=("full",), languages=("zh",)))


def test_wav_flac_and_opus_are_read_at_the_encoder_s_rate(tmp_path: Path) -> None:
    index = index_clips(style_shards(tmp_path, 3))
    for number in range(3):
        pair = read_pair(index, number, part=PART, seed=1, epoch=0)
        expected = tone(number, seconds=0.3 if number != 1 else 0.5).numpy()
        assert pair.sound.size == expected.size
        assert np.abs(pair.sound - expected)[400:-400].max() < (0.15 if number == 2 else 1e-3)  # Opus is lossy


def equal(one: MicroBatch, other: MicroBatch) -> bool:
    return all(
        torch.equal(mine[name], theirs[name])
        for mine, theirs in ((one.audio, other.audio), (one.text, other.text))
        for name in mine
    )


def test_any_step_can_be_begun_with_and_gives_the_same_batch(tmp_path: Path) -> None:
    source = ShardBatches(
        index_clips(style_shards(tmp_path, 11)), tiny_clap(), batch_size=4, micro_batch_size=3, seed=1, num_workers=2
    )
    whole = list(source.micro_batches(0, 7))  # two batches an epoch: four epochs
    assert [len(batch_size) for batch_size in whole] == [2] * 7
    assert [len(micro_batch_size.audio["lengths"]) for micro_batch_size in whole[0]] == [3, 1]
    for first in (1, 4):
        for batch_size, expected in zip(source.micro_batches(first, 7), whole[first:], strict=True):
            assert all(equal(one, other) for one, other in zip(batch_size, expected, strict=True))
    assert not equal(whole[0][0], whole[2][0])


def test_an_index_changes_with_what_is_in_the_shards(tmp_path: Path) -> None:
    few, many = (index_clips(style_shards(tmp_path / str(count), count)) for count in (4, 5))
    assert few.identity != many.identity
    assert few.identity == index_clips(tmp_path / "4").identity


def test_numbers_of_clips_are_made_once(tmp_path: Path) -> None:
    index = index_clips(style_shards(tmp_path / "shards", 4))
    made = feature_table(index, lambda clip: np.resize(clip.samples, 6), tmp_path / "kept.npy")
    assert made.shape == (4, 6)
    kept = feature_table(index, lambda clip: 1 / 0, tmp_path / "kept.npy")  # type: ignore[arg-type, return-value]
    assert np.array_equal(made, kept)
    micro_batch_size = make_micro_batch([Pair(row, "a") for row in made], tiny_clap(features_config()))
    assert micro_batch_size.audio["features"].shape == (4, 6)


def test_what_cannot_be_learned_from_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="aptone build style-corpus"):
        index_clips(tmp_path)
    ending, recording = encoded(np.zeros(4, np.float32), rate=RATE)
    write_shards(tmp_path, [ShardSample("short", recording, ending, 0.1, (Caption("a", "en"),))])
    wavlm = type(PART)("waveform", {"conv_kernel": [400], "conv_stride": [320]}, {"sampling_rate": RATE})
    with pytest.raises(RecordError, match="short has 4 samples, 400 are needed"):
        read_pair(index_clips(tmp_path), 0, part=wavlm, seed=1, epoch=0)
    with pytest.raises(UsageError, match="evenly among 1 processes"):
        ShardBatches(index_clips(tmp_path), tiny_clap(), batch_size=4, micro_batch_size=3, seed=1, num_workers=0)


@pytest.mark.parametrize(
    ("about", "problem"),
    [
        ('{"seconds": 1, "captions": 5}', "no clip with such a caption"),
        ('{"seconds": 1, "captions": null}', "no clip with such a caption"),
        ('{"seconds": 1e999, "captions": [{"text": "calm"}]}', "does not say how many seconds"),
        ('{"seconds": 1' + "0" * 400 + ', "captions": [{"text": "calm"}]}', "does not say how many seconds"),
    ],
)
def test_what_is_said_about_a_clip_is_looked_at_before_it_is_used(tmp_path: Path, about: str, problem: str) -> None:
    with tarfile.open(tmp_path / "shard-000000.tar", "w:") as opened:
        for name, data in (("a.wav", b""), ("a.json", about.encode())):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            opened.addfile(member, io.BytesIO(data))
    with pytest.raises(RecordError, match=problem):
        index_clips(tmp_path)


def test_descriptions_that_are_too_long_are_cut_in_training() -> None:
    micro_batch_size = make_micro_batch([Pair(np.zeros(10, np.float32), "a" * 500)], tiny_clap())
    assert micro_batch_size.text["tokens"].shape == (1, 64)
