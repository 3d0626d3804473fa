"""The miniature from its pairs to its scores: what is made beforehand is what judges are asked with."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the extra local is not installed")
import torch

from aptone.models.local.placement import Placement
from aptone.models.omni.checkpoint import load_omni
from aptone.train.ablation.results import read_result
from aptone.train.ablation.rows import ROWS
from aptone.train.judge.batch import conversation_inputs, reply_tokens
from recipes.miniature.batches import (
    Masking,
    Order,
    altered,
    masked,
    prepare,
    read_prepared,
    remembering,
    write_prepared,
)
from recipes.miniature.config import MiniatureSettings, settings_from
from recipes.miniature.examples import caption_examples, judge_examples, sound_of
from recipes.miniature.material import Material, finish_material
from recipes.miniature.run import BASE, SOUNDS, distil_miniature, make_base, make_row
from recipes.miniature.scores import score_row, with_other_clips
from recipes.miniature.side_by_side import hear_side_by_side
from recipes.miniature.sounds import RememberedExample, read_sounds
from tests.recipes.miniature.miniature_material import clips, pairs

QUICK = """{"sizes": "smoke", "eval_batch_size": 4, "num_samples": 2,
 "distil": {"batch_size": 4, "micro_batch_size": 4, "steps": 1, "precision": "float32"},
 "sft": {"batch_size": 4, "micro_batch_size": 2, "steps": 2, "precision": "float32"},
 "grpo": {"batch_size": 2, "micro_batch_size": 4, "steps": 1, "precision": "float32"},
 "rollout": {"num_generations": 2, "max_new_tokens": 4, "rollout_batch_size": 4}}"""


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    random = {"train": pairs("train", 12), "dev": pairs("dev", 6)}
    bare = Material({clip.key: clip for clip in clips()}, random)
    return finish_material(tmp_path_factory.mktemp("material"), bare, workers=1)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> MiniatureSettings:
    path = tmp_path_factory.mktemp("settings") / "quick.json"
    path.write_text(QUICK, encoding="utf-8")
    return settings_from(path)


@pytest.fixture(scope="module")
def work(material: Material, settings: MiniatureSettings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("work")
    make_base(material, folder, settings, workers=1, log=lambda line: None)
    return folder


def examples(material: Material) -> list[RememberedExample]:
    taught = material.readable("train")
    return [
        *caption_examples(taught, material.clips),
        *judge_examples(taught, planned="none"),
        *judge_examples(taught, planned="vote"),
        *judge_examples(taught, planned="vote", reasons=material.reasons),
    ]


@pytest.mark.parametrize("gated", [False, True])
def test_what_is_prepared_beforehand_is_what_judges_are_asked_with(
    work: Path, material: Material, tmp_path: Path, gated: bool
) -> None:
    omni = load_omni.__wrapped__(Placement(str(work / BASE), device="cpu", precision="float32"))
    kept = read_sounds(work / SOUNDS)
    made = examples(material)
    chosen = list(range(0, len(made), 5))
    write_prepared(tmp_path / "made.npz", prepare(omni, made, kept))
    ours = read_prepared(tmp_path / "made.npz").on(torch.device("cpu"), kept).inputs(chosen)
    remembered = remembering(omni, kept)
    theirs = conversation_inputs(
        remembered,
        [made[number].messages() for number in chosen],
        [reply_tokens(remembered, made[number]) for number in chosen],
    )
    there = theirs.pop("attention_mask")
    assert set(ours) == {*theirs, "position_ids"}
    assert all(torch.equal(ours[name], value) for name, value in theirs.items())
    omni.switch(gated=gated)
    with torch.no_grad():
        for name, weight in omni.model.named_parameters():
            if "biasfc" in name:  # gates that are not all the same, so that the bias shows
                weight.normal_(generator=torch.Generator().manual_seed(len(name)))
        stock = {name: value for name, value in theirs.items() if name != "labels"}
        plain = omni.model(**stock, attention_mask=there).logits
        hear_side_by_side(omni.model)
        quick = omni.model(**{name: value for name, value in ours.items() if name != "labels"}).logits
    assert torch.allclose(plain[there.bool()], quick[there.bool()], atol=1e-4)


def test_rows_are_trained_reinforced_and_scored_and_what_is_done_is_left_alone(
    work: Path, material: Material, settings: MiniatureSettings
) -> None:
    said: list[str] = []
    distil_miniature(material, work, settings, device="cpu", log=said.append)
    folder = make_row(12, material, work, settings, device="cpu", log=said.append)
    assert folder.name == ROWS[12].name
    assert [line.split(":")[0] for line in said] == ["distil", ROWS[11].name, ROWS[12].name]
    make_row(12, material, work, settings, device="cpu", log=said.append)
    assert len(said) == 3
    scored = score_row(12, "dev", material, work, settings, device="cpu", control="shuffled", log=said.append)
    result = read_result(scored)
    asked = [pair for pair in material.pairs["dev"] if pair.is_readable]
    assert (result.row, result.control, len(result.given)) == (12, "shuffled", len(asked))
    assert result.groups == tuple(pair.speaker for pair in asked)


def test_a_control_hears_the_clip_of_another_pair_every_time(material: Material) -> None:
    made = list(judge_examples(material.pairs["train"], planned="vote"))
    other = with_other_clips(made)
    assert [one.conversation for one in other] == [one.conversation for one in made]
    assert sorted(str(one.audio) for one in other) == sorted(str(one.audio) for one in made)
    keys = [sound_of(pair).key for pair in material.pairs["train"]]
    assert len(set(keys)) == len(keys)
    assert all(one.audio != two.audio for one, two in zip(other, made, strict=True))


def test_every_example_comes_once_an_epoch_but_those_that_fill_no_batch() -> None:
    order = Order(np.arange(10), batch=3, seed=1)
    seen = [number for step in range(3) for number in order.of(step)]
    assert len(seen) == len(set(seen)) == 9
    assert order.of(3) != order.of(0)


def test_masks_hide_stretches_of_numbers_and_of_moments() -> None:
    features = torch.randn(3, 20, 40)
    changed = masked(features, Masking(numbers=0.3), torch.rand(8, 3, generator=torch.Generator().manual_seed(1)))
    differs = changed != features
    assert 0.0 < float(differs.float().mean()) < 0.6
    assert torch.equal(changed[differs], torch.zeros(int(differs.sum())))


def test_numbers_are_left_out_in_all_frames_of_a_clip_and_silence_behind_it_stays_silent() -> None:
    there = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
    given = torch.ones(2, 200, 6) * there[:, None]
    changed = altered(given, there, Masking(masks=0, dropped=0.25, noise=0.0), torch.Generator().manual_seed(1))
    assert torch.equal(changed[1, :, 3:], torch.zeros(200, 3))
    whole = changed[0]
    assert torch.equal(whole, whole[:, :1].expand(-1, 6))
    # What is kept is raised by 1 / (1 - 0.25), so that the mean stays where it was.
    assert sorted(set(whole.flatten().tolist())) == pytest.approx([0.0, 4 / 3])
    assert 0.6 < float((whole > 0).float().mean()) < 0.9
    still = Masking(masks=0, dropped=0.0, noise=0.0)
    assert torch.equal(altered(given, there, still, torch.Generator()), given)
    noisy = altered(given, there, Masking(masks=0, dropped=0.0, noise=0.5), torch.Generator().manual_seed(1))
    assert float((noisy[0] - given[0]).std()) == pytest.approx(0.5, rel=0.1)  # of 1,200 draws
