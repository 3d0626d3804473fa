import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from aptone.ear.network.filter_bank import frame_count
from aptone.errors import RecordError, UsageError
from recipes.ear.augment import INTERMITTENT, PHONE, AugmentSettings
from recipes.ear.data import SOUND_SETS
from recipes.ear.rows import load_corpus, make_rows
from tests.recipes.ear.tiny_corpus import CPU, SHORT, Tiny


def test_rows_have_the_shapes_that_the_network_takes(tiny: Tiny) -> None:
    rows, frames = tiny.rows, frame_count(16_000)
    assert rows.frames.shape == (40, frames, 256)
    assert rows.statistics.shape == (40, 320)
    for each in (rows.speech, rows.present, rows.part, rows.sounds):
        assert each.shape == (40, frames)
    assert bool(torch.isfinite(rows.frames).all())
    assert bool((rows.speech <= rows.present).all())


def test_the_two_clips_of_a_row_are_by_one_speaker(tiny: Tiny) -> None:
    clips = tiny.corpus.clips
    pairs = [(clips[int(one)], clips[int(two)]) for one, two in zip(tiny.rows.first, tiny.rows.second, strict=True)]
    assert any(one != two for one, two in pairs)
    assert all(one.speaker == two.speaker for one, two in pairs if one.set not in SOUND_SETS)


def test_a_row_that_is_a_sound_has_no_speech_and_names_its_event(tiny: Tiny) -> None:
    rows, corpus = tiny.rows, tiny.corpus
    alone = [row for row, first in enumerate(rows.first.tolist()) if corpus.clips[first].set in SOUND_SETS]
    assert alone
    for row in alone:
        assert float(rows.speech[row].sum()) == 0
        clips = {corpus.clips[int(place)].label for place in (rows.first[row], rows.second[row])}
        events = {corpus.sounds[event] for event in set(rows.sounds[row].tolist()) - {-1}}
        assert events
        assert events <= clips


def test_the_condition_is_told_only_where_music_and_sounds_leave_it_clear(tiny: Tiny) -> None:
    rows = tiny.rows
    assert set(rows.condition.tolist()) == {0, 1, 2, 3, 4}
    doubtful = (rows.music > 0) & (rows.condition != PHONE) & (rows.condition != INTERMITTENT)
    assert bool(doubtful.any())
    assert float(rows.known[doubtful].sum()) == 0
    assert float(rows.known[rows.condition == PHONE].min()) == 1


def test_plain_rows_are_normal_adults_without_music_or_events(tiny: Tiny) -> None:
    settings = AugmentSettings(seconds=1.0, condition=0, strange=0, event=0, music=0, join=0)
    speech = np.array([place for place, clip in enumerate(tiny.corpus.clips) if clip.set == "nemo"])
    rows = make_rows(
        tiny.corpus, tiny.labels, settings, which=speech, count=4, sounds=SOUND_SETS, start=tiny.start, device=CPU
    )
    assert rows.condition.tolist() == [0, 0, 0, 0]
    assert (rows.known.tolist(), rows.adult.tolist(), rows.music.tolist()) == ([1] * 4, [1] * 4, [0] * 4)
    assert set(rows.sounds.flatten().tolist()) == {-1}
    assert rows.first.tolist() == rows.second.tolist()


def test_one_seed_gives_one_set_of_rows(tiny: Tiny) -> None:
    which = np.arange(10)
    made = [
        make_rows(
            tiny.corpus,
            tiny.labels,
            SHORT,
            which=which,
            count=3,
            sounds=SOUND_SETS,
            seed=seed,
            start=tiny.start,
            device=CPU,
        )
        for seed in (5, 5, 6)
    ]
    assert torch.equal(made[0].frames, made[1].frames)
    assert not torch.equal(made[0].frames, made[2].frames)


def test_where_sounds_may_not_be_used_no_noise_of_theirs_is_needed(tiny: Tiny) -> None:
    silent = replace(tiny.corpus, noises=replace(tiny.corpus.noises, samples=tiny.corpus.noises.samples * torch.nan))
    rows = make_rows(silent, tiny.labels, SHORT, which=np.arange(20), count=6, sounds=(), start=tiny.start, device=CPU)
    assert bool(torch.isfinite(rows.frames).all())
    assert set(rows.sounds.flatten().tolist()) == {-1}


def test_a_pack_without_music_or_rooms_says_how_to_make_them(tiny: Tiny, tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    shutil.copytree(tiny.pack, pack)
    (pack / "rooms.npz").unlink()
    with pytest.raises(RecordError, match=r"rooms\.npz: no rooms .*`python -m recipes.ear prepare`"):
        load_corpus(pack, workers=1)
    shutil.rmtree(pack / "music")
    with pytest.raises(UsageError, match=r"music: no music .*`python -m recipes.ear prepare`"):
        load_corpus(pack, workers=1)


def test_the_noises_are_the_sounds_that_no_voice_makes(tiny: Tiny) -> None:
    # in train of ESC-50 coughing, laughing and rain; crying and sighs are bursts of voices
    assert tiny.corpus.sounds == ("coughing", "crying", "laughing", "rain", "sighing")
    assert len(tiny.corpus.noises.start) == 1
