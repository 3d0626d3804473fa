import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file

from aptone.errors import UsageError
from aptone.train.distributed import resolve_device
from recipes.ear.augment import AugmentSettings, Rows
from recipes.ear.config import Recipe
from recipes.ear.data import SOUND_SETS
from recipes.ear.network import NetworkSettings
from recipes.ear.rows import make_rows
from recipes.ear.train import Training, train_ear, train_together
from tests.recipes.ear.tiny_corpus import CPU, Tiny

Log = Callable[[str], None]
PINNED = [0.06464, 0.03499, 0.10647, 0.00655, 0.02547, 0.0059, 0.02603, 0.03114, 0.30118]


def training(tiny: Tiny, recipe: Recipe, *, rows: Rows | None = None) -> Training:
    return Training(recipe, tiny.corpus, rows or tiny.rows, tiny.labels, tiny.start, device=CPU)


def test_every_trainable_parameter_moves_and_the_stem_does_not(tiny: Tiny) -> None:
    one = training(tiny, Recipe(steps=2, batch_size=6, mixup=0.0))
    before = {name: value.clone() for name, value in one.network.state_dict().items()}
    one.advance()
    one.advance()
    after = one.network.state_dict()
    for name, value in one.network.named_parameters():
        assert value.requires_grad != name.startswith("stem."), name
        assert torch.equal(before[name], after[name]) != value.requires_grad, name
    trunk = [name for name in after if name.startswith(("stem.", "second.")) and "running" in name]
    assert trunk
    assert all(torch.equal(before[name], after[name]) for name in trunk)  # the norms keep CAM++'s statistics


def test_a_frozen_trunk_stays_as_it_is(tiny: Tiny) -> None:
    one = training(tiny, Recipe(steps=1, batch_size=8, trunk_lr_ratio=0.0))
    before = {name: value.clone() for name, value in one.network.second.state_dict().items()}
    one.advance()
    assert all(torch.equal(before[name], value) for name, value in one.network.second.state_dict().items())


def test_the_average_lags_behind_the_weights(tiny: Tiny) -> None:
    one = training(tiny, Recipe(steps=1, batch_size=8, trunk_lr_ratio=0.0, ema_decay=0.9))
    start = one.averaged.frame_vad.weight.clone()
    one.advance()
    live, kept = one.network.frame_vad.weight, one.averaged.frame_vad.weight
    assert torch.allclose(kept, 0.9 * start + 0.1 * live, atol=1e-7)


def test_the_loss_is_what_it_was(tiny: Tiny) -> None:
    # Pinned: two steps with mixed rows. `shown` follows the losses by a fiftieth in each step.
    one = training(tiny, Recipe(seed=5, steps=2, batch_size=6, network=NetworkSettings(dropout=0.2)))
    one.advance()
    one.advance()
    assert one.shown.tolist() == pytest.approx(PINNED, abs=2e-4)


def test_four_clips_are_learned_by_heart(tiny: Tiny) -> None:
    clips = tiny.corpus.clips
    four = np.array([place for place, clip in enumerate(clips) if clip.speaker in {"emodba", "nemoa"}])[[0, 1, 3, 4]]
    plain = AugmentSettings(seconds=1.0, stretch=0, condition=0, join=0, strange=0, event=0, music=0)
    rows = make_rows(
        tiny.corpus, tiny.labels, plain, which=four, count=8, sounds=SOUND_SETS, start=tiny.start, device=CPU
    )
    recipe = Recipe(
        steps=16,
        batch_size=8,
        lr=3e-3,
        trunk_lr_ratio=0.0,
        mixup=0.0,
        smoothing=0.0,
        unmasked=0.0,
        ema_decay=0.5,
        network=NetworkSettings(dropout=0.0),
    )
    one = training(tiny, recipe, rows=rows)
    for _ in range(recipe.steps):
        one.advance()
    with torch.no_grad():  # by the statistics of this very batch, as it was trained
        heard = one.network.hear(
            rows.frames.float(), rows.statistics.float(), rows.speech.float(), rows.present.float()
        )
    allowed, truth = tiny.labels.allowed[rows.first], tiny.labels.emotion[rows.first].argmax(dim=1)
    said = torch.where(allowed > 0, heard.emotion, -torch.inf).argmax(dim=1)
    assert len(set(truth.tolist())) >= 2
    assert said.tolist() == truth.tolist()


def test_a_run_keeps_weights_answers_and_figures(tiny: Tiny, out: Path, log: Log, lines: list[str]) -> None:
    recipe = Recipe(name="one", steps=1, batch_size=4, trunk_lr_ratio=0.0)
    (done,) = train_together([recipe], tiny.corpus, tiny.rows, tiny.start, out, device=CPU, log=log)
    weights = load_file(out / "one.safetensors")
    assert not [name for name in weights if name.startswith("stem.")]
    with np.load(out / "one.npz", allow_pickle=False) as said:
        names = said["name"].tolist()
        assert said["emotion_logits"].shape == (len(names), 10)
    # the speakers of `test` only: d of every set
    assert {name.partition("/")[0] for name in names} == {"ravdess", "emodb", "csemotions", "nemo"}
    assert all(name.endswith("-d.wav") for name in names)
    record = json.loads((out / "one.json").read_text(encoding="utf-8"))
    assert record["sounds"] == ["coughing", "crying", "laughing", "rain", "sighing"]
    assert record["trained_sounds"] == ["coughing", "laughing", "rain", "sighing"]  # crying is in dev only
    assert record["recall"] == done.figures
    assert {"ravdess-test", "sex-test", "arousal-test", "pairs-test"} <= set(record["recall"])
    assert lines[-1].startswith("one: ravdess-test=")


def test_runs_that_may_not_hear_the_sounds_have_rows_of_their_own(tiny: Tiny, out: Path, log: Log) -> None:
    free = Recipe(name="free", steps=1, batch_size=4, trunk_lr_ratio=0.0, sets=("emodb", "csemotions"), sounds=())
    figures = train_ear(
        [free],
        tiny.pack,
        tiny.start,
        out,
        rows=6,
        settings=AugmentSettings(seconds=1.0),
        device=CPU,
        workers=1,
        log=log,
    )
    assert list(figures) == ["free"]
    assert load_file(out / "free.safetensors")["frame_events.weight"].shape == (1, 1280)


def test_a_pack_that_lacks_a_set_is_refused_before_anything_is_made(tiny: Tiny, out: Path, log: Log) -> None:
    foreign = Recipe(name="x", sets=("emodb", "iemocap"))
    with pytest.raises(UsageError, match="x: the pack has no clips of iemocap to train on"):
        train_ear([foreign], tiny.pack, tiny.start, out, device=CPU, workers=1, log=log)


def test_rows_without_a_single_clip_to_train_on_are_refused(tiny: Tiny) -> None:
    first = Rows(*(getattr(tiny.rows, field.name)[:1] for field in fields(Rows)))
    speaker = tiny.corpus.clips[int(first.first[0])].speaker
    with pytest.raises(UsageError, match="none of the 1 rows is of a clip to train on"):
        training(tiny, replace(Recipe(), held_out=(speaker,), sounds=()), rows=first)


def test_a_device_that_is_not_there_is_refused() -> None:
    assert resolve_device("cpu") == torch.device("cpu")
    with pytest.raises(UsageError, match="no device 'gpu'"):
        resolve_device("gpu")
    with pytest.raises(UsageError, match="'meta' cannot be used here"):
        resolve_device("meta")
