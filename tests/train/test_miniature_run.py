"""The miniature from its pairs to its scores: what is made beforehand is what judges are asked with."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the extra local is not installed")
import torch

from aptone.models.local_generation import Placement
from aptone.models.local_omni_checkpoint import load_omni
from aptone.models.local_packed_attention import attend_packed
from aptone.train.ablation import ROWS
from aptone.train.ablation_results import read_result
from aptone.train.judge_batch import conversation_inputs, reply_tokens
from aptone.train.miniature_batches import Masking, batch_numbers, masked, prepare, remembering
from aptone.train.miniature_lessons import caption_examples, judge_examples, sound_of
from aptone.train.miniature_run import (
    BASE,
    SOUNDS,
    Material,
    MiniatureSettings,
    distil_miniature,
    make_base,
    make_row,
    score_row,
    settings_from,
    with_other_clips,
    with_reasons,
)
from aptone.train.miniature_sounds import RememberedExample, read_sounds
from tests.train.miniature_material import clips, pairs

QUICK = """{"sizes": "smoke", "at_once": 4,
 "distil": {"batch": 4, "chunk": 4, "steps": 1, "precision": "float32"},
 "sft": {"batch": 4, "chunk": 2, "steps": 2, "precision": "float32"},
 "grpo": {"batch": 2, "chunk": 4, "steps": 1, "precision": "float32"},
 "writing": {"group": 2, "max_tokens": 4, "at_once": 4}}"""


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    drawn = {"train": pairs("train", 8), "dev": pairs("dev", 4)}
    return with_reasons(Material({clip.key: clip for clip in clips()}, drawn), tmp_path_factory.mktemp("reasons"))


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
    taught = material.pairs["train"]
    return [
        *caption_examples(taught, material.clips),
        *judge_examples(taught, planned="none"),
        *judge_examples(taught, planned="vote"),
        *judge_examples(taught, planned="vote", reasons=material.reasons),
    ]


def test_what_is_prepared_beforehand_is_what_judges_are_asked_with(work: Path, material: Material) -> None:
    omni = load_omni(Placement(str(work / BASE), device="cpu", precision="float32"))
    kept = read_sounds(work / SOUNDS)
    made, chosen = examples(material), [0, 9, 17, 30]
    ours = prepare(omni, made, kept).inputs(chosen, kept.table(torch.device("cpu")))
    remembered = remembering(omni, kept)
    theirs = conversation_inputs(
        remembered,
        [made[number].messages() for number in chosen],
        [reply_tokens(remembered, made[number]) for number in chosen],
    )
    assert set(ours) == {*theirs, "position_ids"}
    assert all(torch.equal(ours[name], value) for name, value in theirs.items())
    omni.switch(gated=False, gate_position="query")
    with torch.no_grad():
        plain = omni.model(**{name: value for name, value in theirs.items() if name != "labels"}).logits
        attend_packed(omni.model)
        packed = omni.model(**{name: value for name, value in ours.items() if name != "labels"}).logits
    there = ours["attention_mask"].bool()
    assert torch.allclose(plain[there], packed[there], atol=1e-5)


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
    assert (result.row, result.control, len(result.given)) == (12, "shuffled", 4)
    assert result.groups == tuple(pair.speaker for pair in material.pairs["dev"])


def test_a_control_hears_the_clip_of_another_pair_every_time(material: Material) -> None:
    made = list(judge_examples(material.pairs["train"], planned="vote"))
    other = with_other_clips(made)
    assert [one.conversation for one in other] == [one.conversation for one in made]
    assert sorted(str(one.audio) for one in other) == sorted(str(one.audio) for one in made)
    keys = [sound_of(pair).key for pair in material.pairs["train"]]
    assert len(set(keys)) == len(keys)
    assert all(one.audio != two.audio for one, two in zip(other, made, strict=True))


def test_every_example_comes_once_an_epoch_but_those_that_fill_no_batch() -> None:
    lengths = np.arange(10)
    seen = [number for step in range(3) for number in batch_numbers(lengths, step, batch=3, seed=1)]
    assert len(seen) == len(set(seen)) == 9
    assert batch_numbers(lengths, 3, batch=3, seed=1) != batch_numbers(lengths, 0, batch=3, seed=1)


def test_masks_put_the_mean_of_a_clip_in_the_place_of_bands_and_moments() -> None:
    features = torch.randn(3, 20, 40)
    changed = masked(features, Masking(), torch.Generator().manual_seed(1))
    differs = changed != features
    assert 0.0 < float(differs.float().mean()) < 0.6
    means = features.mean(dim=(1, 2), keepdim=True).expand_as(features)
    assert torch.equal(changed[differs], means[differs])
